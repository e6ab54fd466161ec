package resolvers

import (
	"context"

	"piyasa/domain/analytics"
	"piyasa/domain/macro"
	"piyasa/domain/market"
	"piyasa/graph"
	"piyasa/services"
	"piyasa/value"
)

func (q query) Calendar(ctx context.Context, from, to *value.Date, country []string, importance, eventID *int) (*macro.Calendar, error) {
	return q.services.Macro.Calendar(ctx, macro.EventFilter{Countries: country, Importance: importance, EventID: eventID}, from, to)
}

func (q query) CalendarEvents(ctx context.Context, country *string, importance *int) (*macro.CalendarEventList, error) {
	filter := macro.EventFilter{Importance: importance}
	if country != nil && *country != "" {
		filter.Countries = []string{*country}
	}
	return q.services.Macro.CalendarEvents(ctx, filter)
}

func (q query) CalendarEvent(ctx context.Context, eventID int) (*macro.CalendarEvent, error) {
	return q.services.Macro.CalendarEvent(ctx, eventID)
}

func (q query) ProducerPriceIndex(ctx context.Context, from, to *value.Month, limit *int) (*macro.InflationSeries, error) {
	return q.services.Macro.ProducerPriceIndex(ctx, from, to, limit)
}

type calendarEvent struct{ services *services.Services }

// CalendarEvent answers the edges of an event.
func (r *Root) CalendarEvent() graph.CalendarEventRelations { return calendarEvent{r.services} }

func (c calendarEvent) Items(ctx context.Context, of []*macro.CalendarEvent, from, to *value.Date, first *int) ([][]*macro.CalendarItem, []error) {
	return c.services.Macro.ItemsOf(ctx, of, macro.ItemsArgs{From: from, To: to, First: first})
}

type calendarItem struct{ services *services.Services }

// CalendarItem answers the edges of an occurrence.
func (r *Root) CalendarItem() graph.CalendarItemResolver { return calendarItem{r.services} }

func (c calendarItem) Event(_ context.Context, of *macro.CalendarItem) (*macro.CalendarEvent, error) {
	return c.services.Macro.EventOf(of), nil
}

func (q query) Indices(ctx context.Context) (*market.IndexList, error) {
	return q.services.Market.Indices(ctx)
}

func (q query) IndexConstituents(ctx context.Context, code string) (*market.IndexConstituents, error) {
	return q.services.Market.IndexConstituents(ctx, code)
}

func (i instrument) Indices(ctx context.Context, in *market.Instrument, first *int) ([]*market.IndexInfo, error) {
	return i.services.Market.IndicesOf(ctx, in, first)
}

type bistIndex struct{ services *services.Services }

// BistIndex answers the edges of an index.
func (r *Root) BistIndex() graph.BistIndexRelations { return bistIndex{r.services} }

func (b bistIndex) Constituents(ctx context.Context, of *market.IndexInfo, first *int) ([]*market.Constituent, error) {
	return b.services.Market.ConstituentsOf(ctx, of, first)
}

func (b bistIndex) Periodic(ctx context.Context, of []*market.IndexInfo) ([]*analytics.Periodic, []error) {
	return b.services.Analytics.IndexPeriodicOf(ctx, of)
}
