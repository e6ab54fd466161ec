package ipo_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"piyasa/account/access"
	"piyasa/domain/ipo"
	"piyasa/domain/market"
	"piyasa/internal/attachment"
	"piyasa/internal/problem"
	"piyasa/internal/value"
	"piyasa/test/fixture/calls"
	"piyasa/test/fixture/need"
)

// IPO-02, IPO-03, IPO-09, G-84: by first trade date, the latest first, undated
// ones before all, equal ones by id; bounds leave the undated out.
func TestIpos(t *testing.T) {
	x := newFixture(
		recordOf("b-old", "", "", "2025-12-10"), recordOf("z-undated", "", "", ""), recordOf("a-old", "", "", "2025-12-10"),
		recordOf("new", "", "", "2026-03-02"),
		recordOf("a-undated", "2026-03-17", "", ""), recordOf("future", "", "", "2026-04-01"),
	)
	for _, c := range []struct {
		from, to string
		state    ipo.State
		want     string
	}{
		{"", "", "", "a-undated z-undated future new a-old b-old"},
		{"2025-12-10", "", "", "future new a-old b-old"},
		{"2025-12-11", "", "", "future new"},
		{"", "2026-03-02", "", "new a-old b-old"},
		{"", "2026-03-01", "", "a-old b-old"},
		{"2025-12-10", "2026-03-02", "", "new a-old b-old"},
		{"2025-12-11", "2026-03-01", "", ""},
		{"2026-03-02", "2026-03-02", "", "new"},
		{"2026-03-02", "2026-04-01", ipo.Completed, "new"},
		{"", "", ipo.Upcoming, "z-undated future"},
		{"2020-01-01", "", ipo.Active, ""},
	} {
		filter := ipo.Filter{From: day(c.from), To: day(c.to)}
		if c.state != "" {
			filter.State = &c.state
		}
		ctx, call := access.WithCall(context.Background(), &access.Key{Scopes: access.Scopes})
		list, err := x.Ipos(ctx, filter)
		if err != nil || ids(list) != c.want || list.Count != len(list.Ipos) || list.Total != list.Count || list.Ipos == nil ||
			call.Units() != 1 {
			t.Errorf("%+v: %+v, %v", c, list, err)
		}
	}
	ctx, call := access.WithCall(context.Background(), &access.Key{Scopes: access.Scopes})
	calls.WantProblem(t, second(x.Ipos(ctx, ipo.Filter{From: day("2026-03-02"), To: day("2026-03-01")})), problem.InvertedWindow)
	calls.WantProblem(t, second(x.Ipo(ctx, "nope")), problem.NotFound)
	calls.WantProblem(t, second(x.Ipo(ctx, "NEW")), problem.NotFound) // ids are the source's own
	if call.Units() != 0 {
		t.Errorf("refusals cost %d", call.Units())
	}
}

// IPO-05, G-13: either scope is enough; without both the problem names both.
func TestScopesOfIpos(t *testing.T) {
	x := newFixture(recordOf("a", "", "", ""))
	for name, ask := range map[string]func(context.Context) error{
		"list":   func(ctx context.Context) error { return second(x.Ipos(ctx, ipo.Filter{})) },
		"detail": func(ctx context.Context) error { return second(x.Ipo(ctx, "a")) },
	} {
		for _, scopes := range [][]access.Scope{{access.QuotesBIST}, {access.IPORead}, {access.QuotesBIST, access.IPORead}} {
			if err := ask(calls.Caller(scopes...)); err != nil {
				t.Errorf("%s with %v: %v", name, scopes, err)
			}
		}
		others := slices.DeleteFunc(slices.Clone(access.Scopes), func(s access.Scope) bool {
			return s == access.QuotesBIST || s == access.IPORead
		})
		p := calls.WantProblem(t, ask(calls.Caller(others...)), problem.MissingScope)
		if !slices.Equal(p.Members.MissingScopes, []string{"quotes:bist", "ipo:read"}) || !strings.Contains(p.Error(), "one of") {
			t.Errorf("%s: %v, %v", name, p, p.Members.MissingScopes)
		}
		calls.WantProblem(t, ask(context.Background()), problem.Unauthenticated)
	}
}

// The whole answers, and the instrument that a symbol names once it trades.
func TestIpoText(t *testing.T) {
	full := recordOf("dmipo-2026", "2026-03-17", "2026-03-19", "")
	full.Company, full.Symbol, full.AsOf = "Demo Gıda A.Ş.", new("DMGDA"), value.MustInstant("2026-03-18T09:00:00Z")
	full.Price, full.Lots, full.OfferSize = value.MustDecimal("42.50"), value.MustDecimal("25000000"), value.MustDecimal("1062500000")
	full.LeadUnderwriter, full.DistributionMethod, full.DiscountPct = new("Demo Yatırım"), new("Eşit"), value.MustDecimal("15.0")
	full.Documents = []attachment.Document{{Name: "izahname.pdf", ContentType: new("application/pdf"), SizeBytes: new(7),
		Location: "secret/izahname.pdf"}}
	x := newFixture(full)
	const row = `{"id":"dmipo-2026","company":"Demo Gıda A.Ş.","symbol":"DMGDA","instrument_id":null,"state":"active","price":"42.50","price_low":null,"price_high":null,"currency":"TRY",` +
		`"lots":"25000000","offer_size":"1062500000","demand_start":"2026-03-17","demand_end":"2026-03-19","first_trade_date":null,"lead_underwriter":"Demo Yatırım","as_of":"2026-03-18T09:00:00Z"`
	list, err := x.Ipos(calls.Anyone(), ipo.Filter{})
	if got, _ := json.Marshal(list); err != nil || string(got) != `{"ipos":[`+row+
		`}],"count":1,"total":1,"stale":false,"as_of":"2026-03-18T09:00:00Z"}` {
		t.Errorf("%v, %s", err, got)
	}
	one, err := x.Ipo(calls.Anyone(), "dmipo-2026")
	got, _ := json.Marshal(one)
	want := row + `,"distribution_method":"Eşit","use_of_proceeds":null,"discount_pct":"15.0","free_float_pct":null,"documents":[{"name":"izahname.pdf","content_type":"application/pdf","size_bytes":7,"url":"https://api.example.test/v1/ipo/dmipo-2026/documents/1?`
	if err != nil || !strings.HasPrefix(string(got), want) ||
		!strings.HasSuffix(string(got), `","expires_at":"2026-03-18T12:15:00Z"}],"stale":false}`) ||
		strings.Contains(string(got), "secret") {
		t.Errorf("%v\ngot  %s\nwant %s", err, got, want)
	}

	instrument := func(r *ipo.Record) string {
		x.Live.PutRecords([]*ipo.Record{r})
		one, err := x.Ipo(calls.Anyone(), r.ID)
		need.NoError(t, err)
		if one.InstrumentID == nil {
			return ""
		}
		return string(*one.InstrumentID)
	}
	traded := recordOf("t", "", "", "2026-03-18")
	traded.Symbol = new("DMGDA")
	if id := instrument(traded); id != "" {
		t.Errorf("not in the catalog yet: %s", id)
	}
	x.Market.Live.PutCatalog([]*market.Instrument{
		{InstrumentID: "bist:DMGDA", Symbol: "DMGDA", Market: market.BIST, AssetType: market.Stock},
		{InstrumentID: "bist:DMALTF", Symbol: "DMALTF", Market: market.BIST, AssetType: market.ETF},
	}, nil)
	to, alias, stated := recordOf("u", "", "", "2026-03-19"), recordOf("v", "", "", "2026-03-18"), recordOf("w", "", "", "")
	to.Symbol, alias.Symbol, stated.InstrumentID = new("DMGDA"), new("DMALT"), "bist:OTHER"
	for r, want := range map[*ipo.Record]string{traded: "bist:DMGDA", to: "", alias: "", stated: "bist:OTHER"} {
		if id := instrument(r); id != want {
			t.Errorf("%s: %q, want %q", r.ID, id, want)
		}
	}
}
