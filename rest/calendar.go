package rest

import (
	"context"

	"piyasa/account/access"
	"piyasa/domain/macro"
	"piyasa/graph"
	"piyasa/internal/problem"
	"piyasa/internal/value"
)

type calendarParams struct {
	From       *value.Date `query:"from" description:"First day, in Turkey time. Default: today."`
	To         *value.Date `query:"to" description:"Last day. Default: seven days after the first. The range has at most 31 days."`
	Country    []string    `query:"country" collectionFormat:"multi" description:"Country code, in any letter case; for several, repeat the parameter or separate them by commas."`
	Importance *int        `query:"importance" description:"Minimum importance, 1 to 3."`
	EventID    *int        `query:"event_id" description:"Only this event."`
	tableParams
}

type calendarEventsParams struct {
	Country    *string `query:"country" description:"A country code in any letter case."`
	Importance *int    `query:"importance" description:"Minimum importance, 1 to 3."`
	tableParams
}

type calendarEventParams struct {
	eventID
	tableParams
}

type eventID struct {
	EventID int `path:"event_id" description:"Number of an event."`
}

// calendarRoutes returns the routes of the economic calendar.
func calendarRoutes(q graph.QueryResolver) []Route {
	return []Route{
		asTable(func(c *macro.Calendar) []*macro.CalendarItem { return c.Items },
			get("/v1/calendar", "calendar", "The economic calendar", string(access.CalendarRead),
				func(ctx context.Context, p calendarParams) (*macro.Calendar, error) {
					return q.Calendar(ctx, p.From, p.To, p.Country, p.Importance, p.EventID)
				}).failing(problem.WindowTooLong)),
		asTable(func(l *macro.CalendarEventList) []*macro.CalendarEvent { return l.Items },
			get("/v1/calendar/events", "calendarEvents", "Definitions of calendar events", string(access.CalendarRead),
				func(ctx context.Context, p calendarEventsParams) (*macro.CalendarEventList, error) {
					return q.CalendarEvents(ctx, p.Country, p.Importance)
				})),
		asTable(itself[macro.CalendarEvent], get("/v1/calendar/events/{event_id}", "calendarEvent", "The definition of a calendar event",
			string(access.CalendarRead),
			func(ctx context.Context, p calendarEventParams) (*macro.CalendarEvent, error) {
				return q.CalendarEvent(ctx, p.EventID)
			})),
	}
}
