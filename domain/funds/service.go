package funds

import (
	"context"

	"piyasa/domain/market"
	"piyasa/value"
)

// Store is where flows and holdings are read from.
type Store interface {
	// Flows are the flows of a fund from first to last, both included, by date.
	Flows(ctx context.Context, code string, first, last value.Date) ([]*Flow, error)
	// NewestFlow is the newest day of a fund's flows up to last; null when there
	// is none.
	NewestFlow(ctx context.Context, code string, last value.Date) (value.Date, error)
	// Holders are the holdings of each instrument in the newest report of each
	// fund, in no order.
	Holders(ctx context.Context, ids []market.ID) (map[market.ID][]*Holding, error)
}

// Service answers questions about funds. Each method checks the scope of the
// caller, then its arguments, then what there is; it returns a *problem.Error.
type Service struct {
	Market *market.Service
	Store  Store
	Live   *Live
}
