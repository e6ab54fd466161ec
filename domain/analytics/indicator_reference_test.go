package analytics_test

import (
	"fmt"
	"math/big"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"piyasa/domain/analytics"
	"piyasa/internal/value"
)

// The definitions of G-38 once more, slow and with rational numbers.

// plain is a run of bars; a null figure is nil.
type plain struct{ close, high, low, volume []*big.Rat }

func newPlain(p analytics.Prices) plain {
	column := func(figures []value.Decimal) []*big.Rat {
		rats := make([]*big.Rat, len(p.Close))
		for i, d := range figures {
			if !d.IsNull() {
				rats[i], _ = new(big.Rat).SetString(d.String())
			}
		}
		return rats
	}
	return plain{column(p.Close), column(p.High), column(p.Low), column(p.Volume)}
}

func ratOf(n int) *big.Rat            { return new(big.Rat).SetInt64(int64(n)) }
func ratPlus(a, b *big.Rat) *big.Rat  { return new(big.Rat).Add(a, b) }
func ratLess(a, b *big.Rat) *big.Rat  { return new(big.Rat).Sub(a, b) }
func ratTimes(a, b *big.Rat) *big.Rat { return new(big.Rat).Mul(a, b) }
func ratOver(a, b *big.Rat) *big.Rat  { return new(big.Rat).Quo(a, b) }
func ratDistance(a, b *big.Rat) *big.Rat {
	return new(big.Rat).Abs(ratLess(a, b))
}

func ratMax(a, b *big.Rat) *big.Rat {
	if a.Cmp(b) > 0 {
		return a
	}
	return b
}

func ratMean(all []*big.Rat) *big.Rat {
	sum := ratOf(0)
	for _, r := range all {
		sum = ratPlus(sum, r)
	}
	return ratOver(sum, ratOf(len(all)))
}

// ratSmoothed is the mean of the first n, then a·x + (1 − a)·before for each
// further x.
func ratSmoothed(all []*big.Rat, n int, a *big.Rat) []*big.Rat {
	averages := []*big.Rat{ratMean(all[:n])}
	for _, x := range all[n:] {
		averages = append(averages, ratPlus(ratTimes(a, x), ratTimes(ratLess(ratOf(1), a), averages[len(averages)-1])))
	}
	return averages
}

func plainEMA(all []*big.Rat, n int) []*big.Rat {
	return ratSmoothed(all, n, big.NewRat(2, int64(n)+1))
}

func newest[T any](all []T) T { return all[len(all)-1] }

// millionths is r to 6 decimals, half away from zero.
func millionths(r *big.Rat) string {
	twice := ratTimes(new(big.Rat).Abs(r), ratOf(2_000_000))
	n := new(big.Int).Quo(twice.Num(), twice.Denom())
	n.Add(n, big.NewInt(1)).Rsh(n, 1)
	text := new(big.Rat).SetFrac(n, big.NewInt(1_000_000))
	if r.Sign() < 0 {
		text.Neg(text)
	}
	for places := range 6 {
		if short := text.FloatString(places); ratIs(short, text) {
			return short
		}
	}
	return text.FloatString(6)
}

func ratIs(text string, r *big.Rat) bool {
	read, ok := new(big.Rat).SetString(text)
	return ok && read.Cmp(r) == 0
}

// ratRoot is the square root, exact for squares and else to some hundred digits.
func ratRoot(r *big.Rat) *big.Rat {
	num, den := new(big.Int).Sqrt(r.Num()), new(big.Int).Sqrt(r.Denom())
	if exact := new(big.Rat).SetFrac(num, den); ratTimes(exact, exact).Cmp(r) == 0 {
		return exact
	}
	scale := new(big.Int).Exp(big.NewInt(10), big.NewInt(100), nil)
	n := new(big.Int).Mul(r.Num(), new(big.Int).Mul(scale, scale))
	return new(big.Rat).SetFrac(n.Sqrt(n.Quo(n, r.Denom())), scale)
}

// plainValues are all figures by label.
func plainValues(b plain, periods []int) map[string]string {
	values := map[string]string{}
	hundred := ratOf(100)
	// set states a figure of some bars, from these figures; compute may find no
	// base.
	set := func(label string, bars int, needs []*big.Rat, compute func() *big.Rat) {
		switch {
		case len(b.close) < bars:
			values[label] = "!insufficient_history"
		case slices.Contains(needs, nil):
			values[label] = "!not_provided_by_source"
		default:
			if r := compute(); r != nil {
				values[label] = millionths(r)
			} else {
				values[label] = "!non_positive_base"
			}
		}
	}
	end := func(all []*big.Rat, n int) []*big.Rat { return all[max(0, len(all)-n):] }
	for _, n := range periods {
		set(fmt.Sprint("sma ", n), n, end(b.close, n), func() *big.Rat { return ratMean(end(b.close, n)) })
		set(fmt.Sprint("ema ", n), n, b.close, func() *big.Rat { return newest(plainEMA(b.close, n)) })
	}

	band := func(deviations int) func() *big.Rat {
		return func() *big.Rat {
			middle, variance := ratMean(end(b.close, 20)), ratOf(0)
			for _, c := range end(b.close, 20) {
				variance = ratPlus(variance, ratOver(ratTimes(ratLess(c, middle), ratLess(c, middle)), ratOf(20)))
			}
			return ratPlus(middle, ratTimes(ratOf(deviations), ratRoot(variance)))
		}
	}
	set("bbands upper", 20, end(b.close, 20), band(2))
	set("bbands middle", 20, end(b.close, 20), band(0))
	set("bbands lower", 20, end(b.close, 20), band(-2))

	macd := func() (all []*big.Rat) {
		slow := plainEMA(b.close, 26)
		for i, fast := range plainEMA(b.close, 12)[14:] {
			all = append(all, ratLess(fast, slow[i]))
		}
		return all
	}
	set("macd macd", 26, b.close, func() *big.Rat { return newest(macd()) })
	set("macd signal", 34, b.close, func() *big.Rat { return newest(plainEMA(macd(), 9)) })
	set("macd histogram", 34, b.close, func() *big.Rat { return ratLess(newest(macd()), newest(plainEMA(macd(), 9))) })

	set("rsi", 15, b.close, func() *big.Rat {
		var gains, losses []*big.Rat
		for i, c := range b.close[1:] {
			gains = append(gains, ratMax(ratLess(c, b.close[i]), ratOf(0)))
			losses = append(losses, ratMax(ratLess(b.close[i], c), ratOf(0)))
		}
		gain, loss := newest(ratSmoothed(gains, 14, big.NewRat(1, 14))), newest(ratSmoothed(losses, 14, big.NewRat(1, 14)))
		switch {
		case loss.Sign() > 0:
			return ratLess(hundred, ratOver(hundred, ratPlus(ratOf(1), ratOver(gain, loss))))
		case gain.Sign() > 0:
			return hundred
		}
		return nil
	})
	set("roc", 13, end(b.close, 13), func() *big.Rat {
		before := end(b.close, 13)[0]
		if before.Sign() <= 0 {
			return nil
		}
		return ratTimes(hundred, ratLess(ratOver(newest(b.close), before), ratOf(1)))
	})

	volumes := slices.Clone(b.close)
	for i := 1; i < len(b.close); i++ {
		if c, before := b.close[i], b.close[i-1]; c != nil && before != nil && c.Cmp(before) != 0 {
			volumes = append(volumes, b.volume[i])
		}
	}
	set("obv", 1, volumes, func() *big.Rat {
		total := ratOf(0)
		for i := 1; i < len(b.close); i++ {
			switch b.close[i].Cmp(b.close[i-1]) {
			case 1:
				total = ratPlus(total, b.volume[i])
			case -1:
				total = ratLess(total, b.volume[i])
			}
		}
		return total
	})

	plainRanges(b, set)
	plainStochastic(b, set)
	return values
}

type setter func(label string, bars int, needs []*big.Rat, compute func() *big.Rat)

// plainRanges are ATR and ADX.
func plainRanges(b plain, set setter) {
	ranges := func() (all []*big.Rat) {
		for i := 1; i < len(b.close); i++ {
			r := ratDistance(b.high[i], b.close[i-1])
			r = ratMax(r, ratDistance(b.low[i], b.close[i-1]))
			all = append(all, ratMax(r, ratLess(b.high[i], b.low[i])))
		}
		return all
	}
	newer := slices.Clone(b.close)
	if len(b.close) > 0 {
		newer = slices.Concat(b.close, b.high[1:], b.low[1:])
	}
	set("atr", 15, newer, func() *big.Rat { return newest(ratSmoothed(ranges(), 14, big.NewRat(1, 14))) })

	// As in TA-Lib: the sum of the first 13, then 13/14 of it and the next.
	sums := func(all []*big.Rat) (sums []*big.Rat) {
		sum := ratTimes(ratMean(all[:13]), ratOf(13))
		for _, x := range all[13:] {
			sum = ratPlus(ratTimes(sum, big.NewRat(13, 14)), x)
			sums = append(sums, sum)
		}
		return sums
	}
	moves := func() (up, down []*big.Rat) {
		for i := 1; i < len(b.close); i++ {
			u, d := ratLess(b.high[i], b.high[i-1]), ratLess(b.low[i-1], b.low[i])
			upward, downward := u.Cmp(d) > 0 && u.Sign() > 0, d.Cmp(u) > 0 && d.Sign() > 0
			if !upward {
				u = ratOf(0)
			}
			if !downward {
				d = ratOf(0)
			}
			up, down = append(up, u), append(down, d)
		}
		return sums(up), sums(down)
	}
	share := func(of func() []*big.Rat) func() *big.Rat {
		return func() *big.Rat {
			total := newest(sums(ranges()))
			if total.Sign() == 0 {
				return nil
			}
			return ratTimes(ratOf(100), ratOver(newest(of()), total))
		}
	}
	all := slices.Concat(b.close, b.high, b.low)
	set("adx plus_di", 15, all, share(func() []*big.Rat { up, _ := moves(); return up }))
	set("adx minus_di", 15, all, share(func() []*big.Rat { _, down := moves(); return down }))
	set("adx adx", 28, all, func() *big.Rat {
		up, down := moves()
		var indices []*big.Rat
		for i := range up {
			if both := ratPlus(up[i], down[i]); both.Sign() == 0 {
				indices = append(indices, ratOf(0))
			} else {
				indices = append(indices, ratTimes(ratOf(100), ratOver(ratDistance(up[i], down[i]), both)))
			}
		}
		if ratPlus(newest(up), newest(down)).Sign() == 0 {
			return nil
		}
		return newest(ratSmoothed(indices, 14, big.NewRat(1, 14)))
	})
}

// plainStochastic is the slow stochastic.
func plainStochastic(b plain, set setter) {
	n := len(b.close)
	raw := func(back int) *big.Rat {
		highest, lowest := b.high[n-1-back], b.low[n-1-back]
		for i := n - 14 - back; i < n-back; i++ {
			highest = ratMax(highest, b.high[i])
			if b.low[i].Cmp(lowest) < 0 {
				lowest = b.low[i]
			}
		}
		if highest.Cmp(lowest) <= 0 {
			return nil
		}
		return ratTimes(ratOf(100), ratOver(ratLess(b.close[n-1-back], lowest), ratLess(highest, lowest)))
	}
	k := func(back int) *big.Rat {
		all := []*big.Rat{raw(back), raw(back + 1), raw(back + 2)}
		if slices.Contains(all, nil) {
			return nil
		}
		return ratMean(all)
	}
	needs := func(bars int) []*big.Rat {
		from := max(0, n-bars)
		return slices.Concat(b.close[from:], b.high[from:], b.low[from:])
	}
	set("stoch k", 16, needs(16), func() *big.Rat { return k(0) })
	set("stoch d", 18, needs(18), func() *big.Rat {
		all := []*big.Rat{k(0), k(1), k(2)}
		if slices.Contains(all, nil) {
			return nil
		}
		return ratMean(all)
	})
}

// drawPrices draws bars that are often flat, sometimes below zero, and here and
// there null.
func drawPrices(t *rapid.T) analytics.Prices {
	bars := rapid.IntRange(0, 45).Draw(t, "bars")
	places := rapid.IntRange(0, 8).Draw(t, "places")
	lowest := rapid.SampledFrom([]int64{-5, 0, 100, 123_456_789}).Draw(t, "lowest")
	spread := rapid.SampledFrom([]int64{0, 1, 3, 1000}).Draw(t, "spread")
	decimal := func(n int64) value.Decimal {
		return value.MustDecimal(new(big.Rat).SetFrac(big.NewInt(n),
			new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(places)), nil)).FloatString(places))
	}
	upTo := rapid.Int64Range(0, spread)
	p := analytics.Prices{}
	for range bars {
		last := lowest + upTo.Draw(t, "close")
		p.Close = append(p.Close, decimal(last))
		p.High = append(p.High, decimal(last+upTo.Draw(t, "high")))
		p.Low = append(p.Low, decimal(last-upTo.Draw(t, "low")))
		p.Volume = append(p.Volume, decimal(rapid.Int64Range(0, 1e12).Draw(t, "volume")))
	}
	holes := func(name string, column []value.Decimal) {
		if bars == 0 {
			return
		}
		for _, i := range rapid.SliceOfN(rapid.IntRange(0, bars-1), 0, 2).Draw(t, name) {
			column[i] = value.Decimal{}
		}
	}
	switch rapid.IntRange(0, 4).Draw(t, "holes") {
	case 1:
		holes("null volumes", p.Volume)
	case 2:
		holes("null highs", p.High)
		holes("null lows", p.Low)
	case 3:
		holes("null closes", p.Close)
	case 4:
		p.High, p.Volume = nil, nil
	}
	return p
}

// Every figure and every reason is the one of the definitions, to the last
// digit.
func TestIndicatorsFollowTheDefinitions(t *testing.T) {
	periods := []int{1, 2, 3, 5, 20, 40}
	rapid.Check(t, func(rt *rapid.T) {
		p := drawPrices(rt)
		want := plainValues(newPlain(p), periods)
		values := analytics.Compute(p, analytics.Indicators, periods)
		if len(values) != len(want) {
			rt.Fatalf("%d values, want %d", len(values), len(want))
		}
		for _, v := range values {
			if (v.NullReason == nil) == v.Value.IsNull() {
				rt.Fatalf("%s is %q and null for %v", labelOf(v), v.Value, v.NullReason)
			}
			if got := shownValue(v); got != want[labelOf(v)] {
				rt.Fatalf("%s is %s, want %s", labelOf(v), got, want[labelOf(v)])
			}
		}
	})
}

// Figures of any length, holes anywhere, in any combination: a value or a
// reason, never a panic.
func TestIndicatorsOfAnything(t *testing.T) {
	decimal := rapid.Custom(func(t *rapid.T) value.Decimal {
		if rapid.IntRange(0, 20).Draw(t, "null") == 0 {
			return value.Decimal{}
		}
		text := rapid.StringMatching(`-?(0|[1-9][0-9]{0,60})(\.[0-9]{1,38})?`).Draw(t, "text")
		d, err := value.ParseDecimal(text)
		if err != nil { // a negative zero
			return value.MustDecimal("0")
		}
		return d
	})
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 40).Draw(t, "bars")
		column := rapid.SliceOfN(decimal, n, n)
		p := analytics.Prices{Close: column.Draw(t, "close"), High: column.Draw(t, "high"), Low: column.Draw(t, "low"),
			Volume: column.Draw(t, "volume")}
		periods := rapid.SliceOfN(rapid.IntRange(1, 400), 0, 5).Draw(t, "periods")
		for _, v := range analytics.Compute(p, rapid.Permutation(analytics.Indicators).Draw(t, "indicators"), periods) {
			if (v.NullReason == nil) == v.Value.IsNull() {
				t.Fatalf("%s is %q and null for %v", labelOf(v), v.Value, v.NullReason)
			}
		}
	})
}
