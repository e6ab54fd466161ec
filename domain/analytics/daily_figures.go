package analytics

import (
	"context"
	"slices"
	"time"

	"piyasa/domain/market"
	"piyasa/domain/segment"
	"piyasa/internal/value"
)

// figuresOf returns the figures of instruments in their order.
func (s *Service) figuresOf(ctx context.Context, instruments []*market.Instrument, adjust *market.Adjust) ([]*figures, error) {
	subjects := make([]subject, len(instruments))
	for i, in := range instruments {
		subjects[i] = subject{instrument: in.InstrumentID}
	}
	known, err := s.figures(ctx, subjects, adjust)
	if err != nil {
		return nil, err
	}
	all := make([]*figures, len(instruments))
	for i, one := range subjects {
		if all[i] = known[one]; all[i] == nil { // withdrawn in the meantime
			all[i] = &figures{windows: Windows(nil, nil)}
		}
	}
	return all, nil
}

// figures returns the figures of subjects, cached or computed now. It does not cache figures of
// an adjustment other than the default. A sector that has just been retired has none.
func (s *Service) figures(ctx context.Context, subjects []subject, adjust *market.Adjust) (map[subject]*figures, error) {
	if of := adjust.Or(market.AdjustSplits); of != market.AdjustSplits {
		return s.compute(ctx, subjects, of)
	}
	known, missing, versions := s.Figures.get(subjects)
	made, err := s.compute(ctx, missing, market.AdjustSplits)
	if err != nil {
		return nil, err
	}
	for i, one := range missing {
		if f := made[one]; f != nil {
			known[one] = f
			s.Figures.put(one, f, versions[i])
		}
	}
	return known, nil
}

// compute computes the figures of subjects.
func (s *Service) compute(ctx context.Context, missing []subject, adjust market.Adjust) (map[subject]*figures, error) {
	var instruments []*market.Instrument
	var codes []string
	for _, one := range missing {
		switch {
		case one.instrument != "":
			if in := s.Market.ByID(one.instrument); in != nil {
				instruments = append(instruments, in)
			}
		case one.index != "":
			codes = append(codes, one.index)
		}
	}
	made := make(map[subject]*figures, len(missing))
	if err := s.ofInstruments(ctx, instruments, adjust, made); err != nil {
		return nil, err
	}
	if err := s.ofIndices(ctx, codes, adjust, made); err != nil {
		return nil, err
	}
	for _, one := range missing {
		if one.sector == "" {
			continue
		}
		if err := s.ofSector(ctx, one, adjust, made); err != nil {
			return nil, err
		}
	}
	return made, nil
}

// adjusting returns the adjustment of prices of instruments.
func (s *Service) adjusting(ctx context.Context, instruments []*market.Instrument, adjust market.Adjust) (*market.Adjusting, error) {
	ids := make([]market.ID, len(instruments))
	for i, in := range instruments {
		ids[i] = in.InstrumentID
	}
	return s.Market.Adjusting(ctx, ids, adjust)
}

// wholeHistory asks for every daily bar that is shown, up to the newest.
var wholeHistory = market.SeriesArgs{From: new(value.NewDate(1900, time.January, 1)), To: new(value.NewDate(2199, time.December, 31))}

// UsualHistory is the typical number of daily bars of an instrument.
const UsualHistory = 1400

// barsTogether is about how many bars are in memory at once: a year of every stock, or the
// whole history of every parent of a relation.
const barsTogether = 250_000

// eachHistory reads the bars of instruments in chunks and calls use with the place and the bars
// of each instrument.
func (s *Service) eachHistory(ctx context.Context, instruments []*market.Instrument, args market.SeriesArgs,
	use func(i int, of *market.CandleSeries)) error {
	each := max(1, min(args.UsualBars(s.Market.Now()), UsualHistory))
	first := 0
	for some := range slices.Chunk(instruments, barsTogether/each) {
		histories, err := s.Market.HistoryOf(ctx, some, args)
		if err != nil {
			return err
		}
		for i, h := range histories {
			use(first+i, h)
		}
		first += len(some)
	}
	return nil
}

func (s *Service) ofInstruments(ctx context.Context, instruments []*market.Instrument, adjust market.Adjust,
	made map[subject]*figures) error {
	adjusting, err := s.adjusting(ctx, instruments, adjust)
	if err != nil {
		return err
	}
	return s.eachHistory(ctx, instruments, wholeHistory, func(i int, of *market.CandleSeries) {
		in, bars := instruments[i], of.Bars()
		boundaries := adjusting.Boundaries(in.InstrumentID, market.ClosesOf(in.Market, bars))
		days := daysOf(in.Market, bars)
		f := &figures{windows: Windows(days, boundaries), last: lastClose(days), lastOf: in.InstrumentID}
		if in.Market == market.BIST {
			some, _ := oneSegment(in.Market, bars, boundaries)
			f.bridges = bridgesOf(in.Market, some, boundaries)
			f.indicators = IndicatorArgs{}.values(history{in.Market, bars, boundaries})
		}
		made[subject{instrument: in.InstrumentID}] = f
	})
}

func (s *Service) ofIndices(ctx context.Context, codes []string, adjust market.Adjust, made map[subject]*figures) error {
	if len(codes) == 0 {
		return nil
	}
	adjusting, err := s.Market.Adjusting(ctx, nil, adjust) // levels have no dividends
	if err != nil {
		return err
	}
	all, err := s.Store.IndexBars(ctx, codes)
	if err != nil {
		return err
	}
	calendar := s.Market.Live.Snapshot().TradingCalendar(market.BIST, nil)
	for i, code := range codes {
		days := make([]Day, 0, len(all[i]))
		for _, b := range all[i] {
			if calendar.CanHave(b.Date) {
				days = append(days, Day{b.Date, b.Close, b.High, b.Low})
			}
		}
		made[subject{index: code}] = &figures{windows: Windows(days, adjusting.Boundaries(market.ID(code), nil)), last: lastClose(days)}
	}
	return nil
}

// ofSector computes the windows of one sector, which may have many members.
func (s *Service) ofSector(ctx context.Context, one subject, adjust market.Adjust, made map[subject]*figures) error {
	group, err := s.Market.Live.Snapshot().Sector(one.sector)
	if err != nil {
		return nil // the sector is retired
	}
	members := group.Members(one.market)
	days, boundaries, f := make([][]Day, len(members)), make([]segment.Boundaries, len(members)), &figures{}
	adjusting, err := s.adjusting(ctx, members, adjust)
	if err != nil {
		return err
	}
	err = s.eachHistory(ctx, members, wholeHistory, func(i int, of *market.CandleSeries) {
		m, bars := one.market.Market(), of.Bars()
		days[i], boundaries[i] = daysOf(m, bars), adjusting.Boundaries(members[i].InstrumentID, market.ClosesOf(m, bars))
		if d := lastClose(days[i]); f.last.Before(d) {
			f.last, f.lastOf = d, members[i].InstrumentID
		}
	})
	if err != nil {
		return err
	}
	f.windows = SectorWindows(since(days, f.last), boundaries)
	made[one] = f
	return nil
}

// since leaves out the days before the start of the longest window.
func since(members [][]Day, end value.Date) [][]Day {
	if end.IsNull() {
		return members
	}
	back := windowSpans[len(windowSpans)-1].back(end)
	var start value.Date // the last day with a close on or before back
	for _, days := range members {
		for _, d := range days {
			if d.starts(back) && start.Before(d.Date) {
				start = d.Date
			}
		}
	}
	kept := make([][]Day, len(members))
	for i, days := range members {
		from, _ := slices.BinarySearchFunc(days, start, func(d Day, start value.Date) int { return d.Date.Compare(start) })
		kept[i] = days[from:]
	}
	return kept
}

// lastClose returns the newest day with a close; null if there is none.
func lastClose(days []Day) value.Date {
	for _, d := range slices.Backward(days) {
		if !d.Close.IsNull() {
			return d.Date
		}
	}
	return value.Date{}
}

func daysOf(m market.Market, bars []*market.Bar) []Day {
	days := make([]Day, len(bars))
	for i, b := range bars {
		days[i] = Day{m.DayOf(b), b.Close, b.High, b.Low}
	}
	return days
}

// hasWindows reports whether a market's instruments have periodic windows.
func hasWindows(m market.Market) bool {
	switch m {
	case market.BIST, market.US, market.Fund, market.Cmdty:
		return true
	}
	return false
}

const windowedMarkets = "bist, us, fund and cmdty"

// asOf returns when the newest bar behind figures was complete. It is not cached, because it
// moves during the day and session hours may be corrected.
func (s *Service) asOf(f *figures) value.Instant {
	switch in := s.Market.ByID(f.lastOf); {
	case f.last.IsNull():
		return value.Instant{}
	case in == nil:
		return s.Market.BistClosedAt(f.last)
	default:
		return s.Market.ClosedAt(in, f.last)
	}
}
