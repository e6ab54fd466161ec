package market

import (
	"context"
	"time"

	"piyasa/account/access"
	"piyasa/internal/epoch"
	"piyasa/internal/value"
)

// Service answers every question about instruments: the catalog, quotes, movers and status from
// memory, history and logos from the store. Each method checks the scope of the caller, then
// its arguments, then whether the data exists; its errors are *problem.Error.
type Service struct {
	Live     *Live
	History  *HistoryCache
	Logos    LogoStore
	Now      value.Clock
	Sources  Sources
	FXMaxAge time.Duration // an older rate counts as missing
	Signer   access.Signer // of the cursors of lists

	Epochs    *epoch.View                                                        // of the store; nil: not known
	Dividends func(ctx context.Context, ids []ID) (map[ID][]CashDividend, error) // of instruments; nil: none are known
	// the only stocks whose corporate actions a test key lists
	TestStocks []ID
}

// Catalog returns the current catalog.
func (s *Service) Catalog() *Catalog { return s.Live.Snapshot().Catalog }

// Today returns the day of the service's clock in Turkey time.
func (s *Service) Today() value.Date { return value.TurkeyDay(s.Now()) }
