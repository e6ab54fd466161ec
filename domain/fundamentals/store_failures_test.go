package fundamentals_test

import (
	"context"
	"testing"

	"piyasa/db"
	"piyasa/domain/fundamentals"
	"piyasa/domain/market"
	"piyasa/internal/value"
	"piyasa/test/fixture/calls"
)

// failing is a store whose method of a name fails; the others answer.
type failing struct {
	*db.Store
	method string
	err    error
}

// Dividends implements fundamentals.DividendStore.
func (f *failing) Dividends(ctx context.Context, ids []market.ID, first int) (map[market.ID][]*fundamentals.DividendRecord, error) {
	if f.method == "Dividends" {
		return nil, f.err
	}
	return f.Store.Dividends(ctx, ids, first)
}

// DividendPage implements fundamentals.DividendStore.
func (f *failing) DividendPage(ctx context.Context, q fundamentals.DividendQuery) ([]*fundamentals.StoredDividend, error) {
	if f.method == "DividendPage" {
		return nil, f.err
	}
	return f.Store.DividendPage(ctx, q)
}

// Metrics implements fundamentals.MetricsStore.
func (f *failing) Metrics(ctx context.Context, ids []market.ID, first, last value.Date) ([][]*fundamentals.Metrics, error) {
	if f.method == "Metrics" {
		return nil, f.err
	}
	return f.Store.Metrics(ctx, ids, first, last)
}

// Statements implements fundamentals.StatementStore.
func (f *failing) Statements(ctx context.Context, keys []fundamentals.HistoryKey) (map[fundamentals.HistoryKey][]*fundamentals.Filed,
	int64, error) {
	if f.method == "Statements" {
		return nil, 0, f.err
	}
	return f.Store.Statements(ctx, keys)
}

// everyStore is what the service reads.
type everyStore interface {
	fundamentals.Store
	fundamentals.StatementStore
}

// What the store fails with is the problem of every operation that reads it. The
// answer has nothing of the cause, and costs nothing.
func TestStoreFailures(t *testing.T) {
	a := newFixture(t)
	a.company(t, "12000000000 8.5")
	companies := []*market.Instrument{a.Market.ByID("bist:DMOST")}
	store := &failing{Store: a.db}
	a.Store, a.Histories = store, fundamentals.NewHistoryCache(store, 0, nil)
	calls.EveryStoreFailure[everyStore](t, func(method string, err error) {
		store.method, store.err = method, err
	}, map[string]map[string]func(context.Context) error{
		"Dividends": {
			"DividendHistory": func(ctx context.Context) error {
				_, err := a.DividendHistory(ctx, "bist:DMOST")
				return err
			},
			"DividendsOf": func(ctx context.Context) error {
				_, errs := a.DividendsOf(ctx, companies, nil)
				return errs[0]
			},
		},
		"DividendPage": {
			"Dividends": func(ctx context.Context) error {
				_, err := a.Service.Dividends(ctx, fundamentals.DividendFilter{}, nil, nil)
				return err
			},
		},
		"Metrics": {
			"ValuationHistory": func(ctx context.Context) error {
				_, err := a.ValuationHistory(ctx, "bist:DMOST", fundamentals.ValuationHistoryArgs{})
				return err
			},
			"ValuationHistoryOf": func(ctx context.Context) error {
				_, errs := a.ValuationHistoryOf(ctx, companies, fundamentals.ValuationHistoryArgs{})
				return errs[0]
			},
		},
		"Statements": {
			"Financials": func(ctx context.Context) error {
				_, err := a.Financials(ctx, "bist:DMOST", fundamentals.FinancialsArgs{})
				return err
			},
			"FinancialsOf": func(ctx context.Context) error {
				_, errs := a.FinancialsOf(ctx, companies, fundamentals.FinancialsArgs{})
				return errs[0]
			},
			"Valuation": func(ctx context.Context) error {
				_, err := a.Valuation(ctx, "bist:DMOST", nil)
				return err
			},
			"Valuations": func(ctx context.Context) error {
				_, err := a.Valuations(ctx, []string{"bist:DMOST"}, nil)
				return err
			},
			"ValuationsOf": func(ctx context.Context) error {
				_, errs := a.ValuationsOf(ctx, companies, nil)
				return errs[0]
			},
		},
	})
}
