package fundamentals_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"piyasa/account/access"
	"piyasa/domain/fundamentals"
	"piyasa/domain/market"
	"piyasa/internal/problem"
	"piyasa/internal/value"
	"piyasa/test/fixture/need"
)

// day is a bound of a window.
func day(text string) *value.Date { return new(value.MustDate(text)) }

// year2026 is a window that holds everything of the year.
func year2026() fundamentals.DividendFilter {
	return fundamentals.DividendFilter{From: day("2026-01-01"), To: day("2026-12-31")}
}

// page is one page for a caller with the scope.
func (p *dividendFixture) page(t rapid.TB, f fundamentals.DividendFilter, cursor *string, limit *int) *fundamentals.DividendPage {
	t.Helper()
	ctx, _ := holder()
	page, err := p.Service.Dividends(ctx, f, cursor, limit)
	if err != nil {
		t.Fatalf("%+v: %v", f, err)
	}
	if page.Count != len(page.Dividends) {
		t.Errorf("count %d of %d", page.Count, len(page.Dividends))
	}
	return page
}

// DL-01, DL-03 to DL-05, DL-09, DL-11, V-89: defaults, order, the chosen date.
func TestDividends(t *testing.T) {
	p := newDividendFixture(t)
	p.demo(t)
	p.pays(t, "bist:DMALTF 2026-03-03 2026-03-05 0", "us:DMETF 2026-03-09 2026-03-10 0",
		"bist:NEVER 2026-03-03 2026-03-05 0", "fund:DMF 2026-03-03 2026-03-05 0")
	ex, pay, upcoming, paid, us := fundamentals.ByExDate, fundamentals.ByPaymentDate, fundamentals.Upcoming, fundamentals.Paid,
		market.EquityUS
	for _, c := range []struct {
		name   string
		filter fundamentals.DividendFilter
		want   []string
	}{
		{"no filter", fundamentals.DividendFilter{},
			[]string{"DMSG2 2026-03-02 0 paid", "DMTEK 2026-03-02 0 paid", "DMBNK 2026-03-17 0 upcoming", "DMOST 2026-04-10 1 upcoming"}},
		{"the US", fundamentals.DividendFilter{Market: &us},
			[]string{"DMETF 2026-03-09 0 paid", "DMAP 2026-03-10 0 upcoming", "DMAP 2026-05-12 0 upcoming"}},
		{"by payment date", fundamentals.DividendFilter{DateField: &pay},
			[]string{"DMSIG 2026-02-10 0 paid", "DMSG2 2026-03-02 0 paid", "DMBNK 2026-03-17 0 upcoming", "DMOST 2026-04-10 1 upcoming"}},
		{"dates on both sides of a bound, ex", fundamentals.DividendFilter{DateField: &ex, To: day("2026-03-17")},
			[]string{"DMSG2 2026-03-02 0 paid", "DMTEK 2026-03-02 0 paid", "DMBNK 2026-03-17 0 upcoming"}},
		{"dates on both sides of a bound, pay", fundamentals.DividendFilter{DateField: &pay, To: day("2026-03-18")},
			[]string{"DMSIG 2026-02-10 0 paid", "DMSG2 2026-03-02 0 paid"}},
		{"upcoming", fundamentals.DividendFilter{Status: &upcoming},
			[]string{"DMBNK 2026-03-17 0 upcoming", "DMOST 2026-04-10 1 upcoming"}},
		{"paid", fundamentals.DividendFilter{Status: &paid}, []string{"DMSG2 2026-03-02 0 paid", "DMTEK 2026-03-02 0 paid"}},
		{"paid, by payment date", fundamentals.DividendFilter{Status: &paid, DateField: &pay},
			[]string{"DMSIG 2026-02-10 0 paid", "DMSG2 2026-03-02 0 paid"}},
		{"a day", fundamentals.DividendFilter{From: day("2026-03-02"), To: day("2026-03-02")},
			[]string{"DMSG2 2026-03-02 0 paid", "DMTEK 2026-03-02 0 paid"}},
		{"symbols", fundamentals.DividendFilter{Symbols: []string{"dmtek", "bist:DMSG2", "DMTEK"}},
			[]string{"DMSG2 2026-03-02 0 paid", "DMTEK 2026-03-02 0 paid"}},
		{"all of the year", year2026(), []string{"DMSIG 2026-02-10 0 paid", "DMSG2 2026-03-02 0 paid", "DMTEK 2026-03-02 0 paid",
			"DMBNK 2026-03-17 0 upcoming", "DMOST 2026-04-10 1 upcoming", "DMOST 2026-10-12 2 upcoming"}},
	} {
		page := p.page(t, c.filter, nil, nil)
		if got := spelt(page.Dividends); !slices.Equal(got, c.want) || page.NextCursor != nil || page.NotFound == nil ||
			len(page.NotFound) > 0 {
			t.Errorf("%s: %q, not found %q; want %q", c.name, got, page.NotFound, c.want)
		}
	}
	text, _ := json.Marshal(p.page(t, fundamentals.DividendFilter{From: day("2026-04-01"), Symbols: []string{"DMOST", "ZZZZZ"}}, nil, nil))
	want := `{"market":"bist","from_date":"2026-04-01","to_date":"2026-06-16","dividends":[{"instrument_id":"bist:DMOST","symbol":"DMOST","ex_date":"2026-04-10","payment_date":"2026-04-14",` +
		`"gross_per_share":"4.25","net_per_share":"3.6125","currency":"TRY","installment":1,"status":"upcoming"}],"count":1,"not_found":["ZZZZZ"],"next_cursor":null}`
	if string(text) != want {
		t.Errorf("got  %s\nwant %s", text, want)
	}
	if text, _ = json.Marshal(p.page(t, fundamentals.DividendFilter{To: day("2026-02-17")}, nil, nil)); !strings.Contains(string(text),
		`"from_date":"2026-02-16","to_date":"2026-02-17","dividends":[],"count":0,"not_found":[]`) {
		t.Errorf("nothing: %s", text)
	}
}

// V-89, V-90, DL-06: windows, and each market's own day.
func TestDividendWindowsAndDays(t *testing.T) {
	p := newDividendFixture(t)
	us := market.EquityUS
	for _, c := range []struct {
		now            string
		market         *market.EquityMarket
		from, to       *value.Date
		wantFrom, want string // the last day, or the problem
	}{
		{"2026-03-18T12:00:00Z", nil, nil, nil, "2026-02-16", "2026-06-16"},
		{"2026-03-18T22:00:00Z", nil, nil, nil, "2026-02-17", "2026-06-17"}, // the 19th in Istanbul
		{"2026-03-18T22:00:00Z", &us, nil, nil, "2026-02-16", "2026-06-16"}, // the 18th in New York
		{"2026-01-15T04:30:00Z", &us, nil, nil, "2025-12-15", "2026-04-14"}, // 23:30 in winter
		{"2026-07-15T04:30:00Z", &us, nil, nil, "2026-06-15", "2026-10-13"}, // 00:30 in summer
		{"2026-03-18T12:00:00Z", nil, day("2024-01-01"), day("2024-12-31"), "2024-01-01", "2024-12-31"},
		{"2026-03-18T12:00:00Z", nil, day("2024-01-01"), day("2025-01-01"), "", "window-too-long"},
		{"2026-03-18T12:00:00Z", nil, day("2025-06-16"), nil, "2025-06-16", "2026-06-16"},
		{"2026-03-18T12:00:00Z", nil, day("2025-06-15"), nil, "", "window-too-long"},
		{"2026-03-18T12:00:00Z", nil, nil, day("2027-02-16"), "2026-02-16", "2027-02-16"},
		{"2026-03-18T12:00:00Z", nil, nil, day("2027-02-17"), "", "window-too-long"},
		{"2026-03-18T12:00:00Z", nil, day("2026-03-02"), day("2026-03-01"), "", "inverted-window"},
		{"2026-03-18T12:00:00Z", nil, day("2026-06-17"), nil, "", "inverted-window"},
		{"2026-03-18T12:00:00Z", nil, nil, day("2026-02-15"), "", "inverted-window"},
		{"2026-03-18T12:00:00Z", nil, day("0001-01-02"), day("9999-12-31"), "", "window-too-long"},
		{"2026-03-18T12:00:00Z", nil, day("9999-12-31"), day("9999-12-31"), "9999-12-31", "9999-12-31"},
		{"2026-03-18T12:00:00Z", nil, day("0001-01-02"), day("0002-01-02"), "0001-01-02", "0002-01-02"},
	} {
		p.now = value.MustInstant(c.now)
		ctx, call := holder()
		page, err := p.Service.Dividends(ctx, fundamentals.DividendFilter{Market: c.market, From: c.from, To: c.to}, nil, nil)
		if c.wantFrom == "" {
			e := refusal(t, c.want, err, problem.Kind(c.want))
			if e.Kind == problem.WindowTooLong && (e.Members.Limit == nil || *e.Members.Limit != 366) {
				t.Errorf("limit %v", e.Members.Limit)
			}
			if call.Units() != 0 {
				t.Errorf("%s cost %d units", c.want, call.Units())
			}
			continue
		}
		if err != nil || page.FromDate.String() != c.wantFrom || page.ToDate.String() != c.want {
			t.Errorf("at %s of %v from %v to %v: %+v, %v; want %s to %s", c.now, c.market, c.from, c.to, page, err, c.wantFrom, c.want)
		}
	}

	p.now = value.MustInstant("2026-03-18T22:00:00Z")
	p.pays(t, "bist:DMOST 2026-03-10 2026-03-19 0", "us:DMAP 2026-03-10 2026-03-19 0")
	for m, want := range map[market.EquityMarket]fundamentals.DividendStatus{market.EquityBIST: fundamentals.Paid,
		market.EquityUS: fundamentals.Upcoming} {
		for _, asked := range []fundamentals.DividendStatus{fundamentals.Paid, fundamentals.Upcoming} {
			rows := p.page(t, fundamentals.DividendFilter{Market: &m, Status: &asked}, nil, nil).Dividends
			if (len(rows) == 1) != (asked == want) || (asked == want && rows[0].Status != want) {
				t.Errorf("%s, asked for %s: %q", m, asked, spelt(rows))
			}
		}
	}
}

// V-120, MT-01: a unit for each hundred rows begun, at least one.
func TestDividendUnits(t *testing.T) {
	p := newDividendFixture(t)
	rows := []string{}
	for i := range 1001 {
		rows = append(rows, fmt.Sprintf("bist:DMOST %s - %d", value.MustDate("2024-01-01").AddDays(i/3), i%3))
	}
	p.pays(t, rows...)
	for _, c := range []struct {
		limit int
		units int64
	}{{1, 1}, {100, 1}, {101, 2}, {250, 3}, {1000, 10}} {
		ctx, call := holder()
		page, err := p.Service.Dividends(ctx, fundamentals.DividendFilter{From: day("2024-01-01"), To: day("2024-12-31")}, nil, &c.limit)
		if err != nil || page.Count != c.limit || call.Units() != c.units || page.NextCursor == nil {
			t.Errorf("%d rows: %d units, %v; want %d", c.limit, call.Units(), err, c.units)
		}
	}
	ctx, call := holder()
	if page, err := p.Service.Dividends(ctx, fundamentals.DividendFilter{}, nil, nil); err != nil || page.Count != 0 || call.Units() != 1 {
		t.Errorf("no rows: %+v, %v, %d units", page, err, call.Units())
	}
	if n := p.page(t, fundamentals.DividendFilter{From: day("2024-01-01"), To: day("2024-12-31")}, nil, nil).Count; n != 100 {
		t.Errorf("%d rows unless asked, want 100", n)
	}
}

// DL-08, DL-11, G-06: what the list does not cover comes back as written.
func TestDividendSymbolsNotFound(t *testing.T) {
	p := newDividendFixture(t)
	p.demo(t)
	us := market.EquityUS
	for _, c := range []struct {
		market  *market.EquityMarket
		symbols []string
		want    []string // found
		missing []string
	}{
		{nil, []string{"DMOST", "ZZZZZ"}, []string{"DMOST"}, []string{"ZZZZZ"}},
		{nil, []string{"ZZZZZ", "bist:dmost", "zzzzz", "ZZZZZ"}, []string{"DMOST"}, []string{"ZZZZZ", "zzzzz"}},
		{nil, []string{"DMALTF", "DMALT", "DMALTF.F", "bist:DMALTF"}, nil, []string{"DMALTF", "DMALT", "DMALTF.F", "bist:DMALTF"}},
		{nil, []string{"us:DMAP", "BIST:DMOST", "bist:bist:DMOST", "DMAP", "dmsıg", "DMSİG", ""}, nil,
			[]string{"us:DMAP", "BIST:DMOST", "bist:bist:DMOST", "DMAP", "dmsıg", "DMSİG", ""}},
		{nil, []string{"'; --", "\x00", "\xff"}, nil, []string{"'; --", "\x00", "\xff"}},
		{&us, []string{"dmap", "bist:DMOST", "DMOST"}, []string{"DMAP"}, []string{"bist:DMOST", "DMOST"}},
		{&us, []string{"us:DMAP"}, []string{"DMAP"}, []string{}},
	} {
		f := year2026()
		f.Market, f.Symbols = c.market, c.symbols
		page := p.page(t, f, nil, nil)
		var found []string
		for _, d := range page.Dividends {
			found = append(found, d.Symbol)
		}
		if found = slices.Compact(found); !slices.Equal(found, c.want) || !slices.Equal(page.NotFound, c.missing) {
			t.Errorf("%q: found %q, not %q; want %q, %q", c.symbols, found, page.NotFound, c.want, c.missing)
		}
	}
}

// DL-06, DL-07, DL-08, DL-12, DL-17, G-04: the scope, the plan, single values,
// combinations.
func TestDividendsRefusals(t *testing.T) {
	p := newDividendFixture(t)
	p.demo(t)
	us, pay, paid := market.EquityUS, fundamentals.ByPaymentDate, fundamentals.Paid
	first := p.page(t, year2026(), nil, new(1)).NextCursor
	inverted := fundamentals.DividendFilter{From: day("2026-03-02"), To: day("2026-03-01")}
	edit := func(edit func(*fundamentals.DividendFilter)) fundamentals.DividendFilter {
		f := year2026()
		edit(&f)
		return f
	}
	ctx, call := holder()
	for _, c := range []struct {
		name   string
		filter fundamentals.DividendFilter
		cursor *string
		limit  *int
		want   problem.Kind
	}{
		{"limit 0", inverted, nil, new(0), problem.InvalidParameter},
		{"limit 1001", year2026(), new("x"), new(1001), problem.InvalidParameter},
		{"no symbols", edit(func(f *fundamentals.DividendFilter) { f.Symbols = []string{} }), nil, nil, problem.InvalidParameter},
		{"101 symbols", edit(func(f *fundamentals.DividendFilter) { f.Symbols = slices.Repeat([]string{"DMOST"}, 101) }), nil, nil,
			problem.TooManyValues},
		{"a damaged cursor", year2026(), new(*first + "A"), nil, problem.InvalidCursor},
		{"no cursor", year2026(), new("garbage"), nil, problem.InvalidCursor},
		{"another market", edit(func(f *fundamentals.DividendFilter) { f.Market = &us }), first, nil, problem.InvalidCursor},
		{"another beginning", edit(func(f *fundamentals.DividendFilter) { f.From = day("2026-01-02") }), first, nil, problem.InvalidCursor},
		{"no beginning", edit(func(f *fundamentals.DividendFilter) { f.From = nil }), first, nil, problem.InvalidCursor},
		{"another end", edit(func(f *fundamentals.DividendFilter) { f.To = day("2026-12-30") }), first, nil, problem.InvalidCursor},
		{"another date", edit(func(f *fundamentals.DividendFilter) { f.DateField = &pay }), first, nil, problem.InvalidCursor},
		{"a status", edit(func(f *fundamentals.DividendFilter) { f.Status = &paid }), first, nil, problem.InvalidCursor},
		{"a symbol", edit(func(f *fundamentals.DividendFilter) { f.Symbols = []string{"DMOST"} }), first, nil, problem.InvalidCursor},
	} {
		spent := call.Units()
		_, err := p.Service.Dividends(ctx, c.filter, c.cursor, c.limit)
		refusal(t, c.name, err, c.want)
		if call.Units() != spent {
			t.Errorf("%s cost %d units", c.name, call.Units()-spent)
		}
	}
	_, err := p.Service.Dividends(stranger(), inverted, nil, new(0))
	if e := refusal(t, "no scope", err, problem.MissingScope); !slices.Equal(e.Members.MissingScopes, []string{"history"}) {
		t.Errorf("missing %v", e.Members.MissingScopes)
	}
	p.page(t, edit(func(f *fundamentals.DividendFilter) { f.Symbols = slices.Repeat([]string{"DMOST"}, 100) }), nil, new(1000))
}

// A cursor does not mind the limit, nor how the same filters are written.
func TestDividendCursorOfTheSameFilters(t *testing.T) {
	p := newDividendFixture(t)
	p.demo(t)
	bist, ex := market.EquityBIST, fundamentals.ByExDate
	f := year2026()
	f.Symbols = []string{"dmost", "ZZZZZ", "DMBNK", "DMOST"}
	first := p.page(t, f, nil, new(1))
	f = year2026()
	f.Market, f.DateField, f.Symbols = &bist, &ex, []string{"bist:DMBNK", "zzzzz", "DMOST"}
	if got := spelt(p.page(t, f, nil, new(1)).Dividends); !slices.Equal(got, spelt(first.Dividends)) {
		t.Errorf("the beginning: %q", got)
	}
	if got := spelt(p.page(t, f, first.NextCursor, new(7)).Dividends); !slices.Equal(got,
		[]string{"DMOST 2026-04-10 1 upcoming", "DMOST 2026-10-12 2 upcoming"}) {
		t.Errorf("page two: %q", got)
	}
}

// DL-14, TK-01, G-16.
func TestDividendsOfTheTestPlan(t *testing.T) {
	p := newDividendFixture(t)
	p.demo(t)
	ctx, _ := tester()
	allowed := []string{"bist:DMOST", "bist:DMBNK", "bist:DMSIG", "bist:DMTEK"}
	page, err := p.Service.Dividends(ctx, year2026(), nil, nil)
	want := []string{"DMSIG 2026-02-10 0 paid", "DMTEK 2026-03-02 0 paid", "DMBNK 2026-03-17 0 upcoming", "DMOST 2026-04-10 1 upcoming",
		"DMOST 2026-10-12 2 upcoming"}
	if err != nil || !slices.Equal(spelt(page.Dividends), want) || len(page.NotFound) > 0 {
		t.Errorf("all: %+v, %v", page, err)
	}
	us := market.EquityUS
	for name, f := range map[string]fundamentals.DividendFilter{
		"another stock":        {Symbols: []string{"DMOST", "DMSG2"}},
		"an unknown stock":     {Symbols: []string{"ZZZZZ"}},
		"another in 101":       {Symbols: slices.Repeat([]string{"DMSG2"}, 101)},
		"an id of the US":      {Symbols: []string{"us:DMAP"}},
		"the US":               {Market: &us},
		"a stock of the US":    {Market: &us, Symbols: []string{"DMAP"}},
		"a namesake in the US": {Market: &us, Symbols: []string{"DMOST"}},
	} {
		_, err := p.Service.Dividends(ctx, f, nil, nil)
		e := refusal(t, name, err, problem.TestPlan)
		if !slices.Equal(e.Members.Available, allowed) || !strings.Contains(e.Detail, strings.Join(allowed, ", ")) {
			t.Errorf("%s: %s, available %q", name, e.Detail, e.Members.Available)
		}
	}
	planned := p.Service.TestStocks
	p.Service.TestStocks = nil
	_, err = p.Service.Dividends(ctx, fundamentals.DividendFilter{Symbols: []string{"DMOST"}}, nil, nil)
	if e := refusal(t, "no stocks in the plan", err, problem.TestPlan); !strings.Contains(e.Detail, "this server has none") ||
		e.Members.Available == nil {
		t.Errorf("no stocks in the plan: %s, available %#v", e.Detail, e.Members.Available)
	}
	p.Service.TestStocks = planned
	f := year2026()
	f.Symbols = []string{"dmost", "bist:DMBNK"}
	if page, err = p.Service.Dividends(ctx, f, nil, nil); err != nil || page.Count != 3 {
		t.Errorf("two: %+v, %v", page, err)
	}
	f.Symbols = []string{}
	_, err = p.Service.Dividends(ctx, f, nil, nil)
	refusal(t, "no symbols", err, problem.InvalidParameter)

	cursor := p.page(t, year2026(), nil, new(1)).NextCursor
	_, err = p.Service.Dividends(ctx, year2026(), cursor, nil)
	refusal(t, "a cursor of another key", err, problem.InvalidCursor)

	p.TestStocks = []market.ID{"bist:NEVER", "bist:DMALTF"}
	if page, err = p.Service.Dividends(ctx, year2026(), nil, nil); err != nil || page.Count != 0 || len(page.NotFound) > 0 {
		t.Errorf("a plan of no stock: %+v, %v", page, err)
	}
	f.Symbols = []string{"never"}
	if page, err = p.Service.Dividends(ctx, f, nil, nil); err != nil || !slices.Equal(page.NotFound, []string{"never"}) {
		t.Errorf("a stock of the plan that is not in the catalog: %+v, %v", page, err)
	}
	p.TestStocks = nil
	if page, err = p.Service.Dividends(ctx, year2026(), nil, nil); err != nil || page.Count != 0 {
		t.Errorf("an empty plan: %+v, %v", page, err)
	}
}

// Dividends wait for their instrument, and follow what it turns out to be.
func TestDividendsOfLateInstruments(t *testing.T) {
	p := newDividendFixture(t)
	p.pays(t, "bist:LATE 2026-03-02 2026-03-04 0")
	f := fundamentals.DividendFilter{Symbols: []string{"LATE"}}
	for _, c := range []struct {
		sort  market.AssetType // what it arrives as
		count int
	}{{"", 0}, {market.ETF, 0}, {market.Stock, 1}, {market.ETF, 0}} {
		missing := []string{"LATE"}
		if c.count == 1 {
			missing = []string{}
		}
		if c.sort != "" {
			in := p.list(t, "bist:LATE", c.sort)
			ctx, _ := holder()
			history, err := p.DividendHistory(ctx, "bist:LATE")
			rows, _ := p.DividendsOf(ctx, []*market.Instrument{in}, new(1))
			if err != nil || history.Count != c.count || len(rows[0]) != c.count {
				t.Errorf("%s: %+v, %q, %v", c.sort, history, spelt(rows[0]), err)
			}
		}
		all, one := p.page(t, fundamentals.DividendFilter{}, nil, nil), p.page(t, f, nil, nil)
		if all.Count != c.count || one.Count != c.count || !slices.Equal(one.NotFound, missing) {
			t.Errorf("%s: %q; alone %q, not found %q", c.sort, spelt(all.Dividends), spelt(one.Dividends), one.NotFound)
		}
	}
}

// A walk that a midnight interrupts goes on in the window that it began in.
func TestDividendWalkOverMidnight(t *testing.T) {
	p := newDividendFixture(t)
	p.pays(t, "bist:DMOST 2026-02-16 - 0", "bist:DMBNK 2026-02-16 - 0", "bist:DMBNK 2026-06-16 - 0", "bist:DMBNK 2026-06-17 - 0")
	first := p.page(t, fundamentals.DividendFilter{}, nil, new(1))
	p.now = value.MustInstant("2026-03-18T21:00:00Z")
	second := p.page(t, fundamentals.DividendFilter{}, first.NextCursor, new(9))
	if got := spelt(second.Dividends); !slices.Equal(got, []string{"DMOST 2026-02-16 0 paid", "DMBNK 2026-06-16 0 upcoming"}) ||
		second.FromDate != first.FromDate || second.ToDate != first.ToDate {
		t.Errorf("%s to %s: %q", second.FromDate, second.ToDate, got)
	}
	if got := spelt(p.page(t, fundamentals.DividendFilter{}, nil, nil).Dividends); len(got) != 2 {
		t.Errorf("a new walk: %q", got)
	}
}

// DL-03, DL-13: a walk of any step gives what one page gives, in the stated
// order.
func TestDividendWalks(t *testing.T) {
	p := newDividendFixture(t)
	ids := []string{"bist:DMOST", "bist:DMBNK", "bist:DMSG2", "bist:DMALTF", "us:DMAP", "us:DMETF"}
	round := 0
	rapid.Check(t, func(t *rapid.T) {
		round++
		begin := value.MustDate("1900-01-01").AddDays(20 * round)
		days := rapid.IntRange(0, 3)
		for range rapid.IntRange(0, 25).Draw(t, "rows") {
			payment := "-"
			if rapid.IntRange(0, 3).Draw(t, "dated") > 0 {
				payment = begin.AddDays(days.Draw(t, "payment")).String()
			}
			p.pays(t, fmt.Sprint(rapid.SampledFrom(ids).Draw(t, "id"), " ", begin.AddDays(days.Draw(t, "ex")), " ", payment, " ",
				rapid.IntRange(0, 2).Draw(t, "installment")))
		}
		p.now = begin.AddDays(days.Draw(t, "today")).TurkeyStart()
		f := fundamentals.DividendFilter{
			Market: rapid.Ptr(rapid.SampledFrom([]market.EquityMarket{market.EquityBIST, market.EquityUS}), true).Draw(t, "market"),
			DateField: rapid.Ptr(rapid.SampledFrom([]fundamentals.DividendDateField{fundamentals.ByExDate, fundamentals.ByPaymentDate}),
				true).Draw(t, "field"),
			Status: rapid.Ptr(rapid.SampledFrom([]fundamentals.DividendStatus{fundamentals.Upcoming, fundamentals.Paid}),
				true).Draw(t, "status"),
			From: &begin, To: new(begin.AddDays(4)),
		}
		if rapid.Bool().Draw(t, "some") {
			f.Symbols = rapid.SliceOfN(rapid.SampledFrom([]string{"DMOST", "dmbnk", "DMAP", "DMALTF", "ZZ"}), 1, 3).Draw(t, "symbols")
		}
		ctx, call := access.WithCall(t.Context(), &access.Key{Scopes: []access.Scope{access.History}})
		whole, err := p.Service.Dividends(ctx, f, nil, new(1000))
		if err != nil || call.Units() != 1 {
			t.Fatalf("%v, %d units", err, call.Units())
		}
		date := func(d *fundamentals.Dividend) value.Date {
			if f.DateField != nil && *f.DateField == fundamentals.ByPaymentDate {
				return d.PaymentDate
			}
			return d.ExDate
		}
		order := func(d *fundamentals.Dividend) string {
			installment := 0
			if d.Installment != nil {
				installment = *d.Installment
			}
			return fmt.Sprintf("%s %s %d %s", date(d), d.InstrumentID, installment, d.ExDate)
		}
		for i, d := range whole.Dividends {
			if i > 0 && order(whole.Dividends[i-1]) >= order(d) {
				t.Fatalf("%s before %s", order(whole.Dividends[i-1]), order(d))
			}
			if f.Status != nil && d.Status != *f.Status || date(d).IsNull() {
				t.Fatalf("%s is %s", order(d), d.Status)
			}
		}
		step := rapid.IntRange(1, 5).Draw(t, "step")
		var got []string
		var cursor *string
		for {
			page, err := p.Service.Dividends(ctx, f, cursor, &step)
			need.NoError(t, err)
			got = append(got, spelt(page.Dividends)...)
			if cursor = page.NextCursor; cursor == nil {
				break
			}
			if page.Count != step {
				t.Fatalf("%d rows of %d, and more to come", page.Count, step)
			}
		}
		if !slices.Equal(got, spelt(whole.Dividends)) {
			t.Fatalf("walked over %q, want %q", got, spelt(whole.Dividends))
		}
	})
}

// A refusal says which of the bounds nobody asked for.
func TestDividendsSayTheirDefaults(t *testing.T) {
	p := newDividendFixture(t)
	p.now = value.MustInstant("2026-03-18T12:00:00Z")
	ctx, _ := holder()
	for _, c := range []struct {
		from, to *value.Date
		want     string
	}{
		{nil, day("2026-02-15"), "from, 2026-02-16, must not be after to, 2026-02-15. from defaults to 30 days before today."},
		{day("2026-06-17"), nil, "from, 2026-06-17, must not be after to, 2026-06-16. to defaults to 90 days after today."},
		{day("2026-03-02"), day("2026-03-01"), "from, 2026-03-02, must not be after to, 2026-03-01."},
		{day("2025-06-15"), nil,
			"A range of dividends has at most 366 days, both ends included; 2025-06-15 to 2026-06-16 is longer. to defaults to " +
				"90 days after today."},
	} {
		_, err := p.Service.Dividends(ctx, fundamentals.DividendFilter{From: c.from, To: c.to}, nil, nil)
		if err == nil || problem.From(err).Detail != c.want {
			t.Errorf("%v..%v: %v, want %s", c.from, c.to, err, c.want)
		}
	}
}
