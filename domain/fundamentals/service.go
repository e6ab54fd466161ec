package fundamentals

import (
	"context"

	"piyasa/account/access"
	"piyasa/domain/market"
	"piyasa/internal/epoch"
	"piyasa/internal/problem"
	"piyasa/internal/value"
)

// Service answers questions about companies. Each method checks the scope of the caller, then
// the arguments, then what exists; its errors are *problem.Error.
type Service struct {
	Market     *market.Service
	Store      Store
	Histories  *HistoryCache
	Live       *Live
	Lines      *Lines
	Signer     access.Signer
	Epochs     *epoch.View // of the store; nil: not known
	TestStocks []market.ID // the only stocks whose dividends a test key lists
}

// Store reads past market metrics and dividends.
type Store interface {
	MetricsStore
	DividendStore
}

// resolveCompany returns the stock or ETF of bist or us with this id. An ETF is
// found by its own id only.
func (s *Service) resolveCompany(id string) (*market.Instrument, error) {
	if m := market.MarketOf(id); m != "" && m != market.BIST && m != market.US {
		return nil, problem.New(problem.NotFound, "%s is not a company: only bist and us ids have fundamentals.", problem.Shown(id))
	}
	return s.Market.Catalog().Resolve(id, market.CanonicalForm)
}

func isCompany(in *market.Instrument) bool {
	return in.Market == market.BIST || in.Market == market.US
}

// histories returns the filing histories of instruments, each in its currency.
func (s *Service) histories(ctx context.Context, instruments []*market.Instrument, currencies []string) ([]*FilingHistory, error) {
	keys := make([]HistoryKey, len(instruments))
	for i, in := range instruments {
		keys[i] = HistoryKey{in.InstrumentID, currencies[i]}
	}
	return s.Histories.Of(ctx, keys)
}

// DividendStore reads dividends.
type DividendStore interface {
	// Dividends returns the first dividends of each instrument, at most first for each, the
	// newest ex date first and, within an ex date, the last installment first.
	Dividends(ctx context.Context, ids []market.ID, first int) (map[market.ID][]*DividendRecord, error)
	// DividendPage returns the first q.Limit dividends that q selects, in its order.
	DividendPage(ctx context.Context, q DividendQuery) ([]*StoredDividend, error)
}

// MetricsStore reads past market metrics.
type MetricsStore interface {
	// Metrics returns the stored metrics of each company from first to last, both
	// included, by date, in the order of ids.
	Metrics(ctx context.Context, ids []market.ID, first, last value.Date) ([][]*Metrics, error)
}
