package analytics

import (
	"context"

	"piyasa/account/access"
	"piyasa/domain/market"
	"piyasa/internal/problem"
	"piyasa/internal/value"
)

// Periodic holds the windows of an instrument, an index of the Istanbul
// exchange, or a sector.
type Periodic struct {
	InstrumentID *market.ID // of an instrument
	Code         *string    // of an index or a sector
	Kind         string     // instrument, index or sector
	AssetType    *market.AssetType
	Name         string
	Currency     string        // of the prices, after conversion; levels of an index or a sector are points and never converted
	AsOf         value.Instant // of the newest bar; null for the reasons of IndicatorSet.AsOf
	Windows      []*PeriodicWindow
	Count        int
	FxRate       value.Decimal // null: no conversion
	FxAsOf       value.Instant

	Adjust     market.Adjust // what the windows are adjusted for
	Adjustment *string       // unadjusted: the series or one of a member states so, and only known actions are bridged
}

// PeriodicBatch answers several ids at once.
type PeriodicBatch struct {
	Periodic []*Periodic
	Count    int
	NotFound []value.NotFound
}

// Periodic returns the windows of an instrument of bist, us, fund or cmdty.
// Needs history. Problems: not-found, fx-rate-unavailable.
func (s *Service) Periodic(ctx context.Context, id string, currency *market.Currency, adjust *market.Adjust) (*Periodic, error) {
	if err := access.Enter(ctx, access.History); err != nil {
		return nil, err
	}
	if m := market.MarketOf(id); m != "" && !hasWindows(m) {
		return nil, problem.New(problem.NotFound,
			"%s has no periodic windows: only %s ids have them; BIST indices and sectors have their own routes.", problem.Shown(id),
			windowedMarkets)
	}
	in, err := s.Market.Catalog().Resolve(id, market.AnyForm)
	if err != nil {
		return nil, err
	}
	all, err := s.periodic(ctx, []*market.Instrument{in}, s.Market.Converter(currency), adjust)
	if err != nil {
		return nil, err
	}
	access.Charge(ctx, access.Unit)
	return all[0], nil
}

// PeriodicBatch answers 1 to 100 ids in the order of the request, each
// instrument once. Needs history. If a rate is missing, the whole batch fails;
// unknown ids and those of other markets are reported in NotFound.
func (s *Service) PeriodicBatch(ctx context.Context, ids []string, currency *market.Currency,
	adjust *market.Adjust) (*PeriodicBatch, error) {
	if err := access.Enter(ctx, access.History); err != nil {
		return nil, err
	}
	if err := market.CheckIDs(ids, market.MaxIDs); err != nil {
		return nil, err
	}
	batch := &PeriodicBatch{NotFound: []value.NotFound{}}
	found, err := s.Market.Catalog().Batch(ids, market.AnyForm, hasWindows)
	if err != nil {
		return nil, err
	}
	var instruments []*market.Instrument
	for _, a := range found {
		if a.Instrument == nil {
			batch.NotFound = append(batch.NotFound, value.NotFound{ID: a.ID, Reason: a.Reason})
			continue
		}
		instruments = append(instruments, a.Instrument)
	}
	all, err := s.periodic(ctx, instruments, s.Market.Converter(currency), adjust)
	if err != nil {
		return nil, err
	}
	batch.Periodic, batch.Count = all, len(all)
	access.Charge(ctx, access.Unit)
	return batch, nil
}

// PeriodicOf returns the windows of instruments in their order: nil for instruments of other
// markets. Needs history; each costs one unit.
func (s *Service) PeriodicOf(ctx context.Context, instruments []*market.Instrument, currency *market.Currency,
	adjust *market.Adjust) ([]*Periodic, []error) {
	rates := s.Market.Converter(currency)
	return access.Relation[*market.Instrument, *Periodic]{
		Enter:  access.Needs(access.History),
		Covers: func(in *market.Instrument) bool { return hasWindows(in.Market) },
		Check:  rates.Check,
		Read:   func(some []*market.Instrument) ([]*Periodic, error) { return s.periodic(ctx, some, rates, adjust) },
	}.Answer(ctx, instruments)
}

func (s *Service) periodic(ctx context.Context, instruments []*market.Instrument, rates *market.Converter,
	adjust *market.Adjust) ([]*Periodic, error) {
	known, err := s.figuresOf(ctx, instruments, adjust)
	if err != nil {
		return nil, err
	}
	all := make([]*Periodic, len(instruments))
	for i, in := range instruments {
		f := known[i]
		windows := f.windows
		if changed := s.Market.PricesChanged(in.InstrumentID, f.last); changed != nil {
			windows = outdated(windows, changed)
		}
		p := &Periodic{
			InstrumentID: &in.InstrumentID, Kind: "instrument", AssetType: &in.AssetType, Name: in.Name, Currency: in.Currency,
			AsOf: s.asOf(f), Windows: windows, Count: len(windows), Adjust: adjust.Or(market.AdjustSplits), Adjustment: unadjusted(in),
		}
		rate, err := rates.From(in.Currency)
		if err != nil {
			return nil, err
		}
		if rate != nil {
			p.convert(*rates.To, *rate)
		}
		all[i] = p
	}
	return all, nil
}

// convert converts the prices of the windows at a rate.
func (p *Periodic) convert(target market.Currency, r market.Rate) {
	converted := make([]*PeriodicWindow, len(p.Windows))
	for i, w := range p.Windows {
		converted[i] = w.Converted(r)
	}
	p.Windows, p.Currency, p.FxRate, p.FxAsOf = converted, string(target), r.Factor, r.AsOf
}

// IndexPeriodic returns the windows of an index of the Istanbul exchange by its
// code. Levels are points and never converted. Needs history. Problems:
// not-found, which lists the known codes.
func (s *Service) IndexPeriodic(ctx context.Context, code string, adjust *market.Adjust) (*Periodic, error) {
	if err := access.Enter(ctx, access.History); err != nil {
		return nil, err
	}
	index, err := s.Market.Live.Snapshot().Index(code)
	if err != nil {
		return nil, err
	}
	one := subject{index: index.Code}
	known, err := s.figures(ctx, []subject{one}, adjust)
	if err != nil {
		return nil, err
	}
	access.Charge(ctx, access.Unit)
	return s.group(known[one], "index", index.Code, index.Name, market.EquityBIST, adjust), nil
}

// IndexPeriodicOf returns the windows of indices in their order, read together.
// Needs history; each costs one unit.
func (s *Service) IndexPeriodicOf(ctx context.Context, indices []*market.IndexInfo, adjust *market.Adjust) ([]*Periodic, []error) {
	return access.Relation[*market.IndexInfo, *Periodic]{
		Enter: access.Needs(access.History),
		Read: func(indices []*market.IndexInfo) ([]*Periodic, error) {
			subjects := make([]subject, len(indices))
			for i, index := range indices {
				subjects[i] = subject{index: index.Code}
			}
			known, err := s.figures(ctx, subjects, adjust)
			if err != nil {
				return nil, err
			}
			all := make([]*Periodic, len(indices))
			for i, index := range indices {
				all[i] = s.group(known[subjects[i]], "index", index.Code, index.Name, market.EquityBIST, adjust)
			}
			return all, nil
		},
	}.Answer(ctx, indices)
}

// SectorPeriodic returns the windows of a sector's return series in a market,
// bist if m is nil. Each window starts at 100. Needs history. Problems:
// not-found.
func (s *Service) SectorPeriodic(ctx context.Context, code string, m *market.EquityMarket, adjust *market.Adjust) (*Periodic, error) {
	if err := access.Enter(ctx, access.History); err != nil {
		return nil, err
	}
	sector, err := s.Market.Live.Snapshot().Sector(code)
	if err != nil {
		return nil, err
	}
	one := subject{sector: sector.Code, market: m.OrBIST()}
	known, err := s.figures(ctx, []subject{one}, adjust)
	if err != nil {
		return nil, err
	}
	f := known[one]
	if f == nil { // the sector has just been retired
		f = &figures{windows: Windows(nil, nil)}
	}
	access.Charge(ctx, access.Unit)
	p := s.group(f, "sector", sector.Code, sector.Name, one.market, adjust)
	p.Adjustment = anyUnadjusted(sector.Members(one.market))
	return p, nil
}

// group presents the figures of an index or a sector.
func (s *Service) group(f *figures, kind, code, name string, m market.EquityMarket, adjust *market.Adjust) *Periodic {
	return &Periodic{Code: &code, Kind: kind, Name: name, Currency: m.Currency(), AsOf: s.asOf(f), Windows: f.windows,
		Count: len(f.windows), Adjust: adjust.Or(market.AdjustSplits)}
}

// anyUnadjusted returns the adjustment of a member whose series states that it is unadjusted;
// nil if none does.
func anyUnadjusted(members []*market.Instrument) *string {
	for _, in := range members {
		if says := unadjusted(in); says != nil {
			return says
		}
	}
	return nil
}
