package market_test

import (
	"slices"
	"testing"

	"piyasa/domain/market"
)

func TestOfCodes(t *testing.T) {
	live := market.NewLive()
	var catalog []*market.Instrument
	for _, id := range []market.ID{"bist:AAA", "fund:AAA", "bist:BBB", "fund:CCC", "us:DDD"} {
		catalog = append(catalog, &market.Instrument{InstrumentID: id, Symbol: id.Symbol(), Market: id.Market()})
	}
	live.PutCatalog(catalog, nil)
	s := &market.Service{Live: live}
	for _, c := range []struct {
		codes []string
		first *int
		want  []market.ID
	}{
		{[]string{"CCC", "AAA", "DDD", "NOPE", "BBB"}, nil, []market.ID{"fund:CCC", "bist:AAA", "bist:BBB"}},
		{[]string{"AAA", "AAA", "BBB"}, new(2), []market.ID{"bist:AAA", "bist:BBB"}},
		{[]string{"BBB", "AAA"}, new(1), []market.ID{"bist:BBB"}},
		{nil, new(100), []market.ID{}},
	} {
		found, err := s.OfCodes(c.codes, c.first)
		var ids []market.ID
		for _, in := range found {
			ids = append(ids, in.InstrumentID)
		}
		if err != nil || !slices.Equal(ids, c.want) || found == nil {
			t.Errorf("%v: %v, %v; want %v", c.codes, ids, err, c.want)
		}
	}
	for _, first := range []int{0, 101} {
		if _, err := s.OfCodes([]string{"AAA"}, &first); kindOf(err) != "invalid-parameter" {
			t.Errorf("first %d: %v", first, err)
		}
	}
}
