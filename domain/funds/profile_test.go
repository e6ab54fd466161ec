package funds_test

import (
	"context"
	"encoding/json"
	"slices"
	"testing"

	"piyasa/account/access"
	"piyasa/domain/funds"
	"piyasa/internal/problem"
	"piyasa/internal/value"
	"piyasa/test/fixture/calls"
)

// FD-01, FD-08, G-83: by a code, bare or behind fund:, in any letter case.
func TestProfile(t *testing.T) {
	full := fund("DMF", stated("2026-03-17T18:00:00Z"), in("Hisse"), gained("3.11"))
	full.Price, full.PriceDate, full.RiskLevel, full.IsParticipation = dec("3.415602"), *day("2026-03-17"), new(6), new(false)
	h := newFixture(full, fund("DMA"))
	const want = `{"instrument_id":"fund:DMF","code":"DMF","name":"DMF Fonu","founder":null,"category":"Hisse","currency":"TRY","price":"3.415602","price_date":"2026-03-17",` +
		`"portfolio_size":null,"investor_count":null,"share_count":null,"management_fee_pct":null,"risk_level":6,"is_participation":false,"inception_date":null,"as_of":"2026-03-17T18:00:00Z",` +
		`"returns":{"1w":null,"2w":null,"1m":"3.11","3m":null,"6m":null,"1y":null,"3y":null,"5y":null}}`
	for _, code := range []string{"DMF", "fund:DMF", "dmf", "fund:dmf"} {
		ctx := calls.Caller(access.QuotesFund)
		call := access.CallOf(ctx)
		p, err := h.Profile(ctx, code)
		if got, _ := json.Marshal(p); err != nil || string(got) != want || call.Units() != 1 {
			t.Errorf("%s: %v, %d units\ngot  %s\nwant %s", code, err, call.Units(), got, want)
		}
	}
	for _, code := range []string{"ZZZ", "", "fund:", "FUND:DMF", "bist:DMOST", "fund:fund:DMF", "D F", "DMF "} {
		if p := calls.WantProblem(t, second(h.Profile(calls.Anyone(), code)), problem.NotFound); p.Members.Successor != nil {
			t.Errorf("%q has the successor %v", code, p.Members.Successor)
		}
	}
	calls.WantProblem(t, second(h.Profile(context.Background(), "DMF")), problem.Unauthenticated)
	ctx := calls.Caller(calls.Without(access.QuotesFund)...)
	calls.WantProblem(t, second(h.Profile(ctx, "ZZZ")), problem.MissingScope) // before its existence
}

// A price of 0 is that of a source without one: neither the profile nor the quote has it.
func TestFundWithoutAPrice(t *testing.T) {
	closed := fund("DMC")
	closed.Price, closed.PriceDate = dec("0.000000"), *day("2026-03-17")
	h := newFixture(closed)
	p, err := h.Profile(calls.Caller(access.QuotesFund), "DMC")
	if err != nil || !p.Price.IsNull() || !p.PriceDate.IsNull() || len(h.Live.Prices()) != 0 {
		t.Errorf("%+v %v %v", p, h.Live.Prices(), err)
	}
}

// G-86: a fund that an ETF replaced is shown nowhere.
func TestFundThatAnETFReplaced(t *testing.T) {
	h := newFixture(fund("DMA", gained("9")), fund("DMF", gained("1")))
	h.kept.holdings = []*funds.Holding{{FundCode: "DMA", InstrumentID: "bist:DMOST", ReportMonth: value.MustMonth("2026-02")}}
	for _, code := range []string{"DMA", "fund:DMA", "dma"} {
		for name, err := range map[string]error{"profile": second(h.Profile(calls.Anyone(), code)),
			"flows": second(h.Flows(calls.Anyone(), code, funds.FlowsArgs{}))} {
			if p := calls.WantProblem(t, err, problem.NotFound); !slices.Equal(p.Members.Successor, []string{"bist:DMALTF"}) {
				t.Errorf("%s of %s: successor %v", name, code, p.Members.Successor)
			}
		}
	}
	ranking, err := h.Ranking(calls.Anyone(), funds.RankingArgs{})
	if err != nil || ranking.Count != 1 || ranking.Items[0].Code != "DMF" || ranking.Items[0].Rank != 1 {
		t.Errorf("ranking %+v, %v", ranking, err)
	}
	if holders, err := h.Holders(calls.Anyone(), "bist:DMOST"); err != nil || holders.Count != 0 {
		t.Errorf("holders %+v, %v", holders, err)
	}
}
