package macro

import (
	"context"
	"slices"

	"piyasa/account/access"
	"piyasa/internal/value"
)

// InflationSeries is a price index as it is published.
type InflationSeries struct {
	SeriesID string            `json:"series_id"`
	Name     string            `json:"name"`
	Unit     *string           `json:"unit"`            // base of the points; nil: not stated, or not the same for all
	Points   []*InflationPoint `json:"points"`          // newest first
	Links    []*IndexLink      `json:"links,omitempty"` // between the bases of the points, the oldest first
	Count    int               `json:"count"`

	MissingReason *value.MissingReason `json:"-"` // nil unless it is empty or cut
}

// InflationPoint is one month. If the source skipped the month, all else is null.
type InflationPoint struct {
	Month     value.Month   `json:"month"`
	Value     value.Decimal `json:"value"`
	Source    *string       `json:"source"`
	FetchedAt value.Instant `json:"fetched_at"`
	Base      *string       `json:"base,omitempty"` // where the index is 100, as the source states it
}

const producerPricesName = "Yurt İçi Üretici Fiyat Endeksi"

// producerPricesStart is the first month shown; only restatements use older months.
var producerPricesStart = value.MustMonth("2003-01")

// InflationLimit is the range of the number of months.
var InflationLimit = value.Limit{Min: 1, Max: 600, Default: 600}

// ProducerPriceIndex returns the domestic producer price index by month, newest first: the
// months between two, both included, or the newest limit months, or all. Needs calendar:read.
// Problems: invalid-parameter, inverted-window.
func (s *Service) ProducerPriceIndex(ctx context.Context, from, to *value.Month, limit *int) (*InflationSeries, error) {
	if err := access.Enter(ctx, access.CalendarRead); err != nil {
		return nil, err
	}
	n, err := InflationLimit.Of(limit)
	if err != nil {
		return nil, err
	}
	if err := value.CheckOrder(from, to); err != nil {
		return nil, err
	}
	series := &InflationSeries{SeriesID: string(YIUFE), Name: producerPricesName, Points: []*InflationPoint{}}
	prices := s.Live.Prices()
	index, months := prices.of(YIUFE), prices.months(YIUFE, producerPricesStart)
	var shown []int // places of published points
	bounded := from != nil || to != nil
	for _, m := range slices.Backward(months) {
		if (from != nil && m.Before(*from)) || (to != nil && to.Before(m)) {
			continue
		}
		if !bounded && limit != nil && len(series.Points) == n {
			break
		}
		point := &InflationPoint{Month: m}
		if i := index.place(m); i >= 0 {
			p := index.points[i]
			point.Value, point.Base, point.Source, point.FetchedAt = p.Value, p.Unit, p.Source, p.FetchedAt
			shown = append(shown, i)
		}
		series.Points = append(series.Points, point)
	}
	slices.Reverse(shown)
	series.Unit, series.Links, series.Count = index.unit(shown), index.linksOf(shown), len(series.Points)
	if series.MissingReason = value.MissingFrom(series.Count, len(months) > 0 && bounded); to != nil && to.Before(producerPricesStart) {
		series.MissingReason = value.MissingUntil(value.BeforeHistory, value.MustDate(producerPricesStart.String()+"-01"))
	}
	access.Charge(ctx, access.Unit)
	return series, nil
}
