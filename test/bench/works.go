package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/url"
	"time"

	"piyasa/test/bench/dataset"
)

// work is a kind of request that servers of one API are asked.
type work struct {
	name        string
	what        string
	api         api
	connections int
	// asks returns the requests to a server, which may be asked for cursors first.
	asks func(ctx context.Context, s *server) ([]ask, error)
	// compared is how many of very many requests are compared with piyasa's; 0: all.
	compared int
}

type vars map[string]any

func graphQL(query string, variables vars) ask {
	body, err := json.Marshal(map[string]any{"query": query, "variables": variables})
	if err != nil {
		panic(err) // strings and numbers only
	}
	return ask{method: "POST", path: "/graphql", body: body}
}

func get(path string, query ...string) ask {
	values := url.Values{}
	for i := 0; i < len(query); i += 2 {
		values.Set(query[i], query[i+1])
	}
	if len(query) > 0 {
		path += "?" + values.Encode()
	}
	return ask{method: "GET", path: path}
}

const (
	quoteQuery = `query($id: ID!) { quote(id: $id) { instrumentId symbol market currency last prevClose change changePct open high low bid ask volume asOf } }`

	watchlistQuery = `query($ids: [ID!]!) { watchlist(ids: $ids) {
  quote { last change changePct open high low volume asOf }
  valuation { marketCap { value } peRatio { value } pbRatio { value } netDebt { value } ev { value } }
  disclosures(first: 5) { disclosureIndex type publishedAt filerTitle subject { tr en } }
} }`

	barsQuery = `query($id: ID!, $from: Date, $to: Date) { candles(id: $id, from: $from, to: $to) {
  bars { t open high low close volume turnover }
} }`

	columnsQuery = `query($id: ID!, $from: Date, $to: Date) { candles(id: $id, from: $from, to: $to) {
  columns { t open high low close volume turnover }
} }`

	disclosuresQuery = `query($symbol: String!, $cursor: String) { disclosures(symbol: $symbol, cursor: $cursor, limit: 25) {
  items { disclosureIndex type class symbols filerTitle publishedAt reason relatedIndex subject { tr en } summary { tr en } link attachmentCount }
  nextCursor
} }`
)

// How many requests of a work differ: so many that what a server keeps of one answer
// is not all that is measured.
const (
	someStocks = 500
	watchlists = 200
	walks      = 100    // to deeper pages
	fresh      = 20_000 // of works whose requests hardly ever come twice
	compared   = 100    // of those
	deepPages  = 8      // which page of a symbol's disclosures W4-deep asks for
)

// each makes a request for each of a number of variants.
func each(n int, form func(r *rand.Rand, i int) ask) func(context.Context, *server) ([]ask, error) {
	return func(context.Context, *server) ([]ask, error) {
		r := rand.New(rand.NewPCG(1, 2))
		asks := []ask{}
		for i := range n {
			asks = append(asks, form(r, i))
		}
		return asks, nil
	}
}

// works lists what is measured by requests.
func works() []work {
	stock := func(r *rand.Rand) dataset.Instrument { return dataset.Stock(r.IntN(dataset.Stocks)) }
	first := dataset.FirstDay()
	ending := func(i int) string { return dataset.Now.AddDate(0, 0, i/dataset.Charted).Format(time.DateOnly) } // bars end before
	chart := func(query string) func(*rand.Rand, int) ask {
		return func(_ *rand.Rand, i int) ask {
			return graphQL(query, vars{"id": dataset.Chart(i).ID, "from": first, "to": dataset.LastDay()})
		}
	}
	watchlist := func(r *rand.Rand, _ int) ask {
		ids := []string{}
		for _, n := range r.Perm(dataset.Stocks)[:100] {
			ids = append(ids, dataset.Stock(n).ID)
		}
		return graphQL(watchlistQuery, vars{"ids": ids})
	}
	return []work{
		{"W1", "one quote, 15 fields", graphQLAPI, 32, each(someStocks, func(r *rand.Rand, _ int) ask {
			return graphQL(quoteQuery, vars{"id": stock(r).ID})
		}), 0},
		{"W1-rest", "one quote", restAPI, 32, each(someStocks, func(r *rand.Rand, _ int) ask {
			return get("/v1/quotes/" + stock(r).ID)
		}), 0},
		{"W2", "a watchlist of 100: quote, valuation, newest 5 disclosures of each", graphQLAPI, 8, each(watchlists, watchlist), 0},
		{"W2-fresh", "a watchlist of 100, a new one in each request", graphQLAPI, 8, each(fresh, watchlist), compared},
		{"W3", "1,400 daily bars of 7 fields as objects", graphQLAPI, 8, each(dataset.Charted, chart(barsQuery)), 0},
		{"W3-columns", "the same bars as columns", graphQLAPI, 8, each(dataset.Charted, chart(columnsQuery)), 0},
		{"W3-rest", "1,400 daily bars", restAPI, 8, each(dataset.Charted, func(_ *rand.Rand, i int) ask {
			return get("/v1/candles/"+dataset.Chart(i).ID, "from", first, "to", dataset.LastDay())
		}), 0},
		{"W3-fresh", "the bars as objects, of a new range in each request", graphQLAPI, 8, each(fresh, func(_ *rand.Rand, i int) ask {
			return graphQL(barsQuery, vars{"id": dataset.Chart(i % dataset.Charted).ID, "from": first, "to": ending(i)})
		}), compared},
		{"W3-rest-fresh", "the same bars, of a new range in each request", restAPI, 8, each(fresh, func(_ *rand.Rand, i int) ask {
			return get("/v1/candles/"+dataset.Chart(i%dataset.Charted).ID, "from", first, "to", ending(i))
		}), compared},
		{"W4", "the newest 25 disclosures of a company", graphQLAPI, 16, each(someStocks, func(r *rand.Rand, _ int) ask {
			return graphQL(disclosuresQuery, vars{"symbol": stock(r).Symbol})
		}), 0},
		{"W4-rest", "the newest 25 disclosures of a company", restAPI, 16, each(someStocks, func(r *rand.Rand, _ int) ask {
			return get("/v1/kap-feed/disclosures", "symbol", stock(r).Symbol, "limit", "25")
		}), 0},
		{"W4-deep", fmt.Sprintf("page %d of the disclosures of a company", deepPages), graphQLAPI, 16,
			deep(func(symbol, cursor string) ask {
				variables := vars{"symbol": symbol}
				if cursor != "" {
					variables["cursor"] = cursor
				}
				return graphQL(disclosuresQuery, variables)
			}), 0},
		{"W4-rest-deep", fmt.Sprintf("page %d of the disclosures of a company", deepPages), restAPI, 16,
			deep(func(symbol, cursor string) ask {
				query := []string{"symbol", symbol, "limit", "25"}
				if cursor != "" {
					query = append(query, "cursor", cursor)
				}
				return get("/v1/kap-feed/disclosures", query...)
			}), 0},
	}
}

// deep follows the cursors of each variant to a later page.
func deep(page func(symbol, cursor string) ask) func(context.Context, *server) ([]ask, error) {
	return func(ctx context.Context, s *server) ([]ask, error) {
		r := rand.New(rand.NewPCG(3, 4))
		var asks []ask
		for range walks {
			symbol, cursor := dataset.Stock(r.IntN(dataset.Stocks)).Symbol, ""
			for range deepPages - 1 {
				body, err := s.answer(ctx, page(symbol, cursor))
				if err != nil {
					return nil, err
				}
				if cursor, err = nextCursor(body); err != nil {
					return nil, fmt.Errorf("%s: %w", s.name, err)
				}
			}
			asks = append(asks, page(symbol, cursor))
		}
		return asks, nil
	}
}

func nextCursor(body []byte) (string, error) {
	var read struct {
		NextCursor string `json:"next_cursor"`
		Data       struct{ Disclosures struct{ NextCursor string } }
	}
	if err := json.Unmarshal(body, &read); err != nil {
		return "", err
	}
	if cursor := read.NextCursor + read.Data.Disclosures.NextCursor; cursor != "" {
		return cursor, nil
	}
	return "", fmt.Errorf("no next page: %.300s", body)
}
