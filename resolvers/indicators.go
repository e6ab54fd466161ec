package resolvers

import (
	"context"

	"piyasa/domain/analytics"
	"piyasa/domain/market"
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
