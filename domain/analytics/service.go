package analytics

import (
	"context"

	"piyasa/domain/fundamentals"
	"piyasa/domain/market"
)

// Service answers questions about figures that are computed from prices. Each method checks the
// scope of the caller, then the arguments, then what exists; its errors are *problem.Error.
type Service struct {
	Market       *market.Service
	Fundamentals *fundamentals.Service // P/E and P/B of a sector's members
	Store        Store
	Figures      *FigureCache
}

// Store reads the bars of indices.
type Store interface {
	// IndexBars returns the stored days of indices of the Istanbul exchange, by
	// date, in the order of codes.
	IndexBars(ctx context.Context, codes []string) ([][]*market.IndexBar, error)
}
