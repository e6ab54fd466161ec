package analytics

import (
	"context"

	"piyasa/domain/fundamentals"
	"piyasa/domain/market"
)

// Service answers questions about figures that are computed from prices. Each
// method checks the scope of the caller, then its arguments, then what there
// is; it returns a *problem.Error.
type Service struct {
	Market       *market.Service
	Fundamentals *fundamentals.Service // P/E and P/B of a sector's members
	Store        Store
	Computed     *Computed
}

// Store is where the bars of indices are read from.
type Store interface {
	// IndexBars are the stored days of indices of the Istanbul exchange, by
	// date, in the order of codes.
	IndexBars(ctx context.Context, codes []string) ([][]*market.IndexBar, error)
}
