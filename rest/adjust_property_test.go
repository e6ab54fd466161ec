package rest_test

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"

	"piyasa/test/fixture"
)

// asPrice rounds as the documentation says: to 8 decimals from 1 upwards, below to 8
// significant digits, half away from zero, without zeros at the end.
func asPrice(x *big.Rat) string {
	places := 8
	one := big.NewRat(1, 1)
	for y := new(big.Rat).Set(x); y.Sign() > 0 && y.Cmp(one) < 0; places++ {
		if y.Mul(y, big.NewRat(10, 1)); y.Cmp(one) >= 0 {
			break
		}
	}
	text := x.FloatString(places) // which rounds halves away from zero
	for text[len(text)-1] == '0' {
		text = text[:len(text)-1]
	}
	if text[len(text)-1] == '.' {
		text = text[:len(text)-1]
	}
	return text
}

// changePct is how a window's change in percent is rounded.
func changePct(from, to *big.Rat) string {
	x := new(big.Rat).Sub(to, from)
	x.Mul(x.Quo(x, from), big.NewRat(100, 1))
	r, _ := new(big.Rat).SetString(x.FloatString(4))
	text := r.FloatString(4)
	for text[len(text)-1] == '0' {
		text = text[:len(text)-1]
	}
	if text[len(text)-1] == '.' {
		text = text[:len(text)-1]
	}
	return text
}

// Random splits, rights issues and dividends: adjusted closes are those of a recomputation day
// by day, and returns across splits are those of the smooth series that was split.
func TestAdjustedSeriesAtRandom(t *testing.T) {
	days := weekdays("2025-03-17", "2026-03-17")
	ratios := [][2]int64{{2, 1}, {10, 1}, {3, 2}, {1, 4}}
	for round := range uint64(6) {
		r := rand.New(rand.NewPCG(round, 39))
		a := fixture.New(t)
		smooth, closes := make([]*big.Rat, len(days)), make([]*big.Rat, len(days))
		splits, cash, rights := map[int][2]int64{}, map[int]*big.Rat{}, map[int]*big.Rat{}
		for range 3 {
			splits[1+r.IntN(len(days)-1)] = ratios[r.IntN(len(ratios))]
		}
		if round >= 3 {
			for range 3 {
				cash[1+r.IntN(len(days)-1)] = big.NewRat(1+r.Int64N(50), 100)
			}
			if at := 1 + r.IntN(len(days)-1); splits[at] == [2]int64{} { // one of one day would have to be in order
				rights[at] = big.NewRat(1+r.Int64N(500), 100)
			}
		}
		lines, level, shares := []string{stock("RND"), `{"record":"sector","code":"rastgele","name":"Rastgele","members":["bist:RND"]}`},
			int64(5_000), big.NewRat(1, 1)
		for i, day := range days {
			level += r.Int64N(401) - 200
			smooth[i] = big.NewRat(level*1296, 100)
			if s, is := splits[i]; is {
				shares.Mul(shares, big.NewRat(s[0], s[1]))
				lines = append(lines, fmt.Sprintf(`{"record":"corporate_action","instrument_id":"bist:RND","kind":"split","ex_date":"%s",`+
					`"new":"%d","old":"%d"}`, day, s[0], s[1]))
			}
			closes[i] = new(big.Rat).Quo(smooth[i], shares)
			if d := cash[i]; d != nil {
				lines = append(lines, fmt.Sprintf(`{"record":"dividend","instrument_id":"bist:RND","ex_date":"%s","gross_per_share":"%s",`+
					`"currency":"TRY"}`, day, d.FloatString(2)))
			}
			if p := rights[i]; p != nil {
				lines = append(lines, fmt.Sprintf(`{"record":"corporate_action","instrument_id":"bist:RND","kind":"rights_issue",`+
					`"ex_date":"%s","new":"5","old":"4","price":"%s","currency":"TRY"}`, day, p.FloatString(2)))
			}
			lines = append(lines, daily("RND", day, closes[i].FloatString(12), "unadjusted"))
		}
		put(t, a, lines...)
		for adjust, withCash := range map[string]bool{"splits": false, "all": true} {
			bars := a.Get("/v1/candles/bist:RND?from="+days[0]+"&adjust="+adjust, fixture.All).JSON["bars"].([]any)
			if len(bars) != len(days) {
				t.Fatalf("%d bars", len(bars))
			}
			times := big.NewRat(1, 1)
			for i := len(days) - 1; i >= 0; i-- {
				want := asPrice(new(big.Rat).Mul(closes[i], times))
				if times.Cmp(big.NewRat(1, 1)) == 0 {
					want = closes[i].FloatString(12) // as it is stored
				}
				if got := bars[i].(map[string]any)["close"]; got != want {
					t.Fatalf("round %d, %s: the close of %s is %v, want %s", round, adjust, days[i], got, want)
				}
				if i == 0 {
					break
				}
				before := closes[i-1]
				if d := cash[i]; d != nil && withCash {
					left := new(big.Rat).Sub(before, d)
					times.Mul(times, left.Quo(left, before))
				}
				if s, is := splits[i]; is {
					times.Mul(times, big.NewRat(s[1], s[0]))
				}
				if p := rights[i]; p != nil {
					cum := new(big.Rat).Set(before)
					if d := cash[i]; d != nil && withCash {
						cum.Sub(cum, d)
					}
					ex := new(big.Rat).Mul(cum, big.NewRat(4, 1))
					ex.Add(ex, p)
					times.Mul(times, ex.Quo(ex.Quo(ex, big.NewRat(5, 1)), cum))
				}
			}
		}
		if len(rights) > 0 {
			continue
		}
		want := changePct(smooth[0], smooth[len(days)-1])
		checkLooks(t, a, []look{
			{"/v1/periodic/bist:RND", "windows.5.change_pct", `"` + want + `"`},
			{"/v1/sectors/rastgele/periodic", "windows.5.change_pct", `"` + want + `"`},
		})
	}
}

// The example of docs/methodology.md.
func TestWorkedAdjustment(t *testing.T) {
	a := fixture.New(t)
	put(t, a, stock("ADJ"), daily("ADJ", "2026-03-10", "50.00", "unadjusted"), daily("ADJ", "2026-03-11", "48.00", "unadjusted"),
		daily("ADJ", "2026-03-12", "24.50", "unadjusted"), daily("ADJ", "2026-03-13", "21.00", "unadjusted"),
		`{"record":"dividend","instrument_id":"bist:ADJ","ex_date":"2026-03-11","gross_per_share":"1.50","currency":"TRY"}`,
		`{"record":"corporate_action","instrument_id":"bist:ADJ","kind":"split","ex_date":"2026-03-12","new":"2","old":"1"}`,
		`{"record":"corporate_action","instrument_id":"bist:ADJ","kind":"rights_issue","ex_date":"2026-03-13","new":"3","old":"2","price":"12.00","currency":"TRY"}`)
	const all, splits = "/v1/candles/bist:ADJ?adjust=all", "/v1/candles/bist:ADJ?adjust=splits"
	checkLooks(t, a, []look{
		{all, "factors.0.factor", `"0.97"`}, {all, "factors.1.factor", `"0.5"`}, {all, "factors.2.factor", `"0.829931972789"`},
		{all, "bars.0.close", `"20.12585034"`}, {all, "bars.1.close", `"19.91836735"`}, {all, "bars.2.close", `"20.33333333"`},
		{all, "bars.3.close", `"21.00"`}, {all, "bars.0.volume", `"2000"`}, {all, "bars.2.volume", `"1000"`},
		{splits, "bars.0.close", `"20.74829932"`}, {splits, "bars.1.close", `"19.91836735"`},
	})
}

// What contradicts itself is refused, with what to add.
func TestRefusedActions(t *testing.T) {
	a := fixture.New(t)
	line := func(rest string) string {
		return `{"record":"corporate_action","instrument_id":"bist:REF","ex_date":"2026-03-02",` + rest + `}`
	}
	put(t, a, stock("REF"), line(`"kind":"rights_issue","new":"3","old":"2","price":"1.00","currency":"TRY"`))
	for _, c := range []string{
		`"kind":"split","new":"0","old":"1"`, `"kind":"split","new":"-2","old":"1"`, `"kind":"split","new":"2"`, `"kind":"split","new":"1","old":"1.0"`,
		`"kind":"bonus_issue","new":"1","old":"2"`, `"kind":"capital_decrease","new":"2","old":"1"`, `"kind":"merger","new":"2","old":"1"`,
		`"kind":"rights_issue","new":"3","old":"2"`, `"kind":"split","new":"2","old":"1","price":"1","currency":"TRY"`,
		`"kind":"split","new":"2","old":"1"`, // of the day of the rights issue: which comes first?
	} {
		if s := put(t, a, line(c)); s.Rejected != 1 {
			t.Errorf("%s: %+v", c, s)
		}
	}
	for _, c := range []string{
		`"kind":"rights_issue","new":"3","old":"2","price":"1.00","currency":"TRY","order":2`, `"kind":"split","new":"2","old":"1","order":1`,
		`"kind":"rename"`,
	} {
		if s := put(t, a, line(c)); s.Rejected != 0 {
			t.Errorf("%s: %+v", c, s)
		}
	}
	if s := put(t, a, line(`"kind":"split","new":"2","old":"1","order":1`)); s.Unchanged != 1 {
		t.Errorf("the same again: %+v", s)
	}
}

// An index that loses two zeros, of the exchange and of the world.
func TestIndexThatLosesZeros(t *testing.T) {
	a := fixture.New(t)
	lines := []string{`{"record":"index","code":"XZERO","name":"Sıfır","verified":true,"synced_at":"2026-03-18T10:00:00Z","members":[]}`,
		`{"record":"corporate_action","instrument_id":"XZERO","kind":"redenomination","ex_date":"2026-03-02","new":"100","old":"1"}`}
	for _, day := range weekdays("2025-02-03", "2026-03-17") {
		last := "12345.00"
		if day >= "2026-03-02" {
			last = "123.45"
		}
		lines = append(lines, fmt.Sprintf(`{"record":"index_bar","code":"XZERO","date":"%s","close":"%s"}`, day, last))
	}
	put(t, a, lines...)
	checkLooks(t, a, []look{
		{"/v1/indices/XZERO/periodic", "windows.5.change_pct", `"0"`},
		{"/v1/indices/XZERO/periodic", "windows.5.bridges.0.source", `"XZERO redenomination"`},
		{"/v1/indices/XZERO/periodic?adjust=none", "windows.5.null_reason", `"meaning_changed"`},
	})
}
