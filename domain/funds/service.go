package funds

import (
	"context"

	"piyasa/domain/market"
	"piyasa/internal/value"
)

// Store reads flows and holdings.
type Store interface {
	// Flows returns the flows of a fund from first to last, both included, by
	// date.
	Flows(ctx context.Context, code string, first, last value.Date) ([]*Flow, error)
	// NewestFlow returns the newest day of a fund's flows up to last; null if there is none.
	NewestFlow(ctx context.Context, code string, last value.Date) (value.Date, error)
	// Holders returns the holdings of each instrument in the newest report of each fund,
	// unordered.
	Holders(ctx context.Context, ids []market.ID) (map[market.ID][]*Holding, error)
	// Holdings returns the newest report of each fund by its code, unordered.
	Holdings(ctx context.Context, codes []string) (map[string][]*Holding, error)
}

// Service answers questions about funds. Each method checks the scope of the caller, then its
// arguments, then what exists; its errors are *problem.Error.
type Service struct {
	Market *market.Service
	Store  Store
	Live   *Live
}
