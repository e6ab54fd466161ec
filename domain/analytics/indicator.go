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

// What is computed by default.
var (
	DefaultIndicators = []Indicator{RSI, MACD, Bollinger, SMA, EMA}
	DefaultPeriods    = []int{20, 50, 200} // bars of the moving averages
)

// longStochastic is another accepted name of Stochastic.
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

// Prices is a run of bars of one instrument by column, oldest first: entry i of each column
// belongs to bar i. A close is never null. Single highs, lows and volumes may be null, or all
// of a column if it is nil.
type Prices struct {
	Close, High, Low, Volume []value.Decimal

	scale  *barScale // nil: no bar is scaled
	before int       // number of bars before these that cannot be combined with them
}

// IndicatorValue is a figure of an indicator at the newest bar.
type IndicatorValue struct {
	Indicator  Indicator     `json:"indicator"`
	Component  *string       `json:"component"`   // null for an indicator with one figure
	Period     *int          `json:"period"`      // bars; null for an indicator with several or none
	Value      value.Decimal `json:"value"`       // 6 decimals, half away from zero
	NullReason *string       `json:"null_reason"` // why Value is null; null when it is not

	MeaningChanged *segment.Change `json:"meaning_changed,omitempty" csv:"any"` // the change, if the reason is meaning_changed
}

// definition is how an indicator is computed.
type definition struct {
	components []string // none: the indicator has one figure
	period     int      // bars; 0: as asked for, or none
	averages   bool     // computed for each requested period
	// start returns a run with one figure for each component; n is the number of bars if the
	// indicator has one period.
	start func(s *series, n int) run
}

var definitions = map[Indicator]definition{
	RSI:        {period: 14, start: (*series).rsi},
	MACD:       {components: []string{"macd", "signal", "histogram"}, start: (*series).macd},
	Bollinger:  {components: []string{"upper", "middle", "lower"}, period: 20, start: (*series).bollinger},
	SMA:        {averages: true, start: (*series).sma},
	EMA:        {averages: true, start: (*series).ema},
	ROC:        {period: 12, start: (*series).roc},
	OBV:        {start: (*series).obv},
	ATR:        {period: 14, start: (*series).atr},
	ADX:        {components: []string{"adx", "plus_di", "minus_di"}, period: 14, start: (*series).adx},
	Stochastic: {components: []string{"k", "d"}, start: (*series).stochastic},
}

// run computes an indicator bar by bar.
type run struct {
	window int                  // number of bars in a figure; 0: all
	add    func(i, leaves int)  // adds bar i and removes bar leaves from the window, unless leaves is -1; nil: there is no state
	at     func(i int) []figure // at bar i, the newest bar added; -1: no bar
}

// figures computes the figures at the newest bars, at most last of them; without bars it
// returns those at no bar.
func (r run) figures(bars, last int) [][]figure {
	if bars == 0 {
		return [][]figure{r.at(-1)}
	}
	from, first := max(bars-last, 0), 0
	if r.window > 0 {
		first = max(from+1-r.window, 0)
	}
	all := make([][]figure, 0, bars-from)
	for i := first; i < bars; i++ {
		leaves := -1
		if r.window > 0 && i-r.window >= first {
			leaves = i - r.window
		}
		if r.add != nil {
			r.add(i, leaves)
		}
		if i >= from {
			all = append(all, r.at(i))
		}
	}
	return all
}

// Compute returns the figures of some indicators at the newest bar, in the requested order,
// each indicator once and the moving averages once for each of the periods. A period is at
// least 1.
//
// A value is null for the first of these reasons that applies: insufficient_history, if there
// are fewer bars than the indicator needs; not_provided_by_source, if a figure that it needs is
// null; non_positive_base, if it is a quotient over zero or less; out_of_range, if it has more
// digits than a Decimal holds.
func Compute(p Prices, which []Indicator, periods []int) []*IndicatorValue {
	s := newSeries(p)
	var values []*IndicatorValue
	for i, indicator := range which {
		if !slices.Contains(which[:i], indicator) {
			values = append(values, valuesOf(s.lines(indicator, periods, 1), nil)...)
		}
	}
	return values
}

// line is one figure of an indicator at the newest bars. It has at least one entry.
type line struct {
	indicator Indicator
	component *string
	period    *int
	figures   []figure
}

// lines computes an indicator at the newest bars, at most last of them: one line for each
// component, or for each of the periods.
func (s *series) lines(indicator Indicator, periods []int, last int) []line {
	d := definitions[indicator]
	if !d.averages {
		return d.lines(s, indicator, d.period, last)
	}
	var lines []line
	for j, n := range periods {
		if !slices.Contains(periods[:j], n) {
			lines = append(lines, d.lines(s, indicator, n, last)...)
		}
	}
	return lines
}

func (d definition) lines(s *series, indicator Indicator, n, last int) []line {
	all := d.start(s, n).figures(s.bars, last)
	lines := make([]line, len(all[0]))
	for i := range lines {
		lines[i] = line{indicator: indicator, figures: make([]figure, len(all))}
		if d.components != nil {
			lines[i].component = &d.components[i]
		}
		if n > 0 {
			lines[i].period = new(n)
		}
		for at, figures := range all {
			lines[i].figures[at] = figures[i]
		}
	}
	return lines
}

// valuesOf returns the newest figures of lines. change is the change before their bars.
func valuesOf(lines []line, change *segment.Change) []*IndicatorValue {
	values := make([]*IndicatorValue, len(lines))
	for i, l := range lines {
		f := l.figures[len(l.figures)-1]
		values[i] = &IndicatorValue{Indicator: l.indicator, Component: l.component, Period: l.period, Value: f.value}
		if f.reason != "" {
			values[i].NullReason = new(f.reason)
		}
		if f.reason == value.MeaningChanged {
			values[i].MeaningChanged = change
		}
	}
	return values
}
