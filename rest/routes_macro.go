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
	From       *value.Date `query:"from" description:"First day, in Turkey time; today without it."`
	To         *value.Date `query:"to" description:"Last day; seven days after the first without it. A window has at most 31 days."`
	Country    []string    `query:"country" collectionFormat:"multi" description:"Country codes in any letter case; may be given several times."`
	Importance *int        `query:"importance" description:"At least this, 1 to 3."`
	EventID    *int        `query:"event_id" description:"Only this event."`
}

type calendarEventsParams struct {
	Country    *string `query:"country" description:"A country code in any letter case."`
	Importance *int    `query:"importance" description:"At least this, 1 to 3."`
}

type eventID struct {
	EventID int `path:"event_id" description:"Number of an event."`
}

type inflationParams struct {
	From  *value.Month `query:"from" description:"First month (YYYY-MM)."`
	To    *value.Month `query:"to" description:"Last month (YYYY-MM)."`
	Limit *int         `query:"limit" description:"The newest months; has no effect beside from or to."`
}

func (inflationParams) limit() value.Limit { return macro.InflationLimit }

type fundCode struct {
	Code string `path:"code" description:"A fund code, bare or behind fund:."`
}

type rankingParams struct {
	Period   *funds.Period    `query:"period" enum:"1w,2w,1m,3m,6m,1y,3y,5y" description:"The time to go by; 1m without it."`
	Order    *value.SortOrder `query:"order" enum:"desc,asc" description:"Best first without it."`
	Category *string          `query:"category" description:"Only this category, exactly."`
	Limit    *int             `query:"limit" description:"Funds."`
}

func (rankingParams) limit() value.Limit { return funds.RankingLimit }

type flowsParams struct {
	fundCode
	Window *funds.Window `query:"window" enum:"1w,2w,1m,range" description:"1m without it; one but range ends with the newest day that the fund stated."`
	From   *value.Date   `query:"from" description:"First day, with window=range only."`
	To     *value.Date   `query:"to" description:"Last day, with window=range only."`
}

type holdersParams struct {
	ID string `path:"id" description:"A canonical id; ETF aliases do not resolve here."`
}

type iposParams struct {
	State *ipo.State  `query:"state" enum:"upcoming,active,completed,all" description:"Only these; all without it."`
	From  *value.Date `query:"from" description:"First trade date from here on."`
	To    *value.Date `query:"to" description:"First trade date up to here."`
}

func (iposParams) strict() {}

type ipoID struct {
	ID string `path:"id" description:"Id of a public offering."`
}

func (ipoID) strict() {}

// macroRoutes are the routes of the economy, funds and public offerings.
func macroRoutes(q graph.QueryResolver) []Route {
	return []Route{
		get("/v1/calendar", "calendar", "The economic calendar", string(access.CalendarRead),
			func(ctx context.Context, p calendarParams) (*macro.Calendar, error) {
				return q.Calendar(ctx, p.From, p.To, p.Country, p.Importance, p.EventID)
			}).failing(problem.WindowTooLong),
		get("/v1/calendar/events", "calendarEvents", "Definitions of events", string(access.CalendarRead),
			func(ctx context.Context, p calendarEventsParams) (*macro.CalendarEventList, error) {
				return q.CalendarEvents(ctx, p.Country, p.Importance)
			}),
		get("/v1/calendar/events/{event_id}", "calendarEvent", "The definition of an event", string(access.CalendarRead),
			func(ctx context.Context, p eventID) (*macro.CalendarEvent, error) {
				return q.CalendarEvent(ctx, p.EventID)
			}),
		get("/v1/inflation/yi-ufe", "producerPriceIndex", "The domestic producer price index, newest month first", string(access.CalendarRead),
			func(ctx context.Context, p inflationParams) (*macro.InflationSeries, error) {
				return q.ProducerPriceIndex(ctx, p.From, p.To, p.Limit)
			}),
		get("/v1/funds/{code}/profile", "fundProfile", "What a fund says about itself", string(access.QuotesFund),
			func(ctx context.Context, p fundCode) (*funds.Profile, error) { return q.FundProfile(ctx, p.Code) }),
		get("/v1/funds/ranking", "fundRanking", "Funds by what they gained over a period", string(access.QuotesFund),
			func(ctx context.Context, p rankingParams) (*funds.Ranking, error) {
				return q.FundRanking(ctx, p.Period, p.Order, p.Category, p.Limit)
			}),
		get("/v1/funds/{code}/investor-flows", "fundInvestorFlows", "What investors moved into and out of a fund", string(access.History),
			func(ctx context.Context, p flowsParams) (*funds.Flows, error) {
				return q.FundInvestorFlows(ctx, p.Code, p.Window, p.From, p.To)
			}).failing(problem.ConflictingParameters),
		get("/v1/funds/holders-of/{id}", "fundHolders", "Funds that hold an instrument", string(access.QuotesFund),
			func(ctx context.Context, p holdersParams) (*funds.Holders, error) { return q.FundHolders(ctx, p.ID) }).literal(),
		get("/v1/ipo", "ipos", "Public offerings; knows no other parameters", eitherIPOScope,
			func(ctx context.Context, p iposParams) (*ipo.List, error) { return q.Ipos(ctx, p.State, p.From, p.To) }).failing(problem.SourceUnavailable),
		get("/v1/ipo/{id}", "ipo", "One public offering; knows no parameters", eitherIPOScope,
			func(ctx context.Context, p ipoID) (*ipo.Detail, error) { return q.Ipo(ctx, p.ID) }).failing(problem.SourceUnavailable),
	}
}
