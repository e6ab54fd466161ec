package market_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"piyasa/account/access"
	"piyasa/domain/market"
	"piyasa/internal/problem"
	"piyasa/internal/value"
	"piyasa/test/fixture/calls"
	"piyasa/test/fixture/need"
)

// floor returns a fixture whose only instruments are the given rows of the exchange,
// each "SYMBOL change_pct turnover", "-" for a figure that is missing.
func floor(at string, rows ...string) *fixture {
	d := newFixture()
	for _, row := range rows {
		f := strings.Fields(row)
		id := market.ID("bist:" + f[0])
		d.Live.PutCatalog([]*market.Instrument{record(id)}, nil)
		o := seen(id, "100.50", at)
		o.Change, o.Volume = dec("1.5"), dec("7")
		for i, figure := range []*value.Decimal{&o.ChangePct, &o.Turnover} {
			if f[1+i] != "-" {
				*figure = dec(f[1+i])
			}
		}
		d.Live.PutQuotes([]*market.Observation{o})
	}
	return d
}

// ranking is the three lists of symbols and the count, as one line.
func ranking(m *market.Movers) string {
	symbols := func(rows []*market.Mover) string {
		var list []string
		for i, row := range rows {
			if row.Rank != i+1 {
				list = append(list, fmt.Sprint("rank ", row.Rank))
			}
			list = append(list, row.Symbol)
		}
		return strings.Join(list, " ")
	}
	return fmt.Sprintf("%s | %s | %s | %d", symbols(m.Gainers), symbols(m.Losers), symbols(m.MostTraded), m.Count)
}

func rankingOf(t *testing.T, d *fixture, limit *int, currency ...market.Currency) string {
	t.Helper()
	m, err := d.Movers(calls.Anyone(), limit, one(currency))
	need.NoError(t, err)
	if m.Gainers == nil || m.Losers == nil || m.MostTraded == nil {
		t.Error("a list is null")
	}
	return ranking(m)
}

const today = "2026-03-18T11:45:00Z"

func TestMoversOrder(t *testing.T) {
	for _, c := range []struct {
		name string
		rows []string
		want string
	}{
		{"V-127", []string{"BBB 4.10 50", "AAA 4.10 70", "CCC -2.5 90", "DDD 0 10", "EEE - 80"}, "AAA BBB | CCC | CCC EEE AAA BBB DDD | 5"},
		{"by value, not by text", []string{"AAA 9.5 9", "BBB 10.1 100", "CCC 9.50 20", "DDD 0.5 3000"},
			"BBB AAA CCC DDD |  | DDD BBB CCC AAA | 4"},
		{"losers: the largest loss first", []string{"AAA -1 1", "BBB -10 1", "CCC -9.99 1", "DDD -10.0 1"},
			" | BBB DDD CCC AAA | AAA BBB CCC DDD | 4"},
		{"zero is neither", []string{"AAA 0 1", "BBB 0.00 2", "CCC 0.0001 3", "DDD -0.0001 4"}, "CCC | DDD | DDD CCC BBB AAA | 4"},
		{"no turnover", []string{"AAA 1 -", "BBB -1 0", "CCC 2 0.00"}, "CCC AAA | BBB | BBB CCC | 3"},
		{"neither figure takes no part", []string{"AAA - -", "BBB 1 -"}, "BBB |  |  | 1"},
		{"nothing", nil, " |  |  | 0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			slices.Reverse(c.rows)
			if got := rankingOf(t, floor(today, c.rows...), nil); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// Who takes part: every kind of the exchange with a price in lira today.
func TestMoversTakePart(t *testing.T) {
	d := floor(today, "AAA 1 10", "GOLDF 2 20", "GONE 3 30", "DOLLAR 4 40", "OLD 5 50", "NEXT 6 60", "MIDNIGHT 7 70")
	d.Live.PutCatalog([]*market.Instrument{record("bist:GOLDF", etf("GOL")), record("us:AAPL"), record("fund:AAA")}, nil)
	change := func(id market.ID, edit func(*market.Observation)) {
		o := seen(id, "100", today)
		o.ChangePct, o.Turnover = dec("9"), dec("90")
		edit(o)
		d.Live.PutQuotes([]*market.Observation{o})
	}
	change("bist:GONE", func(o *market.Observation) { o.Last = value.Decimal{} })
	change("bist:DOLLAR", func(o *market.Observation) { o.Currency = new("USD") })
	change("bist:OLD", func(o *market.Observation) { o.AsOf = value.MustInstant("2026-03-17T20:59:59Z") })
	change("bist:MIDNIGHT", func(o *market.Observation) { o.AsOf = value.MustInstant("2026-03-17T21:00:00Z") })
	change("bist:NEXT", func(o *market.Observation) { o.AsOf = value.MustInstant("2026-03-18T21:00:00Z") })
	change("us:AAPL", func(*market.Observation) {})
	change("fund:AAA", func(*market.Observation) {})
	change("bist:UNLISTED", func(*market.Observation) {})
	m, err := d.Movers(calls.Anyone(), nil, nil)
	need.NoError(t, err)
	if got, want := ranking(m), "MIDNIGHT GOLDF AAA |  | MIDNIGHT GOLDF AAA | 3"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if m.AsOf != value.MustInstant(today) || m.Market != market.BIST || m.Currency != "TRY" {
		t.Errorf("%+v", m)
	}
	if row := m.Gainers[2]; row.InstrumentID != "bist:AAA" || row.Name != "Name of AAA" || row.Last != dec("100.50") ||
		row.Change != dec("1.5") ||
		row.ChangePct != dec("1") || row.Volume != dec("7") || row.Turnover != dec("10") || row.AsOf != value.MustInstant(today) {
		t.Errorf("%+v", row)
	}
	empty, err := newFixture().Movers(calls.Anyone(), nil, nil)
	if err != nil || !empty.AsOf.IsNull() || empty.MissingReason.Reason != value.NoneStored {
		t.Errorf("an empty ranking is of %v, %v", empty, err)
	}
	bare, err := floor(today, "AAA - -").Movers(calls.Anyone(), nil, nil)
	if err != nil || bare.Count != 0 || bare.MissingReason.Reason != value.NotStated {
		t.Errorf("a ranking of quotes without figures: %+v, %v", bare, err)
	}
}

// G-37: the current trading day, or outside the session the last one.
func TestMoversDay(t *testing.T) {
	days := []*market.TradingDay{hours("2026-03-19", "10:00", "12:30"), hours("2026-03-20", "", ""), hours("2026-03-23", "", "")}
	for _, c := range []struct{ name, now, day string }{
		{"before the open", "2026-03-18T06:59:59.999Z", "2026-03-17"},
		{"at the open", "2026-03-18T07:00:00Z", "2026-03-18"},
		{"in the session", "2026-03-18T12:00:00Z", "2026-03-18"},
		{"after the close", "2026-03-18T15:00:00Z", "2026-03-18"},
		{"until midnight", "2026-03-18T20:59:59Z", "2026-03-18"},
		{"after midnight", "2026-03-18T21:00:00Z", "2026-03-18"},
		{"on a half day", "2026-03-19T07:00:00Z", "2026-03-19"},
		{"after a half day", "2026-03-19T10:00:00Z", "2026-03-19"},
		{"on a holiday", "2026-03-20T12:00:00Z", "2026-03-19"},
		{"on the Saturday after", "2026-03-21T12:00:00Z", "2026-03-19"},
		{"on the Sunday after", "2026-03-22T12:00:00Z", "2026-03-19"},
		{"on the second holiday", "2026-03-23T12:00:00Z", "2026-03-19"},
		{"before the open after all that", "2026-03-24T06:59:59Z", "2026-03-19"},
		{"at the open after all that", "2026-03-24T07:00:00Z", "2026-03-24"},
		{"on an ordinary Monday morning", "2026-03-16T06:00:00Z", "2026-03-13"},
		{"on a Sunday", "2026-03-15T12:00:00Z", "2026-03-13"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := floor(today)
			d.Live.PutCatalog(nil, days)
			for day := 12; day <= 25; day++ { // one instrument for each day, which names it
				date := fmt.Sprintf("2026-03-%d", day)
				id := market.ID("bist:" + date)
				d.Live.PutCatalog([]*market.Instrument{record(id)}, nil)
				o := seen(id, "1", date+"T09:00:00Z")
				o.ChangePct = dec("1")
				d.Live.PutQuotes([]*market.Observation{o})
			}
			d.now = value.MustInstant(c.now)
			if got, want := rankingOf(t, d, nil), c.day+" |  |  | 1"; got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
}

// Equal figures are ordered by symbol among many rows too, however the numbers
// are written.
func TestMoversTies(t *testing.T) {
	var rows []string
	for i := range 90 {
		rows = append(rows, fmt.Sprintf("S%03d %d%s 5", i, 1+i*7%3, []string{"", ".0"}[i%2]))
	}
	m, err := floor(today, rows...).Movers(calls.Anyone(), new(90), nil)
	if err != nil || len(m.Gainers) != 90 {
		t.Fatalf("%v, %v", m, err)
	}
	for i := range 89 {
		a, b := m.Gainers[i], m.Gainers[i+1]
		if order := a.ChangePct.Cmp(b.ChangePct); order < 0 || order == 0 && a.Symbol > b.Symbol {
			t.Errorf("%s of %s before %s of %s", a.Symbol, a.ChangePct, b.Symbol, b.ChangePct)
		}
	}
}

func TestMoversLimit(t *testing.T) {
	var rows []string
	for i := range 120 {
		rows = append(rows, fmt.Sprintf("S%03d %d.5 %d", i, 200-i, 1000-i))
	}
	d := floor(today, rows...)
	for _, c := range []struct {
		limit *int
		rows  int
	}{{nil, 20}, {new(1), 1}, {new(100), 100}} {
		m, err := d.Movers(calls.Anyone(), c.limit, nil)
		if err != nil || len(m.Gainers) != c.rows || len(m.MostTraded) != c.rows || len(m.Losers) != 0 || m.Count != 120 ||
			m.Gainers[0].Symbol != "S000" {
			t.Errorf("%d rows: %v, %v", c.rows, m, err)
		}
	}
	for _, limit := range []int{0, -1, 101} {
		_, err := d.Movers(calls.Anyone(), &limit, nil)
		if e := calls.WantProblem(t, err, problem.InvalidParameter); e.Members.Parameter != "limit" {
			t.Errorf("%d: %+v", limit, e.Members)
		}
	}
}

// MV-04: money converts, the order does not. The two smallest turnovers are
// equal in dollars and stay in the order of their lira.
func TestMoversInACurrency(t *testing.T) {
	rows := []string{"AAA 3 0.02", "BBB 2 0.04", "CCC -1 1234567890.50", "DDD 1 -"}
	d := floor(today, rows...)
	d.Live.PutCatalog([]*market.Instrument{record("fx:USDTRY"), record("fx:EURTRY")}, nil)
	d.Live.PutQuotes([]*market.Observation{seen("fx:USDTRY", "41.25", "2026-03-18T11:44:30Z"),
		seen("fx:EURTRY", "44.82", "2026-03-18T10:59:59Z")})
	plain := rankingOf(t, d, nil)
	ctx := calls.Caller("quotes:bist")
	call := access.CallOf(ctx)
	usd := market.USD
	m, err := d.Movers(ctx, nil, &usd)
	need.NoError(t, err)
	if got := ranking(m); got != plain || got != "AAA BBB DDD | CCC | CCC BBB AAA | 4" {
		t.Errorf("got %s, unconverted %s", got, plain)
	}
	if m.Currency != "USD" || m.FxRate != dec("0.0242424242424") || m.FxAsOf.String() != "2026-03-18T11:44:30Z" || call.Units() != 1 {
		t.Errorf("%+v for %d units", m, call.Units())
	}
	loser := m.Losers[0]
	if loser.Last != dec("2.43636364") || loser.Change != dec("0.036363636") || loser.ChangePct != dec("-1") || loser.Volume != dec("7") ||
		loser.Turnover != dec("29928918.56") {
		t.Errorf("%+v", loser)
	}
	if !m.Gainers[2].Turnover.IsNull() {
		t.Errorf("null became %s", m.Gainers[2].Turnover)
	}
	if m.MostTraded[0].Turnover != loser.Turnover {
		t.Errorf("one row at two figures: %s", m.MostTraded[0].Turnover)
	}

	same, err := d.Movers(calls.Anyone(), nil, new(market.TRY))
	if err != nil || !same.FxRate.IsNull() || same.Currency != "TRY" || same.Losers[0].Turnover != dec("1234567890.50") {
		t.Errorf("in lira: %+v, %v", same, err)
	}
	ctx = calls.Caller(access.Scopes...)
	call = access.CallOf(ctx)
	_, err = d.Movers(ctx, nil, new(market.EUR))
	if calls.WantProblem(t, err, problem.FXRateUnavailable); call.Units() != 0 {
		t.Errorf("a failure costs %d", call.Units())
	}
}
