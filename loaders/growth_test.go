package loaders_test

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"testing"

	"github.com/99designs/gqlgen/graphql/handler"
	"github.com/99designs/gqlgen/graphql/handler/transport"

	"piyasa/account/access"
	"piyasa/domain/market"
	"piyasa/graph"
	"piyasa/resolvers"
	"piyasa/serve/queryplan"
	"piyasa/test/fixture/need"
)

// Four times the siblings must not cost sixteen times the memory.
func TestCostGrowsWithTheList(t *testing.T) {
	m := newMarket()
	var more []*market.Instrument
	for i := range 2000 {
		id := market.ID(fmt.Sprintf("us:S%04d", i))
		more = append(more, &market.Instrument{InstrumentID: id, Symbol: id.Symbol(), Market: market.US, AssetType: market.Stock,
			Currency: "USD"})
	}
	m.Market.Live.PutCatalog(more, nil)
	h := handler.New(queryplan.New(graph.NewExecutableSchema(graph.Config{}), graph.Objects(resolvers.New(m)), func() {}))
	h.AddTransport(transport.POST{})
	cost := func(rows int) uint64 {
		body, err := json.Marshal(map[string]string{"query": fmt.Sprintf(`{instruments(market: US, limit: %d) {instruments {quote {last}}}}`, rows)})
		need.NoError(t, err)
		ctx, _ := access.WithCall(context.Background(), &access.Key{Scopes: access.Scopes})
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		post(ctx, h, string(body))
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	cost(100) // whatever is made once
	if few, many := cost(500), cost(2000); many > 8*few {
		t.Errorf("500 rows cost %d bytes, 2000 cost %d", few, many)
	}
}
