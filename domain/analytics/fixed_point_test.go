package analytics_test

import (
	"strings"
	"testing"

	"piyasa/domain/analytics"
)

// Six decimals, half away from zero, once; no trailing zeros, no -0.
func TestRounding(t *testing.T) {
	for _, c := range []struct {
		closes, want string // the mean of two
	}{
		{"1 2", "1.5"},
		{"1.50 2.50", "2"},
		{"0.000001 0.000002", "0.000002"},
		{"-0.000001 -0.000002", "-0.000002"},
		{"0.000001 0.00000199999999999999999999999999999999", "0.000001"},
		{"0.000001 0.00000200000000000000000000000000000001", "0.000002"},
		{"-0.0000004 -0.0000005", "0"},
		{"-0.0000005 -0.0000005", "-0.000001"},
		{"0.00 0.0000", "0"},
		{"999999.999999 1000000", "1000000"},
		{"-0.999999 -1.0000000", "-1"},
		{"123456789012345678 123456789012345678", "123456789012345678"},
		{"1234567890123456789012345678901234567890.1 1234567890123456789012345678901234567890.2",
			"1234567890123456789012345678901234567890.15"},
	} {
		p := analytics.Prices{Close: figures(c.closes)}
		if got := byLabel(analytics.Compute(p, []analytics.Indicator{analytics.SMA}, []int{2}))["sma 2"]; got != c.want {
			t.Errorf("the mean of %s is %s, want %s", c.closes, got, c.want)
		}
	}
}

// An average that is smoothed and still exact has its ties, too.
func TestRoundingOfAverages(t *testing.T) {
	for closes, want := range map[string]string{
		"1 1 1 1.000001":      "1.000001", // half of the way
		"-1 -1 -1 -1.000001":  "-1.000001",
		"1 1 1 1.00000099999": "1",
		"0.1 0.1 0.2":         "0.133333",
		"1.0000003 1.0000005 1.0000007 1.0000005 1.0000005":      "1.000001", // starts at the tie and stays
		"-1.0000003 -1.0000005 -1.0000007 -1.0000005 -1.0000005": "-1.000001",
		"1 1 1.0000015 1.0000005":                                "1.000001",
	} {
		p := analytics.Prices{Close: figures(closes)}
		if got := byLabel(analytics.Compute(p, []analytics.Indicator{analytics.EMA}, []int{3}))["ema 3"]; got != want {
			t.Errorf("the average of %s is %s, want %s", closes, got, want)
		}
	}
}

// The longest decimals go in; what comes out is a figure or out_of_range.
func TestLongestDecimals(t *testing.T) {
	nines, tail := strings.Repeat("9", 100), "0."+strings.Repeat("0", 97)+"1"
	for _, c := range []struct {
		name, closes string
		label, want  string
	}{
		{"a mean", nines + " " + nines, "sma 2", nines},
		{"a mean with a fraction", nines + " " + nines[:99] + "8", "sma 2", "!out_of_range"},
		{"next to nothing", tail + " " + tail, "sma 2", "0"},
		{"both", nines[:97] + " " + tail, "sma 2", "4" + nines[:96] + ".5"},
		{"a volume", "1 2", "obv", nines},
		{"volumes", "1 2 3", "obv", "!out_of_range"},
		{"a volume down", "2 1", "obv", "!out_of_range"}, // the sign is one character more
	} {
		p := analytics.Prices{Close: figures(c.closes)}
		for range p.Close {
			p.Volume = append(p.Volume, figures(nines)...)
		}
		checkValues(t, c.name, byLabel(analytics.Compute(p, []analytics.Indicator{analytics.SMA, analytics.OBV}, []int{2})),
			map[string]string{c.label: c.want})
	}
}

// All prices of a run count in the smallest unit of any of them.
func TestColumnsOfDifferentDecimals(t *testing.T) {
	const tail = "0000000000000000000000000000000000000001"
	p := analytics.Prices{Close: repeated("5", 30), High: repeated("5."+tail, 30), Low: repeated("4."+tail, 30)}
	p.Close[29] = figures("4.25000050")[0]
	checkValues(t, "a fine high", byLabel(analytics.Compute(p, analytics.Indicators, []int{2})), map[string]string{
		"atr": "1", "sma 2": "4.625", "stoch k": "75.000017", "stoch d": "91.666672",
	})
}
