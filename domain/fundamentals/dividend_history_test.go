package fundamentals_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"piyasa/account/access"
	"piyasa/db"
	"piyasa/domain/fundamentals"
	"piyasa/domain/market"
	"piyasa/internal/problem"
	"piyasa/internal/value"
	"piyasa/internal/value/valuetest"
	"piyasa/test/fixture/need"
)

// dividendFixture is the service under test on a real store, with a clock that stands
// still.
type dividendFixture struct {
	*fundamentals.Service
	db  *db.Store
	now value.Instant
}

// newPayer knows five stocks and an ETF of bist, a stock and an ETF of the US,
// and two coins with one ticker. Nobody pays yet. It is Wednesday, 15:00 in
// Istanbul.
func newDividendFixture(t testing.TB) *dividendFixture {
	t.Helper()
	store, err := db.Open(t.Context(), "sqlite:"+filepath.Join(t.TempDir(), "piyasa.db"))
	need.NoError(t, err)
	t.Cleanup(func() { _ = store.Close() })
	p := &dividendFixture{db: store, now: value.MustInstant("2026-03-18T12:00:00Z")}
	p.Service = &fundamentals.Service{
		Market: &market.Service{Live: market.NewLive(), Now: func() value.Instant { return p.now }},
		Store:  store, Signer: access.Signer{Secret: []byte("s")},
		TestStocks: []market.ID{"bist:DMOST", "bist:DMBNK", "bist:DMSIG", "bist:DMTEK"},
	}
	for _, symbol := range []string{"DMOST", "DMBNK", "DMSIG", "DMTEK", "DMSG2"} {
		p.list(t, "bist:"+symbol, market.Stock)
	}
	p.list(t, "bist:DMALTF", market.ETF)
	p.list(t, "us:DMAP", market.Stock)
	p.list(t, "us:DMETF", market.ETF)
	p.list(t, "fund:DMF", market.FundUnit)
	p.list(t, "crypto:1", market.Coin)
	p.list(t, "crypto:2", market.Coin)
	return p
}

// list lets an instrument arrive.
func (p *dividendFixture) list(t testing.TB, id string, sort market.AssetType) *market.Instrument {
	t.Helper()
	in := &market.Instrument{InstrumentID: market.ID(id), Symbol: market.ID(id).Symbol(), Name: "x", Market: market.ID(id).Market(),
		AssetType: sort, Currency: "TRY"}
	if in.Market == market.US || in.Market == market.Crypto {
		in.Currency = "USD"
	}
	if sort == market.Coin {
		in.Ticker = new("ONE")
	}
	b := new(db.Batch)
	db.Put(b, in, new(db.Outcome))
	need.NoError(t, p.db.Store(t.Context(), b))
	p.Market.Live.PutCatalog([]*market.Instrument{in}, nil)
	return in
}

// pays stores dividends, each written as "id ex_date payment_date installment";
// the payment date may be -, and installment 0 is paid at once.
func (p *dividendFixture) pays(t rapid.TB, rows ...string) {
	t.Helper()
	b := new(db.Batch)
	for _, text := range rows {
		var id, ex, payment string
		var installment int
		if _, err := fmt.Sscan(text, &id, &ex, &payment, &installment); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		r := &fundamentals.DividendRecord{
			InstrumentID: market.ID(id), ExDate: value.MustDate(ex), Currency: "TRY",
			GrossPerShare: value.MustDecimal("4.25"), NetPerShare: value.MustDecimal("3.6125"),
		}
		if payment != "-" {
			r.PaymentDate = value.MustDate(payment)
		}
		if installment > 0 {
			r.Installment = &installment
		}
		db.Put(b, r, new(db.Outcome))
	}
	need.NoError(t, p.db.Store(context.Background(), b))
}

// demo is what the companies paid and announced.
func (p *dividendFixture) demo(t testing.TB) {
	t.Helper()
	p.pays(t,
		"bist:DMOST 2026-10-12 2026-10-14 2", "bist:DMOST 2026-04-10 2026-04-14 1", "bist:DMOST 2025-04-11 2025-04-15 0",
		"bist:DMOST 2024-04-12 2024-04-16 0",
		"bist:DMBNK 2026-03-17 2026-03-19 0", "bist:DMSIG 2026-02-10 2026-02-20 0", "bist:DMTEK 2026-03-02 - 0",
		"bist:DMSG2 2026-03-02 2026-03-04 0",
		"us:DMAP 2026-03-10 2026-03-19 0", "us:DMAP 2026-05-12 2026-05-20 0")
}

// holder is a request with the scope that dividends need.
func holder() (context.Context, *access.Call) {
	return access.WithCall(context.Background(), &access.Key{Scopes: []access.Scope{access.History}})
}

// tester is a holder with a key of the test plan.
func tester() (context.Context, *access.Call) {
	return access.WithCall(context.Background(), &access.Key{Scopes: []access.Scope{access.History}, Test: true})
}

// stranger is a request with every scope but the needed one.
func stranger() context.Context {
	scopes := slices.DeleteFunc(slices.Clone(access.Scopes), func(s access.Scope) bool { return s == access.History })
	ctx, _ := access.WithCall(context.Background(), &access.Key{Scopes: scopes})
	return ctx
}

// refusal demands that err is a problem of this kind, and returns it.
func refusal(t testing.TB, what string, err error, kind problem.Kind) *problem.Error {
	t.Helper()
	e, ok := errors.AsType[*problem.Error](err)
	if !ok || e.Kind != kind {
		t.Fatalf("%s: got %v, want the problem %s", what, err, kind)
	}
	return e
}

// spelt are dividends as "symbol ex_date installment status".
func spelt(rows []*fundamentals.Dividend) []string {
	out := []string{}
	for _, d := range rows {
		installment := 0
		if d.Installment != nil {
			installment = *d.Installment
		}
		out = append(out, fmt.Sprintf("%s %s %d %s", d.Symbol, d.ExDate, installment, d.Status))
	}
	return out
}

// DV-01, DV-05, G-54.
func TestDividendHistory(t *testing.T) {
	p := newDividendFixture(t)
	p.demo(t)
	p.pays(t, "bist:DMOST 2026-04-10 2026-04-14 3", "bist:DMOST 2026-04-10 2026-04-14 2",
		"bist:DMOST 2026-04-10 - 0", "bist:DMALTF 2026-01-02 2026-01-05 0", "us:DMETF 2026-01-02 2026-01-05 0")
	for _, c := range []struct {
		id, resolved, currency string
		want                   []string
	}{
		{"bist:DMOST", "bist:DMOST", "TRY", []string{"DMOST 2024-04-12 0 paid", "DMOST 2025-04-11 0 paid", "DMOST 2026-04-10 0 upcoming",
			"DMOST 2026-04-10 1 upcoming", "DMOST 2026-04-10 2 upcoming", "DMOST 2026-04-10 3 upcoming", "DMOST 2026-10-12 2 upcoming"}},
		{"bist:dmbnk", "bist:DMBNK", "TRY", []string{"DMBNK 2026-03-17 0 upcoming"}},
		{"bist:DMTEK", "bist:DMTEK", "TRY", []string{"DMTEK 2026-03-02 0 paid"}},
		{"us:DMAP", "us:DMAP", "USD", []string{"DMAP 2026-03-10 0 upcoming", "DMAP 2026-05-12 0 upcoming"}},
		{"bist:DMALTF", "bist:DMALTF", "TRY", []string{}},
		{"us:DMETF", "us:DMETF", "USD", []string{"DMETF 2026-01-02 0 paid"}},
	} {
		ctx, call := holder()
		h, err := p.DividendHistory(ctx, c.id)
		if err != nil {
			t.Fatalf("%s: %v", c.id, err)
		}
		if got := spelt(h.Dividends); !slices.Equal(got, c.want) || h.Count != len(c.want) || string(h.InstrumentID) != c.resolved ||
			h.Currency != c.currency || call.Units() != 1 {
			t.Errorf("%s: %s in %s, %d of %q for %d units; want %q", c.id, h.InstrumentID, h.Currency, h.Count, got, call.Units(), c.want)
		}
	}
}

// The members are those of the specification, and an empty list is no null.
func TestDividendMembers(t *testing.T) {
	p := newDividendFixture(t)
	ctx, _ := holder()
	for _, rows := range []string{"bist:DMOST 2026-04-10 2026-04-14 1", "bist:DMOST 2026-04-11 - 0"} {
		p.pays(t, rows)
	}
	h, err := p.DividendHistory(ctx, "bist:DMOST")
	need.NoError(t, err)
	text, _ := json.Marshal(h)
	want := `{"instrument_id":"bist:DMOST","currency":"TRY","dividends":[` +
		`{"instrument_id":"bist:DMOST","symbol":"DMOST","ex_date":"2026-04-10","payment_date":"2026-04-14","gross_per_share":"4.25","net_per_share":"3.6125","currency":"TRY","installment":1,"status":"upcoming"},` +
		`{"instrument_id":"bist:DMOST","symbol":"DMOST","ex_date":"2026-04-11","payment_date":null,"gross_per_share":"4.25","net_per_share":"3.6125","currency":"TRY","installment":null,"status":"upcoming"}],"count":2}`
	if string(text) != want {
		t.Errorf("got  %s\nwant %s", text, want)
	}
	if h, err = p.DividendHistory(ctx, "bist:DMALTF"); err != nil {
		t.Fatal(err)
	}
	if text, _ = json.Marshal(h); string(text) != `{"instrument_id":"bist:DMALTF","currency":"TRY","dividends":[],"count":0}` {
		t.Errorf("got %s", text)
	}
}

// DV-02 to DV-04, TK-02: the scope, then the plan, then what there is.
func TestDividendHistoryRefusals(t *testing.T) {
	p := newDividendFixture(t)
	p.demo(t)
	_, err := p.DividendHistory(stranger(), "bist:NOPE")
	if e := refusal(t, "no scope", err, problem.MissingScope); !slices.Equal(e.Members.MissingScopes, []string{"history"}) {
		t.Errorf("missing %v", e.Members.MissingScopes)
	}
	ctx, call := tester()
	for _, id := range []string{"bist:DMOST", "bist:NOPE"} {
		_, err = p.DividendHistory(ctx, id)
		refusal(t, "a test key", err, problem.TestPlan)
	}
	if call.Units() != 0 {
		t.Errorf("a refusal cost %d units", call.Units())
	}
	ctx, call = holder()
	for _, id := range []string{"bist:NOPE", "bist:DMALT", "bist:DMALTF.F", "DMOST", "", "bist", "fund:DMF", "crypto:1", "crypto:ONE",
		"nyse:DMAP"} {
		_, err = p.DividendHistory(ctx, id)
		refusal(t, id, err, problem.NotFound)
	}
	if call.Units() != 0 {
		t.Errorf("refusals cost %d units", call.Units())
	}
}

// The newest of several instruments, in their order.
func TestDividendsOf(t *testing.T) {
	p := newDividendFixture(t)
	p.demo(t)
	p.pays(t, "bist:DMOST 2026-10-12 2026-10-14 1", "bist:DMALTF 2026-01-02 2026-01-05 0", "fund:DMF 2026-01-02 2026-01-05 0")
	var instruments []*market.Instrument
	for _, id := range []market.ID{"us:DMAP", "bist:DMALTF", "bist:DMOST", "fund:DMF", "bist:DMOST", "bist:DMBNK"} {
		instruments = append(instruments, p.Market.ByID(id))
	}
	dmost := []string{"DMOST 2026-10-12 2 upcoming", "DMOST 2026-10-12 1 upcoming", "DMOST 2026-04-10 1 upcoming"}
	ctx, call := holder()
	rows, errs := p.DividendsOf(ctx, instruments, new(3))
	want := [][]string{{"DMAP 2026-05-12 0 upcoming", "DMAP 2026-03-10 0 upcoming"}, {}, dmost, {}, dmost, {"DMBNK 2026-03-17 0 upcoming"}}
	for i := range instruments {
		if errs[i] != nil || rows[i] == nil || !slices.Equal(spelt(rows[i]), want[i]) {
			t.Errorf("%s: %q, %v; want %q", instruments[i].InstrumentID, spelt(rows[i]), errs[i], want[i])
		}
	}
	if call.Units() != 5 {
		t.Errorf("%d units, want one for each but the fund", call.Units())
	}
	if rows, errs = p.DividendsOf(ctx, nil, new(1)); len(rows) != 0 || len(errs) != 0 {
		t.Errorf("of none: %v, %v", rows, errs)
	}
	testKey, _ := tester()
	for _, c := range []struct {
		ctx   context.Context
		first int
		want  problem.Kind
	}{
		{stranger(), 0, problem.MissingScope},
		{testKey, 0, problem.TestPlan},
		{ctx, 0, problem.InvalidParameter},
		{ctx, 101, problem.InvalidParameter},
	} {
		_, errs := p.DividendsOf(c.ctx, instruments, &c.first)
		for _, err := range errs {
			refusal(t, "edge", err, c.want)
		}
		if len(errs) != len(instruments) {
			t.Errorf("%d errors", len(errs))
		}
	}
}

func TestDividendWords(t *testing.T) {
	for _, word := range []string{"ex", "pay", "upcoming", "paid", "EX", "Paid", "", "foo"} {
		if _, err := value.Word[fundamentals.DividendDateField](word); (err == nil) != (word == "ex" || word == "pay") ||
			(err != nil && !strings.Contains(err.Error(), "ex, pay")) {
			t.Errorf("date field %q: %v", word, err)
		}
		if _, err := value.Word[fundamentals.DividendStatus](word); (err == nil) != (word == "upcoming" || word == "paid") ||
			(err != nil && !strings.Contains(err.Error(), "upcoming, paid")) {
			t.Errorf("status %q: %v", word, err)
		}
	}
}

func TestDividendValidate(t *testing.T) {
	amount := func(text string) value.Decimal { return value.MustDecimal(text) }
	for _, c := range []struct {
		r    fundamentals.DividendRecord
		want string
	}{
		{fundamentals.DividendRecord{}, ""},
		{fundamentals.DividendRecord{GrossPerShare: amount("1"), NetPerShare: amount("1.00")}, ""},
		{fundamentals.DividendRecord{GrossPerShare: amount("0")}, "gross_per_share"},
		{fundamentals.DividendRecord{NetPerShare: amount("0.00")}, "net_per_share"},
		{fundamentals.DividendRecord{GrossPerShare: amount("-0.01"), NetPerShare: amount("-1")}, "gross_per_share"},
		{fundamentals.DividendRecord{GrossPerShare: amount("1"), NetPerShare: amount("-1")}, "net_per_share"},
		{fundamentals.DividendRecord{ExDate: value.MustDate("2026-04-10"), PaymentDate: value.MustDate("2026-04-09")}, "payment_date"},
	} {
		c.r.Currency = "TRY"
		if err := c.r.Validate(); valuetest.InvalidMember(t, err) != c.want {
			t.Errorf("%+v: %v, want %q", c.r, err, c.want)
		}
	}
}
