package analytics

import (
	"context"
	"strconv"

	"piyasa/domain/market"
	"piyasa/domain/segment"
	"piyasa/internal/value"
)

// IndicatorSeries is a figure of an indicator at the newest bars, by column: entry i of each
// column belongs to one bar. Bars that the indicator skips have no entry.
type IndicatorSeries struct {
	Indicator  Indicator       `json:"indicator"`
	Component  *string         `json:"component"`   // null for an indicator with one figure
	Period     *int            `json:"period"`      // bars; null for an indicator with several or none
	T          []value.Instant `json:"t"`           // ascending
	Date       []value.Date    `json:"date"`        // null for bars shorter than a day
	Value      []value.Decimal `json:"value"`       // the value that an IndicatorValue has if this is the newest bar
	NullReason []*string       `json:"null_reason"` // null if the value is not

	// MeaningChanged is the newest change that is the reason for a null value.
	MeaningChanged *segment.Change `json:"meaning_changed,omitempty"`
}

// SeriesLimit is how many of the newest bars a series may have.
var SeriesLimit = value.Limit{Min: 1, Max: 5000, Default: 100}

// SeriesOf returns the values of each set at its newest bars, in the order of its values. It
// reads the bars of precomputed sets, together. The last values equal those of the set.
// Problem: invalid-parameter.
func (s *Service) SeriesOf(ctx context.Context, sets []*IndicatorSet, last *int) ([][]*IndicatorSeries, []error) {
	all, errs := make([][]*IndicatorSeries, len(sets)), make([]error, len(sets))
	n := value.Or(last, SeriesLimit.Default)
	var wrong error
	if n < SeriesLimit.Min || n > SeriesLimit.Max {
		wrong = SeriesLimit.Refuse("last", strconv.Itoa(n))
	}
	var instruments []*market.Instrument
	var places []int
	for i, set := range sets {
		switch {
		case wrong != nil:
			errs[i] = wrong
		case set.from == nil:
			instruments, places = append(instruments, set.of), append(places, i)
		default:
			all[i], errs[i] = set.args.series(ctx, *set.from, n)
		}
	}
	if len(instruments) == 0 {
		return all, errs
	}
	err := s.eachIndicated(ctx, instruments, IndicatorArgs{}, func(k int, h history) {
		i := places[k]
		all[i], errs[i] = sets[i].args.series(ctx, h, n)
	})
	for _, i := range places {
		if err != nil {
			errs[i] = err
		}
	}
	return all, errs
}

// series computes the selected indicators at the newest bars, at most last of them. It stops
// when ctx ends.
func (a IndicatorArgs) series(ctx context.Context, h history, last int) ([]*IndicatorSeries, error) {
	all := []*IndicatorSeries{}
	a.each(h, last, func(indicator Indicator, from []stretch) {
		first := len(all)
		for k := len(from) - 1; k >= 0 && ctx.Err() == nil; k-- { // the oldest first
			lines := from[k].lines(indicator, a.periods(), max(from[k].shown, 1))
			for i, l := range lines {
				if first+i == len(all) {
					all = append(all, &IndicatorSeries{Indicator: l.indicator, Component: l.component, Period: l.period,
						T: []value.Instant{}, Date: []value.Date{}, Value: []value.Decimal{}, NullReason: []*string{}})
				}
				all[first+i].add(l, from[k])
			}
		}
	})
	return all, ctx.Err()
}

// add adds the figures at the requested bars of a stretch.
func (s *IndicatorSeries) add(l line, from stretch) {
	for i, b := range from.of[len(from.of)-from.shown:] {
		f := l.figures[i]
		s.T, s.Date, s.Value = append(s.T, b.T), append(s.Date, b.Date()), append(s.Value, f.value)
		var reason *string
		if f.reason != "" {
			reason = new(f.reason)
		}
		if s.NullReason = append(s.NullReason, reason); f.reason == value.MeaningChanged {
			s.MeaningChanged = from.change
		}
	}
}
