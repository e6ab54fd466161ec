package cost_test

import (
	"testing"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/validator/rules"

	"piyasa/account/cost"
	"piyasa/internal/value"
)

// What a document will be charged is known before it runs: one unit for each root field, and
// those of its relations for as many parents as there may be.
func TestUnits(t *testing.T) {
	costs := cost.New(value.SystemClock)
	ids := map[string]any{"ids": []any{"bist:A", "bist:B", "bist:C"}}
	for document, want := range map[string]int64{
		`{ marketStatus { state } usage { units } __schema { types { name fields { name } } } __typename }`: 1,

		`{ a: quote(id: "bist:A") { last instrument { name } } b: quote(id: "bist:B") { last } }`: 2,

		`query($ids: [ID!]!) { quotes(ids: $ids) { quotes { last instrument { valuation { asOf } } } } }`: 1 + 3,

		`query($ids: [ID!]!) { watchlist(ids: $ids) { quote { last } logo { url } company { symbol } } }`: 1 + 3*2,

		`query($ids: [ID!]!) { valuations(ids: $ids) { notFound { id } } nodes(ids: $ids) { id } }`: 3 + 3,

		`query($ids: [ID!]!) { candlesBatch(ids: $ids) { series { bars { t } instrument { quote { last } } } } }`: 3 + 3,

		`{ candles(id: "bist:A") { bars { t } instrument { quote { last } eod { records { date } } } } }`: 1 + 2,

		`{ dividends(limit: 1000) { count } d: dividendsConnection(first: 101) { edges { cursor } } }`: 10 + 2,

		`{ instruments(limit: 10) { instruments { indices(first: 2) { periodic { currency: __typename } } } } }`: 1 + 10*2,

		`{ disclosures(limit: 5) { items { ...D } } }
		fragment D on Disclosure { detail { body { kind: __typename } related { title: __typename } } }`: 1 + 5*3,
	} {
		doc, errs := gqlparser.LoadQueryWithRules(costs.Schema(), document, rules.NewDefaultRules())
		if errs != nil {
			t.Error(document, errs)
			continue
		}
		if got := costs.Units(t.Context(), doc.Operations[0], ids); got != want {
			t.Errorf("%s: %d, want %d", document, got, want)
		}
	}
}
