package market

import (
	"time"

	"piyasa/internal/value"
)

// BarsShown selects the stored bars of a market that Candles shows in a range.
// Service.BarsShown makes it; Take then gets every stored bar in turn.
type BarsShown struct {
	First, Last        value.Instant // of all bars
	Usual              int           // about how many bars there are
	UsualFrom, UsualTo value.Date    // the days of most of them

	snapshot *Snapshot
	args     SeriesArgs
	now      value.Instant
	calendar TradingCalendar
	span     Span // of the instrument that Take is at
}

// BarsShown returns the bars of a market that are shown in a range; without a bound, all on
// that side. Problems: unsupported-resolution, inverted-window.
func (s *Service) BarsShown(m Market, args SeriesArgs) (*BarsShown, error) {
	if err := args.checkResolution(m); err != nil {
		return nil, err
	}
	if args.From == nil {
		args.From = new(value.DayIn(value.FirstMoment, time.UTC))
	}
	b := &BarsShown{snapshot: s.Live.Snapshot(), args: args, now: s.Now()}
	days := value.LastDays(args.From, args.To, value.DayIn(b.now, m.zone()), 0)
	if err := days.Check("", 0); err != nil {
		return nil, err
	}
	whole := args.span(&Instrument{Market: m}, days, m.historyStart(), b.now)
	b.First, b.Last = earliestShown(whole.First), whole.Last
	if args.To == nil {
		b.Last = b.Last.Add(24 * time.Hour) // days of indices begin the evening before
	}
	b.UsualTo = m.DayAt(whole.Last)
	if today := m.DayAt(b.now); today.Before(b.UsualTo) {
		b.UsualTo = today
	}
	b.UsualFrom = latest(m.DayAt(b.First), b.UsualTo.AddDays(-usualYears*365))
	b.Usual = len(b.snapshot.Catalog.Of(m)) * args.resolution().usualBars(max(0, 1+b.UsualFrom.DaysUntil(b.UsualTo)))
	return b, nil
}

// usualYears is the assumed length, in years, of histories without a documented start.
const usualYears = 10

// Take reports whether a bar is shown, and nulls the figures that its market does not state.
// The bars of an instrument must come one after another; the catalog may lack the instrument.
func (b *BarsShown) Take(bar *Bar) bool {
	if b.span.ID != bar.InstrumentID {
		b.begin(bar.InstrumentID)
	}
	if bar.T.Before(b.span.First) || bar.T.After(b.span.Last) || !b.calendar.shows(bar) {
		return false
	}
	bar.present(bar.InstrumentID.Market())
	return true
}

func (b *BarsShown) begin(id ID) {
	in := b.snapshot.Catalog.ByID(id)
	if in == nil {
		in = &Instrument{InstrumentID: id, Market: id.Market()}
	}
	b.calendar = b.snapshot.TradingCalendar(in.Market, in)
	days, _ := b.args.days(in.calendar(), b.now) // a long range of short bars is no error here: no single series holds them all
	meaning := b.snapshot.meaningIn(in, days, b.args)
	b.span = meaning.shows(b.args.span(in, days, in.Market.historyStart(), b.now), b.args.resolution(), b.calendar)
}
