package market

import (
	"cmp"
	"context"

	"piyasa/access"
	"piyasa/value"
)

// History is where bars are read from.
type History interface {
	// FirstBars are the times of the first stored bars of instruments from since
	// on; one without any is left out.
	FirstBars(ctx context.Context, resolution Resolution, ids []ID, since value.Instant) (map[ID]value.Instant, error)

	// Bars are the stored bars of each span, by time, in the order of the spans.
	// Each span is of another instrument.
	Bars(ctx context.Context, resolution Resolution, spans []Span) ([][]*Bar, error)
}

// Span is a run of time of one instrument, both ends included.
type Span struct {
	ID          ID
	First, Last value.Instant
}

// CandleSeries is a run of bars of one instrument.
type CandleSeries struct {
	InstrumentID ID
	Resolution   Resolution
	Currency     string // of the prices and amounts, after conversion
	Bars         []*Bar // ascending
	Count        int
	Converted    bool // every bar then states its rate, null when unknown

	// AvailableFrom is the first day of the history that is shown, where the whole
	// window lies before it; else null.
	AvailableFrom value.Date
	// Since is the first day of the history that is shown, of a series without
	// bars where it is known.
	Since value.Date
}

// CandlesBatch is the bars of several instruments.
type CandlesBatch struct {
	Series   []*CandleSeries
	Count    int
	NotFound []value.NotFound
}

// EodSeries is a run of daily records of one instrument.
type EodSeries struct {
	InstrumentID ID
	Currency     string
	Records      []*EodRecord // ascending
	Count        int
	Converted    bool

	// AvailableFrom is as in CandleSeries.
	AvailableFrom value.Date
}

// EodRecord is one day of an instrument, with the figures of its daily bar.
type EodRecord struct {
	Date       value.Date    `json:"date"` // of the market's own calendar
	Open       value.Decimal `json:"open"`
	High       value.Decimal `json:"high"`
	Low        value.Decimal `json:"low"`
	Close      value.Decimal `json:"close"`
	Volume     value.Decimal `json:"volume"`
	Turnover   value.Decimal `json:"turnover"`
	TradeCount *int          `json:"trade_count"`
	FxRate     value.Decimal `json:"-"`
}

// SeriesArgs say which history is asked for; what is left out has a default.
type SeriesArgs struct {
	Resolution *Resolution // of bars; records are of days
	From, To   *value.Date
	Currency   *Currency
}

// Candles are the bars of an instrument from one day to another, both included,
// in the calendar of its market. Without from: the 365 days of daily bars, the 7
// days of shorter ones, that end at to; without to: up to today. Needs history. Problems:
// unsupported-resolution, inverted-window, window-too-long, not-found,
// ambiguous-ticker, fx-rate-unavailable.
func (s *Service) Candles(ctx context.Context, id string, args SeriesArgs) (*CandleSeries, error) {
	return s.one(ctx, id, args, Market.historyStart)
}

// Eod are the daily records of an instrument from one day to another, both
// included; bounds as for Candles. Needs history. Problems as for
// Candles.
func (s *Service) Eod(ctx context.Context, id string, args SeriesArgs) (*EodSeries, error) {
	daily, err := s.one(ctx, id, args, Market.eodStart)
	if err != nil {
		return nil, err
	}
	return daily.eod(), nil
}

func (s *Service) one(ctx context.Context, id string, args SeriesArgs, start func(Market) value.Date) (*CandleSeries, error) {
	if err := access.Enter(ctx, access.History); err != nil {
		return nil, err
	}
	snapshot := s.Live.Snapshot()
	if err := args.check(snapshot.Catalog, s.Now(), id); err != nil {
		return nil, err
	}
	in, err := snapshot.Catalog.Resolve(id, AnyForm)
	if err != nil {
		return nil, err
	}
	series, errs := s.series(ctx, snapshot, []*Instrument{in}, args, start)
	if errs[0] != nil {
		return nil, errs[0]
	}
	access.Charge(ctx, access.Unit)
	return series[0], nil
}

// CandlesBatch are the bars of 1 to 20 ids in the order of the request, each
// instrument once. Needs history; each series costs one unit. A problem of one
// refuses the whole batch, with the problems of Candles; unknown ids are
// reported.
func (s *Service) CandlesBatch(ctx context.Context, ids []string, args SeriesArgs) (*CandlesBatch, error) {
	if err := access.Enter(ctx, access.History); err != nil {
		return nil, err
	}
	if err := checkIDs(ids, MaxSeries); err != nil {
		return nil, err
	}
	snapshot := s.Live.Snapshot()
	if err := args.check(snapshot.Catalog, s.Now(), ids...); err != nil {
		return nil, err
	}
	found, err := resolveOnce(snapshot.Catalog, ids)
	if err != nil {
		return nil, err
	}
	batch := &CandlesBatch{NotFound: []value.NotFound{}}
	var instruments []*Instrument
	for _, f := range found {
		if f.in == nil {
			batch.NotFound = append(batch.NotFound, value.NotFound{ID: f.id, Reason: UnknownID})
			continue
		}
		instruments = append(instruments, f.in)
	}
	series, errs := s.series(ctx, snapshot, instruments, args, Market.historyStart)
	if err := cmp.Or(errs...); err != nil {
		return nil, err
	}
	batch.Series, batch.Count = series, len(series)
	access.Charge(ctx, batch.Count*access.Unit)
	return batch, nil
}

// CandlesOf are the bars of instruments in their order, read together: an
// error where the arguments do not fit the market or no pairs lead to the
// currency. Needs history; each series costs one unit.
func (s *Service) CandlesOf(ctx context.Context, instruments []*Instrument, args SeriesArgs) ([]*CandleSeries, []error) {
	return s.seriesOf(ctx, instruments, args, Market.historyStart)
}

// EodOf are the daily records of instruments in their order, as CandlesOf.
func (s *Service) EodOf(ctx context.Context, instruments []*Instrument, args SeriesArgs) ([]*EodSeries, []error) {
	series, errs := s.seriesOf(ctx, instruments, args, Market.eodStart)
	eod := make([]*EodSeries, len(instruments))
	for i, daily := range series {
		if daily != nil {
			eod[i] = daily.eod()
		}
	}
	return eod, errs
}

// HistoryOf are the bars of instruments in their order, presented as candles
// gives them. For services that have checked the scope.
func (s *Service) HistoryOf(ctx context.Context, instruments []*Instrument, args SeriesArgs) ([]*CandleSeries, error) {
	series, errs := s.series(ctx, s.Live.Snapshot(), instruments, args, Market.historyStart)
	return series, cmp.Or(errs...)
}

// DayOf is the day of a daily bar, in the calendar of the market.
func (m Market) DayOf(b *Bar) value.Date { return value.DayIn(b.T, m.zone()) }

func (s *Service) seriesOf(ctx context.Context, instruments []*Instrument, args SeriesArgs, start func(Market) value.Date) ([]*CandleSeries, []error) {
	return access.Relation[*Instrument, *CandleSeries]{
		Enter: access.Needs(access.History),
		ReadEach: func(instruments []*Instrument) ([]*CandleSeries, []error) {
			return s.series(ctx, s.Live.Snapshot(), instruments, args, start)
		},
	}.Answer(ctx, instruments)
}

// eod is a daily series as records.
func (c *CandleSeries) eod() *EodSeries {
	eod := &EodSeries{InstrumentID: c.InstrumentID, Currency: c.Currency, Records: make([]*EodRecord, len(c.Bars)), Count: c.Count, Converted: c.Converted, AvailableFrom: c.AvailableFrom}
	zone := c.InstrumentID.Market().zone()
	for i, b := range c.Bars {
		eod.Records[i] = &EodRecord{value.DayIn(b.T, zone), b.Open, b.High, b.Low, b.Close, b.Volume, b.Turnover, b.TradeCount, b.FxRate}
	}
	return eod
}
