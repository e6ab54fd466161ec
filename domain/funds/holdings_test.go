package funds_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"testing"

	"piyasa/account/access"
	"piyasa/domain/funds"
	"piyasa/domain/market"
	"piyasa/internal/problem"
	"piyasa/internal/value"
	"piyasa/test/fixture/calls"
)

// reported is a position of the fund AAA.
func reported(id market.ID, month, amount, weight string) *funds.Holding {
	return &funds.Holding{FundCode: "AAA", InstrumentID: id, ReportMonth: value.MustMonth(month), MarketValue: dec(amount),
		WeightPct: dec(weight)}
}

// idsOf are the instruments of positions.
func idsOf(held []*funds.Position) []string {
	list := []string{}
	for _, p := range held {
		if p.InstrumentID == nil {
			list = append(list, "null")
			continue
		}
		list = append(list, string(*p.InstrumentID))
	}
	return list
}

// The newest report, the largest amount first, nulls last; what the catalog does not know has no
// name, and what has lost its id has no id.
func TestHoldings(t *testing.T) {
	h := newFixture(fund("AAA"), fund("BBB"))
	h.kept.holdings = []*funds.Holding{
		reported("bist:DMOST", "2026-01", "900", "90"), // an older report
		reported("us:GONE", "2026-02", "100", "1"), reported("bist:DMOST", "2026-02", "500.5", "40.25"),
		reported("bist:DMALTF", "2026-02", "100.0", "2"), reported(market.ID("us:DMX").Former(1), "2026-02", "7", "0.5"),
		held("BBB", "2026-02", "1", "1"),
	}
	ctx := calls.Caller(access.QuotesFund)
	got, err := h.Holdings(ctx, "fund:aaa", nil)
	if err != nil || !slices.Equal(idsOf(got.Holdings), words("bist:DMOST bist:DMALTF us:GONE null")) || got.Count != 4 ||
		got.FundID != "fund:AAA" || got.ReportMonth.String() != "2026-02" || access.CallOf(ctx).Units() != 1 {
		t.Fatalf("%+v, %v", got, err)
	}
	for n, want := range []string{
		`{"instrument_id":"bist:DMOST","name":"Demo Otomotiv","weight_pct":"40.25","market_value":"500.5","report_month":"2026-02"}`, "",
		`{"instrument_id":"us:GONE","name":null,"weight_pct":"1","market_value":"100","report_month":"2026-02"}`,
		`{"instrument_id":null,"name":null,"weight_pct":"0.5","market_value":"7","report_month":"2026-02"}`,
	} {
		if text, _ := json.Marshal(got.Holdings[n]); want != "" && string(text) != want {
			t.Errorf("got %s, want %s", text, want)
		}
	}
	totals := func(code string, limit int) string {
		p, err := h.Holdings(calls.Anyone(), code, &limit)
		if err != nil || p.Count > limit {
			t.Fatalf("%+v, %v", p, err)
		}
		text, _ := json.Marshal(p.Summary)
		return string(text)
	}
	for _, limit := range []int{1, 1000} { // of the whole report
		if got := totals("AAA", limit); got != `{"positions":4,"market_value":"707.5","weight_pct":"43.75","rest_pct":"56.25","null_reason":null}` {
			t.Error(got)
		}
	}
	h.kept.holdings = append(h.kept.holdings, reported("us:DMX", "2026-02", "", "60"))
	if got := totals("AAA", 1); got != `{"positions":5,"market_value":null,"weight_pct":"103.75","rest_pct":"-3.75","null_reason":"not_provided_by_source"}` {
		t.Error(got)
	}
	h.kept.holdings = append(h.kept.holdings, reported("us:DMY", "2026-02", "1", ""))
	if got := totals("AAA", 1); got != `{"positions":6,"market_value":null,"weight_pct":null,"rest_pct":null,"null_reason":"not_provided_by_source"}` {
		t.Error(got)
	}
	h.kept.holdings = nil
	empty, err := h.Holdings(calls.Anyone(), "BBB", nil)
	if text, _ := json.Marshal(empty); err != nil || empty.MissingReason.Reason != value.NoneStored || string(text) != `{"fund_id":"fund:BBB","fund_code":"BBB",`+
		`"report_month":null,"currency":"TRY","summary":{"positions":0,"market_value":null,"weight_pct":null,"rest_pct":null,"null_reason":"not_provided_by_source"},"holdings":[],"count":0}` {
		t.Errorf("without a report: %s, %v", text, err)
	}
	for _, code := range []string{"ZZZ", "DMA", "bist:DMOST", ""} {
		calls.WantProblem(t, second(h.Holdings(calls.Anyone(), code, nil)), problem.NotFound)
	}
	for _, limit := range []int{0, 1001} {
		calls.WantProblem(t, second(h.Holdings(calls.Anyone(), "AAA", &limit)), problem.InvalidParameter)
	}
	ctx = calls.Caller(calls.Without(access.QuotesFund)...)
	calls.WantProblem(t, second(h.Holdings(ctx, "ZZZ", nil)), problem.MissingScope)
}

// The holdings of many funds are one read; each costs one unit, and what is no fund costs nothing.
func TestHoldingsOf(t *testing.T) {
	h := newFixture(fund("AAA"), fund("BBB"))
	h.kept.holdings = []*funds.Holding{
		reported("bist:DMOST", "2026-02", "1", ""), reported("us:DMX", "2026-02", "2", ""), reported("bist:DMALTF", "2026-02", "3", ""),
	}
	var parents []*market.Instrument
	for _, id := range []market.ID{"fund:BBB", "bist:DMOST", "fund:AAA"} {
		parents = append(parents, h.Market.ByID(id))
	}
	for first, want := range map[int][]string{2: words("bist:DMALTF us:DMX"), 100: words("bist:DMALTF us:DMX bist:DMOST")} {
		h.kept.reads = 0
		ctx := calls.Caller(access.QuotesFund)
		lists, errs := h.HoldingsOf(ctx, parents, &first)
		if lists[0] == nil || len(lists[0]) != 0 || lists[1] != nil || !reflect.DeepEqual(idsOf(lists[2]), want) ||
			!reflect.DeepEqual(errs, make([]error, 3)) || access.CallOf(ctx).Units() != 2 || h.kept.reads != 1 {
			t.Errorf("%v, %v, %d reads", lists, errs, h.kept.reads)
		}
	}
	for _, first := range []int{0, 101} {
		_, errs := h.HoldingsOf(calls.Anyone(), parents, &first)
		calls.WantProblem(t, errs[2], problem.InvalidParameter)
	}
	_, errs := h.HoldingsOf(calls.Caller(calls.Without(access.QuotesFund)...), parents, nil)
	calls.WantProblem(t, errs[0], problem.MissingScope)
}
