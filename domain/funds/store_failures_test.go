package funds_test

import (
	"context"
	"errors"
	"testing"

	"piyasa/domain/funds"
	"piyasa/domain/market"
	"piyasa/internal/value"
	"piyasa/test/fixture/calls"
)

// failing is a store whose methods fail one at a time.
type failing struct {
	*records
	flows, newest, holders, holdings error
}

func (s *failing) Flows(ctx context.Context, code string, first, last value.Date) ([]*funds.Flow, error) {
	found, err := s.records.Flows(ctx, code, first, last)
	return found, errors.Join(err, s.flows)
}

func (s *failing) NewestFlow(ctx context.Context, code string, last value.Date) (value.Date, error) {
	newest, err := s.records.NewestFlow(ctx, code, last)
	return newest, errors.Join(err, s.newest)
}

func (s *failing) Holders(ctx context.Context, ids []market.ID) (map[market.ID][]*funds.Holding, error) {
	found, err := s.records.Holders(ctx, ids)
	return found, errors.Join(err, s.holders)
}

func (s *failing) Holdings(ctx context.Context, codes []string) (map[string][]*funds.Holding, error) {
	found, err := s.records.Holdings(ctx, codes)
	return found, errors.Join(err, s.holdings)
}

func TestStoreFailures(t *testing.T) {
	h := newFixture(fund("DMF"))
	store := &failing{records: h.kept}
	h.Store = store
	flows := func(ctx context.Context) error { _, err := h.Flows(ctx, "DMF", funds.FlowsArgs{}); return err }
	calls.StoreFailures(t, func(err error) { store.flows = err }, map[string]func(context.Context) error{"Flows": flows})
	calls.StoreFailures(t, func(err error) { store.newest = err }, map[string]func(context.Context) error{"NewestFlow": flows})
	calls.StoreFailures(t, func(err error) { store.holders = err }, map[string]func(context.Context) error{
		"Holders": func(ctx context.Context) error { _, err := h.Holders(ctx, "bist:DMOST"); return err },
		"Holders of several": func(ctx context.Context) error {
			_, errs := h.HoldersOf(ctx, []*market.Instrument{h.Market.ByID("bist:DMOST")}, nil)
			return errs[0]
		},
	})
	h.Market.Live.PutFunds(h.Live.Instruments())
	calls.StoreFailures(t, func(err error) { store.holdings = err }, map[string]func(context.Context) error{
		"Holdings": func(ctx context.Context) error { _, err := h.Holdings(ctx, "DMF", nil); return err },
		"Holdings of several": func(ctx context.Context) error {
			_, errs := h.HoldingsOf(ctx, []*market.Instrument{h.Market.ByID("fund:DMF")}, nil)
			return errs[0]
		},
	})
	if err := flows(calls.Anyone()); err != nil {
		t.Errorf("the failure stays: %v", err)
	}
}
