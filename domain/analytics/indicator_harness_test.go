package analytics_test

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"piyasa/domain/analytics"
	"piyasa/internal/value"
)

// cents is n hundredths as a decimal, of a source that writes both digits.
func cents(n int64) value.Decimal {
	sign := ""
	if n < 0 {
		sign, n = "-", -n
	}
	return value.MustDecimal(fmt.Sprintf("%s%d.%02d", sign, n/100, n%100))
}

// randomWalk makes bars of a random walk that stays above zero, the same for the same
// seed; a step is at most so many hundredths.
func randomWalk(seed uint64, bars int, step int64) analytics.Prices {
	r := rand.New(rand.NewPCG(seed, 0))
	var p analytics.Prices
	last := 100_000 + r.Int64N(900_000)
	for range bars {
		last = max(last+r.Int64N(2*step+1)-step, 50_000)
		p.Close = append(p.Close, cents(last))
		p.High = append(p.High, cents(last+r.Int64N(step+1)))
		p.Low = append(p.Low, cents(last-r.Int64N(step+1)))
		p.Volume = append(p.Volume, value.MustDecimal(fmt.Sprint(r.Int64N(10_000_000))))
	}
	return p
}

// labelOf is how the tests name a value: "macd signal", "sma 20".
func labelOf(v *analytics.IndicatorValue) string {
	text := string(v.Indicator)
	if v.Component != nil {
		text += " " + *v.Component
	}
	if v.Period != nil && (v.Indicator == analytics.SMA || v.Indicator == analytics.EMA) {
		text += fmt.Sprint(" ", *v.Period)
	}
	return text
}

// shownValue is the value, or its reason after an exclamation mark.
func shownValue(v *analytics.IndicatorValue) string {
	if v.NullReason != nil {
		return "!" + *v.NullReason + v.Value.String()
	}
	return v.Value.String()
}

// byLabel shows the values.
func byLabel(values []*analytics.IndicatorValue) map[string]string {
	all := map[string]string{}
	for _, v := range values {
		all[labelOf(v)] = shownValue(v)
	}
	return all
}

// firstBars are the n oldest bars.
func firstBars(p analytics.Prices, n int) analytics.Prices {
	return analytics.Prices{Close: p.Close[:n], High: p.High[:n], Low: p.Low[:n], Volume: p.Volume[:n]}
}

// figures reads a list such as "10 11.50 null".
func figures(texts string) []value.Decimal {
	var all []value.Decimal
	for text := range strings.FieldsSeq(texts) {
		if text == "null" {
			all = append(all, value.Decimal{})
		} else {
			all = append(all, value.MustDecimal(text))
		}
	}
	return all
}
