package ipo_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"piyasa/access"
	"piyasa/domain/ipo"
	"piyasa/domain/kap"
	"piyasa/domain/market"
	"piyasa/problem"
	"piyasa/value"
)

// exchange is the service under test.
type exchange struct {
	*ipo.Service
	now value.Instant
}

func newExchange(records ...*ipo.Record) *exchange {
	x := &exchange{now: value.MustInstant("2026-03-18T12:00:00Z")}
	clock := func() value.Instant { return x.now }
	x.Service = &ipo.Service{
		Market: &market.Service{Live: market.NewLive(), Now: clock}, Live: ipo.NewLive(),
		Links: kap.Links{Signer: access.Signer{Secret: []byte("s")}, Now: clock, BaseURL: "https://api.example.test"},
	}
	x.Live.PutRecords(records)
	return x
}

// offering is one with nothing but its days, each of which may be empty.
func offering(id, demandStart, demandEnd, firstTrade string) *ipo.Record {
	r := &ipo.Record{Facts: ipo.Facts{ID: id, Company: id + " A.Ş.", Currency: "TRY"}}
	for _, d := range []struct {
		of   *value.Date
		text string
	}{{&r.DemandStart, demandStart}, {&r.DemandEnd, demandEnd}, {&r.FirstTradeDate, firstTrade}} {
		if d.text != "" {
			*d.of = value.MustDate(d.text)
		}
	}
	return r
}

// source says whether the source is up.
func (x *exchange) source(up bool) {
	x.Live.PutSources([]*market.SourceStatus{{Source: "kap", Up: !up}, {Source: "ipo", Up: up}})
}

func caller(scopes ...access.Scope) context.Context {
	ctx, _ := access.WithCall(context.Background(), &access.Key{Scopes: scopes})
	return ctx
}

func anyone() context.Context { return caller(access.Scopes...) }

// wantProblem demands that err is a problem of this kind, and returns it.
func wantProblem(t testing.TB, err error, kind problem.Kind) *problem.Error {
	t.Helper()
	e, ok := errors.AsType[*problem.Error](err)
	if !ok || e.Kind != kind {
		t.Fatalf("got %v, want the problem %s", err, kind)
	}
	return e
}

func second[T any](_ T, err error) error { return err }

func day(text string) *value.Date {
	if text == "" {
		return nil
	}
	return new(value.MustDate(text))
}

func ids(l *ipo.List) string {
	var all []string
	for _, i := range l.Ipos {
		all = append(all, i.ID)
	}
	return strings.Join(all, " ")
}

// V-131, IPO-01: the state is that of the Turkey-time day.
func TestState(t *testing.T) {
	for _, c := range []struct {
		name                   string
		start, end, firstTrade string
		now                    string
		want                   ipo.State
	}{
		{"V-131", "2026-03-17", "2026-03-19", "2026-03-25", "2026-03-16T20:59:59Z", ipo.Upcoming},
		{"V-131 to the millisecond", "2026-03-17", "2026-03-19", "2026-03-25", "2026-03-16T20:59:59.999Z", ipo.Upcoming},
		{"V-131", "2026-03-17", "2026-03-19", "2026-03-25", "2026-03-16T21:00:00Z", ipo.Active},
		{"V-131", "2026-03-17", "2026-03-19", "2026-03-25", "2026-03-24T20:59:59Z", ipo.Active},
		{"V-131", "2026-03-17", "2026-03-19", "2026-03-25", "2026-03-24T21:00:00Z", ipo.Completed},
		{"between the end and the first trade", "2026-03-17", "2026-03-19", "2026-03-25", "2026-03-21T12:00:00Z", ipo.Active},
		{"nothing is known", "", "", "", "2026-03-18T12:00:00Z", ipo.Upcoming},
		{"no first trade", "2026-03-17", "2026-03-19", "", "2030-01-01T12:00:00Z", ipo.Active},
		{"the first trade alone, to come", "", "", "2026-03-25", "2026-03-18T12:00:00Z", ipo.Upcoming},
		{"the first trade alone", "", "", "2026-03-25", "2026-03-25T12:00:00Z", ipo.Completed},
		{"trades before its demand", "2026-03-20", "2026-03-21", "2026-03-17", "2026-03-18T12:00:00Z", ipo.Completed},
		{"the end alone, to come", "", "2026-03-19", "", "2026-03-18T12:00:00Z", ipo.Upcoming},
		{"the end alone, reached", "", "2026-03-18", "", "2026-03-18T12:00:00Z", ipo.Active},
	} {
		x := newExchange(offering("a", c.start, c.end, c.firstTrade))
		x.now = value.MustInstant(c.now)
		list, err := x.Ipos(anyone(), ipo.Filter{})
		if err != nil || len(list.Ipos) != 1 || list.Ipos[0].State != c.want {
			t.Errorf("%s at %s: %+v, %v; want %s", c.name, c.now, list, err, c.want)
		}
		if one, err := x.Ipo(anyone(), "a"); err != nil || one.State != c.want {
			t.Errorf("%s at %s: the detail is %s, %v", c.name, c.now, one.State, err)
		}
		for _, state := range []ipo.State{ipo.Upcoming, ipo.Active, ipo.Completed, ipo.All} {
			list, err := x.Ipos(anyone(), ipo.Filter{State: &state})
			if fits := state == c.want || state == ipo.All; err != nil || len(list.Ipos) == 1 != fits || list.Total != len(list.Ipos) || list.Ipos == nil {
				t.Errorf("%s at %s, state=%s: %+v, %v", c.name, c.now, state, list, err)
			}
		}
	}
	for _, text := range []string{"", "Active", "traded", "active "} {
		if new(ipo.State).UnmarshalText([]byte(text)) == nil {
			t.Errorf("%q is a state", text)
		}
	}
}

// IPO-02, IPO-03, IPO-09, G-84: by first trade date, the latest first, undated
// ones before all, equal ones by id; bounds leave the undated out.
func TestIpos(t *testing.T) {
	x := newExchange(
		offering("b-old", "", "", "2025-12-10"), offering("z-undated", "", "", ""), offering("a-old", "", "", "2025-12-10"), offering("new", "", "", "2026-03-02"),
		offering("a-undated", "2026-03-17", "", ""), offering("future", "", "", "2026-04-01"),
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
		if err != nil || ids(list) != c.want || list.Count != len(list.Ipos) || list.Total != list.Count || list.Ipos == nil || call.Units() != 1 {
			t.Errorf("%+v: %+v, %v", c, list, err)
		}
	}
	ctx, call := access.WithCall(context.Background(), &access.Key{Scopes: access.Scopes})
	wantProblem(t, second(x.Ipos(ctx, ipo.Filter{From: day("2026-03-02"), To: day("2026-03-01")})), problem.InvertedWindow)
	wantProblem(t, second(x.Ipo(ctx, "nope")), problem.NotFound)
	wantProblem(t, second(x.Ipo(ctx, "NEW")), problem.NotFound) // ids are the source's own
	if call.Units() != 0 {
		t.Errorf("refusals cost %d", call.Units())
	}
}

// IPO-05, G-13: either scope is enough; without both the problem names both.
func TestScopesOfIpos(t *testing.T) {
	x := newExchange(offering("a", "", "", ""))
	for name, ask := range map[string]func(context.Context) error{
		"list":   func(ctx context.Context) error { return second(x.Ipos(ctx, ipo.Filter{})) },
		"detail": func(ctx context.Context) error { return second(x.Ipo(ctx, "a")) },
	} {
		for _, scopes := range [][]access.Scope{{access.QuotesBIST}, {access.IPORead}, {access.QuotesBIST, access.IPORead}} {
			if err := ask(caller(scopes...)); err != nil {
				t.Errorf("%s with %v: %v", name, scopes, err)
			}
		}
		others := slices.DeleteFunc(slices.Clone(access.Scopes), func(s access.Scope) bool { return s == access.QuotesBIST || s == access.IPORead })
		p := wantProblem(t, ask(caller(others...)), problem.MissingScope)
		if !slices.Equal(p.Members.MissingScopes, []string{"quotes:bist", "ipo:read"}) || !strings.Contains(p.Error(), "one of") {
			t.Errorf("%s: %v, %v", name, p, p.Members.MissingScopes)
		}
		wantProblem(t, ask(context.Background()), problem.Unauthenticated)
	}
}

// IPO-06, IPO-08, G-84: while the source is down the copy says that it is
// stale; without a copy there is nothing to say; up again, all is as before.
func TestStaleOfferings(t *testing.T) {
	full, empty := newExchange(offering("a", "", "", "")), newExchange()
	stale := func() [2]bool {
		list, err := full.Ipos(anyone(), ipo.Filter{State: new(ipo.Completed)}) // of nothing, and stale all the same
		if err != nil || list.IsStale() != list.Stale {
			t.Fatal(list, err)
		}
		one, err := full.Ipo(anyone(), "a")
		if err != nil || one.IsStale() != one.Stale {
			t.Fatal(one, err)
		}
		return [2]bool{list.Stale, one.Stale}
	}
	if got := stale(); got != [2]bool{} {
		t.Errorf("before any word: %v", got)
	}
	for range 2 {
		full.source(false)
		empty.source(false)
		if got := stale(); got != [2]bool{true, true} {
			t.Errorf("down: %v", got)
		}
		wantProblem(t, second(full.Ipo(anyone(), "nope")), problem.NotFound)
		wantProblem(t, second(empty.Ipos(anyone(), ipo.Filter{})), problem.SourceUnavailable)
		wantProblem(t, second(empty.Ipo(anyone(), "a")), problem.SourceUnavailable)
		wantProblem(t, second(empty.Ipos(caller(), ipo.Filter{})), problem.MissingScope)
		wantProblem(t, second(empty.Ipos(anyone(), ipo.Filter{From: day("2026-03-02"), To: day("2026-03-01")})), problem.InvertedWindow)
		full.source(true)
		empty.source(true)
		if got := stale(); got != [2]bool{} {
			t.Errorf("up again: %v", got)
		}
		if list, err := empty.Ipos(anyone(), ipo.Filter{}); err != nil || list.Count != 0 || list.Ipos == nil || !list.AsOf.IsNull() {
			t.Errorf("of nothing: %+v, %v", list, err)
		}
		wantProblem(t, second(empty.Ipo(anyone(), "a")), problem.NotFound)
	}
	full.Live.PutSources(nil)
	full.Live.PutSources([]*market.SourceStatus{{Source: "kap"}, {Source: "IPO"}})
	if got := stale(); got != [2]bool{} {
		t.Errorf("other sources are down: %v", got)
	}
}

// The whole answers, and the instrument that a symbol names once it trades.
func TestIpoText(t *testing.T) {
	full := offering("dmipo-2026", "2026-03-17", "2026-03-19", "")
	full.Company, full.Symbol, full.AsOf = "Demo Gıda A.Ş.", new("DMGDA"), value.MustInstant("2026-03-18T09:00:00Z")
	full.Price, full.Lots, full.OfferSize = value.MustDecimal("42.50"), value.MustDecimal("25000000"), value.MustDecimal("1062500000")
	full.LeadUnderwriter, full.DistributionMethod, full.DiscountPct = new("Demo Yatırım"), new("Eşit"), value.MustDecimal("15.0")
	full.Documents = []kap.Document{{Name: "izahname.pdf", ContentType: new("application/pdf"), SizeBytes: new(7), Location: "secret/izahname.pdf"}}
	x := newExchange(full)
	const row = `{"id":"dmipo-2026","company":"Demo Gıda A.Ş.","symbol":"DMGDA","instrument_id":null,"state":"active","price":"42.50","price_low":null,"price_high":null,"currency":"TRY",` +
		`"lots":"25000000","offer_size":"1062500000","demand_start":"2026-03-17","demand_end":"2026-03-19","first_trade_date":null,"lead_underwriter":"Demo Yatırım","as_of":"2026-03-18T09:00:00Z"`
	list, err := x.Ipos(anyone(), ipo.Filter{})
	if got, _ := json.Marshal(list); err != nil || string(got) != `{"ipos":[`+row+`}],"count":1,"total":1,"stale":false,"as_of":"2026-03-18T09:00:00Z"}` {
		t.Errorf("%v, %s", err, got)
	}
	one, err := x.Ipo(anyone(), "dmipo-2026")
	got, _ := json.Marshal(one)
	want := row + `,"distribution_method":"Eşit","use_of_proceeds":null,"discount_pct":"15.0","free_float_pct":null,"documents":[{"name":"izahname.pdf","content_type":"application/pdf","size_bytes":7,"url":"https://api.example.test/v1/ipo/dmipo-2026/documents/1?`
	if err != nil || !strings.HasPrefix(string(got), want) || !strings.HasSuffix(string(got), `","expires_at":"2026-03-18T12:15:00Z"}],"stale":false}`) || strings.Contains(string(got), "secret") {
		t.Errorf("%v\ngot  %s\nwant %s", err, got, want)
	}

	instrument := func(r *ipo.Record) string {
		x.Live.PutRecords([]*ipo.Record{r})
		one, err := x.Ipo(anyone(), r.ID)
		if err != nil {
			t.Fatal(err)
		}
		if one.InstrumentID == nil {
			return ""
		}
		return string(*one.InstrumentID)
	}
	traded := offering("t", "", "", "2026-03-18")
	traded.Symbol = new("DMGDA")
	if id := instrument(traded); id != "" {
		t.Errorf("not in the catalog yet: %s", id)
	}
	x.Market.Live.PutCatalog([]*market.Instrument{
		{InstrumentID: "bist:DMGDA", Symbol: "DMGDA", Market: market.BIST, AssetType: market.Stock},
		{InstrumentID: "bist:DMALTF", Symbol: "DMALTF", Market: market.BIST, AssetType: market.ETF},
	}, nil)
	to, alias, stated := offering("u", "", "", "2026-03-19"), offering("v", "", "", "2026-03-18"), offering("w", "", "", "")
	to.Symbol, alias.Symbol, stated.InstrumentID = new("DMGDA"), new("DMALT"), "bist:OTHER"
	for r, want := range map[*ipo.Record]string{traded: "bist:DMGDA", to: "", alias: "", stated: "bist:OTHER"} {
		if id := instrument(r); id != want {
			t.Errorf("%s: %q, want %q", r.ID, id, want)
		}
	}
}

// A document takes its link and nothing else.
func TestDocument(t *testing.T) {
	r := offering("a/b c", "", "", "")
	r.Documents = []kap.Document{{Name: "1", Location: "one"}, {Name: "2", Location: "two"}}
	other := offering("other", "", "", "")
	other.Documents = r.Documents
	x := newExchange(r, other)
	one, err := x.Ipo(anyone(), r.ID)
	if err != nil {
		t.Fatal(err)
	}
	prefix := "https://api.example.test/v1/ipo/a%2Fb%20c/documents/2?"
	query, ok := strings.CutPrefix(one.Documents[1].URL, prefix)
	if !ok {
		t.Fatalf("link %s", one.Documents[1].URL)
	}
	expires, signature, _ := strings.Cut(strings.TrimPrefix(query, "expires="), "&signature=")
	if d, err := x.Document(r.ID, 2, expires, signature); err != nil || d.Location != "two" {
		t.Errorf("%+v, %v", d, err)
	}
	for _, c := range []struct {
		id                 string
		n                  int
		expires, signature string
	}{{r.ID, 1, expires, signature}, {"other", 2, expires, signature}, {"nope", 2, expires, signature}, {r.ID, 2, expires + "0", signature}, {r.ID, 2, expires, ""}, {r.ID, 2, "", signature}} {
		wantProblem(t, second(x.Document(c.id, c.n, c.expires, c.signature)), problem.NotFound)
	}
	x.now = x.now.Add(15*time.Minute - time.Millisecond)
	if _, err := x.Document(r.ID, 2, expires, signature); err != nil {
		t.Error(err)
	}
	r.Documents = r.Documents[:1] // gone meanwhile
	wantProblem(t, second(x.Document(r.ID, 2, expires, signature)), problem.NotFound)
	r.Documents = other.Documents
	x.now = x.now.Add(time.Millisecond)
	wantProblem(t, second(x.Document(r.ID, 2, expires, signature)), problem.NotFound)
}

func TestRecordCheck(t *testing.T) {
	for _, c := range []struct {
		start, end string
		wrong      bool
	}{{"", "", false}, {"2026-03-17", "", false}, {"", "2026-03-17", false}, {"2026-03-17", "2026-03-17", false}, {"2026-03-17", "2026-03-16", true}} {
		if member, reason := offering("a", c.start, c.end, "").Check(); (reason != "") != c.wrong || (member == "demand_end") != c.wrong {
			t.Errorf("%+v: %s %s", c, member, reason)
		}
	}
}

// Every offering has exactly one state, and states only move on with time.
func TestAnyState(t *testing.T) {
	order := []ipo.State{ipo.Upcoming, ipo.Active, ipo.Completed}
	rapid.Check(t, func(t *rapid.T) {
		date := func(label string) string {
			if !rapid.Bool().Draw(t, label+" stated") {
				return ""
			}
			return value.MustDate("2026-03-10").AddDays(rapid.IntRange(0, 20).Draw(t, label)).String()
		}
		x, reached := newExchange(offering("a", date("start"), date("end"), date("first trade"))), 0
		x.now = value.MustInstant("2026-03-08T12:00:00Z")
		for range 28 {
			n, at := 0, 0
			for i, state := range order {
				if list, err := x.Ipos(anyone(), ipo.Filter{State: &state}); err != nil {
					t.Fatal(err)
				} else if list.Total == 1 {
					n, at = n+1, i
				}
			}
			if n != 1 || at < reached {
				t.Fatalf("%d states at %s, %s after %s", n, x.now, order[at], order[reached])
			}
			reached, x.now = at, x.now.Add(24*time.Hour)
		}
	})
}
