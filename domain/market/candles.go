package market

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"strconv"

	"piyasa/account/access"
	"piyasa/domain/segment"
	"piyasa/internal/problem"
	"piyasa/internal/value"
)

// CandleSeries is a run of bars of one instrument, as an answer shows them. Bars, BarsInTurn,
// Columns and Rows return the bars in different forms.
type CandleSeries struct {
	InstrumentID ID
	Resolution   Resolution
	Currency     string  // of the prices and amounts, after conversion
	Count        int     // of the bars
	Converted    bool    // every bar then states its rate, null if unknown
	Unit         *string // what one price buys; nil unless the currency or unit has ever changed

	// MeaningChanged is the newest change in the range. Bars before it are left out; nil: none
	// are.
	MeaningChanged *segment.Change

	Adjust     Adjust         // what the prices are adjusted for
	Factors    []*PriceFactor // the factors of the prices, or why there is none, by day; never nil
	AdjustNote *string        // why nothing is adjusted: AlreadyAdjusted or NotAdjustable

	// AvailableFrom is the first day of the history that is shown, if the whole range is before
	// it; else null.
	AvailableFrom value.Date
	// Since is the first day of the history that is shown, if it is known and the series has no
	// bars.
	Since value.Date

	MissingReason *value.MissingReason // nil unless it is empty or cut

	of     shownBars
	scales scales
	open   value.Instant   // start of the first day that is not over
	newest []value.Instant // the newest day of each week or month
	known  value.Instant   // from when on all factors are known

	unclosed map[value.Instant]bool // days of a converted series that state no close
}

// finish makes the longer bars of r from the daily ones if needed, and marks which are
// complete. shown is the first day that is shown.
func (c *CandleSeries) finish(in *Instrument, snapshot *Snapshot, by *seriesFactors, r Resolution, shown value.Date, now value.Instant) {
	if r.stored() != Day {
		return
	}
	calendar := snapshot.TradingCalendar(in.Market, in)
	closed := calendar.closed(in, now)
	if c.open = closed.AddDays(1).Start(in.Market.zone()); r == Day {
		return
	}
	if c.MeaningChanged != nil {
		shown = latest(shown, c.MeaningChanged.On)
	}
	boundaries := by.boundaries
	if c.Converted { // each day at its own rate
		boundaries = slices.DeleteFunc(slices.Clone(boundaries), func(b segment.Boundary) bool { return b.What == segment.Currency })
	}
	longer := longerBars{resolution: r, calendar: calendar, closed: closed, shown: shown, boundaries: boundaries, converted: c.Converted,
		unclosed: c.unclosed}
	longer.replace(c)
}

// Dated reports whether bars in REST have date and complete. Plain daily bars do not: clients
// rely on their form.
func (c *CandleSeries) Dated() bool {
	return c.Resolution.stored() != c.Resolution || c.Resolution == Day && c.Adjust != AdjustNone
}

// appendDated appends the two more members of a dated bar.
func appendDated(row []byte, day value.Date, complete bool) []byte {
	row = day.AppendJSON(append(row[:len(row)-len("}")], `,"date":`...))
	return append(strconv.AppendBool(append(row, `,"complete":`...), complete), '}')
}

// isOver reports whether the day of a daily bar is over.
func (c *CandleSeries) isOver(t value.Instant) bool { return t.Before(c.open) }

// NewCandleSeries returns a series of ascending bars. If converted is true, each bar must state
// its rate.
func NewCandleSeries(id ID, r Resolution, currency string, converted bool, bars []*Bar) *CandleSeries {
	return &CandleSeries{InstrumentID: id, Resolution: r, Currency: currency, Count: len(bars), Converted: converted,
		Adjust: AdjustNone, Factors: []*PriceFactor{}, of: shownBars{unpacked: bars}}
}

// Factor returns the factor of the prices of the i-th bar, which starts at t, to 12 significant
// digits. A week or a month has the factor of its newest day. It is null if the bar needs a
// factor that is not known.
func (c *CandleSeries) Factor(i int, t value.Instant) value.Decimal {
	if c.newest != nil {
		t = c.newest[i]
	}
	if c.known.After(t) {
		return value.Decimal{}
	}
	if s := c.scales.of(t); s != nil {
		return s.factor
	}
	return unscaled
}

// Bars returns the bars, ascending. The slice is shared: do not change it.
func (c *CandleSeries) Bars() []*Bar { return c.of.all() }

// BarsInTurn returns the bars, ascending, one at a time, without memory for all of them.
func (c *CandleSeries) BarsInTurn() *BarsInTurn { return &BarsInTurn{series: c, of: &c.of} }

// Rows returns the bars in JSON as REST states them, in pieces to be joined by commas. The
// pieces are shared: do not change them.
func (c *CandleSeries) Rows() (pieces [][]byte) {
	if len(c.of.unpacked) > 0 {
		return c.unpackedRows()
	}
	dated, m := c.Dated(), c.InstrumentID.Market()
	for _, p := range c.of.packed() {
		over := p
		if dated && p.count() > 0 {
			over.to = max(p.from, min(p.to, p.run.from(c.open)))
			if !p.run.dated {
				over.to = p.from
			}
		}
		if over.count() > 0 {
			pieces = append(pieces, over.rows())
		}
		if over.to == p.to {
			continue
		}
		b := make([]byte, 0, (rowSize+len(dayAndComplete))*(p.to-over.to))
		for i := over.to; i < p.to; i++ {
			t, end := p.run.times[i], int(p.run.places[i].end)-p.run.tail()
			b = append(append(b, p.run.rows[p.run.start(i):end]...), '}')
			b = append(appendDated(b, m.DayAt(t), c.isOver(t)), ',')
		}
		pieces = append(pieces, bytes.TrimSuffix(b, []byte{','}))
	}
	return pieces
}

// unpackedRows returns bars outside runs as Rows does.
func (c *CandleSeries) unpackedRows() [][]byte {
	dated, m := c.Dated(), c.InstrumentID.Market()
	b := make([]byte, 0, (rowSize+40)*c.Count)
	for _, bar := range c.of.unpacked {
		if b = bar.AppendJSON(b, c.Converted); dated {
			b = appendDated(b, m.DayAt(bar.T), value.Or(bar.complete, c.isOver(bar.T)))
		}
		b = append(b, ',')
	}
	return [][]byte{bytes.TrimSuffix(b, []byte{','})}
}

// CandlesBatch is the bars of several instruments.
type CandlesBatch struct {
	Series   []*CandleSeries
	Count    int
	NotFound []value.NotFound
}

// What one batch may ask for.
const (
	MaxSeries    = 100
	MaxBatchBars = 200_000 // of all its series, by their range
)

// Candles returns the bars of an instrument from one day to another, both
// included, in the calendar of its market. By default a range ends today and
// holds 365 days of daily bars, or 7 days of shorter ones. Needs history.
// Problems: unsupported-resolution, inverted-window, window-too-long,
// not-found, ambiguous-ticker, fx-rate-unavailable.
func (s *Service) Candles(ctx context.Context, id string, args SeriesArgs) (*CandleSeries, error) {
	return s.singleSeries(ctx, id, args, Market.historyStart)
}

// CandlesBatch returns the bars of 1 to 100 ids in the order of the request,
// each instrument once. Needs history; each series costs one unit. A problem of
// one id, as for Candles, fails the whole batch, except that unknown ids are
// reported.
func (s *Service) CandlesBatch(ctx context.Context, ids []string, args SeriesArgs) (*CandlesBatch, error) {
	if err := access.Enter(ctx, access.History); err != nil {
		return nil, err
	}
	if err := CheckIDs(ids, MaxSeries); err != nil {
		return nil, err
	}
	snapshot := s.Live.Snapshot()
	if err := args.check(snapshot.Catalog, s.Now(), ids...); err != nil {
		return nil, err
	}
	if err := args.checkBatch(len(ids), s.Now()); err != nil {
		return nil, err
	}
	found, err := snapshot.Catalog.Batch(ids, AnyForm, nil)
	if err != nil {
		return nil, err
	}
	batch := &CandlesBatch{NotFound: []value.NotFound{}}
	var instruments []*Instrument
	for _, a := range found {
		if a.Instrument == nil {
			batch.NotFound = append(batch.NotFound, value.NotFound{ID: a.ID, Reason: a.Reason})
			continue
		}
		instruments = append(instruments, a.Instrument)
	}
	series, errs := s.series(ctx, snapshot, instruments, args, Market.historyStart, true)
	if err := cmp.Or(errs...); err != nil {
		return nil, err
	}
	batch.Series, batch.Count = series, len(series)
	access.Charge(ctx, batch.Count*access.Unit)
	return batch, nil
}

// checkBatch returns the problem window-too-long of a batch that may have more bars than one answer.
func (a SeriesArgs) checkBatch(series int, now value.Instant) error {
	each := a.UsualBars(now)
	if series*each <= MaxBatchBars {
		return nil
	}
	return problem.New(problem.WindowTooLong,
		"%d series of this range may have %d bars; one answer has at most %d: ask for at most %d ids at once, or for a shorter range.",
		series, series*each, MaxBatchBars, MaxBatchBars/each)
}

// CandlesOf returns the bars of instruments in their order, read together. It returns an error
// if the arguments do not fit the market or no path of pairs leads to the currency. Needs
// history; each series costs one unit.
func (s *Service) CandlesOf(ctx context.Context, instruments []*Instrument, args SeriesArgs) ([]*CandleSeries, []error) {
	return s.seriesOf(ctx, instruments, args, Market.historyStart)
}

// HistoryOf returns the bars of instruments in their order, presented as by Candles, for
// services that have checked the scope and read so much that memory should not keep it. Bars
// before a change of meaning are included: the caller knows the boundaries.
func (s *Service) HistoryOf(ctx context.Context, instruments []*Instrument, args SeriesArgs) ([]*CandleSeries, error) {
	args.whole = true
	series, errs := s.series(ctx, s.Live.Snapshot(), instruments, args, Market.historyStart, false)
	return series, cmp.Or(errs...)
}
