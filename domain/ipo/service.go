package ipo

import (
	"context"

	"piyasa/account/access"
	"piyasa/domain/market"
	"piyasa/internal/attachment"
	"piyasa/internal/value"
)

// Store reads the first days of shares.
type Store interface {
	// FirstDays returns, in order, the start of each share's first daily bar with a close from
	// a day on; null for a share without one.
	FirstDays(ctx context.Context, trades []Trade) ([]value.Instant, error)
}

// Service answers questions about IPOs. Each method checks the scope of the caller, then its
// arguments, then what exists; its errors are *problem.Error.
type Service struct {
	Market *market.Service
	Store  Store
	Live   *Live
	Links  attachment.Links
}

// enter admits keys with either scope.
func enter(ctx context.Context) error { return access.EnterAny(ctx, access.QuotesBIST, access.IPORead) }
