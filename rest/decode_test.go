package rest

import (
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"piyasa/domain/analytics"
)

// What is read as a list of numbers is one, number by number.
func FuzzNumbers(f *testing.F) {
	for _, text := range []string{"", "20", "20,50,200", "020,-5", "1,", ",", "x", "1.5", "+1", "1 ,2", "99999999999999999999", "٣"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var got []int
		err := readNumbers(text, reflect.ValueOf(&got).Elem())
		var want []int
		exact := true
		for _, word := range listOf(text) {
			digits := strings.TrimPrefix(word, "-")
			n, wrong := strconv.Atoi(word)
			exact = exact && wrong == nil && digits != "" && strings.Trim(digits, "0123456789") == ""
			want = append(want, n)
		}
		if (err == nil) != exact {
			t.Fatalf("%q: %v", text, err)
		}
		if err == nil && (got == nil || !slices.Equal(got, want)) {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	})
}

// What is read as a list of indicators is one, in any ASCII case.
func FuzzIndicators(f *testing.F) {
	for _, text := range []string{"", "rsi", "RSI,Sma,stoch", "rsi,", "rsi, sma", "Stochastic", "rısi", "RİS", "foo"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var got []analytics.Indicator
		err := readEnums(text, reflect.ValueOf(&got).Elem())
		known := !slices.ContainsFunc(listOf(text), func(word string) bool {
			return !slices.ContainsFunc(append([]analytics.Indicator{"stochastic"}, analytics.Indicators...),
				func(i analytics.Indicator) bool {
					return len(i) == len(word) && strings.EqualFold(string(i), word)
				})
		})
		if (err == nil) != known {
			t.Fatalf("%q: %v", text, err)
		}
		if err == nil && (got == nil || len(got) != len(listOf(text))) {
			t.Errorf("%q: %v", text, got)
		}
	})
}

// A query string that net/url reads is read the same, but for what stands
// between two ampersands and is nothing.
func FuzzQuery(f *testing.F) {
	for _, raw := range []string{"", "a=1&b=2", "a=1&a=2", "&&a&=b", "a%20b=%C4%B0", "a=1;b=2", "a=%zz", "a+b=c+d", "a=b=c"} {
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		got := parseQuery(raw)
		want, err := url.ParseQuery(raw)
		if err != nil {
			return // it gives up; here nothing may be lost
		}
		for name, values := range want {
			if name != "" && !slices.Equal(got[name], values) {
				t.Errorf("%q: %s is %q, want %q", raw, name, got[name], values)
			}
		}
		for name := range got {
			if name != "" && want[name] == nil {
				t.Errorf("%q: %q is made up", raw, name)
			}
		}
	})
}
