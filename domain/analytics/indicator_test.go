package analytics_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"piyasa/domain/analytics"
	"piyasa/internal/value"
	"piyasa/test/fixture/need"
)

// IND-01: the ten pass in any letter case, the last under its long name too.
func TestIndicatorNames(t *testing.T) {
	for _, text := range []string{"stochastic", "STOCHASTIC", "Stochastic"} {
		var i analytics.Indicator
		if err := i.UnmarshalText([]byte(text)); err != nil || i != analytics.Stochastic {
			t.Errorf("%s is read as %s, %v", text, i, err)
		}
	}
	for _, want := range strings.Fields("rsi macd bbands sma ema roc obv atr adx stoch") {
		for _, text := range []string{want, strings.ToUpper(want), strings.ToUpper(want[:1]) + want[1:]} {
			sent := []byte(text)
			var i analytics.Indicator
			if err := i.UnmarshalText(sent); err != nil || string(i) != want || string(sent) != text {
				t.Errorf("%s is read as %s, %v", text, i, err)
			}
		}
	}
	for _, text := range []string{"", "foo", "rsi ", "stochastics", "STOCHASTİC", "rsİ", "ſma", "rs\x89", "sma,ema"} {
		var i analytics.Indicator
		const want = "must be one of rsi, macd, bbands, sma, ema, roc, obv, atr, adx, stoch (or stochastic)"
		if err := i.UnmarshalText([]byte(text)); err == nil || err.Error() != want {
			t.Errorf("%q is read as %s, %v", text, i, err)
		}
	}
}

// The order is the caller's, each indicator and each period once; periods
// belong to the moving averages only.
func TestOrder(t *testing.T) {
	p := randomWalk(1, 120, 500)
	for _, c := range []struct {
		name    string
		which   []analytics.Indicator
		periods []int
		want    string
	}{
		{"the default (IND-02)", analytics.DefaultIndicators, analytics.DefaultPeriods,
			"rsi 14, macd macd -, macd signal -, macd histogram -, bbands upper 20, bbands middle 20, bbands lower 20, " +
				"sma 20, sma 50, sma " +
				"200, ema 20, ema 50, ema 200"},
		{"the others", []analytics.Indicator{analytics.Stochastic, analytics.ADX, analytics.ATR, analytics.OBV, analytics.ROC},
			analytics.DefaultPeriods,
			"stoch k -, stoch d -, adx adx 14, adx plus_di 14, adx minus_di 14, atr 14, obv -, roc 12"},
		{"repeated", []analytics.Indicator{analytics.EMA, analytics.OBV, analytics.EMA, analytics.OBV}, []int{50, 5, 50, 400, 5},
			"ema 50, ema 5, ema 400, obv -"},
		{"none", nil, []int{20}, ""},
		{"no periods", []analytics.Indicator{analytics.SMA, analytics.ROC}, nil, "roc 12"},
	} {
		var got []string
		for _, v := range analytics.Compute(p, c.which, c.periods) {
			text := labelOf(v)
			switch {
			case v.Period == nil:
				text += " -"
			case v.Indicator != analytics.SMA && v.Indicator != analytics.EMA:
				text += " " + string(mustJSON(t, v.Period))
			}
			got = append(got, text)
		}
		if text := strings.Join(got, ", "); text != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, text, c.want)
		}
	}
	if len(analytics.Indicators) != 10 {
		t.Error(analytics.Indicators)
	}
}

func mustJSON(t *testing.T, v any) []byte {
	t.Helper()
	text, err := json.Marshal(v)
	need.NoError(t, err)
	return text
}

func TestIndicatorValueAsJSON(t *testing.T) {
	p := analytics.Prices{Close: figures("1 2")}
	got := string(mustJSON(t, analytics.Compute(p, []analytics.Indicator{analytics.SMA, analytics.MACD}, []int{2})[:2]))
	want := `[{"indicator":"sma","component":null,"period":2,"value":"1.5","null_reason":null},` +
		`{"indicator":"macd","component":"macd","period":null,"value":null,"null_reason":"insufficient_history"}]`
	if got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

// V-121 and V-122.
func TestWorkedFigures(t *testing.T) {
	p := analytics.Prices{Close: figures("10 11 12 11 13 14"), Volume: figures("100 150 120 130 170 90")}
	for _, c := range []struct {
		indicator analytics.Indicator
		want      map[string]string
	}{
		{analytics.SMA, map[string]string{"sma 3": "12.666667"}},
		{analytics.EMA, map[string]string{"ema 3": "13"}},
		{analytics.RSI, map[string]string{"rsi": "87.878788"}},
		{analytics.ROC, map[string]string{"roc": "16.666667"}},
		{analytics.Bollinger, map[string]string{"bbands upper": "15.161105", "bbands middle": "12.666667", "bbands lower": "10.172228"}},
		{analytics.OBV, map[string]string{"obv": "400"}},
	} {
		checkValues(t, string(c.indicator), byLabel(analytics.ComputeOver(p, c.indicator, 3)), c.want)
	}
}

// checkValues compares values by label; only those wanted.
func checkValues(t *testing.T, name string, got, want map[string]string) {
	t.Helper()
	for label, value := range want {
		if got[label] != value {
			t.Errorf("%s: %s is %s, want %s", name, label, got[label], value)
		}
	}
}

// V-123, IND-07: each figure at its exact minimum of bars and one below.
func TestInsufficientHistory(t *testing.T) {
	p := randomWalk(2, 200, 500)
	for label, minimum := range map[string]int{
		"sma 200": 200, "sma 20": 20, "sma 1": 1, "ema 200": 200, "ema 20": 20, "ema 1": 1,
		"bbands upper": 20, "bbands middle": 20, "bbands lower": 20,
		"rsi": 15, "macd macd": 26, "macd signal": 34, "macd histogram": 34, "roc": 13, "obv": 1,
		"atr": 15, "adx adx": 28, "adx plus_di": 15, "adx minus_di": 15, "stoch k": 16, "stoch d": 18,
	} {
		for _, bars := range []int{0, minimum - 1, minimum} {
			got := byLabel(analytics.Compute(firstBars(p, bars), analytics.Indicators, []int{1, 20, 200}))[label]
			if stated := bars == minimum; (got != "!insufficient_history") != stated || strings.HasPrefix(got, "!") == stated {
				t.Errorf("%s of %d bars is %q", label, bars, got)
			}
		}
	}
	if got := byLabel(analytics.Compute(firstBars(p, 120), []analytics.Indicator{analytics.SMA},
		[]int{200}))["sma 200"]; got != "!insufficient_history" {
		t.Errorf("V-123: %s", got)
	}
}

// repeated is n times the same decimal.
func repeated(text string, n int) []value.Decimal {
	return slices.Repeat([]value.Decimal{value.MustDecimal(text)}, n)
}

// straight is n decimals from one whole number by whole steps.
func straight(from, step int64, n int) []value.Decimal {
	var all []value.Decimal
	for i := range int64(n) {
		all = append(all, cents(100*(from+i*step)))
	}
	return all
}

// A quotient over nothing is null, and a flat or one-sided run has its limits.
func TestZeroBase(t *testing.T) {
	const noBase = "!non_positive_base"
	flat := repeated("5.00", 40)
	rising, falling := straight(1, 1, 40), straight(100, -1, 40)
	from := func(head string, tail []value.Decimal) []value.Decimal {
		return append(figures(head), tail...)
	}
	for _, c := range []struct {
		name string
		p    analytics.Prices
		want map[string]string
	}{
		{"nothing moves", analytics.Prices{Close: flat, High: flat, Low: flat, Volume: repeated("7", 40)}, map[string]string{
			"rsi": noBase, "stoch k": noBase, "stoch d": noBase, "adx adx": noBase, "adx plus_di": noBase, "adx minus_di": noBase,
			"atr": "0", "macd macd": "0", "macd signal": "0", "macd histogram": "0", "roc": "0", "obv": "0", "sma 20": "5", "ema 20": "5",
			"bbands upper": "5", "bbands middle": "5", "bbands lower": "5",
		}},
		{"flat in the end", analytics.Prices{Close: from("4 6", flat), High: from("4 6", flat), Low: from("4 6", flat)}, map[string]string{
			"rsi": "66.666667", "stoch k": noBase, "stoch d": noBase,
		}},
		{"only rises", analytics.Prices{Close: rising, High: rising, Low: rising}, map[string]string{
			"rsi": "100", "adx adx": "100", "adx plus_di": "100", "adx minus_di": "0", "atr": "1", "stoch k": "100", "stoch d": "100",
		}},
		{"only falls", analytics.Prices{Close: falling, High: falling, Low: falling}, map[string]string{
			"rsi": "0", "adx adx": "100", "adx plus_di": "0", "adx minus_di": "100", "atr": "1", "stoch k": "0", "stoch d": "0",
		}},
		{"a range without direction", analytics.Prices{Close: flat, High: repeated("6", 40), Low: repeated("4", 40)}, map[string]string{
			"rsi": noBase, "adx adx": noBase, "adx plus_di": "0", "adx minus_di": "0", "atr": "2", "stoch k": "50", "stoch d": "50",
		}},
		{"a direction that comes late", analytics.Prices{Close: from("", append(flat, figures("6 7")...)),
			High: append(flat[:40:40], figures("6 7")...), Low: append(flat[:40:40], figures("6 7")...)}, map[string]string{
			"adx adx": "13.77551", "adx plus_di": "100", "adx minus_di": "0", // (13 × 100/14 + 100)/14
		}},
		{"a spread in the older of the windows only",
			analytics.Prices{Close: from("4", repeated("5", 16)), High: from("4", repeated("5", 16)), Low: from("4", repeated("5", 16))},
			map[string]string{
				"stoch k": noBase, "stoch d": "!insufficient_history",
			}},
		{"a high below its low", analytics.Prices{Close: flat, High: repeated("4", 40), Low: repeated("6", 40)}, map[string]string{
			"stoch k": noBase, "stoch d": noBase, "atr": "1",
		}},
		{"a change from zero", analytics.Prices{Close: from("0", repeated("5", 12))}, map[string]string{"roc": noBase}},
		{"a change from below zero", analytics.Prices{Close: from("-2", repeated("5", 12))}, map[string]string{"roc": noBase}},
		{"a change to zero", analytics.Prices{Close: from("5", repeated("0", 12))}, map[string]string{"roc": "-100"}},
	} {
		checkValues(t, c.name, byLabel(analytics.Compute(c.p, analytics.Indicators, []int{20})), c.want)
	}
}

// An average that no close has moved for years keeps its proportions.
func TestLongFlatRun(t *testing.T) {
	p := randomWalk(3, 60, 500)
	want := byLabel(analytics.Compute(p, analytics.Indicators, nil))
	for range 3000 {
		last := p.Close[len(p.Close)-1]
		p.Close, p.High, p.Low = append(p.Close, last), append(p.High, last), append(p.Low, last)
	}
	if got := byLabel(analytics.Compute(p, []analytics.Indicator{analytics.RSI}, nil))["rsi"]; got != want["rsi"] {
		t.Errorf("the RSI went from %s to %s", want["rsi"], got)
	}
}

// What a source does not state is missing only where it is needed.
func TestNotStated(t *testing.T) {
	const notStated = "!not_provided_by_source"
	const bars = 40
	without := func(change func(*analytics.Prices)) analytics.Prices {
		p := randomWalk(4, bars, 500)
		p.Close[5] = p.Close[4] // neither up nor down
		change(&p)
		return p
	}
	var null value.Decimal
	for _, c := range []struct {
		name string
		p    analytics.Prices
		null string // labels
	}{
		{"all stated", without(func(*analytics.Prices) {}), ""},
		{"no highs", without(func(p *analytics.Prices) { p.High = nil }), "atr, adx adx, adx plus_di, adx minus_di, stoch k, stoch d"},
		{"no lows", without(func(p *analytics.Prices) { p.Low = make([]value.Decimal, bars) }),
			"atr, adx adx, adx plus_di, adx minus_di, stoch k, stoch d"},
		{"no volumes", without(func(p *analytics.Prices) { p.Volume = nil }), "obv"},
		{"the oldest high", without(func(p *analytics.Prices) { p.High[0] = null }), "adx adx, adx plus_di, adx minus_di"},
		{"the second low", without(func(p *analytics.Prices) { p.Low[1] = null }), "atr, adx adx, adx plus_di, adx minus_di"},
		{"a high before the windows", without(func(p *analytics.Prices) { p.High[bars-19] = null }),
			"atr, adx adx, adx plus_di, adx minus_di"},
		{"a high in the older windows", without(func(p *analytics.Prices) { p.High[bars-18] = null }),
			"atr, adx adx, adx plus_di, adx minus_di, stoch d"},
		{"a low in all windows", without(func(p *analytics.Prices) { p.Low[bars-1] = null }),
			"atr, adx adx, adx plus_di, adx minus_di, stoch k, stoch d"},
		{"the oldest volume", without(func(p *analytics.Prices) { p.Volume[0] = null }), ""},
		{"a volume between equal closes", without(func(p *analytics.Prices) { p.Volume[5] = null }), ""},
		{"a volume", without(func(p *analytics.Prices) { p.Volume[1] = null }), "obv"},
		{"the oldest close", without(func(p *analytics.Prices) { p.Close[0] = null }),
			"rsi, macd macd, macd signal, macd histogram, ema 20, obv, atr, adx adx, adx plus_di, adx minus_di"},
		{"the newest close", without(func(p *analytics.Prices) { p.Close[bars-1] = null }),
			"rsi, macd macd, macd signal, macd histogram, bbands upper, bbands middle, bbands lower, sma 20, ema 20, roc, " +
				"obv, atr, adx adx, " +
				"adx plus_di, adx minus_di, stoch k, stoch d"},
	} {
		var got []string
		for _, v := range analytics.Compute(c.p, analytics.Indicators, []int{20}) {
			if v.NullReason == nil {
				continue
			}
			if got = append(got, labelOf(v)); shownValue(v) != notStated {
				t.Errorf("%s: %s is %s", c.name, labelOf(v), shownValue(v))
			}
		}
		if text := strings.Join(got, ", "); text != c.null {
			t.Errorf("%s:\n got %s\nwant %s", c.name, text, c.null)
		}
	}
}

// Too few bars come before what they do not state, and that before zero bases.
func TestPrecedenceOfReasons(t *testing.T) {
	flat := repeated("5", 20)
	short := byLabel(analytics.Compute(analytics.Prices{Close: flat[:10]}, analytics.Indicators, []int{20}))
	checkValues(t, "ten bars without highs", short,
		map[string]string{"atr": "!insufficient_history", "adx adx": "!insufficient_history",
			"stoch k": "!insufficient_history", "obv": "0"})
	long := byLabel(analytics.Compute(analytics.Prices{Close: flat, High: flat}, analytics.Indicators, []int{20}))
	checkValues(t, "twenty flat bars without lows", long,
		map[string]string{"adx adx": "!insufficient_history", "adx plus_di": "!not_provided_by_source",
			"stoch d": "!not_provided_by_source"})
	middling := byLabel(analytics.Compute(analytics.Prices{Close: append(figures("null"), repeated("5", 29)...)},
		analytics.Indicators, nil))
	checkValues(t, "thirty bars, one without a close",
		middling, map[string]string{"macd macd": "!not_provided_by_source", "macd signal": "!insufficient_history"})
	wide := byLabel(analytics.Compute(analytics.Prices{Close: flat, High: flat, Low: flat}, analytics.Indicators, []int{20}))
	checkValues(t, "twenty flat bars", wide, map[string]string{"adx adx": "!insufficient_history", "adx plus_di": "!non_positive_base"})
}
