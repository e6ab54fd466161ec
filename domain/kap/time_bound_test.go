package kap_test

import (
	"strings"
	"testing"
	"time"

	"piyasa/account/access"
	"piyasa/domain/kap"
	"piyasa/internal/problem"
	"piyasa/test/fixture/calls"
)

// window is what two bounds let through, as the store is asked for it.
func window(t testing.TB, from, to string) (q kap.Query, err error) {
	t.Helper()
	asked := &asked{}
	s := &kap.Service{Store: asked, Live: kap.NewLive()}
	var f kap.Filter
	for text, bound := range map[*string]**kap.Bound{&from: &f.From, &to: &f.To} {
		if *text == "" {
			continue
		}
		b, err := kap.ParseBound(*text)
		if err != nil {
			return kap.Query{}, err
		}
		*bound = &b
	}
	_, err = s.Disclosures(calls.Caller(access.KAP), f, nil, nil, nil)
	return asked.Query, err
}

// Worked vectors V-86 and V-87: a date is the whole day in Turkey, a moment
// itself, in Turkey time unless it says otherwise.
func TestBounds(t *testing.T) {
	for text, want := range map[string]string{
		"2026-03-18":                    "2026-03-17T21:00:00Z 2026-03-18T20:59:59.999Z",
		"2024-02-29":                    "2024-02-28T21:00:00Z 2024-02-29T20:59:59.999Z",
		"2015-03-29":                    "2015-03-28T21:00:00Z 2015-03-29T20:59:59.999Z", // when clocks still changed: the rule says UTC+3
		"2026-03-18T10:00:00":           "2026-03-18T07:00:00Z 2026-03-18T07:00:00Z",
		"2026-03-18T10:00:00Z":          "2026-03-18T10:00:00Z 2026-03-18T10:00:00Z",
		"2026-03-18T10:00:00+01:00":     "2026-03-18T09:00:00Z 2026-03-18T09:00:00Z",
		"2026-03-18T10:00":              "2026-03-18T07:00:00Z 2026-03-18T07:00:00Z",
		"2026-03-18T10:00Z":             "2026-03-18T10:00:00Z 2026-03-18T10:00:00Z",
		"2026-03-18T10:00-05:30":        "2026-03-18T15:30:00Z 2026-03-18T15:30:00Z",
		"2026-03-18T10:00:00.250":       "2026-03-18T07:00:00.250Z 2026-03-18T07:00:00.250Z",
		"2026-03-18T10:00:00.250+03:00": "2026-03-18T07:00:00.250Z 2026-03-18T07:00:00.250Z",
	} {
		q, err := window(t, text, text)
		if got := q.From.String() + " " + q.To.String(); err != nil || got != want {
			t.Errorf("%s: %s, %v; want %s", text, got, err, want)
		}
	}
}

func TestNoBounds(t *testing.T) {
	for _, text := range []string{
		"", " ", "yesterday", "18.03.2026", "2026-3-18", "2026-02-29", "2026-13-01", "2026-03-18 ", " 2026-03-18", "2026-03-18T",
		"2026-03-18 10:00", "2026-03-18t10:00:00z",
		"2026-03-18T25:00", "2026-03-18T10:60", "2026-03-18T10:00:61", "2026-03-18T1:00", "2026-03-18T10", "2026-03-18T10:00:00z",
		"2026-03-18T10:00:00 03:00",
		"2026-03-18T10:00:00+0300", "2026-03-18T10:00:00+03", "2026-03-18T10:00:00,5Z", "20260318", "1773820800", "2026-03-18T10:00:00ZZ",
		"0000-01-01", "12026-03-18", "-2026-03-18",
	} {
		if b, err := kap.ParseBound(text); err == nil {
			t.Errorf("%q is %v", text, b)
		}
	}
}

// Worked vector V-88.
func TestInvertedWindow(t *testing.T) {
	for pair, want := range map[string]problem.Kind{
		"2026-03-18T12:00:00 2026-03-18": "", "2026-03-18T12:00:00 2026-03-18T12:00:00": "",
		"2026-03-18T12:00:00 2026-03-18T11:59:59": "inverted-window", "2026-03-19 2026-03-18": "inverted-window",
		"2026-03-18T00:00:00 2026-03-17T21:00:00Z": "", "2026-03-18T21:00:00Z 2026-03-18": "inverted-window",
	} {
		from, to, _ := strings.Cut(pair, " ")
		if _, err := window(t, from, to); calls.KindOf(err) != want || (err == nil) != (want == "") {
			t.Errorf("%s: %v, want %q", pair, err, want)
		}
	}
}

// Whatever is taken is a window that holds something, at most a day, and what
// was taken is written as it came.
func FuzzBound(f *testing.F) {
	for _, seed := range []string{"2026-03-18", "2026-03-18T10:00", "2026-03-18T10:00:00.5+01:00", "0001-01-01T00:00:00Z", "9999-12-31",
		"2026-03-18T9:00"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		b, err := kap.ParseBound(text)
		if err != nil {
			return
		}
		var written strings.Builder
		if b.MarshalGQL(&written); written.String() != `"`+text+`"` {
			t.Errorf("%q is written %s", text, &written)
		}
		q, err := window(t, text, text)
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		if q.From.IsNull() || q.To.IsNull() { // would be no bound at all
			t.Errorf("%q bounds nothing: %v to %v", text, q.From, q.To)
		}
		if long := q.To.Sub(q.From); long != 0 && long != 24*time.Hour-time.Millisecond {
			t.Errorf("%q is %s long", text, long)
		}
	})
}
