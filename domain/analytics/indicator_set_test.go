package analytics_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"piyasa/account/access"
	"piyasa/domain/analytics"
	"piyasa/domain/market"
	"piyasa/internal/problem"
	"piyasa/internal/value"
	"piyasa/test/fixture/calls"
)

// IND-02, IND-03: the default selection is computed ahead, and is what the same
// selection computes when it is written out, or bar by bar on demand.
func TestDefaultSelection(t *testing.T) {
	d, ctx := newFixture(), allowed(t, access.History)
	d.fill()
	byDefault := must[*analytics.IndicatorSet](t)(d.Indicators(ctx, "bist:AAA", analytics.IndicatorArgs{}))
	var labels []string
	for _, v := range byDefault.Values {
		labels = append(labels, labelOf(v))
	}
	if got := strings.Join(labels,
		", "); got != "rsi, macd macd, macd signal, macd histogram, bbands upper, bbands middle, bbands lower, sma 20, "+
		"sma 50, sma 200, ema "+
		"20, ema 50, ema 200" {
		t.Errorf("by default: %s", got)
	}
	if byDefault.Count != 13 || byDefault.Unavailable == nil || len(byDefault.Unavailable) != 0 || byDefault.Note != nil ||
		byDefault.Resolution != market.Day || byDefault.InstrumentID != "bist:AAA" {
		t.Errorf("%+v", byDefault)
	}
	values := byLabel(byDefault.Values)
	for name, c := range map[string]struct {
		args  analytics.IndicatorArgs
		ahead bool
	}{
		"nothing":     {analytics.IndicatorArgs{}, true},
		"daily":       {analytics.IndicatorArgs{Resolution: new(market.Day)}, true},
		"written out": {analytics.IndicatorArgs{Indicators: analytics.DefaultIndicators, Periods: analytics.DefaultPeriods}, true},
		"one of it":   {analytics.IndicatorArgs{Indicators: []analytics.Indicator{analytics.SMA}}, false},
		"other order": {analytics.IndicatorArgs{Indicators: []analytics.Indicator{analytics.EMA, analytics.SMA, analytics.Bollinger,
			analytics.RSI, analytics.MACD}}, false},
		"one period":      {analytics.IndicatorArgs{Periods: []int{20}}, false},
		"twice":           {analytics.IndicatorArgs{Indicators: []analytics.Indicator{analytics.RSI, analytics.RSI}}, false},
		"and one more":    {analytics.IndicatorArgs{Indicators: append(slices.Clone(analytics.DefaultIndicators), analytics.ROC)}, false},
		"and unavailable": {analytics.IndicatorArgs{Indicators: append(slices.Clone(analytics.DefaultIndicators), analytics.ATR)}, false},
	} {
		set := must[*analytics.IndicatorSet](t)(d.Indicators(ctx, "bist:AAA", c.args))
		if set.Precomputed != c.ahead {
			t.Errorf("%s: precomputed %t", name, set.Precomputed)
		}
		if set.Count != len(set.Values) || set.AsOf != byDefault.AsOf {
			t.Errorf("%s: count %d of %d, as of %s", name, set.Count, len(set.Values), set.AsOf)
		}
		for label, v := range byLabel(set.Values) {
			if label != "roc" && v != values[label] {
				t.Errorf("%s: %s is %s, %s by default", name, label, v, values[label])
			}
		}
	}
	// The default asks for no bars when they are known; everything else does.
	d.takeReads()
	must[*analytics.IndicatorSet](t)(d.Indicators(ctx, "bist:AAA", analytics.IndicatorArgs{}))
	if reads := d.takeReads(); len(reads) != 0 {
		t.Errorf("the default reads %v", reads)
	}
}

// IND-04, IND-05 and G-38: daily bars give no range indicators, 5m bars give
// them from their two samples.
func TestRangeIndicators(t *testing.T) {
	d, ctx := newFixture(), allowed(t, access.History)
	d.fill()
	ranged := []analytics.Indicator{analytics.ATR, analytics.ADX, analytics.Stochastic}
	daily := must[*analytics.IndicatorSet](t)(d.Indicators(ctx, "bist:AAA", analytics.IndicatorArgs{Indicators: ranged}))
	want := []analytics.UnavailableIndicator{{Indicator: "atr", Reason: "needs_high_low"}, {Indicator: "adx", Reason: "needs_high_low"},
		{Indicator: "stoch", Reason: "needs_high_low"}}
	if daily.Values == nil || len(daily.Values) != 0 || daily.Count != 0 || !slices.Equal(daily.Unavailable, want) || daily.Precomputed {
		t.Errorf("daily: %+v", daily)
	}
	twice := must[*analytics.IndicatorSet](t)(d.Indicators(ctx, "bist:AAA",
		analytics.IndicatorArgs{Indicators: append(slices.Clone(ranged), ranged...)}))
	if !slices.Equal(twice.Unavailable, want) {
		t.Errorf("asked twice: %v", twice.Unavailable)
	}

	// Two sessions; the first bar of each has no open. Highs and lows of the
	// source must not matter: bars of 5m state none.
	var all, spanned analytics.Prices
	first := value.MustInstant("2026-03-16T07:00:00Z")
	for i := range 120 {
		at := first.Add(5 * time.Minute * market5(i))
		b := &market.Bar{InstrumentID: "bist:AAA", Resolution: market.FiveMinutes, T: at, Close: cents(int64(10000 + 37*i - 111*(i%5))),
			High: cents(1), Low: cents(99999), Volume: cents(int64(100 * i))}
		if i%60 != 0 {
			b.Open = cents(int64(10000 + 37*i - 50*(i%3)))
			high, low := b.Open, b.Close
			if high.Cmp(low) < 0 {
				high, low = low, high
			}
			spanned.Close, spanned.High, spanned.Low = append(spanned.Close, b.Close), append(spanned.High, high), append(spanned.Low, low)
		}
		all.Close, all.Volume = append(all.Close, b.Close), append(all.Volume, b.Volume)
		d.put(b)
	}
	set := must[*analytics.IndicatorSet](t)(d.Indicators(ctx, "bist:AAA",
		analytics.IndicatorArgs{Indicators: append([]analytics.Indicator{analytics.SMA, analytics.OBV}, ranged...), Periods: []int{100, 5},
			Resolution: new(market.FiveMinutes)}))
	expected := append(analytics.Compute(all, []analytics.Indicator{analytics.SMA, analytics.OBV}, []int{100, 5}),
		analytics.Compute(spanned, ranged, nil)...)
	if !reflect.DeepEqual(set.Values, expected) || len(set.Unavailable) != 0 {
		t.Errorf("5m: %v, want %v; unavailable %v", byLabel(set.Values), byLabel(expected), set.Unavailable)
	}
	for label, v := range byLabel(set.Values) {
		if strings.HasPrefix(v, "!") {
			t.Errorf("%s has no value: %s", label, v)
		}
	}
	if set.Note == nil || set.Precomputed || set.Resolution != market.FiveMinutes || set.AsOf != first.Add(5*time.Minute*market5(119)) {
		t.Errorf("5m: %+v", set)
	}
	plain := must[*analytics.IndicatorSet](t)(d.Indicators(ctx, "bist:AAA", analytics.IndicatorArgs{Resolution: new(market.FiveMinutes)}))
	if plain.Note != nil || plain.Precomputed || plain.Count != 13 {
		t.Errorf("5m by default: %+v", plain)
	}
}

// market5 is the place of the i-th bar among the slots of 5 minutes: the second
// session is a day later.
func market5(i int) (slots time.Duration) { return time.Duration(i%60 + i/60*288) }

// IND-07, V-123: an average over more bars than there are.
func TestTooFewBars(t *testing.T) {
	d, ctx := newFixture(), allowed(t, access.History)
	d.put(year("bist:AAA", 100)[280:]...) // 120 bars
	got := byLabel(must[*analytics.IndicatorSet](t)(d.Indicators(ctx, "bist:AAA", analytics.IndicatorArgs{})).Values)
	for label, v := range got {
		if short := label == "sma 200" || label == "ema 200"; (v == "!insufficient_history") != short {
			t.Errorf("%s: %s", label, v)
		}
	}
	none := must[*analytics.IndicatorSet](t)(d.Indicators(ctx, "bist:CCC", analytics.IndicatorArgs{}))
	if !none.AsOf.IsNull() || none.Count != 13 || shownValue(none.Values[0]) != "!insufficient_history" || !none.Precomputed {
		t.Errorf("without bars: %+v", none)
	}
	onDemand := must[*analytics.IndicatorSet](t)(d.Indicators(ctx, "bist:CCC",
		analytics.IndicatorArgs{Indicators: []analytics.Indicator{analytics.RSI}}))
	if !onDemand.AsOf.IsNull() || shownValue(onDemand.Values[0]) != "!insufficient_history" {
		t.Errorf("without bars, on demand: %+v", onDemand)
	}
}

// A day without a close is a hole, here and there.
func TestDaysWithoutAClose(t *testing.T) {
	d, ctx := newFixture(), allowed(t, access.History)
	d.put(daily("bist:CCC", "2026-03-17", ""))
	d.put(year("bist:AAA", 100)...)
	d.put(daily("bist:AAA", "2026-03-17", ""))
	byDefault := must[*analytics.IndicatorSet](t)(d.Indicators(ctx, "bist:AAA", analytics.IndicatorArgs{}))
	onDemand := must[*analytics.IndicatorSet](t)(d.Indicators(ctx, "bist:AAA",
		analytics.IndicatorArgs{Indicators: []analytics.Indicator{analytics.RSI}}))
	if byDefault.AsOf.String() != "2026-03-16T15:00:00Z" || onDemand.AsOf != byDefault.AsOf ||
		!reflect.DeepEqual(onDemand.Values[0], byDefault.Values[0]) {
		t.Errorf("by default %s, on demand %s", byDefault.AsOf, onDemand.AsOf)
	}
	for _, which := range [][]analytics.Indicator{nil, {analytics.RSI}} {
		if set := must[*analytics.IndicatorSet](t)(d.Indicators(ctx, "bist:CCC",
			analytics.IndicatorArgs{Indicators: which})); !set.AsOf.IsNull() {
			t.Errorf("no close at all: as of %s", set.AsOf)
		}
	}
}

// IND-08, IND-10.
func TestWhoHasIndicators(t *testing.T) {
	d, ctx := newFixture(), allowed(t, access.History)
	d.put(year("bist:GLDF", 20)...)
	if set := must[*analytics.IndicatorSet](t)(d.Indicators(ctx, "bist:gld", analytics.IndicatorArgs{})); set.InstrumentID != "bist:GLDF" ||
		set.Values[0].Value.IsNull() {
		t.Errorf("an ETF by its alias: %+v", set)
	}
	for _, id := range []string{"crypto:1", "us:USX", "fund:FND", "cmdty:XAU", "fx:USDTRY", "index:SPX", "bist:NOPE", "foo:BAR", "AAA"} {
		_, err := d.Indicators(ctx, id, analytics.IndicatorArgs{})
		calls.WantProblem(t, err, problem.NotFound)
	}
	instruments := []*market.Instrument{d.Market.ByID("crypto:1"), d.Market.ByID("bist:GLDF"), d.Market.ByID("us:USX"),
		d.Market.ByID("bist:AAA")}
	d.takeReads()
	sets, errs := d.IndicatorsOf(ctx, instruments, analytics.IndicatorArgs{Indicators: []analytics.Indicator{analytics.ROC}})
	if sets[0] != nil || sets[2] != nil || sets[1].InstrumentID != "bist:GLDF" || sets[3].InstrumentID != "bist:AAA" ||
		!slices.Equal(errs, make([]error, 4)) {
		t.Errorf("relation: %v, %v", sets, errs)
	}
	if reads := d.takeReads(); !slices.Equal(reads, []string{"bars of 2"}) {
		t.Errorf("relation: reads %v", reads)
	}
	_, errs = d.IndicatorsOf(ctx, instruments, analytics.IndicatorArgs{Periods: []int{1}})
	if errs[0] != nil || problem.From(errs[1]).Kind != problem.InvalidParameter {
		t.Errorf("relation with a wrong period: %v", errs)
	}
}

func TestIndicatorArguments(t *testing.T) {
	d, ctx := newFixture(), allowed(t, access.History)
	d.fill()
	for _, c := range []struct {
		args      analytics.IndicatorArgs
		kind      problem.Kind
		parameter string
	}{
		{analytics.IndicatorArgs{Periods: []int{1}}, problem.InvalidParameter, "periods"},
		{analytics.IndicatorArgs{Periods: []int{20, 401}}, problem.InvalidParameter, "periods"},
		{analytics.IndicatorArgs{Periods: []int{-20}}, problem.InvalidParameter, "periods"},
		{analytics.IndicatorArgs{Periods: []int{}}, problem.InvalidParameter, "periods"},
		{analytics.IndicatorArgs{Periods: slices.Repeat([]int{20}, 11)}, problem.InvalidParameter, "periods"},
		{analytics.IndicatorArgs{Indicators: []analytics.Indicator{}}, problem.InvalidParameter, "indicators"},
		{analytics.IndicatorArgs{Resolution: new(market.TwoHours)}, problem.UnsupportedResolution, "resolution"},
	} {
		_, err := d.Indicators(ctx, "bist:NOPE", c.args) // before what there is
		if e := calls.WantProblem(t, err, c.kind); e.Members.Parameter != c.parameter {
			t.Errorf("%+v: names %q", c.args, e.Members.Parameter)
		}
	}
	for _, periods := range [][]int{{2, 400}, {2, 3, 4, 5, 6, 7, 8, 9, 10, 11}} {
		set := must[*analytics.IndicatorSet](t)(d.Indicators(ctx, "bist:AAA",
			analytics.IndicatorArgs{Indicators: []analytics.Indicator{analytics.SMA}, Periods: periods}))
		var got []int
		for _, v := range set.Values {
			got = append(got, *v.Period)
		}
		if fmt.Sprint(got) != fmt.Sprint(periods) {
			t.Errorf("%v: %v", periods, got)
		}
	}
}

// Many histories are read some at a time; each instrument keeps its own, and
// every parent that a relation may have is read at once.
func TestIndicatorsOfManyInstruments(t *testing.T) {
	d, ctx := newFixture(), allowed(t, access.History)
	var listed []*market.Instrument
	for i := range 230 {
		in := instrument(market.ID(fmt.Sprintf("bist:M%03d", i)), market.Stock, "TRY")
		listed = append(listed, in)
		d.memory.put(daily(in.InstrumentID, "2026-03-16", fmt.Sprint(i+1)), daily(in.InstrumentID, "2026-03-17", fmt.Sprint(i+1)))
	}
	d.Market.Live.PutCatalog(listed, nil)
	d.takeReads()
	for name, c := range map[string]struct {
		args  analytics.IndicatorArgs
		reads string // of all, after the first hundred
	}{
		"ahead": {analytics.IndicatorArgs{}, "[bars of 130]"},
		"on demand": {analytics.IndicatorArgs{Indicators: []analytics.Indicator{analytics.SMA}, Periods: []int{2}},
			"[bars of 178 bars of 52]"},
	} {
		d.IndicatorsOf(ctx, listed[:100], c.args)
		if reads := fmt.Sprint(d.takeReads()); reads != "[bars of 100]" {
			t.Errorf("%s: a hundred parents are read as %s", name, reads)
		}
		sets, errs := d.IndicatorsOf(ctx, listed, c.args)
		if reads := fmt.Sprint(d.takeReads()); len(sets) != len(listed) || reads != c.reads {
			t.Fatalf("%s: %d sets by %s, %v", name, len(sets), reads, errs)
		}
		for i, set := range sets {
			if set.InstrumentID != listed[i].InstrumentID || set.AsOf.IsNull() {
				t.Fatalf("%s: %s stands for %s", name, set.InstrumentID, listed[i].InstrumentID)
			}
			if name == "on demand" && set.Values[0].Value.String() != fmt.Sprint(i+1) {
				t.Errorf("the average of %s is %s", set.InstrumentID, set.Values[0].Value)
			}
		}
	}
}
