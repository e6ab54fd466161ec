package resolvers

import (
	"context"

	"piyasa/domain/macro"
	"piyasa/graph"
	"piyasa/internal/value"
	"piyasa/services"
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

type calendarEvent struct{ services *services.Services }

// CalendarEvent answers the relations of an event.
func (r *Root) CalendarEvent() graph.CalendarEventRelations { return calendarEvent{r.services} }

func (c calendarEvent) Items(ctx context.Context, of []*macro.CalendarEvent, from, to *value.Date,
	first *int) ([][]*macro.CalendarItem, []error) {
	return c.services.Macro.ItemsOf(ctx, of, macro.ItemsArgs{From: from, To: to, First: first})
}

type calendarItem struct{ services *services.Services }

// CalendarItem answers the relations of an occurrence of an event.
func (r *Root) CalendarItem() graph.CalendarItemResolver { return calendarItem{r.services} }

func (c calendarItem) Event(_ context.Context, of *macro.CalendarItem) (*macro.CalendarEvent, error) {
	return c.services.Macro.EventOf(of), nil
}
