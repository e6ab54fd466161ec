package analytics_test

import (
	"encoding/json"
	"math/big"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"piyasa/domain/analytics"
)

// ratio is the fraction of text; nil when that is empty.
func ratio(text string) *big.Rat {
	if text == "" {
		return nil
	}
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		panic(text)
	}
	return r
}

func TestMedian(t *testing.T) {
	for _, c := range []struct {
		name   string
		values []string
		want   string
	}{
		{"V-124, odd", []string{"12.4", "", "8.1", "30.25", "15", "9.95"}, `{"median":"12.4","members_counted":5,"null_reason":null}`},
		{"V-124, even", []string{"1.2", "1.7355", "2.5", "0.8", "", ""}, `{"median":"1.4678","members_counted":4,"null_reason":null}`},
		{"no member", nil, `{"median":null,"members_counted":0,"null_reason":"missing_input"}`},
		{"nothing known", []string{"", ""}, `{"median":null,"members_counted":0,"null_reason":"missing_input"}`},
		{"one", []string{"", "7.00"}, `{"median":"7","members_counted":1,"null_reason":null}`},
		{"by value, not by text", []string{"9", "10", "100"}, `{"median":"10","members_counted":3,"null_reason":null}`},
		{"negative ones", []string{"-1.00005", "-3", "2"}, `{"median":"-1.0001","members_counted":3,"null_reason":null}`},
		// 9.9010 and 9.2593 have a mean of 9.5802
		{"rounded once", []string{"1000/101", "1000/108"}, `{"median":"9.5801","members_counted":2,"null_reason":null}`},
		{"half away from zero", []string{"-1/20000"}, `{"median":"-0.0001","members_counted":1,"null_reason":null}`},
		{"too many digits", []string{strings.Repeat("9", 99)}, `{"median":null,"members_counted":1,"null_reason":"out_of_range"}`},
		{"a mean of zero", []string{"-0.5", "0.50"}, `{"median":"0","members_counted":2,"null_reason":null}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			var values []*big.Rat
			for _, text := range c.values {
				values = append(values, ratio(text))
			}
			before := slices.Clone(values)
			if got, err := json.Marshal(analytics.Median(values)); err != nil || string(got) != c.want {
				t.Errorf("got  %s, %v\nwant %s", got, err, c.want)
			}
			if !slices.Equal(values, before) {
				t.Errorf("the values became %v", values)
			}
		})
	}
}

func TestMedianIsTheMiddle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		texts := rapid.SliceOfN(rapid.StringMatching(`|[1-9][0-9]{0,3}(\.[0-9]{1,6})?|-[1-9][0-9]?(\.[0-9]{1,6})?|[1-9][0-9]{0,5}/[1-9][0-9]{0,4}`), 0, 12).Draw(t, "values")
		var values []*big.Rat
		var sorted []*big.Rat
		for _, text := range texts {
			values = append(values, ratio(text))
			if text != "" {
				sorted = append(sorted, ratio(text))
			}
		}
		slices.SortFunc(sorted, (*big.Rat).Cmp)
		m := analytics.Median(values)
		if m.MembersCounted != len(sorted) || (m.NullReason != nil) != (len(sorted) == 0) || m.Median.IsNull() != (len(sorted) == 0) {
			t.Fatalf("%d known of %v: %+v", len(sorted), texts, m)
		}
		if len(sorted) == 0 {
			return
		}
		want := sorted[len(sorted)/2]
		if len(sorted)%2 == 0 {
			want = new(big.Rat).Quo(new(big.Rat).Add(want, sorted[len(sorted)/2-1]), big.NewRat(2, 1))
		}
		if got := m.Median.String(); got != fourPlaces(want) {
			t.Fatalf("the median of %v is %s, want %s", texts, got, fourPlaces(want))
		}
	})
}
