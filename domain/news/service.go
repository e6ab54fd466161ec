package news

import (
	"context"

	"piyasa/access"
	"piyasa/domain/kap"
)

// Store is where news are read from.
type Store interface {
	// News are the first q.Limit items that q selects, in its order.
	News(ctx context.Context, q Query) ([]*Item, error)
	// NewsItem is one item, or nil.
	NewsItem(ctx context.Context, id string) (*Item, error)
}

// Service answers questions about news. Each method checks the scope of the
// caller, then its arguments, then what there is; it returns a *problem.Error.
type Service struct {
	Store     Store
	Companies *kap.Live // which codes are resolved with
	Signer    access.Signer
}
