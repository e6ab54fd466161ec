package analytics

import (
	"context"

	"piyasa/account/access"
	"piyasa/domain/market"
	"piyasa/domain/segment"
	"piyasa/internal/value"
)

// SectorReturns is the equal-weighted return series of a sector's members in a
// market.
type SectorReturns struct {
	Code     string              `json:"code"`
	Name     string              `json:"name"`
	Market   market.EquityMarket `json:"market"`
	Base     value.Decimal       `json:"base"`      // 100
	BaseDate value.Date          `json:"base_date"` // of the first point; null when there is none
	Points   []SectorReturnPoint `json:"points"`    // ascending
	Count    int                 `json:"count"`

	// AvailableFrom is the first day of the members' history that is shown, if the whole range
	// is before it; else null.
	AvailableFrom value.Date `json:"available_from,omitzero"`

	Adjustment *string           `json:"adjustment,omitempty"` // unadjusted: a member's series states so; only known actions are bridged
	Adjust     *market.Adjust    `json:"adjust,omitempty"`     // as requested; left out for splits
	Bridges    []*segment.Bridge `json:"bridges,omitempty"`    // that changes of members crossed

	MissingReason *value.MissingReason `json:"-"` // nil unless it is empty or cut
}

// SectorReturnsArgs select a series. A nil member has a default.
type SectorReturnsArgs struct {
	Market   *market.EquityMarket // default: bist
	From, To *value.Date          // default: the 365 days that end on to, which is today
	Adjust   *market.Adjust       // default: splits
}

// returnsDays is the default length of a series in days.
const returnsDays = 365

var returnsBase = value.MustDecimal("100")

// SectorReturns returns the return series of a sector. Needs history. Problems:
// inverted-window, not-found.
func (s *Service) SectorReturns(ctx context.Context, code string, args SectorReturnsArgs) (*SectorReturns, error) {
	if err := access.Enter(ctx, access.History); err != nil {
		return nil, err
	}
	series, err := s.returnsRange(args)
	if err != nil {
		return nil, err
	}
	group, err := s.Market.Live.Snapshot().Sector(code)
	if err != nil {
		return nil, err
	}
	all, err := s.sectorReturns(ctx, []*market.SectorGroup{group}, args.Market.OrBIST(), series, args.Adjust.Or(market.AdjustSplits))
	if err != nil {
		return nil, err
	}
	access.Charge(ctx, access.Unit)
	return all[0], nil
}

// SectorReturnsOf returns the return series of sectors in their order, read
// together. Needs history; each costs one unit.
func (s *Service) SectorReturnsOf(ctx context.Context, sectors []*market.SectorInfo, args SectorReturnsArgs) ([]*SectorReturns, []error) {
	return ofSectors(ctx, s, sectors, func(groups []*market.SectorGroup) ([]*SectorReturns, error) {
		series, err := s.returnsRange(args)
		if err != nil {
			return nil, err
		}
		return s.sectorReturns(ctx, groups, args.Market.OrBIST(), series, args.Adjust.Or(market.AdjustSplits))
	})
}

// missingReturns returns why a series has no points, given the number of members; nil if it has
// some.
func (s *Service) missingReturns(r *SectorReturns, series market.SeriesArgs, members int) *value.MissingReason {
	switch {
	case r.Count > 0:
		return nil
	case members == 0:
		return value.Missing(value.NotCovered)
	case !r.AvailableFrom.IsNull():
		return value.MissingUntil(value.BeforeHistory, r.AvailableFrom)
	case s.Market.Today().Before(*series.From):
		return value.Missing(value.InFuture)
	}
	return value.Missing(value.NoneStored)
}

// returnsRange completes and checks the bounds of a return series.
func (s *Service) returnsRange(args SectorReturnsArgs) (market.SeriesArgs, error) {
	days := value.LastDays(args.From, args.To, s.Market.Today(), returnsDays)
	return market.SeriesArgs{From: &days.From.Date, To: &days.To.Date}, days.Check("", 0)
}

func (s *Service) sectorReturns(ctx context.Context, groups []*market.SectorGroup, m market.EquityMarket,
	series market.SeriesArgs, adjust market.Adjust) ([]*SectorReturns, error) {
	var once []*market.Instrument // so that a member of two sectors is read once
	place := map[market.ID]int{}
	for _, in := range membersOf(groups, m) {
		if _, known := place[in.InstrumentID]; !known {
			place[in.InstrumentID] = len(once)
			once = append(once, in)
		}
	}
	daysOnce, sinceOnce := make([][]Day, len(once)), make([]value.Date, len(once))
	boundariesOnce := make([]segment.Boundaries, len(once))
	adjusting, err := s.adjusting(ctx, once, adjust)
	if err != nil {
		return nil, err
	}
	err = s.eachHistory(ctx, once, series, func(i int, of *market.CandleSeries) {
		bars := of.Bars()
		daysOnce[i], sinceOnce[i] = daysOf(m.Market(), bars), of.Since
		boundariesOnce[i] = adjusting.Boundaries(once[i].InstrumentID, market.ClosesOf(m.Market(), bars))
	})
	if err != nil {
		return nil, err
	}
	all := make([]*SectorReturns, len(groups))
	for i, g := range groups {
		var days [][]Day
		var boundaries []segment.Boundaries
		var since value.Date
		for _, in := range g.Members(m) {
			at := place[in.InstrumentID]
			days, boundaries = append(days, daysOnce[at]), append(boundaries, boundariesOnce[at])
			if of := sinceOnce[at]; !of.IsNull() && (since.IsNull() || of.Before(since)) {
				since = of
			}
		}
		r := &SectorReturns{Code: g.Code, Name: g.Name, Market: m, Base: returnsBase, Adjustment: anyUnadjusted(g.Members(m))}
		r.Points, r.Bridges = Returns(days, boundaries)
		if adjust != market.AdjustSplits {
			r.Adjust = &adjust
		}
		if r.Count = len(r.Points); r.Count > 0 {
			r.BaseDate = r.Points[0].Date
		} else if series.To.Before(since) {
			r.AvailableFrom = since
		}
		r.MissingReason = s.missingReturns(r, series, len(days))
		all[i] = r
	}
	return all, nil
}
