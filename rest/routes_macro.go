package rest

import (
	"context"

	"piyasa/access"
	"piyasa/domain/funds"
	"piyasa/domain/ipo"
	"piyasa/domain/macro"
	"piyasa/graph"
	"piyasa/problem"
	"piyasa/value"
)

type calendarParams struct {
	From       *value.Date `query:"from" description:"First day, in Turkey time. Default: today."`
	To         *value.Date `query:"to" description:"Last day. Default: seven days after the first. The range has at most 31 days."`
	Country    []string    `query:"country" collectionFormat:"multi" description:"Country code, in any letter case; repeat the parameter for several."`
	Importance *int        `query:"importance" description:"Minimum importance, 1 to 3."`
	EventID    *int        `query:"event_id" description:"Only this event."`
}

type calendarEventsParams struct {
	Country    *string `query:"country" description:"A country code in any letter case."`
	Importance *int    `query:"importance" description:"Minimum importance, 1 to 3."`
}

type eventID struct {
	EventID int `path:"event_id" description:"Number of an event."`
}

type inflationParams struct {
	From  *value.Month `query:"from" description:"First month (YYYY-MM)."`
	To    *value.Month `query:"to" description:"Last month (YYYY-MM)."`
	Limit *int         `query:"limit" description:"Number of newest months; no effect with from or to."`
}

func (inflationParams) limit() value.Limit { return macro.InflationLimit }

type fundCode struct {
	Code string `path:"code" description:"A fund code, optionally after fund:."`
}

type rankingParams struct {
	Period   *funds.Period    `query:"period" enum:"1w,2w,1m,3m,6m,1y,3y,5y" description:"Period of the return. Default: 1m."`
	Order    *value.SortOrder `query:"order" enum:"desc,asc" description:"Order by return. Default: desc (best first)."`
	Category *string          `query:"category" description:"Only this category (exact match)."`
	Limit    *int             `query:"limit" description:"Maximum number of funds."`
}

func (rankingParams) limit() value.Limit { return funds.RankingLimit }

type flowsParams struct {
	fundCode
	Window *funds.Window `query:"window" enum:"1w,2w,1m,range" description:"Window of the flows; all but range end at the fund's newest day. Default: 1m."`
	From   *value.Date   `query:"from" description:"First day; only with window=range."`
	To     *value.Date   `query:"to" description:"Last day; only with window=range."`
}

type holdersParams struct {
	ID string `path:"id" description:"A canonical id; ETF aliases are not accepted."`
}

type iposParams struct {
	State *ipo.State  `query:"state" enum:"upcoming,active,completed,all" description:"Only IPOs in this state. Default: all."`
	From  *value.Date `query:"from" description:"First trade date on or after this day."`
	To    *value.Date `query:"to" description:"First trade date on or before this day."`
}

func (iposParams) strict() {}

type ipoID struct {
	ID string `path:"id" description:"Id of an IPO."`
}

func (ipoID) strict() {}

// macroRoutes are the routes of the economy, funds and public offerings.
func macroRoutes(q graph.QueryResolver) []Route {
	return []Route{
		get("/v1/calendar", "calendar", "The economic calendar", string(access.CalendarRead),
			func(ctx context.Context, p calendarParams) (*macro.Calendar, error) {
				return q.Calendar(ctx, p.From, p.To, p.Country, p.Importance, p.EventID)
			}).failing(problem.WindowTooLong),
		get("/v1/calendar/events", "calendarEvents", "Definitions of calendar events", string(access.CalendarRead),
			func(ctx context.Context, p calendarEventsParams) (*macro.CalendarEventList, error) {
				return q.CalendarEvents(ctx, p.Country, p.Importance)
			}),
		get("/v1/calendar/events/{event_id}", "calendarEvent", "The definition of a calendar event", string(access.CalendarRead),
			func(ctx context.Context, p eventID) (*macro.CalendarEvent, error) {
				return q.CalendarEvent(ctx, p.EventID)
			}),
		get("/v1/inflation/yi-ufe", "producerPriceIndex", "The domestic producer price index, newest month first", string(access.CalendarRead),
			func(ctx context.Context, p inflationParams) (*macro.InflationSeries, error) {
				return q.ProducerPriceIndex(ctx, p.From, p.To, p.Limit)
			}),
		get("/v1/funds/{code}/profile", "fundProfile", "Profile of a fund", string(access.QuotesFund),
			func(ctx context.Context, p fundCode) (*funds.Profile, error) { return q.FundProfile(ctx, p.Code) }),
		get("/v1/funds/ranking", "fundRanking", "Funds ranked by their return over a period", string(access.QuotesFund),
			func(ctx context.Context, p rankingParams) (*funds.Ranking, error) {
				return q.FundRanking(ctx, p.Period, p.Order, p.Category, p.Limit)
			}),
		get("/v1/funds/{code}/investor-flows", "fundInvestorFlows", "Money that investors moved into and out of a fund", string(access.History),
			func(ctx context.Context, p flowsParams) (*funds.Flows, error) {
				return q.FundInvestorFlows(ctx, p.Code, p.Window, p.From, p.To)
			}).failing(problem.ConflictingParameters),
		get("/v1/funds/holders-of/{id}", "fundHolders", "Funds that hold an instrument", string(access.QuotesFund),
			func(ctx context.Context, p holdersParams) (*funds.Holders, error) { return q.FundHolders(ctx, p.ID) }).literal(),
		get("/v1/ipo", "ipos", "IPOs; rejects unknown parameters", eitherIPOScope,
			func(ctx context.Context, p iposParams) (*ipo.List, error) { return q.Ipos(ctx, p.State, p.From, p.To) }).failing(problem.SourceUnavailable),
		get("/v1/ipo/{id}", "ipo", "One IPO; rejects unknown parameters", eitherIPOScope,
			func(ctx context.Context, p ipoID) (*ipo.Detail, error) { return q.Ipo(ctx, p.ID) }).failing(problem.SourceUnavailable),
	}
}
