package analytics_test

import (
	"context"
	"errors"
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

// Worked by hand, over 3 bars. The RSI: the first three changes are +1, +1 and -1, so the average
// gain is 2/3 and the average loss 1/3; +2 makes them 10/9 and 2/9, +1 makes them 29/27 and 4/27.
func TestWorkedPoints(t *testing.T) {
	p := analytics.Prices{Close: figures("10 11 12 11 13 14"), Volume: figures("100 150 120 130 170 90"),
		High: figures("10.5 11.5 13 12 13 15"), Low: figures("9 10 11.5 10 11.5 13")}
	const short = "!insufficient_history "
	for _, c := range []struct {
		indicator analytics.Indicator
		label     string
		want      string
	}{
		{analytics.SMA, "sma 3", short + short + "11 11.333333 12 12.666667"},
		{analytics.EMA, "ema 3", short + short + "11 11 12 13"},
		{analytics.RSI, "rsi", short + short + short + "66.666667 83.333333 87.878788"},
		{analytics.ROC, "roc", short + short + short + "10 18.181818 16.666667"},
		{analytics.Bollinger, "bbands upper", short + short + "12.632993 12.276142 13.632993 15.161105"},
		{analytics.Bollinger, "bbands lower", short + short + "9.367007 10.390524 10.367007 10.172228"},
		{analytics.OBV, "obv", "0 150 270 140 310 400"},
		// True ranges 1.5, 2, 2, 2, 2: their mean of three is 11/6, then (2 × 11/6 + 2)/3 and so on.
		{analytics.ATR, "atr", short + short + short + "1.833333 1.888889 1.925926"},
	} {
		for last := 1; last <= 7; last++ {
			var got []string
			for _, point := range analytics.PointsOver(p, c.indicator, 3, last) {
				got = append(got, byLabel(point)[c.label])
			}
			all := strings.Fields(c.want)
			if want := all[max(0, 6-last):]; !slices.Equal(got, want) {
				t.Errorf("%s at the newest %d: %q, want %q", c.label, last, got, want)
			}
		}
	}
}

// Every point is what would be computed if its bar were the newest, whatever is missing.
func TestPointsAreNewestValues(t *testing.T) {
	const bars = 90
	for seed := range uint64(6) {
		p := randomWalk(seed, bars, 500)
		var null value.Decimal
		switch seed {
		case 1:
			p.Volume[40] = null
		case 2:
			p.High[30], p.Low[55] = null, null
		case 3:
			p.High = nil
		case 4:
			p.Close[50], p.Close[20] = null, null
		case 5:
			copy(p.Close[30:], slices.Repeat(p.Close[29:30], 30))
			p.High, p.Low = p.Close, p.Close
		}
		first := func(n int) analytics.Prices {
			q := analytics.Prices{Close: p.Close[:n], Low: p.Low[:n], Volume: p.Volume[:n]}
			if p.High != nil {
				q.High = p.High[:n]
			}
			return q
		}
		for _, indicator := range analytics.Indicators {
			for _, n := range []int{3, 14, 20} {
				for _, last := range []int{1, 2, 30, bars, 2 * bars} {
					points := analytics.PointsOver(p, indicator, n, last)
					if len(points) != min(last, bars) {
						t.Fatalf("%s: %d points of %d", indicator, len(points), last)
					}
					for i, got := range points {
						if at := bars - len(points) + i + 1; !reflect.DeepEqual(got, analytics.ComputeOver(first(at), indicator, n)) {
							t.Fatalf("seed %d, %s over %d of %d: %v at bar %d", seed, indicator, n, last, byLabel(got), at)
						}
					}
				}
			}
		}
	}
}

// shownSeries are the figures of series by label, as shownValue writes them.
func shownSeries(all []*analytics.IndicatorSeries) map[string][]string {
	shown := map[string][]string{}
	for _, s := range all {
		texts := []string{}
		var last *analytics.IndicatorValue
		for i := range s.T {
			last = &analytics.IndicatorValue{Indicator: s.Indicator, Component: s.Component, Period: s.Period, Value: s.Value[i],
				NullReason: s.NullReason[i]}
			texts = append(texts, shownValue(last))
		}
		if last != nil {
			shown[labelOf(last)] = texts
		}
	}
	return shown
}

// seriesOf asks for the series of one set.
func (d *fixture) seriesOf(ctx context.Context, t *testing.T, set *analytics.IndicatorSet, last int) []*analytics.IndicatorSeries {
	t.Helper()
	all, errs := d.SeriesOf(ctx, []*analytics.IndicatorSet{set}, &last)
	return must[[]*analytics.IndicatorSeries](t)(all[0], errs[0])
}

// reversals are bars of 5 minutes in five sessions, the first of each without an open, whose
// closes go up and down.
func reversals(id market.ID, first string) (bars []*market.Bar) {
	for i := range 300 {
		at := value.MustInstant(first).Add(5 * time.Minute * market5(i))
		b := &market.Bar{InstrumentID: id, Resolution: market.FiveMinutes, T: at, Close: cents(int64(10000 + 37*i - 111*(i%5))),
			Volume: cents(int64(100 * i))}
		if i%60 != 0 {
			b.Open = cents(int64(10000 + 37*i - 50*(i%3)))
		}
		bars = append(bars, b)
	}
	return bars
}

// split makes a series unadjusted, with two shares for one on a day, and with spin-offs of which nobody says what they take.
func (d *fixture) split(id market.ID, on string, spinOffs ...string) {
	d.Market.Live.PutAdjustments([]*market.HistoryAdjustment{{InstrumentID: id, Adjustment: market.Unadjusted}})
	actions := []*market.StoredAction{{CorporateAction: market.CorporateAction{InstrumentID: market.Subject(id), Kind: "split",
		ExDate: value.MustDate(on), Old: value.MustDecimal("1"), New: value.MustDecimal("2")}}}
	for _, day := range spinOffs {
		actions = append(actions, &market.StoredAction{CorporateAction: market.CorporateAction{InstrumentID: market.Subject(id),
			Kind: "spin_off", ExDate: value.MustDate(day)}})
	}
	d.Market.Live.SetActions(actions)
	d.AllBarsChanged()
}

// The series end with the values, in their order, at both resolutions and however prices are
// adjusted; each is as long as was asked for, at the bars that the indicator does not skip.
func TestSeriesEndWithTheValues(t *testing.T) {
	d, ctx := newFixture(), allowed(t, access.History)
	d.put(year("bist:AAA", 100)...)
	d.put(daily("bist:AAA", "2026-03-10", ""))
	d.put(reversals("bist:AAA", "2026-03-13T07:00:00Z")...)
	d.split("bist:AAA", "2026-03-16")
	for _, resolution := range []market.Resolution{market.Day, market.FiveMinutes} {
		for _, adjust := range []*market.Adjust{nil, new(market.AdjustNone), new(market.AdjustSplits), new(market.AdjustAll)} {
			for name, which := range map[string][]analytics.Indicator{"default": nil, "all": analytics.Indicators} {
				set := must[*analytics.IndicatorSet](t)(d.Indicators(ctx, "bist:AAA",
					analytics.IndicatorArgs{Indicators: which, Resolution: &resolution, Adjust: adjust}))
				usual := resolution == market.Day && adjust.Or(market.AdjustSplits) == market.AdjustSplits && which == nil
				if set.Precomputed != usual {
					t.Errorf("%s %s: precomputed %t", resolution, name, set.Precomputed)
				}
				for _, last := range []int{1, 100, 5000} {
					checkEnds(t, fmt.Sprint(resolution, " ", name, " of ", last), set, d.seriesOf(ctx, t, set, last), last)
				}
			}
		}
	}
}

// checkEnds checks that series end with the values of a set, and how long they are.
func checkEnds(t *testing.T, what string, set *analytics.IndicatorSet, series []*analytics.IndicatorSeries, last int) {
	t.Helper()
	if len(series) != len(set.Values) {
		t.Fatalf("%s: %d series of %d values", what, len(series), len(set.Values))
	}
	daily := set.Resolution == market.Day
	for i, s := range series {
		v, n := set.Values[i], len(s.T)-1
		end := &analytics.IndicatorValue{Indicator: s.Indicator, Component: s.Component, Period: s.Period, Value: s.Value[n],
			NullReason: s.NullReason[n]}
		if value.Or(end.NullReason, "") == value.MeaningChanged {
			end.MeaningChanged = s.MeaningChanged
		}
		if !reflect.DeepEqual(end, v) {
			t.Errorf("%s: %s ends with %s, the value is %s", what, labelOf(v), shownValue(end), shownValue(v))
		}
		bars := 300
		switch {
		case daily:
			bars = 399
		case slices.Contains([]analytics.Indicator{"atr", "adx", "stoch"}, s.Indicator):
			bars = 295
		}
		for column, length := range map[string]int{"t": len(s.T), "date": len(s.Date), "value": len(s.Value), "reason": len(s.NullReason)} {
			if length != min(last, bars) {
				t.Errorf("%s: %d of %s %s", what, length, labelOf(v), column)
			}
		}
		if s.Date[n].IsNull() == daily || !slices.IsSortedFunc(s.T, value.Instant.Compare) {
			t.Errorf("%s: %s, of %s", what, s.T[n], s.Date[n])
		}
	}
}

// A split 1:2 on the 16th: adjusted, an average of days before counts in the shares of today, as
// candles do, also before a spin-off over which nobody leads; not adjusted, one that would cross
// it is null, and those before are of their own.
func TestSeriesAcrossAChange(t *testing.T) {
	d, ctx := newFixture(), allowed(t, access.History)
	for i, last := range strings.Fields("100 104 108 56 58") {
		d.put(daily("bist:AAA", value.MustDate("2026-03-11").AddDays(i+2*(i/3)).String(), last)) // Wednesday to Friday, Monday, Tuesday
	}
	for _, c := range []struct {
		adjust   market.Adjust
		spinOffs []string
		want     string
		change   string
	}{
		{market.AdjustSplits, nil, "!insufficient_history 51 53 55 57", ""},
		{market.AdjustNone, nil, "!insufficient_history 102 106 !meaning_changed 57", "2026-03-16"},
		{market.AdjustSplits, []string{"2026-03-13"}, "!insufficient_history 51 !meaning_changed 55 57", "2026-03-13"},
		{market.AdjustSplits, []string{"2026-03-12", "2026-03-17"}, "!insufficient_history !meaning_changed 53 55 !meaning_changed",
			"2026-03-17"},
	} {
		d.split("bist:AAA", "2026-03-16", c.spinOffs...)
		set := must[*analytics.IndicatorSet](t)(d.Indicators(ctx, "bist:AAA", analytics.IndicatorArgs{
			Indicators: []analytics.Indicator{analytics.SMA, analytics.MACD}, Periods: []int{2}, Adjust: &c.adjust}))
		for last := 1; last <= 6; last++ {
			series := d.seriesOf(ctx, t, set, last)
			all := strings.Fields(c.want)
			if got, want := shownSeries(series)["sma 2"], all[max(0, 5-last):]; !slices.Equal(got, want) {
				t.Errorf("%s, the newest %d: %q, want %q", c.adjust, last, got, want)
			}
			change := ""
			if s := series[0]; s.MeaningChanged != nil {
				change = s.MeaningChanged.On.String()
			}
			if want := c.change; last > 3 && change != want {
				t.Errorf("%s, the newest %d: changed on %q, want %q", c.adjust, last, change, want)
			}
			for _, got := range shownSeries(series)["macd macd"] {
				if got != "!insufficient_history" {
					t.Errorf("%s, the newest %d: macd of 5 bars is %q", c.adjust, last, got)
				}
			}
		}
	}
}

func TestSeriesOfSets(t *testing.T) {
	d, ctx := newFixture(), allowed(t, access.History)
	d.put(year("bist:AAA", 100)...)
	d.put(year("bist:BBB", 200)...)
	d.put(daily("bist:CCC", "2026-03-17", ""))
	instruments := []*market.Instrument{d.Market.ByID("bist:BBB"), d.Market.ByID("bist:CCC"), d.Market.ByID("bist:AAA")}
	for name, c := range map[string]struct {
		args  analytics.IndicatorArgs
		reads string
	}{
		"ahead":     {analytics.IndicatorArgs{}, "[bars of 3]"},
		"on demand": {analytics.IndicatorArgs{Indicators: []analytics.Indicator{analytics.EMA}}, "[]"},
	} {
		sets, _ := d.IndicatorsOf(ctx, instruments, c.args)
		d.takeReads()
		all, errs := d.SeriesOf(ctx, sets, nil)
		if !slices.Equal(errs, make([]error, 3)) || fmt.Sprint(d.takeReads()) != c.reads {
			t.Errorf("%s: %v", name, errs)
		}
		for i, set := range sets {
			if len(all[i]) != len(set.Values) {
				t.Fatalf("%s: %d series of %s", name, len(all[i]), set.InstrumentID)
			}
			for k, s := range all[i] {
				if i == 1 {
					if len(s.T) != 0 || s.T == nil || s.Value == nil || s.NullReason == nil || s.Date == nil {
						t.Errorf("%s: without a close there are points: %+v", name, s)
					}
				} else if len(s.T) != 100 || s.Value[99].Cmp(set.Values[k].Value) != 0 {
					t.Errorf("%s: %d points of %s end with %s", name, len(s.T), set.InstrumentID, s.Value[99])
				}
			}
		}
		for _, last := range []int{-1, 0, 5001} {
			all, errs := d.SeriesOf(ctx, sets, &last)
			for i := range sets {
				e := calls.WantProblem(t, errs[i], problem.InvalidParameter)
				if all[i] != nil || e.Members.Parameter != "last" || !strings.Contains(e.Error(), "1 to 5000") {
					t.Errorf("%d: %v", last, e)
				}
			}
		}
		d.failure = errors.New("gone")
		_, errs = d.SeriesOf(ctx, sets, nil)
		if failed := errs[0] != nil && errs[2] != nil; failed != (name == "ahead") {
			t.Errorf("%s without the store: %v", name, errs)
		}
		d.failure = nil
		ended, end := context.WithCancel(ctx)
		end()
		if _, errs := d.SeriesOf(ended, sets, nil); !errors.Is(errs[0], context.Canceled) {
			t.Errorf("%s, nobody waits: %v", name, errs)
		}
	}
}
