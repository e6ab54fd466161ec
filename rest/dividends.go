package rest

import (
	"context"

	"piyasa/account/access"
	"piyasa/domain/fundamentals"
	"piyasa/domain/market"
	"piyasa/graph"
	"piyasa/internal/problem"
	"piyasa/internal/value"
)

type dividendsParams struct {
	Market    *market.EquityMarket            `query:"market" description:"Market of the shares. Default: bist."`
	From      *value.Date                     `query:"from" description:"First day, by date_field. Default: 30 days ago. The range has at most 366 days."`
	To        *value.Date                     `query:"to" description:"Last day. Default: 90 days ahead."`
	DateField *fundamentals.DividendDateField `query:"date_field" description:"Date to filter and sort by. Default: ex."`
	Status    *fundamentals.DividendStatus    `query:"status" description:"Only dividends with this status on the market's local day."`
	Symbols   []string                        `query:"symbols" collectionFormat:"csv" minItems:"1" maxItems:"100" description:"1 to 100 symbols or canonical ids of the market, separated by commas."`
	Cursor    *string                         `query:"cursor" description:"next_cursor of the previous page; the other parameters must be the same."`
	Limit     *int                            `query:"limit" description:"Rows per page."`
	knownAt
	tableParams
}

type dividendHistoryParams struct {
	companyID
	knownAt
	tableParams
}

func (dividendsParams) strict()            {}
func (dividendsParams) limit() value.Limit { return fundamentals.DividendLimit }

// dividendRoutes returns the routes of dividends.
func dividendRoutes(q graph.QueryResolver) []Route {
	return []Route{
		costing(func(costs *graph.ComplexityRoot, below int, p dividendHistoryParams) int {
			return costs.Query.DividendHistory(below, p.ID, p.KnownAt)
		}, asTable(dividendLines, get("/v1/stocks/{id}/dividends", "dividendHistory", "All known dividends of a share; not for test keys",
			string(access.History),
			func(ctx context.Context, p dividendHistoryParams) (*dividendHistory, error) {
				return viewOf(dividendHistoryView)(q.DividendHistory(ctx, p.ID, p.KnownAt))
			}).failing(problem.TestPlan))),
		costing(func(costs *graph.ComplexityRoot, below int, p dividendsParams) int {
			return costs.Query.Dividends(below, p.Market, p.From, p.To, p.DateField, p.Status, p.Symbols, p.Cursor, p.Limit, p.KnownAt)
		}, asTable(func(p *fundamentals.DividendPage) []*fundamentals.Dividend { return p.Dividends },
			get("/v1/dividends", "dividends", "Dividends of a market; rejects unknown parameters", string(access.History),
				func(ctx context.Context, p dividendsParams) (*fundamentals.DividendPage, error) {
					return q.Dividends(ctx, p.Market, p.From, p.To, p.DateField, p.Status, p.Symbols, p.Cursor, p.Limit, p.KnownAt)
				}).charging("100 rows or part of them", unitsOfRows(fundamentals.DividendLimit)).
				failing(problem.TestPlan, problem.WindowTooLong))),
	}
}

// dividendHistory names the instrument once, not in every row.
type dividendHistory struct {
	InstrumentID market.ID     `json:"instrument_id"`
	Currency     string        `json:"currency"`
	Dividends    []dividendRow `json:"dividends"`
	Count        int           `json:"count"`

	MissingReason *value.MissingReason `json:"-"`
}

type dividendRow struct {
	Symbol        string                      `json:"symbol"`
	ExDate        value.Date                  `json:"ex_date"`
	PaymentDate   value.Date                  `json:"payment_date"`
	GrossPerShare value.Decimal               `json:"gross_per_share"`
	NetPerShare   value.Decimal               `json:"net_per_share"`
	Currency      string                      `json:"currency"`
	Installment   *int                        `json:"installment"`
	Status        fundamentals.DividendStatus `json:"status"`
}

// dividendLine is a row that names its instrument.
type dividendLine struct {
	InstrumentID market.ID `json:"instrument_id"`
	dividendRow
}

func dividendLines(h *dividendHistory) []dividendLine {
	return lines(h.Dividends, func(d dividendRow) dividendLine { return dividendLine{h.InstrumentID, d} })
}

func dividendHistoryView(h *fundamentals.DividendHistory) *dividendHistory {
	view := &dividendHistory{h.InstrumentID, h.Currency, make([]dividendRow, len(h.Dividends)), h.Count, h.MissingReason}
	for i, d := range h.Dividends {
		view.Dividends[i] = dividendRow{d.Symbol, d.ExDate, d.PaymentDate, d.GrossPerShare, d.NetPerShare, d.Currency,
			d.Installment, d.Status}
	}
	return view
}
