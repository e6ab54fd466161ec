package market

import (
	"context"
	"time"

	"piyasa/access"
	"piyasa/problem"
)

// History is where bars are read from.
type History interface {
	// Bars are the stored bars from first to last, both included, by time.
	Bars(ctx context.Context, id ID, resolution Resolution, first, last Instant) ([]*Bar, error)
}

// CandleSeries is a run of bars of one instrument.
type CandleSeries struct {
	InstrumentID ID
	Resolution   Resolution
	Currency     string // of the prices and amounts, after conversion
	Bars         []*Bar // ascending
	Count        int
	Converted    bool // every bar then states its rate, null when unknown
}

// EodSeries is a run of daily records of one instrument.
type EodSeries struct {
	InstrumentID ID
	Currency     string
	Records      []*EodRecord // ascending
	Count        int
	Converted    bool
}

// EodRecord is one day of an instrument, with the figures of its daily bar.
type EodRecord struct {
	Date       Date    `json:"date"` // of the market's own calendar
	Open       Decimal `json:"open"`
	High       Decimal `json:"high"`
	Low        Decimal `json:"low"`
	Close      Decimal `json:"close"`
	Volume     Decimal `json:"volume"`
	Turnover   Decimal `json:"turnover"`
	TradeCount *int    `json:"trade_count"`
	FxRate     Decimal `json:"-"`
}

// Candles are the bars of an instrument from one day to another, both included,
// in the calendar of its market. Without bounds: the last 365 days of daily
// bars, the last 7 days of shorter ones. Needs history. Problems:
// unsupported-resolution, inverted-window, window-too-long, not-found,
// ambiguous-ticker, fx-rate-unavailable.
func (s *Service) Candles(ctx context.Context, id string, resolution *Resolution, from, to *Date, currency *Currency) (*CandleSeries, error) {
	if err := access.Enter(ctx, access.History); err != nil {
		return nil, err
	}
	r := Day
	if resolution != nil {
		r = *resolution
	}
	if m, _, ok := splitID(id); ok && !m.has(r) {
		return nil, problem.New(problem.UnsupportedResolution, "%s has no bars of %s; there are %s.", m, r, m.resolutions())
	}
	series, err := s.series(ctx, id, r, from, to, currency, Market.historyStart)
	if err == nil {
		access.Charge(ctx, unit)
	}
	return series, err
}

// Eod are the daily records of an instrument from one day to another, both
// included. Without bounds: the last 365 days. Needs history. Problems as for
// Candles.
func (s *Service) Eod(ctx context.Context, id string, from, to *Date, currency *Currency) (*EodSeries, error) {
	if err := access.Enter(ctx, access.History); err != nil {
		return nil, err
	}
	daily, err := s.series(ctx, id, Day, from, to, currency, Market.eodStart)
	if err != nil {
		return nil, err
	}
	eod := &EodSeries{InstrumentID: daily.InstrumentID, Currency: daily.Currency, Records: make([]*EodRecord, len(daily.Bars)), Count: daily.Count, Converted: daily.Converted}
	zone := daily.InstrumentID.Market().zone()
	for i, b := range daily.Bars {
		eod.Records[i] = &EodRecord{dayIn(b.T, zone), b.Open, b.High, b.Low, b.Close, b.Volume, b.Turnover, b.TradeCount, b.FxRate}
	}
	access.Charge(ctx, unit)
	return eod, nil
}

// series reads, presents and converts the bars of a window.
func (s *Service) series(ctx context.Context, id string, r Resolution, from, to *Date, currency *Currency, start func(Market) Date) (*CandleSeries, error) {
	snapshot, now := s.Live.Snapshot(), s.Now()
	m, _, _ := splitID(id)
	w, err := windowOf(m, r, from, to, now)
	if err != nil {
		return nil, err
	}
	in, err := snapshot.Catalog.Resolve(id, AnySpelling)
	if err != nil {
		return nil, err
	}
	w.from = latest(w.from, start(in.Market), in.coverageStart())
	first, last := w.instants(in.Market.zone())
	stored, err := s.History.Bars(ctx, in.InstrumentID, r, first, last)
	if err != nil {
		return nil, err
	}
	series := &CandleSeries{InstrumentID: in.InstrumentID, Resolution: r, Currency: in.Currency, Bars: stored, Count: len(stored)}
	for _, b := range stored {
		b.present(in.Market)
	}
	if !converts(in.Market, in.Currency, currency) {
		return series, nil
	}
	rates, err := s.ratesOver(ctx, snapshot, in, r, *currency, first, last, now)
	if err != nil {
		return nil, err
	}
	for _, b := range stored {
		rate, _ := rates(b.T)
		b.convert(rate)
	}
	series.Currency, series.Converted = string(*currency), true
	return series, nil
}

// window is a run of calendar days, both ends included.
type window struct{ from, to Date }

// Lengths of windows, in days with both ends.
const (
	dailyWindow  = 365
	shortWindow  = 7
	maxTwoHourly = 92
)

// windowOf completes and checks the bounds of a request.
func windowOf(m Market, r Resolution, from, to *Date, now Instant) (window, error) {
	w := window{to: dayIn(now, m.zone())}
	length := dailyWindow
	if r != Day {
		length = shortWindow
	}
	w.from = w.to.AddDays(1 - length)
	if from != nil {
		w.from = *from
	}
	if to != nil {
		w.to = *to
	}
	if w.to.Before(w.from) {
		return w, problem.New(problem.InvertedWindow, "from, %s, must not be after to, %s.", w.from, w.to)
	}
	if r == TwoHours && w.from.AddDays(maxTwoHourly-1).Before(w.to) {
		e := problem.New(problem.WindowTooLong, "A window of %s bars has at most %d days, both ends counted; %s to %s is longer.", r, maxTwoHourly, w.from, w.to)
		limit := maxTwoHourly
		e.Members.Limit = &limit
		return w, e
	}
	return w, nil
}

// instants are the first and the last moment of the window in zone.
func (w window) instants(zone *time.Location) (first, last Instant) {
	midnight := func(d Date) Instant {
		y, m, day := d.day.Date()
		return At(time.Date(y, m, day, 0, 0, 0, 0, zone))
	}
	return midnight(w.from), midnight(w.to.AddDays(1)).Add(-time.Millisecond)
}

func latest(days ...Date) Date {
	var last Date
	for _, d := range days {
		if last.Before(d) {
			last = d
		}
	}
	return last
}

// zone is the zone of the market's calendar.
func (m Market) zone() *time.Location {
	if m == BIST || m == FX {
		return turkey
	}
	return time.UTC
}

// has reports whether the market has bars of a resolution.
func (m Market) has(r Resolution) bool {
	switch m {
	case Crypto:
		return r != FiveMinutes
	case US, Fund:
		return r == Day
	}
	return r != TwoHours
}

func (m Market) resolutions() string {
	switch m {
	case Crypto:
		return "2h and 1d"
	case US, Fund:
		return "1d"
	}
	return "5m and 1d"
}

// The documented starts of history; what is older is stored and not shown.
var (
	historyStart = NewDate(2020, time.January, 1) // fx, index, cmdty
	cryptoStart  = NewDate(2025, time.April, 5)
	bistEodStart = NewDate(2024, time.January, 1)
)

// historyStart is the first day shown as candles.
func (m Market) historyStart() Date {
	switch m {
	case FX, Index, Cmdty:
		return historyStart
	case Crypto:
		return cryptoStart
	}
	return Date{}
}

// eodStart is the first day shown as end of day.
func (m Market) eodStart() Date {
	if m == BIST {
		return bistEodStart
	}
	return m.historyStart()
}

// coverageStart is the first day of a coin's own history.
func (in *Instrument) coverageStart() Date {
	if in.Market == Crypto {
		return in.CoverageFrom
	}
	return Date{}
}

// extremesSince is the first day whose coin bars state more than close and
// turnover.
var extremesSince = At(time.Date(2026, time.January, 29, 0, 0, 0, 0, time.UTC))

// present nulls what the market never states at the bar's resolution, whatever
// the source sent.
func (b *Bar) present(m Market) {
	null := Decimal{}
	switch {
	case m == BIST && b.Resolution == FiveMinutes:
		b.High, b.Low = null, null
	case m == BIST && b.Resolution == Day:
		b.Open = null
	case m == Crypto && b.Resolution == TwoHours:
		b.Open, b.High, b.Low, b.Volume, b.Turnover, b.TradeCount = null, null, null, null, null, nil
	case m == Crypto && b.T.Before(extremesSince):
		b.Open, b.High, b.Low, b.Volume, b.TradeCount = null, null, null, null, nil
	}
}

// convert turns the bar's money into the currency that r leads to; without a
// rate the money is null. Counts stay.
func (b *Bar) convert(r Rate) {
	for _, price := range []*Decimal{&b.Open, &b.High, &b.Low, &b.Close} {
		*price = r.price(*price)
	}
	b.Turnover, b.FxRate = r.amount(b.Turnover), r.Factor
}
