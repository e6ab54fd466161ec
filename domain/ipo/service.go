package ipo

import (
	"context"

	"piyasa/access"
	"piyasa/attachment"
	"piyasa/domain/market"
	"piyasa/value"
)

// Store is where the first days of shares are read from.
type Store interface {
	// FirstDays are the starts of the first daily bars with a close that shares
	// have from a day on, in order; null for those that have none.
	FirstDays(ctx context.Context, trades []Trade) ([]value.Instant, error)
}

// Service answers questions about offerings. Each method checks the scope of
// the caller, then its arguments, then what there is; it returns a
// *problem.Error.
type Service struct {
	Market *market.Service
	Store  Store
	Live   *Live
	Links  attachment.Links
}

// enter lets keys through that have either scope.
func enter(ctx context.Context) error { return access.EnterAny(ctx, access.QuotesBIST, access.IPORead) }
