package analytics

import (
	"errors"
	"slices"

	"piyasa/domain/segment"
	"piyasa/internal/value"
)

// Indicator names a technical indicator.
type Indicator string

// The indicators.
const (
	RSI        Indicator = "rsi"    // relative strength index, 14 bars, Wilder's smoothing; 0 to 100
	MACD       Indicator = "macd"   // moving average convergence/divergence, 12, 26 and 9 bars
	Bollinger  Indicator = "bbands" // Bollinger bands, 20 bars, 2 population standard deviations
	SMA        Indicator = "sma"    // simple moving average of the close
	EMA        Indicator = "ema"    // exponential moving average of the close
	ROC        Indicator = "roc"    // rate of change over 12 bars, percent
	OBV        Indicator = "obv"    // on-balance volume
	ATR        Indicator = "atr"    // average true range, 14 bars, Wilder's smoothing
	ADX        Indicator = "adx"    // average directional index, 14 bars, Wilder's smoothing; 0 to 100
	Stochastic Indicator = "stoch"  // slow stochastic oscillator, 14, 3 and 3 bars; 0 to 100
)

// Indicators lists all of them.
var Indicators = value.Enum(RSI, MACD, Bollinger, SMA, EMA, ROC, OBV, ATR, ADX, Stochastic)

// What is computed when nothing else is asked for.
var (
	DefaultIndicators = []Indicator{RSI, MACD, Bollinger, SMA, EMA}
	DefaultPeriods    = []int{20, 50, 200} // bars of the moving averages
)

// longStochastic is the other name under which Stochastic passes.
const longStochastic = "stochastic"

var errIndicator = errors.New("must be one of " + value.ListOf(Indicators) + " (or " + longStochastic + ")")

// UnmarshalText implements encoding.TextUnmarshaler; letter case does not
// matter.
func (i *Indicator) UnmarshalText(text []byte) error {
	lower := slices.Clone(text)
	for at, c := range lower {
		if 'A' <= c && c <= 'Z' { // ASCII only: İ is no i
			lower[at] = c + 'a' - 'A'
		}
	}
	if *i = Indicator(lower); *i == longStochastic {
		*i = Stochastic
	}
	if !slices.Contains(Indicators, *i) {
		return errIndicator
	}
	return nil
}

// Prices is a run of bars of one instrument by column, oldest first: entry i
// of each column is of bar i. A close is never null; highs, lows and volumes
// may be, one by one or, with a nil column, all of them.
type Prices struct {
	Close, High, Low, Volume []value.Decimal

	scale *barScale // nil: every bar counts as it is
}

// IndicatorValue is a figure of an indicator at the newest bar.
type IndicatorValue struct {
	Indicator  Indicator     `json:"indicator"`
	Component  *string       `json:"component"`   // null where the indicator is one figure
	Period     *int          `json:"period"`      // bars; null where it has several or none
	Value      value.Decimal `json:"value"`       // 6 decimals, half away from zero
	NullReason *string       `json:"null_reason"` // why Value is null; null when it is not

	MeaningChanged *segment.Change `json:"meaning_changed,omitempty" csv:"any"` // what the reason meaning_changed is about
}

// definition is how an indicator is computed.
type definition struct {
	components []string // none: the indicator is one figure
	period     int      // bars; 0: as asked for, or none
	averages   bool     // computed for each of the periods asked for
	// compute returns a figure for each component, over n bars where the
	// indicator has one period.
	compute func(s *series, n int) []figure
}

var definitions = map[Indicator]definition{
	RSI:        {period: 14, compute: (*series).rsi},
	MACD:       {components: []string{"macd", "signal", "histogram"}, compute: (*series).macd},
	Bollinger:  {components: []string{"upper", "middle", "lower"}, period: 20, compute: (*series).bollinger},
	SMA:        {averages: true, compute: (*series).sma},
	EMA:        {averages: true, compute: (*series).ema},
	ROC:        {period: 12, compute: (*series).roc},
	OBV:        {compute: (*series).obv},
	ATR:        {period: 14, compute: (*series).atr},
	ADX:        {components: []string{"adx", "plus_di", "minus_di"}, period: 14, compute: (*series).adx},
	Stochastic: {components: []string{"k", "d"}, compute: (*series).stochastic},
}

// Compute returns the figures of some indicators at the newest bar, in the
// order asked for, each indicator once; the moving averages once for each of
// the periods, in their order. A period is at least 1.
//
// A value is null, first, for insufficient_history when there are fewer bars
// than the indicator needs; then for not_provided_by_source when a figure that
// it needs is null; then for non_positive_base when it is a quotient over zero
// or less; and for out_of_range when it has more digits than a Decimal holds.
func Compute(p Prices, which []Indicator, periods []int) []*IndicatorValue {
	s := newSeries(p)
	var values []*IndicatorValue
	for i, indicator := range which {
		if slices.Contains(which[:i], indicator) {
			continue
		}
		d := definitions[indicator]
		if !d.averages {
			values = d.append(values, s, indicator, d.period)
			continue
		}
		for j, n := range periods {
			if !slices.Contains(periods[:j], n) {
				values = d.append(values, s, indicator, n)
			}
		}
	}
	return values
}

// append computes the figures of an indicator over n bars.
func (d definition) append(values []*IndicatorValue, s *series, indicator Indicator, n int) []*IndicatorValue {
	for i, f := range d.compute(s, n) {
		v := &IndicatorValue{Indicator: indicator, Value: f.value}
		if d.components != nil {
			v.Component = &d.components[i]
		}
		if n > 0 {
			v.Period = new(n)
		}
		if f.reason != "" {
			v.NullReason = new(f.reason)
		}
		values = append(values, v)
	}
	return values
}
