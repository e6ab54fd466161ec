package analytics_test

import (
	"encoding/json"
	"fmt"
	"math/big"
	"runtime"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"piyasa/domain/analytics"
	"piyasa/domain/market"
	"piyasa/internal/value"
	"piyasa/test/fixture/need"
)

// figure is the Decimal of text; empty text is null.
func figure(text string) value.Decimal {
	if text == "" {
		return value.Decimal{}
	}
	return value.MustDecimal(text)
}

// dailyBar is a bar of a date: close, high and low, of which the last may be
// left out.
func dailyBar(date string, prices ...string) analytics.Day {
	prices = append(prices, "", "", "")
	return analytics.Day{Date: value.MustDate(date), Close: figure(prices[0]), High: figure(prices[1]), Low: figure(prices[2])}
}

// weekdays are bars from one date to another with one close, none at weekends.
func weekdays(from, to, price string) []analytics.Day {
	var days []analytics.Day
	for d, last := value.MustDate(from), value.MustDate(to); !last.Before(d); d = d.AddDays(1) {
		if d.Weekday() != time.Saturday && d.Weekday() != time.Sunday {
			days = append(days, analytics.Day{Date: d, Close: figure(price)})
		}
	}
	return days
}

// windowText writes a window in one line; null is "-".
func windowText(w *analytics.PeriodicWindow) string {
	reason := "-"
	if w.NullReason != nil {
		reason = *w.NullReason
	}
	fields := []string{w.Window, w.StartDate.String()}
	for _, d := range []value.Decimal{w.StartPrice, w.EndPrice, w.High, w.Low, w.Change, w.ChangePct} {
		fields = append(fields, d.String())
	}
	for i, f := range fields {
		if f == "" {
			fields[i] = "-"
		}
	}
	return strings.Join(append(fields, reason), " ")
}

func checkWindows(t testing.TB, got []*analytics.PeriodicWindow, want []string) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d windows, want %d", len(got), len(want))
	}
	for i, w := range got {
		if s := windowText(w); s != want[i] {
			t.Errorf("got  %s\nwant %s", s, want[i])
		}
	}
}

// V-128, V-129 and what else may stand where a window starts.
func TestWindowStarts(t *testing.T) {
	for _, c := range []struct {
		name, from, to string
		starts         []string
	}{
		{"V-128", "2024-01-01", "2026-03-17", []string{"2026-03-10", "2026-03-03", "2026-02-17", "2025-12-17", "2025-09-17", "2025-03-17"}},
		{"V-129", "2024-01-01", "2026-03-31", []string{"2026-03-24", "2026-03-17", "2026-02-27", "2025-12-31", "2025-09-30", "2025-03-31"}},
		{"the end of February after a leap day", "2024-01-01", "2024-05-31",
			[]string{"2024-05-24", "2024-05-17", "2024-04-30", "2024-02-29", "", ""}},
		{"a leap day", "2022-01-01", "2024-02-29", []string{"2024-02-22", "2024-02-15", "2024-01-29", "2023-11-29", "2023-08-29",
			"2023-02-28"}},
		{"just long enough", "2025-03-17", "2026-03-17",
			[]string{"2026-03-10", "2026-03-03", "2026-02-17", "2025-12-17", "2025-09-17", "2025-03-17"}},
		{"a day short", "2025-03-18", "2026-03-17", []string{"2026-03-10", "2026-03-03", "2026-02-17", "2025-12-17", "2025-09-17", ""}},
		{"a week", "2026-03-10", "2026-03-17", []string{"2026-03-10", "", "", "", "", ""}},
		{"less", "2026-03-11", "2026-03-17", []string{"", "", "", "", "", ""}},
		{"one day", "2026-03-17", "2026-03-17", []string{"", "", "", "", "", ""}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var want []string
			for i, name := range []string{"1w", "2w", "1m", "3m", "6m", "1y"} {
				if c.starts[i] == "" {
					want = append(want, name+" - - - - - - - insufficient_history")
				} else {
					want = append(want, name+" "+c.starts[i]+" 7.50 7.50 7.50 7.50 0 0 -")
				}
			}
			checkWindows(t, analytics.Windows(weekdays(c.from, c.to, "7.50"), nil), want)
		})
	}
}

// What the windows state, on few days.
func TestWindowFigures(t *testing.T) {
	short := func(names ...string) []string {
		var lines []string
		for _, n := range names {
			lines = append(lines, n+" - - - - - - - insufficient_history")
		}
		return lines
	}
	for _, c := range []struct {
		name string
		days []analytics.Day
		want []string
	}{
		{"no days", nil, short("1w", "2w", "1m", "3m", "6m", "1y")},
		{"no close", []analytics.Day{dailyBar("2026-01-02", "", "5", "4"), dailyBar("2026-03-17", "", "6", "5")},
			short("1w", "2w", "1m", "3m", "6m", "1y")},
		{
			"the sample of the API", // prices keep their digits; those of the start date do not count among high and low
			[]analytics.Day{
				dailyBar("2025-12-17", "270", "400", "100"), dailyBar("2026-01-20", "280", "310.50", "262.25"),
				dailyBar("2026-03-17", "305.25", "306.00", "301.00"),
			},
			append([]string{
				"1w 2026-01-20 280 305.25 306.00 301.00 25.25 9.0179 -", "2w 2026-01-20 280 305.25 306.00 301.00 25.25 9.0179 -",
				"1m 2026-01-20 280 305.25 306.00 301.00 25.25 9.0179 -", "3m 2025-12-17 270 305.25 310.50 262.25 35.25 13.0556 -",
			}, short("6m", "1y")...),
		},
		{
			"bars without highs and lows", // each counts with its close
			[]analytics.Day{dailyBar("2026-03-10", "10"), dailyBar("2026-03-11", "12.50"), dailyBar("2026-03-12", "11", "11.75"),
				dailyBar("2026-03-13", "9", "", "8.125"), dailyBar("2026-03-17", "10.00")},
			append([]string{"1w 2026-03-10 10 10.00 12.50 8.125 0 0 -"}, short("2w", "1m", "3m", "6m", "1y")...),
		},
		{
			"days without a close", // neither start nor end; their highs and lows count between the two, and not after the end
			[]analytics.Day{dailyBar("2026-03-06", "10"), dailyBar("2026-03-09", "", "30", "8"), dailyBar("2026-03-16", "20", "21", "19"),
				dailyBar("2026-03-17", "", "40", "1"), dailyBar("2026-03-18", "", "41")},
			append([]string{"1w 2026-03-06 10 20 30 8 10 100 -"}, short("2w", "1m", "3m", "6m", "1y")...),
		},
		{
			"a start of zero and one below", // a spread can be negative
			[]analytics.Day{dailyBar("2026-02-17", "-2"), dailyBar("2026-03-03", "0.00"), dailyBar("2026-03-10", "-1.5"),
				dailyBar("2026-03-17", "3")},
			append([]string{
				"1w 2026-03-10 -1.5 3 3 3 4.5 - non_positive_base", "2w 2026-03-03 0.00 3 3 -1.5 3 - non_positive_base",
				"1m 2026-02-17 -2 3 3 -1.5 5 - non_positive_base",
			}, short("3m", "6m", "1y")...),
		},
		{
			"halves go away from zero",
			[]analytics.Day{dailyBar("2026-02-17", "2000000"), dailyBar("2026-03-10", "2000000.0"), dailyBar("2026-03-17", "1999999")},
			append([]string{
				"1w 2026-03-10 2000000.0 1999999 1999999 1999999 -1 -0.0001 -",
				"2w 2026-02-17 2000000 1999999 2000000.0 1999999 -1 -0.0001 -",
				"1m 2026-02-17 2000000 1999999 2000000.0 1999999 -1 -0.0001 -",
			}, short("3m", "6m", "1y")...),
		},
		{
			"less than a half", // and no negative zero
			[]analytics.Day{dailyBar("2026-03-10", "2000001"), dailyBar("2026-03-17", "2000000")},
			append([]string{"1w 2026-03-10 2000001 2000000 2000000 2000000 -1 0 -"}, short("2w", "1m", "3m", "6m", "1y")...),
		},
	} {
		t.Run(c.name, func(t *testing.T) { checkWindows(t, analytics.Windows(c.days, nil), c.want) })
	}
}

// V-67
func TestConvertedWindow(t *testing.T) {
	w := analytics.Windows([]analytics.Day{dailyBar("2025-12-17", "270"), dailyBar("2026-01-20", "280", "310.5", "262.25"),
		dailyBar("2026-03-17", "305.25")}, nil)[3]
	plain := windowText(w)
	if want := "3m 2025-12-17 270 305.25 310.5 262.25 35.25 13.0556 -"; plain != want {
		t.Fatalf("got  %s\nwant %s", plain, want)
	}
	euros := market.Rate{Factor: value.NewRatio(figure("1"), figure("44.82")).Factor()}
	if got, want := windowText(w.Converted(euros)),
		"3m 2025-12-17 6.02409639 6.81057564 6.92771084 5.85118251 0.78647925 13.0556 -"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := windowText(w); got != plain {
		t.Errorf("the window itself became %s", got)
	}
	none := analytics.Windows(nil, nil)[0]
	if got, want := windowText(none.Converted(euros)), windowText(none); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestWindowJSON(t *testing.T) {
	windows := analytics.Windows([]analytics.Day{dailyBar("2026-03-10", "270.00"), dailyBar("2026-03-17", "305.25", "310.50")}, nil)
	got, err := json.Marshal(windows[:2])
	want := `[{"window":"1w","start_date":"2026-03-10","start_price":"270.00","end_price":"305.25","high":"310.50","low":"305.25","change":"35.25","change_pct":"13.0556","null_reason":null},` +
		`{"window":"2w","start_date":null,"start_price":null,"end_price":null,"high":null,"low":null,"change":null,"change_pct":null,"null_reason":"insufficient_history"}]`
	if err != nil || string(got) != want {
		t.Errorf("got  %s, %v\nwant %s", got, err, want)
	}
}

// exactly is the fraction that a figure stands for.
func exactly(d value.Decimal) *big.Rat {
	r, ok := new(big.Rat).SetString(d.String())
	if !ok {
		panic("not a number: " + d.String())
	}
	return r
}

// fourPlaces spells r with 4 decimals, half away from zero, without trailing
// zeros.
func fourPlaces(r *big.Rat) string {
	text := strings.TrimRight(strings.TrimRight(r.FloatString(4), "0"), ".")
	if text == "-0" || text == "" {
		return "0"
	}
	return text
}

// daysBack is the day on or before which a window starts, found by counting.
func daysBack(window string, end value.Date) value.Date {
	if n, weekly := map[string]int{"1w": 7, "2w": 14}[window]; weekly {
		return end.AddDays(-n)
	}
	at, _ := time.Parse(time.DateOnly, end.String())
	month := time.Date(at.Year(), at.Month(), 1, 0, 0, 0, 0, time.UTC)
	for range map[string]int{"1m": 1, "3m": 3, "6m": 6, "1y": 12}[window] {
		month = month.AddDate(0, 0, -1)
		month = month.AddDate(0, 0, 1-month.Day())
	}
	day := at.Day()
	for time.Date(month.Year(), month.Month(), day, 0, 0, 0, 0, time.UTC).Month() != month.Month() {
		day--
	}
	return value.NewDate(month.Year(), month.Month(), day)
}

// plainWindow is one window by the wording of the rule, with a look at every
// day for every figure.
func plainWindow(window string, days []analytics.Day) string {
	var start, end *analytics.Day
	for i := range days {
		if !days[i].Close.IsNull() {
			end = &days[i]
		}
	}
	for i := range days {
		if d := &days[i]; !d.Close.IsNull() && !daysBack(window, end.Date).Before(d.Date) {
			start = d
		}
	}
	if start == nil {
		return window + " - - - - - - - insufficient_history"
	}
	var high, low value.Decimal
	for _, d := range days {
		if !start.Date.Before(d.Date) || end.Date.Before(d.Date) {
			continue
		}
		top, bottom := d.High, d.Low
		if top.IsNull() {
			top = d.Close
		}
		if bottom.IsNull() {
			bottom = d.Close
		}
		if !top.IsNull() && (high.IsNull() || exactly(top).Cmp(exactly(high)) > 0) {
			high = top
		}
		if !bottom.IsNull() && (low.IsNull() || exactly(bottom).Cmp(exactly(low)) < 0) {
			low = bottom
		}
	}
	change := new(big.Rat).Sub(exactly(end.Close), exactly(start.Close))
	pct, reason := "-", "non_positive_base"
	if start.Close.Sign() > 0 {
		pct, reason = fourPlaces(new(big.Rat).Mul(big.NewRat(100, 1), new(big.Rat).Quo(change, exactly(start.Close)))), "-"
	}
	return fmt.Sprintf("%s %s %s %s %s %s %s %s %s", window, start.Date, start.Close, end.Close, high, low, fourPlaces(change), pct, reason)
}

// drawDays draws bars of one instrument: not every day has one, and not every
// bar a close. Prices have 2 decimals, all spelled, so that equal ones read the
// same.
func drawDays(t *rapid.T, most int, first value.Date) []analytics.Day {
	price := func(name string, low int) value.Decimal {
		n := rapid.IntRange(low, 3000).Draw(t, name)
		if n < 0 {
			return value.MustDecimal(fmt.Sprintf("-%d.%02d", -n/100, -n%100))
		}
		return value.MustDecimal(fmt.Sprintf("%d.%02d", n/100, n%100))
	}
	var days []analytics.Day
	step := rapid.SampledFrom([]int{1, 4, 12, 40}).Draw(t, "step")
	for date := first; len(days) < most && rapid.IntRange(0, most).Draw(t,
		"more") > 0; date = date.AddDays(rapid.IntRange(1, step).Draw(t, "gap")) {
		d := analytics.Day{Date: date}
		if rapid.IntRange(0, 5).Draw(t, "closes") > 0 {
			d.Close = price("close", 1)
			if rapid.IntRange(0, 15).Draw(t, "odd") == 0 {
				d.Close = price("odd close", -200)
			}
		}
		if rapid.Bool().Draw(t, "high stated") {
			d.High = price("high", 1)
		}
		if rapid.Bool().Draw(t, "low stated") {
			d.Low = price("low", 1)
		}
		days = append(days, d)
	}
	return days
}

func TestWindowsFollowTheRule(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		first := value.MustDate("2024-01-01").AddDays(rapid.IntRange(0, 500).Draw(t, "first"))
		days := drawDays(t, 60, first)
		closes := false
		for _, d := range days {
			closes = closes || !d.Close.IsNull()
		}
		for i, name := range []string{"1w", "2w", "1m", "3m", "6m", "1y"} {
			want := name + " - - - - - - - insufficient_history"
			if closes {
				want = plainWindow(name, days)
			}
			if got := windowText(analytics.Windows(days, nil)[i]); got != want {
				t.Fatalf("got  %s\nwant %s", got, want)
			}
		}
	})
}

// benchmarkDays are n days of an instrument, weekends left out.
func benchmarkDays(n, instrument int) []analytics.Day {
	days := make([]analytics.Day, 0, n)
	for d := value.MustDate("2024-09-02"); len(days) < n; d = d.AddDays(1) {
		if d.Weekday() == time.Saturday || d.Weekday() == time.Sunday {
			continue
		}
		cents := 10000 + (len(days)*7919+instrument*104729)%9973
		price := func(cents int) value.Decimal {
			return value.MustDecimal(fmt.Sprintf("%d.%02d", cents/100, cents%100))
		}
		days = append(days, analytics.Day{Date: d, Close: price(cents), High: price(cents + 113), Low: price(cents - 97)})
	}
	return days
}

// 2,000 instruments of 400 days.
func BenchmarkWindows(b *testing.B) {
	var instruments [][]analytics.Day
	for i := range 2000 {
		instruments = append(instruments, benchmarkDays(400, i))
	}
	for b.Loop() {
		for _, days := range instruments {
			analytics.Windows(days, nil)
		}
	}
}

// Windows are kept for long, and keep no text of the bars that they were made of.
func TestWindowsKeepNoBars(t *testing.T) {
	heap := func() int {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int(m.HeapAlloc)
	}
	before := heap()
	text := strings.Repeat("1234.56 ", 1<<20)
	var days []analytics.Day
	for i := range 400 {
		one, err := value.ParseDecimal(text[8*i : 8*i+7])
		need.NoError(t, err)
		days = append(days, analytics.Day{Date: value.MustDate("2025-01-01").AddDays(i), Close: one, High: one, Low: one})
	}
	windows := analytics.Windows(days, nil)
	text, days = "", nil
	if kept := heap() - before; kept > 1<<20 {
		t.Errorf("%d windows keep %d bytes", len(windows), kept)
	}
	runtime.KeepAlive(windows)
}
