package news

import (
	"context"

	"piyasa/account/access"
	"piyasa/domain/kap"
	"piyasa/internal/epoch"
)

// Store reads news.
type Store interface {
	// News returns the first q.Limit items that q selects, in its order.
	News(ctx context.Context, q Query) ([]*Stored, error)
	// NewsItems returns the stored items among these ids.
	NewsItems(ctx context.Context, ids []string) (map[string]*Item, error)
}

// Service answers questions about news. Each method checks the caller's scope, then the arguments,
// then whether the data exists. Errors are of type *problem.Error.
type Service struct {
	Store     Store
	Companies *kap.Live // to resolve codes with
	Signer    access.Signer
	Epochs    *epoch.View // of the store; nil: not known
}
