package fundamentals_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"piyasa/access"
	"piyasa/db"
	"piyasa/domain/fundamentals"
	"piyasa/domain/market"
	"piyasa/fixture/calls"
	"piyasa/problem"
	"piyasa/value"
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
func (f *failing) DividendPage(ctx context.Context, q fundamentals.DividendQuery) ([]*fundamentals.DividendRecord, error) {
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
func (f *failing) Statements(ctx context.Context, keys []fundamentals.HistoryKey) (map[fundamentals.HistoryKey][]*fundamentals.Filed, error) {
	if f.method == "Statements" {
		return nil, f.err
	}
	return f.Store.Statements(ctx, keys)
}

// What the store fails with is the problem of every operation that reads it. The
// answer has nothing of the cause, and costs nothing.
func TestStoreFailures(t *testing.T) {
	a := newFixture(t)
	a.company(t, "12000000000 8.5")
	companies := []*market.Instrument{a.Market.ByID("bist:DMOST")}
	tested := map[string]bool{}
	for _, c := range []struct {
		method, operation string
		ask               func(context.Context) error
	}{
		{"Dividends", "DividendHistory", func(ctx context.Context) error {
			_, err := a.DividendHistory(ctx, "bist:DMOST")
			return err
		}},
		{"Dividends", "DividendsOf", func(ctx context.Context) error {
			_, errs := a.DividendsOf(ctx, companies, nil)
			return errs[0]
		}},
		{"DividendPage", "Dividends", func(ctx context.Context) error {
			_, err := a.Service.Dividends(ctx, fundamentals.DividendFilter{}, nil, nil)
			return err
		}},
		{"Metrics", "ValuationHistory", func(ctx context.Context) error {
			_, err := a.ValuationHistory(ctx, "bist:DMOST", fundamentals.ValuationHistoryArgs{})
			return err
		}},
		{"Metrics", "ValuationHistoryOf", func(ctx context.Context) error {
			_, errs := a.ValuationHistoryOf(ctx, companies, fundamentals.ValuationHistoryArgs{})
			return errs[0]
		}},
		{"Statements", "Financials", func(ctx context.Context) error {
			_, err := a.Financials(ctx, "bist:DMOST", fundamentals.FinancialsArgs{})
			return err
		}},
		{"Statements", "FinancialsOf", func(ctx context.Context) error {
			_, errs := a.FinancialsOf(ctx, companies, fundamentals.FinancialsArgs{})
			return errs[0]
		}},
		{"Statements", "Valuation", func(ctx context.Context) error {
			_, err := a.Valuation(ctx, "bist:DMOST", nil)
			return err
		}},
		{"Statements", "Valuations", func(ctx context.Context) error {
			_, err := a.Valuations(ctx, []string{"bist:DMOST"}, nil)
			return err
		}},
		{"Statements", "ValuationsOf", func(ctx context.Context) error {
			_, errs := a.ValuationsOf(ctx, companies, nil)
			return errs[0]
		}},
	} {
		tested[c.method] = true
		cause := errors.New("disk 7 is gone")
		for kind, err := range map[problem.Kind]error{problem.StoreUnavailable: problem.StoreFailed(cause), problem.Internal: fmt.Errorf("query: %w", cause)} {
			use := func(store *failing) {
				a.Store, a.Histories = store, fundamentals.NewHistoryCache(store, 0)
			}
			use(&failing{Store: a.db})
			if err := c.ask(calls.Caller(access.History)); err != nil {
				t.Errorf("%s of a store that answers: %v", c.operation, err)
			}
			use(&failing{a.db, c.method, err})
			ctx := calls.Caller(access.History)
			got := c.ask(ctx)
			if got == nil {
				t.Errorf("%s without %s: no problem", c.operation, c.method)
				continue
			}
			shown := problem.From(got)
			if shown.Kind != kind || strings.Contains(shown.Detail, "disk") || access.CallOf(ctx).Units() != 0 {
				t.Errorf("%s without %s: %s, %q for %d units, want %s", c.operation, c.method, shown.Kind, shown.Detail, access.CallOf(ctx).Units(), kind)
			}
		}
	}
	for _, store := range []reflect.Type{reflect.TypeFor[fundamentals.Store](), reflect.TypeFor[fundamentals.StatementStore]()} {
		for m := range store.Methods() {
			if !tested[m.Name] {
				t.Errorf("no operation is tested without %s", m.Name)
			}
		}
	}
}
