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

// held is a position of a fund in DMOST.
func held(code, month, amount, weight string) *funds.Holding {
	return &funds.Holding{FundCode: code, InstrumentID: "bist:DMOST", ReportMonth: value.MustMonth(month), MarketValue: dec(amount),
		WeightPct: dec(weight)}
}

// codesOf are the codes of holders.
func codesOf(holders []*funds.Holder) []string {
	list := []string{}
	for _, h := range holders {
		list = append(list, h.FundCode)
	}
	return list
}

// FD-06: by the newest report of each fund, the largest amount first,
// nulls last.
func TestHolders(t *testing.T) {
	var known []*funds.Fund
	for _, code := range words("AAA BBB CCC DDD EEE FFF SOLD") {
		known = append(known, fund(code))
	}
	h := newFixture(known...)
	h.kept.holdings = []*funds.Holding{
		held("AAA", "2026-01", "900", "9"), held("AAA", "2026-02", "100", "1"), // its newest report
		held("BBB", "2025-06", "500", "2"), // not of this month, and still its newest
		held("CCC", "2026-02", "", "3"), held("DDD", "2026-02", "", "4"), held("EEE", "2026-02", "", ""),
		held("FFF", "2026-02", "100.0", "1.00"),
		held("SOLD", "2026-01", "700", "7"), {FundCode: "SOLD", InstrumentID: "us:DMX", ReportMonth: value.MustMonth("2026-02")},
		held("ZZZ", "2026-02", "1000", "10"), held("DMA", "2026-02", "1000", "10"), // unknown, and a fund that an ETF replaced
	}
	ctx := calls.Caller(access.QuotesFund)
	call := access.CallOf(ctx)
	got, err := h.Holders(ctx, "bist:dmost")
	if err != nil || !slices.Equal(codesOf(got.Holders), words("BBB AAA FFF DDD CCC EEE")) || got.Count != 6 ||
		got.InstrumentID != "bist:DMOST" || call.Units() != 1 {
		t.Fatalf("%v, %v", codesOf(got.Holders), err)
	}
	text, _ := json.Marshal(got.Holders[0])
	if want := `{"fund_id":"fund:BBB","fund_code":"BBB","name":"BBB Fonu","weight_pct":"2","market_value":"500","report_month":"2025-06"}`; string(text) != want {
		t.Errorf("got %s, want %s", text, want)
	}
	h.put(fund("ZZZ")) // arrives after its holdings
	if got, err := h.Holders(calls.Anyone(), "bist:DMOST"); err != nil || got.Holders[0].FundCode != "ZZZ" {
		t.Errorf("%+v, %v", got, err)
	}
	h.kept.holdings = append(h.kept.holdings, &funds.Holding{FundCode: "BBB", InstrumentID: "fund:AAA",
		ReportMonth: value.MustMonth("2025-06")})
	// of a fund
	if got, err := h.Holders(calls.Anyone(), "fund:aaa"); err != nil || got.InstrumentID != "fund:AAA" ||
		!slices.Equal(codesOf(got.Holders), words("BBB")) {
		t.Errorf("%+v, %v", got, err)
	}
	empty, err := h.Holders(calls.Anyone(), "bist:DMALTF")
	if text, _ := json.Marshal(empty); err != nil || string(text) != `{"instrument_id":"bist:DMALTF","holders":[],"count":0,"as_of":null}` {
		t.Errorf("of nobody: %s, %v", text, err)
	}
	for _, id := range []string{"bist:NOPE", "bist:DMALT", "bist:DMALT.F", "DMOST", "foo:BAR", "fund:DMA", ""} {
		calls.WantProblem(t, second(h.Holders(calls.Anyone(), id)), problem.NotFound)
	}
	ctx = calls.Caller(calls.Without(access.QuotesFund)...)
	calls.WantProblem(t, second(h.Holders(ctx, "bist:NOPE")), problem.MissingScope)
}

// The holders of many instruments are one read; each costs one unit.
func TestHoldersOf(t *testing.T) {
	h := newFixture(fund("AAA"), fund("BBB"), fund("CCC"))
	h.kept.holdings = []*funds.Holding{
		held("AAA", "2026-02", "1", ""), held("BBB", "2026-02", "2", ""), held("CCC", "2026-02", "3", ""),
		{FundCode: "AAA", InstrumentID: "us:DMX", ReportMonth: value.MustMonth("2026-02")},
	}
	var parents []*market.Instrument
	for _, id := range []market.ID{"us:DMX", "bist:DMALTF", "bist:DMOST"} {
		parents = append(parents, h.Market.ByID(id))
	}
	for _, c := range []struct {
		first *int
		want  [][]string
	}{
		{nil, [][]string{{"AAA"}, {}, {"CCC", "BBB", "AAA"}}},
		{new(2), [][]string{{"AAA"}, {}, {"CCC", "BBB"}}},
		{new(100), [][]string{{"AAA"}, {}, {"CCC", "BBB", "AAA"}}},
	} {
		h.kept.reads = 0
		ctx := calls.Caller(access.QuotesFund)
		call := access.CallOf(ctx)
		lists, errs := h.HoldersOf(ctx, parents, c.first)
		var got [][]string
		for i := range parents {
			if errs[i] != nil || lists[i] == nil {
				t.Fatalf("%v, %v", lists[i], errs[i])
			}
			got = append(got, codesOf(lists[i]))
		}
		if !reflect.DeepEqual(got, c.want) || call.Units() != 3 || h.kept.reads != 1 {
			t.Errorf("%v, %d units, %d reads; want %v", got, call.Units(), h.kept.reads, c.want)
		}
	}
	for _, c := range []struct {
		scopes []access.Scope
		first  int
		kind   problem.Kind
	}{{access.Scopes, 0, problem.InvalidParameter}, {access.Scopes, 101, problem.InvalidParameter}, {nil, 0, problem.MissingScope},
		{nil, 1, problem.MissingScope}} {
		ctx := calls.Caller(c.scopes...)
		call := access.CallOf(ctx)
		lists, errs := h.HoldersOf(ctx, parents, &c.first)
		for i := range parents {
			if calls.WantProblem(t, errs[i], c.kind); lists[i] != nil || call.Units() != 0 {
				t.Errorf("%s with %v, %d units", c.kind, lists[i], call.Units())
			}
		}
	}
}
