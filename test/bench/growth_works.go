package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"piyasa/test/bench/dataset"
)

// mixed is how many requests of each work are asked when all are asked at once.
const mixed = 2_000

// growthWorks lists what is asked while more and more is stored.
func growthWorks(size dataset.Size) []work {
	stock := func(r *rand.Rand) dataset.Instrument { return dataset.Stock(r.IntN(dataset.Stocks)) }
	list := func(query ...string) ask { return get("/v1/kap-feed/disclosures", query...) }
	moment := func(r *rand.Rand) string {
		span := dataset.Now.Sub(size.FirstPublished())
		return size.FirstPublished().Add(span/4 + time.Duration(r.Int64N(int64(span/2)))).Format(time.RFC3339)
	}
	several := func(r *rand.Rand) string {
		var symbols []string
		for _, n := range r.Perm(dataset.Stocks)[:20] {
			symbols = append(symbols, dataset.Stock(n).Symbol)
		}
		return strings.Join(symbols, ",")
	}
	first := dataset.FirstDay()
	later := func(days int) string { return dataset.Now.AddDate(0, 0, days).Format(time.DateOnly) } // a new day makes a new request
	w := func(name, what string, form func(r *rand.Rand, i int) ask) work {
		return work{name, what, restAPI, 1, each(fresh, form), 0}
	}
	return []work{
		w("newest", "a page of the newest disclosures", func(_ *rand.Rand, i int) ask { return list("limit", fmt.Sprint(20+i%10)) }),
		w("symbol", "a company's newest 20 to 99", func(r *rand.Rand, i int) ask {
			return list("symbol", stock(r).Symbol, "limit", fmt.Sprint(20+i%80))
		}),
		w("symbol+type", "its newest 20 to 99 of a type", func(r *rand.Rand, i int) ask {
			return list("symbol", stock(r).Symbol, "type", "FR", "limit", fmt.Sprint(20+i%80))
		}),
		w("symbol+rare", "its newest 20 to 99 of a type of which there are few", func(r *rand.Rand, i int) ask {
			return list("symbol", stock(r).Symbol, "type", dataset.RareType, "limit", fmt.Sprint(20+i%80))
		}),
		w("20 symbols", "the newest 25 of twenty companies", func(r *rand.Rand, _ int) ask { return list("symbols", several(r)) }),
		w("symbol, past", "25 of a company before a moment", func(r *rand.Rand, _ int) ask {
			return list("symbol", stock(r).Symbol, "to", moment(r))
		}),
		w("rare, past", "25 of the rare type before a moment", func(r *rand.Rand, _ int) ask {
			return list("type", dataset.RareType, "to", moment(r))
		}),
		w("all, past", "25 of all before a moment", func(r *rand.Rand, _ int) ask { return list("to", moment(r)) }),
		w("one", "one disclosure, of all", func(r *rand.Rand, _ int) ask {
			return get(fmt.Sprintf("/v1/kap-feed/disclosures/%d", dataset.FirstDisclosure+r.IntN(size.Disclosures())))
		}),
		w("week", "a stock's last week in bars of five minutes", func(_ *rand.Rand, i int) ask {
			return get("/v1/candles/"+dataset.Stock(i%dataset.Stocks).ID, "resolution", "5m", "from",
				dataset.Now.AddDate(0, 0, -7).Format(time.DateOnly), "to", later(i/dataset.Stocks))
		}),
		w("years", "1,400 daily bars", func(_ *rand.Rand, i int) ask {
			return get("/v1/candles/"+dataset.Chart(i%dataset.Charted).ID, "from", first, "to", later(i/dataset.Charted))
		}),
		w("quote", "one quote", func(r *rand.Rand, _ int) ask { return get("/v1/quotes/" + stock(r).ID) }),
	}
}
