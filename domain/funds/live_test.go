package funds_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"piyasa/domain/funds"
	"piyasa/domain/market"
)

// A later line about a fund replaces the one before, and what it is as an
// instrument.
func TestPutFunds(t *testing.T) {
	founded := func(by string) func(*funds.Fund) { return func(f *funds.Fund) { f.Founder = &by } }
	l := funds.NewLive()
	if len(l.Instruments()) != 0 {
		t.Error("instruments of nothing")
	}
	l.PutFunds([]*funds.Fund{fund("A", founded("One")), fund("B", founded("Two"))})
	l.PutFunds([]*funds.Fund{fund("B"), fund("C", founded("Three"))})
	want := []*market.Instrument{{InstrumentID: "fund:A", Symbol: "A", Founder: new("One")}, {InstrumentID: "fund:B", Symbol: "B"},
		{InstrumentID: "fund:C", Symbol: "C", Founder: new("Three")}}
	for _, in := range want {
		in.Name, in.Market, in.AssetType, in.Currency = in.Symbol+" Fonu", market.Fund, market.FundUnit, "TRY"
	}
	got := l.Instruments()
	slices.SortFunc(got, func(a, b *market.Instrument) int { return strings.Compare(a.Symbol, b.Symbol) })
	if !reflect.DeepEqual(got, want) {
		t.Errorf("instruments %+v, want %+v", got, want)
	}
}
