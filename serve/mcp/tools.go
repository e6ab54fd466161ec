package mcp

// markets are the prefixes of ids.
var markets = []string{"bist", "crypto", "fx", "index", "cmdty", "us", "fund"}

var currencies = []string{"TRY", "USD", "EUR"}

// tools returns all tools, in the order in which clients list them.
func (h *Handler) tools() []tool {
	return []tool{
		{
			name: "search_instruments", run: h.searchInstruments,
			description: "Find instruments and their ids by name, symbol or ticker; letter case and Turkish letters do not matter.",
			arguments: []argument{
				{name: "query", kind: text, required: true, description: "Words of the name, a symbol, or an id such as bist:DMOST."},
				{name: "market", kind: text, one: markets},
				{name: "limit", kind: whole, least: 1, most: 50, usual: 10},
			},
		},
		{
			name: "search_schema", run: h.searchSchema,
			description: "Find what graphql can be asked: fields, arguments and types, in the schema's own language. Words, or the exact " +
				"name of a type or field.",
			arguments: []argument{{name: "query", kind: text, required: true,
				description: "Such as: dividends of a stock; Valuation; Query.calendar."}},
		},
		{
			name: "graphql", run: h.graphQL,
			description: "Run a GraphQL query (no subscriptions): quotes, statements, valuations, dividends, " +
				"indicators, sectors, indices, " +
				"funds, calendar, IPOs, companies. Ask for asOf, dataDelaySeconds and nullReason beside figures. Example: " +
				"{watchlist(ids:[\"bist:DMOST\",\"crypto:BTC\"]){instrumentId name quote(currency:TRY){last currency changePct asOf " +
				"dataDelaySeconds} valuation{peRatio{value nullReason}}}}",
			arguments: []argument{
				{name: "query", kind: text, required: true},
				{name: "variables", kind: object},
				{name: "operation_name", kind: text},
			},
		},
		{
			name: "series", run: h.series,
			description: "Price history as columns, oldest first: daily records (1d), or bars of 5m, 2h, 1w or 1mo. What does not fit is " +
				"cut at its old end.",
			arguments: []argument{
				{name: "ids", kind: list, required: true, most: 10, description: "Instrument ids."},
				{
					name: "resolution", kind: text, one: []string{"1d", "5m", "2h", "1w", "1mo"},
					description: "Default 1d. 5m: not crypto, us and fund. 2h: crypto alone.",
				},
				{name: "from", kind: text, description: "First day, YYYY-MM-DD. Default: a week of 5m and 2h, a year of others."},
				{name: "to", kind: text, description: "Last day. Default: today."},
				{name: "currency", kind: text, one: currencies, description: "To convert into."},
				{name: "columns", kind: list, one: figureNames(), most: len(figures), description: "Default: close, volume."},
			},
		},
		{
			name: "disclosures", run: h.disclosures,
			description: "Official disclosures (KAP) of companies and funds, newest first; or, with index, one of them with its " +
				"text and documents.",
			arguments: []argument{
				{name: "symbols", kind: list, most: 20, description: "Codes such as DMOST."},
				{name: "q", kind: text, description: `Words that the texts must all have (Turkish or English, any ending), "a phrase", -without.`},
				{name: "type", kind: text, one: []string{"FR", "ODA", "DG", "DUY", "CA", "FON"},
					description: "FR financial report, ODA special case, CA corporate action, DUY regulator, FON fund, DG other."},
				{name: "from", kind: text, description: "Day or RFC 3339 time of publication."},
				{name: "to", kind: text},
				{name: "limit", kind: whole, least: 1, most: 50, usual: 10},
				{name: "cursor", kind: text, description: "next_cursor of the previous answer."},
				{name: "index", kind: whole, least: 1, most: 1<<31 - 1, description: "Number of one disclosure; alone."},
			},
		},
		{
			name: "coverage", run: h.coverage,
			description: "What there is: markets and their sizes, the state of the exchange and of the sources, and " +
				"what is stored of each " +
				"kind; or, with ids, delay and hours of each instrument, from which day to which it has history, and " +
				"trading days without a " +
				"bar with their reason.",
			arguments: []argument{{name: "ids", kind: list, most: 10, description: "Instrument ids."}},
		},
	}
}
