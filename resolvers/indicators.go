package resolvers

import (
	"context"

	"piyasa/domain/analytics"
	"piyasa/domain/market"
	"piyasa/graph"
)

func (q query) Indicators(ctx context.Context, id string, indicators []analytics.Indicator, periods []int,
	resolution *market.Resolution, adjust *market.Adjust) (*analytics.IndicatorSet, error) {
	return q.services.Analytics.Indicators(ctx, id,
		analytics.IndicatorArgs{Indicators: indicators, Periods: periods, Resolution: resolution, Adjust: adjust})
}

func (i instrument) Indicators(ctx context.Context, of []*market.Instrument, indicators []analytics.Indicator, periods []int,
	resolution *market.Resolution, adjust *market.Adjust) ([]*analytics.IndicatorSet, []error) {
	return nowEach(ctx, "indicators", of, func() ([]*analytics.IndicatorSet, []error) {
		return i.services.Analytics.IndicatorsOf(ctx, of,
			analytics.IndicatorArgs{Indicators: indicators, Periods: periods, Resolution: resolution, Adjust: adjust})
	})
}

// indicatorSet answers the relations of a set of indicators.
type indicatorSet struct {
	naming[analytics.IndicatorSet]
}

// IndicatorSet answers the relations of a set of indicators.
func (r *Root) IndicatorSet() graph.IndicatorSetRelations {
	return indicatorSet{naming[analytics.IndicatorSet]{r.services, func(s *analytics.IndicatorSet) market.ID { return s.InstrumentID }}}
}

func (i indicatorSet) Series(ctx context.Context, of []*analytics.IndicatorSet, last *int) ([][]*analytics.IndicatorSeries, []error) {
	return i.services.Analytics.SeriesOf(ctx, of, last)
}
