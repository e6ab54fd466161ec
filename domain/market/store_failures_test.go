package market_test

import (
	"context"
	"errors"
	"testing"

	"piyasa/domain/market"
	"piyasa/internal/value"
	"piyasa/test/fixture/calls"
	"piyasa/test/fixture/need"
)

// failing is a history, and a store of logos, whose methods fail one at a time.
type failing struct {
	memory
	bars, firstBars, logo error
}

func (s *failing) Bars(ctx context.Context, r market.Resolution, spans []market.Span) ([]market.StoredBars, error) {
	found, err := s.memory.Bars(ctx, r, spans)
	return found, errors.Join(err, s.bars)
}

func (s *failing) FirstBars(ctx context.Context, r market.Resolution, ids []market.ID,
	since value.Instant) (map[market.ID]value.Instant, error) {
	found, err := s.memory.FirstBars(ctx, r, ids, since)
	return found, errors.Join(err, s.firstBars)
}

func (s *failing) Logo(context.Context, market.LogoOwner) (*market.LogoImage, error) {
	return nil, s.logo
}

func TestStoreFailures(t *testing.T) {
	store := &failing{}
	s, _ := charts(store)
	s.Logos = store
	s.Live.PutLogos([]*market.LogoTag{{LogoOwner: ofInstrument("bist:DMOST"), ETag: "e"}})
	stock := s.ByID("us:DMAP")
	one := []*market.Instrument{stock}
	past := market.SeriesArgs{From: date("2025-06-02"), To: date("2025-06-03")} // without bars: the first one is looked up
	converted := market.SeriesArgs{Currency: to(market.TRY)}
	operations := func(args market.SeriesArgs) map[string]func(context.Context) error {
		return map[string]func(context.Context) error{
			"Candles":      func(ctx context.Context) error { _, err := s.Candles(ctx, "us:DMAP", args); return err },
			"Eod":          func(ctx context.Context) error { _, err := s.Eod(ctx, "us:DMAP", args); return err },
			"CandlesBatch": func(ctx context.Context) error { _, err := s.CandlesBatch(ctx, []string{"us:DMAP"}, args); return err },
			"CandlesOf":    func(ctx context.Context) error { _, errs := s.CandlesOf(ctx, one, args); return errs[0] },
			"EodOf":        func(ctx context.Context) error { _, errs := s.EodOf(ctx, one, args); return errs[0] },
			"HistoryOf":    func(ctx context.Context) error { _, err := s.HistoryOf(ctx, one, args); return err },
		}
	}
	calls.StoreFailures(t, func(err error) { store.bars = err }, operations(market.SeriesArgs{}))
	calls.StoreFailures(t, func(err error) { store.bars = err }, operations(converted))
	calls.StoreFailures(t, func(err error) { store.firstBars = err }, operations(past))
	calls.StoreFailures(t, func(err error) { store.logo = err }, map[string]func(context.Context) error{
		"Logo": func(context.Context) error {
			logo, err := s.Logo(calls.Anyone(), "bist:DMOST")
			need.NoError(t, err)
			_, _, err = logo.Image(t.Context())
			return err
		},
	})
	for name, operation := range operations(past) {
		if err := operation(calls.Anyone()); err != nil {
			t.Errorf("%s: the failure stays: %v", name, err)
		}
	}
}
