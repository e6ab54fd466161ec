package analytics

import (
	"context"
	"log/slog"

	"piyasa/domain/market"
)

// DailyBarsChanged says whose daily bars changed: ids of instruments and codes
// of indices.
func (s *Service) DailyBarsChanged(ids []string) {
	var subjects []subject
	seen := map[subject]bool{}
	add := func(one subject) {
		if !seen[one] {
			seen[one] = true
			subjects = append(subjects, one)
		}
	}
	snapshot := s.Market.Live.Snapshot()
	for _, id := range ids {
		m := market.MarketOf(id)
		if m == "" {
			add(subject{index: id})
			continue
		}
		if !windowed(m) {
			continue
		}
		add(subject{instrument: market.ID(id)})
		for _, code := range snapshot.SectorsOf(market.ID(id)) {
			add(subject{sector: code, market: market.EquityMarket(m)})
		}
	}
	s.Computed.changed(subjects)
}

// CatalogChanged says which instruments are new or changed, and that the
// members of sectors may be others.
func (s *Service) CatalogChanged(instruments []*market.Instrument) {
	var subjects []subject
	for _, in := range instruments {
		if windowed(in.Market) {
			subjects = append(subjects, subject{instrument: in.InstrumentID})
		}
	}
	for _, code := range s.Market.Live.Snapshot().SectorCodes() {
		for _, m := range []market.EquityMarket{market.EquityBIST, market.EquityUS} {
			subjects = append(subjects, subject{sector: code, market: m})
		}
	}
	s.Computed.changed(subjects)
}

// computedTogether is how many subjects Run computes at a time.
const computedTogether = 32

// Run computes what waits until ctx ends.
func (s *Service) Run(ctx context.Context) {
	for {
		s.computeWaiting(ctx)
		select {
		case <-ctx.Done():
			return
		case <-s.Computed.wake:
		}
	}
}

// computeWaiting computes what waits, until nothing does or ctx ends.
func (s *Service) computeWaiting(ctx context.Context) {
	for some := s.Computed.next(computedTogether); len(some) > 0 && ctx.Err() == nil; some = s.Computed.next(computedTogether) {
		if _, err := s.figures(ctx, some); err != nil && ctx.Err() == nil {
			// Whoever asks computes it; the next change tries again.
			slog.Error("computing figures from daily bars failed", "error", err)
		}
	}
}
