package analytics

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"piyasa/account/access"
	"piyasa/domain/market"
	"piyasa/domain/segment"
	"piyasa/internal/problem"
	"piyasa/internal/value"
)

// IndicatorSet holds the latest figures of some indicators of an instrument.
type IndicatorSet struct {
	InstrumentID market.ID              `json:"instrument_id"`
	Resolution   market.Resolution      `json:"resolution"`
	AsOf         value.Instant          `json:"as_of"`       // of the newest bar; null: no bar, or its delay is not known
	Precomputed  bool                   `json:"precomputed"` // the default selection of daily bars
	Values       []*IndicatorValue      `json:"values"`
	Count        int                    `json:"count"`
	Unavailable  []UnavailableIndicator `json:"unavailable"`
	Note         *string                `json:"note"`

	Adjustment *string            `json:"adjustment,omitempty"` // unadjusted: the series states so, and only known actions are bridged
	Adjust     *market.Adjust     `json:"adjust,omitempty"`     // as requested; left out for splits
	Bridges    []*segment.Bridge  `json:"bridges,omitempty"`    // that figures may have crossed
	Lines      []*IndicatorSeries `json:"series,omitempty"`     // only of REST, on request

	of   *market.Instrument
	args IndicatorArgs
	from *history // what it was computed from; nil: it was precomputed
}

// UnavailableIndicator is an indicator that bars of the resolution do not allow.
type UnavailableIndicator struct {
	Indicator Indicator `json:"indicator"`
	Reason    string    `json:"reason"`
}

// needsHighLow is why an indicator cannot be computed from daily bars.
const needsHighLow = "needs_high_low"

// rangeNote says how 5m bars replace highs and lows.
const rangeNote = "Bars of 5m have no highs and lows: atr, adx and stoch take the larger of open and close as the high " +
	"and the smaller as " +
	"the low. The first bar of a session has no open and is skipped."

// ranged are the indicators that need highs and lows.
var ranged = []Indicator{ATR, ADX, Stochastic}

// The periods of moving averages that may be asked for.
var periodLimit = value.Limit{Min: 2, Max: 400}

// maxPeriods is how many periods may be asked for at once.
const maxPeriods = 10

// IndicatorArgs select indicators. A nil member has a default.
type IndicatorArgs struct {
	Indicators []Indicator // DefaultIndicators
	Periods    []int       // DefaultPeriods; 1 to 10 of 2 to 400
	Resolution *market.Resolution
	Adjust     *market.Adjust // default: splits
}

func (a IndicatorArgs) resolution() market.Resolution {
	if a.Resolution == nil {
		return market.Day
	}
	return *a.Resolution
}

// IsDefault reports whether the arguments select the default indicators of
// daily bars.
func (a IndicatorArgs) IsDefault() bool {
	return a.resolution() == market.Day && a.Adjust.Or(market.AdjustSplits) == market.AdjustSplits &&
		slices.Equal(a.which(), DefaultIndicators) && slices.Equal(a.periods(), DefaultPeriods)
}

func (a IndicatorArgs) which() []Indicator {
	if a.Indicators == nil {
		return DefaultIndicators
	}
	return a.Indicators
}

func (a IndicatorArgs) periods() []int {
	if a.Periods == nil {
		return DefaultPeriods
	}
	return a.Periods
}

func (a IndicatorArgs) check() error {
	if len(a.which()) == 0 {
		return problem.Parameter("indicators", "", "1 or more of "+value.ListOf(Indicators))
	}
	if n := len(a.periods()); n == 0 || n > maxPeriods {
		return problem.Parameter("periods", strconv.Itoa(n)+" values", fmt.Sprintf("1 to %d numbers of bars", maxPeriods))
	}
	for _, n := range a.periods() {
		if n < periodLimit.Min || n > periodLimit.Max {
			return periodLimit.Refuse("periods", strconv.Itoa(n))
		}
	}
	if r := a.resolution(); r != market.Day && r != market.FiveMinutes {
		return problem.New(problem.UnsupportedResolution, "resolution must be 5m or 1d for indicators; got %q.",
			r).About("resolution", string(r))
	}
	return nil
}

// Indicators returns technical indicators of a stock or ETF of the Istanbul
// exchange, from its daily bars or from the 5m bars of the last week. Needs
// history. Problems: invalid-parameter, unsupported-resolution, not-found.
func (s *Service) Indicators(ctx context.Context, id string, args IndicatorArgs) (*IndicatorSet, error) {
	if err := access.Enter(ctx, access.History); err != nil {
		return nil, err
	}
	if err := args.check(); err != nil {
		return nil, err
	}
	if m := market.MarketOf(id); m != "" && !hasIndicators(m) {
		return nil, problem.New(problem.NotFound, "%s has no indicators: only bist stocks and ETFs have them.", problem.Shown(id))
	}
	in, err := s.Market.Catalog().Resolve(id, market.AnyForm)
	if err != nil {
		return nil, err
	}
	all, err := s.indicators(ctx, []*market.Instrument{in}, args)
	if err != nil {
		return nil, err
	}
	access.Charge(ctx, access.Unit)
	return all[0], nil
}

// IndicatorsOf returns the indicators of instruments in their order, read together: nil for
// instruments of other markets. Needs history; each costs one unit.
func (s *Service) IndicatorsOf(ctx context.Context, instruments []*market.Instrument, args IndicatorArgs) ([]*IndicatorSet, []error) {
	return access.Relation[*market.Instrument, *IndicatorSet]{
		Enter:  access.Needs(access.History),
		Covers: func(in *market.Instrument) bool { return hasIndicators(in.Market) },
		Check:  func(*market.Instrument) error { return args.check() },
		Read:   func(some []*market.Instrument) ([]*IndicatorSet, error) { return s.indicators(ctx, some, args) },
	}.Answer(ctx, instruments)
}

// hasIndicators reports whether a market's instruments have indicators.
func hasIndicators(m market.Market) bool { return m == market.BIST }

func (s *Service) indicators(ctx context.Context, instruments []*market.Instrument, args IndicatorArgs) ([]*IndicatorSet, error) {
	if args.IsDefault() {
		return s.precomputed(ctx, instruments)
	}
	sets := make([]*IndicatorSet, len(instruments))
	err := s.eachIndicated(ctx, instruments, args, func(i int, h history) {
		sets[i] = args.set(instruments[i], h)
		if len(h.bars) > 0 && args.resolution() == market.Day {
			sets[i].AsOf = s.closedAt(instruments[i], h.bars)
		}
	})
	if err != nil {
		return nil, err
	}
	return sets, nil
}

// eachIndicated reads the bars that indicators need and calls use with the place and the bars
// of each instrument.
func (s *Service) eachIndicated(ctx context.Context, instruments []*market.Instrument, args IndicatorArgs, use func(int, history)) error {
	series := wholeHistory
	if series.Resolution = args.Resolution; args.resolution() != market.Day {
		series.From, series.To = nil, nil // the kept week
	}
	adjusting, err := s.adjusting(ctx, instruments, args.Adjust.Or(market.AdjustSplits))
	if err != nil {
		return err
	}
	var daily []market.Closes // of 5m bars: factors come from daily closes, as in candles
	if series.From == nil {
		since := value.TurkeyDay(market.Kept(s.Market.Now())[market.BIST])
		daily, err = s.Market.DailyCloses(ctx, adjusting, instruments, func(int) value.Date { return since }, false)
		if err != nil {
			return err
		}
	}
	return s.eachHistory(ctx, instruments, series, func(i int, of *market.CandleSeries) {
		in, bars := instruments[i], of.Bars()
		closes := market.ClosesOf(in.Market, bars)
		if daily != nil {
			closes = daily[i]
		}
		use(i, history{in.Market, bars, adjusting.Boundaries(in.InstrumentID, closes)})
	})
}

func (s *Service) closedAt(in *market.Instrument, bars []*market.Bar) value.Instant {
	last := lastClose(daysOf(in.Market, bars))
	if last.IsNull() {
		return value.Instant{}
	}
	return s.Market.ClosedAt(in, last)
}

func (s *Service) precomputed(ctx context.Context, instruments []*market.Instrument) ([]*IndicatorSet, error) {
	known, err := s.figuresOf(ctx, instruments, nil)
	if err != nil {
		return nil, err
	}
	sets := make([]*IndicatorSet, len(instruments))
	for i, in := range instruments {
		f := known[i]
		sets[i] = newSet(in, market.Day, f.indicators)
		sets[i].AsOf, sets[i].Precomputed, sets[i].Bridges = s.asOf(f), true, f.bridges
	}
	return sets, nil
}

func newSet(in *market.Instrument, r market.Resolution, values []*IndicatorValue) *IndicatorSet {
	return &IndicatorSet{
		InstrumentID: in.InstrumentID, Resolution: r, Values: append([]*IndicatorValue{}, values...), Count: len(values),
		Unavailable: []UnavailableIndicator{}, Adjustment: unadjusted(in), of: in,
	}
}

// unadjusted returns the adjustment of a series that states that it is unadjusted; else nil.
func unadjusted(in *market.Instrument) *string {
	if in.Adjustment == nil || *in.Adjustment != market.Unadjusted {
		return nil
	}
	return in.Adjustment
}

// set computes the selected indicators from bars.
func (a IndicatorArgs) set(in *market.Instrument, h history) *IndicatorSet {
	set := newSet(in, a.resolution(), a.values(h))
	set.args, set.from = a, &h
	for i, indicator := range a.which() {
		switch {
		case !slices.Contains(ranged, indicator) || slices.Contains(a.which()[:i], indicator):
		case a.resolution() == market.Day:
			set.Unavailable = append(set.Unavailable, UnavailableIndicator{indicator, needsHighLow})
		default:
			set.Note = new(rangeNote)
		}
	}
	some, _ := oneSegment(in.Market, h.bars, h.boundaries)
	set.Bridges = bridgesOf(in.Market, some, h.boundaries)
	if adjust := a.Adjust.Or(market.AdjustSplits); adjust != market.AdjustSplits {
		set.Adjust = &adjust
	}
	if n := len(h.bars); n > 0 {
		set.AsOf = h.bars[n-1].T
	}
	return set
}

// values computes the selected indicators at the newest bar.
func (a IndicatorArgs) values(h history) (values []*IndicatorValue) {
	a.each(h, 1, func(indicator Indicator, from []stretch) {
		values = append(values, valuesOf(from[0].lines(indicator, a.periods(), 1), from[0].change)...)
	})
	return values
}

// each calls use with each indicator that bars of the resolution allow, and with the stretches
// of the newest bars to compute it from.
func (a IndicatorArgs) each(h history, last int, use func(Indicator, []stretch)) {
	known := map[bool][]stretch{}
	for i, indicator := range a.which() {
		sampled := slices.Contains(ranged, indicator)
		if slices.Contains(a.which()[:i], indicator) || sampled && a.resolution() == market.Day {
			continue
		}
		if known[sampled] == nil {
			known[sampled] = h.stretches(sampled, last)
		}
		use(indicator, known[sampled])
	}
}
