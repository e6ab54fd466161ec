package analytics

import (
	"context"
	"log/slog"

	"piyasa/domain/market"
)

// DailyBarsChanged invalidates the figures of instruments and indices whose daily bars changed,
// and those of the sectors of these instruments. ids are ids of instruments and codes of
// indices.
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
		if !hasWindows(m) {
			continue
		}
		add(subject{instrument: market.ID(id)})
		for _, code := range snapshot.SectorsOf(market.ID(id)) {
			add(subject{sector: code, market: market.EquityMarket(m)})
		}
	}
	s.Figures.invalidate(subjects)
}

// AllBarsChanged invalidates all figures.
func (s *Service) AllBarsChanged() { s.Figures.invalidateAll() }

// CatalogChanged invalidates the figures of new or changed instruments, and those of sectors
// that have such members or other members than before.
func (s *Service) CatalogChanged(instruments []*market.Instrument) {
	var subjects []subject
	changed := map[market.ID]bool{}
	for _, in := range instruments {
		if changed[in.InstrumentID] = true; hasWindows(in.Market) {
			subjects = append(subjects, subject{instrument: in.InstrumentID})
		}
	}
	snapshot, members := s.Market.Live.Snapshot(), map[subject][]market.ID{}
	for _, code := range snapshot.SectorCodes() {
		for _, m := range []market.EquityMarket{market.EquityBIST, market.EquityUS} {
			one := subject{sector: code, market: m}
			members[one] = nil
			if group, err := snapshot.Sector(code); err == nil {
				for _, in := range group.Members(m) {
					members[one] = append(members[one], in.InstrumentID)
				}
			}
		}
	}
	s.Figures.invalidate(append(subjects, s.Figures.regrouped(members, changed)...))
}

// computedTogether is how many subjects Run computes at a time.
const computedTogether = 32

// Run computes invalidated figures in the background until ctx ends.
func (s *Service) Run(ctx context.Context) {
	for {
		s.computeWaiting(ctx)
		select {
		case <-ctx.Done():
			return
		case <-s.Figures.wake:
		}
	}
}

// computeWaiting computes the queued figures, until the queue is empty or ctx
// ends.
func (s *Service) computeWaiting(ctx context.Context) {
	for some := s.Figures.next(computedTogether); len(some) > 0 && ctx.Err() == nil; some = s.Figures.next(computedTogether) {
		if _, err := s.figures(ctx, some, nil); err != nil && ctx.Err() == nil {
			// A request or the next change computes them.
			slog.Error("computing figures from daily bars failed", "error", err)
		}
	}
}
