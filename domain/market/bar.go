package market

import (
	"cmp"
	"fmt"
	"slices"

	"piyasa/internal/value"
)

// Resolution is the length of a bar.
type Resolution string

// The resolutions.
const (
	FiveMinutes Resolution = "5m"
	TwoHours    Resolution = "2h" // coins only
	Day         Resolution = "1d" // of the market's own calendar
	OneWeek     Resolution = "1w" // of the market's own calendar; like months never stored
	OneMonth    Resolution = "1mo"
)

var resolutions = value.Enum(FiveMinutes, TwoHours, Day, OneWeek, OneMonth)

// UnmarshalText implements encoding.TextUnmarshaler; only the exact names pass.
func (r *Resolution) UnmarshalText(text []byte) error {
	if *r = Resolution(text); !slices.Contains(resolutions, *r) {
		return fmt.Errorf("must be one of %s, %s, %s, %s, %s", FiveMinutes.Offered(), TwoHours.Offered(), Day, OneWeek, OneMonth)
	}
	return nil
}

// Bar is one interval of an instrument's history. A figure that its market does not state at
// its resolution is null.
type Bar struct {
	InstrumentID ID            `json:"-" record:"instrument_id,required"`
	Resolution   Resolution    `json:"-" record:"resolution,required"`
	T            value.Instant `json:"t" record:"t,required" time:"past"` // start of the interval
	Open         value.Decimal `json:"open"`
	High         value.Decimal `json:"high"`
	Low          value.Decimal `json:"low"`
	Close        value.Decimal `json:"close"`
	Volume       value.Decimal `json:"volume"`                                                  // a count
	Turnover     value.Decimal `json:"turnover"`                                                // money traded
	TradeCount   *int          `json:"trade_count"`                                             // a count
	Adjustment   *string       `json:"-" record:"adjustment" one:"adjusted unadjusted" bun:"-"` // of the history that it belongs to
	FxRate       value.Decimal `json:"-" record:"-" bun:"-"`                                    // that converted the bar

	complete *bool // see Complete
}

// Date returns the first day of the bar in the market's calendar; null for bars shorter than a
// day.
func (b *Bar) Date() value.Date {
	if b.Resolution.stored() != Day {
		return value.Date{}
	}
	return b.InstrumentID.Market().DayAt(b.T)
}

// Complete reports whether all trading days of the bar are over and none of them is before the
// history that is shown. It is nil for bars shorter than a day and for bars that no series
// returned.
func (b *Bar) Complete() *bool { return b.complete }

// Same reports whether b and c are one bar, digit for digit.
func (b *Bar) Same(c *Bar) bool {
	x, y := *b, *c
	same := samePtr(x.TradeCount, y.TradeCount)
	x.TradeCount, y.TradeCount, x.Adjustment, y.Adjustment = nil, nil, nil, nil
	return same && x == y
}

// Validate returns the value.Invalid of a bar that contradicts its market, if any. Low, high
// and close may contradict each other, as many sources state them on thin days: the bar is
// stored as stated, and LeaveOut decides which figures are used.
func (b *Bar) Validate() error {
	if err := value.CheckMoment("t", b.T); err != nil {
		return err
	}
	m := b.InstrumentID.Market()
	if !m.hasResolution(b.Resolution) || b.Resolution.stored() != b.Resolution {
		return value.Invalidf("resolution", "must be %s for the market %s; got %s", m.resolutions(storedResolutions), m, b.Resolution)
	}
	start := m.slot
	if b.Resolution == Day {
		start = m.dayStart
	}
	if t := start(b.T); t != b.T {
		return value.Invalidf("t", "must be the start of a bar of %s in the market %s, such as %s; got %s", b.Resolution, m, t, b.T)
	}
	if b.TradeCount != nil && *b.TradeCount < 0 {
		return value.Invalidf("trade_count", "must be 0 or above; got %d", *b.TradeCount)
	}
	return cmp.Or(
		m.checkPrice(stated{"close", b.Close}),
		m.checkOthers(stated{"open", b.Open}, stated{"high", b.High}, stated{"low", b.Low}),
		checkNotNegative(stated{"volume", b.Volume}, stated{"turnover", b.Turnover}))
}

// convert converts the bar's money at a rate. Money becomes null without a factor; counts do
// not change.
func (b *Bar) convert(r Rate) {
	for _, price := range []*value.Decimal{&b.Open, &b.High, &b.Low, &b.Close} {
		*price = r.Price(*price)
	}
	b.Turnover, b.FxRate = r.Amount(b.Turnover), r.Factor
}

// IndexBar is one day of an index of the Istanbul exchange, in points.
type IndexBar struct {
	Code  string        `json:"-" record:"code,required"`
	Date  value.Date    `json:"date" record:"date,required" time:"past"`
	Open  value.Decimal `json:"open"`
	High  value.Decimal `json:"high"`
	Low   value.Decimal `json:"low"`
	Close value.Decimal `json:"close" record:"close,required"`
}

// Validate returns the value.Invalid of the record, if any.
func (b *IndexBar) Validate() error {
	if err := cmp.Or(value.CheckKey("code", b.Code), value.CheckDay("date", b.Date)); err != nil {
		return err
	}
	if !isPlainCode(b.Code) {
		return value.Invalidf("code", "must be capital letters and digits, such as XU100")
	}
	return cmp.Or(
		Index.checkPrice(stated{"close", b.Close}),
		Index.checkOthers(stated{"open", b.Open}, stated{"high", b.High}, stated{"low", b.Low}))
}
