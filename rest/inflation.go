package rest

import (
	"context"

	"piyasa/account/access"
	"piyasa/domain/macro"
	"piyasa/graph"
	"piyasa/internal/value"
)

type inflationParams struct {
	From  *value.Month `query:"from" description:"First month (YYYY-MM)."`
	To    *value.Month `query:"to" description:"Last month (YYYY-MM)."`
	Limit *int         `query:"limit" description:"Number of newest months; no effect with from or to."`
	tableParams
}

func (inflationParams) limit() value.Limit { return macro.InflationLimit }

// inflationRoutes returns the routes of price indices.
func inflationRoutes(q graph.QueryResolver) []Route {
	return []Route{
		asTable(inflationLines, get("/v1/inflation/yi-ufe", "producerPriceIndex", "The domestic producer price index, newest month first",
			string(access.CalendarRead),
			func(ctx context.Context, p inflationParams) (*macro.InflationSeries, error) {
				return viewOf(inflationView)(q.ProducerPriceIndex(ctx, p.From, p.To, p.Limit))
			})),
	}
}

// inflationView leaves out the base of each month if all months have that of the series.
func inflationView(s *macro.InflationSeries) *macro.InflationSeries {
	if s.Unit == nil {
		return s
	}
	view := *s
	view.Points = make([]*macro.InflationPoint, len(s.Points))
	for i, p := range s.Points {
		point := *p
		point.Base = nil
		view.Points[i] = &point
	}
	return &view
}

// inflationLine is a month with its series.
type inflationLine struct {
	SeriesID string  `json:"series_id"`
	Unit     *string `json:"unit"`
	*macro.InflationPoint
}

func inflationLines(s *macro.InflationSeries) []inflationLine {
	return lines(s.Points, func(p *macro.InflationPoint) inflationLine { return inflationLine{s.SeriesID, s.Unit, p} })
}
