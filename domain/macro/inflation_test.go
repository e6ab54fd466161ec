package macro_test

import (
	"encoding/json"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"piyasa/account/access"
	"piyasa/domain/macro"
	"piyasa/internal/problem"
	"piyasa/internal/value"
	"piyasa/test/fixture/calls"
	"piyasa/test/fixture/need"
)

// monthsOf are the months of a series.
func monthsOf(s *macro.InflationSeries) []string {
	list := []string{}
	for _, p := range s.Points {
		list = append(list, p.Month.String())
	}
	return list
}

// V-92, INF-03 to INF-08, G-58.
func TestProducerPriceIndex(t *testing.T) {
	e := newEconomy()
	levels := map[string]string{"2002-12": "1"} // known, not shown
	for m := value.MustMonth("2003-01"); !value.MustMonth("2026-02").Before(m); m = m.Next() {
		levels[m.String()] = "1"
	}
	e.Live.PutPoints(append(points(macro.YIUFE, levels), points(macro.TUFE, map[string]string{"2026-03": "7"})...))
	for _, c := range []struct {
		name, from, to string
		limit          *int
		count          int
		newest, oldest string
		kind           problem.Kind
	}{
		{name: "all", count: 278, newest: "2026-02", oldest: "2003-01"},
		{name: "V-92 limit", limit: new(2), count: 2, newest: "2026-02", oldest: "2026-01"},
		{name: "V-92 from", from: "2025-12", count: 3, newest: "2026-02", oldest: "2025-12"},
		{name: "V-92 limit beside from", from: "2025-12", limit: new(1), count: 3, newest: "2026-02", oldest: "2025-12"},
		{name: "V-92 inverted", from: "2026-03", to: "2026-02", kind: problem.InvertedWindow},
		{name: "V-92 to", to: "2003-02", count: 2, newest: "2003-02", oldest: "2003-01"},
		{name: "limit beside to", to: "2003-02", limit: new(1), count: 2, newest: "2003-02", oldest: "2003-01"},
		{name: "before the first shown", to: "2002-12"},
		{name: "from before the first shown", from: "1994-01", count: 278, newest: "2026-02", oldest: "2003-01"},
		{name: "after the newest", from: "2026-03"},
		{name: "to after the newest", from: "2026-02", to: "2030-01", count: 1, newest: "2026-02", oldest: "2026-02"},
		{name: "one month", from: "2024-05", to: "2024-05", count: 1, newest: "2024-05", oldest: "2024-05"},
		{name: "the largest limit", limit: new(600), count: 278, newest: "2026-02", oldest: "2003-01"},
		{name: "limit 1", limit: new(1), count: 1, newest: "2026-02", oldest: "2026-02"},
		{name: "limit 0", limit: new(0), kind: problem.InvalidParameter},
		{name: "limit 601", limit: new(601), kind: problem.InvalidParameter},
		{name: "limit 601 beside a bound", from: "2026-01", limit: new(601), kind: problem.InvalidParameter},
		{name: "limit 0 before an inverted window", from: "2026-03", to: "2026-02", limit: new(0), kind: problem.InvalidParameter},
	} {
		t.Run(c.name, func(t *testing.T) {
			ctx := calls.Caller(access.CalendarRead)
			call := access.CallOf(ctx)
			s, err := e.ProducerPriceIndex(ctx, month(c.from), month(c.to), c.limit)
			if c.kind != "" {
				if calls.WantProblem(t, err, c.kind); call.Units() != 0 {
					t.Errorf("costs %d", call.Units())
				}
				return
			}
			need.NoError(t, err)
			months := monthsOf(s)
			if s.Count != c.count || len(months) != c.count || s.Points == nil || call.Units() != 1 || s.SeriesID != "YI_UFE" {
				t.Fatalf("%d of %v, %d units", s.Count, months, call.Units())
			}
			if c.count > 0 && (months[0] != c.newest || months[c.count-1] != c.oldest) {
				t.Errorf("%s to %s", months[0], months[c.count-1])
			}
		})
	}
}

// INF-09, G-58: a month that the source skipped is a null point, whether it
// was stated as null or not at all; before the first month and after the
// newest published one there is none.
func TestSkippedMonths(t *testing.T) {
	for _, c := range []struct {
		name   string
		levels map[string]string
		want   []string
	}{
		{"nothing", nil, []string{}},
		{"nothing but skipped", map[string]string{"2025-01": ""}, []string{}},
		{"a gap", map[string]string{"2025-01": "1", "2025-04": "4"}, []string{"2025-04 4", "2025-03", "2025-02", "2025-01 1"}},
		{"a gap over a new year", map[string]string{"2024-11": "1", "2025-02": "4"},
			[]string{"2025-02 4", "2025-01", "2024-12", "2024-11 1"}},
		{"stated as skipped", map[string]string{"2025-01": "1", "2025-02": "", "2025-03": "3.10"},
			[]string{"2025-03 3.10", "2025-02", "2025-01 1"}},
		{"skipped after the newest", map[string]string{"2025-01": "1", "2025-02": ""}, []string{"2025-01 1"}},
		{"skipped before the first", map[string]string{"2025-01": "", "2025-02": "2"}, []string{"2025-02 2", "2025-01"}},
		{"only before 2003", map[string]string{"2002-11": "1", "2002-12": "2"}, []string{}},
		{"over 2003", map[string]string{"2002-12": "1", "2003-02": "2"}, []string{"2003-02 2", "2003-01"}},
	} {
		e := newEconomy()
		all := points(macro.YIUFE, c.levels)
		for _, p := range all {
			p.Source, p.FetchedAt = new("TÜİK"), now
		}
		e.Live.PutPoints(all)
		s, err := e.ProducerPriceIndex(reader(), nil, nil, nil)
		need.NoError(t, err)
		got := []string{}
		for _, p := range s.Points {
			text := p.Month.String()
			if !p.Value.IsNull() {
				text += " " + p.Value.String()
			}
			if p.Value.IsNull() != (p.Source == nil) || p.Value.IsNull() != p.FetchedAt.IsNull() {
				t.Errorf("%s: %s has source %v, fetched_at %q", c.name, text, p.Source, p.FetchedAt)
			}
			got = append(got, text)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// INF-01, INF-02, INF-10: the whole answer; the unit is the newest base note of the points shown.
func TestProducerPriceIndexText(t *testing.T) {
	e := newEconomy()
	all := points(macro.YIUFE, map[string]string{"2025-12": "4783.120"})
	all[0].Source, all[0].FetchedAt = new("TUIK"), value.MustInstant("2026-03-03T07:05:00Z")
	e.Live.PutPoints(all)
	text := func() string {
		s, err := e.ProducerPriceIndex(reader(), nil, nil, nil)
		need.NoError(t, err)
		b, _ := json.Marshal(s)
		return string(b)
	}
	const want = `{"series_id":"YI_UFE","name":"Yurt İçi Üretici Fiyat Endeksi","unit":null,"points":[{"month":"2025-12","value":"4783.120","source":"TUIK","fetched_at":"2026-03-03T07:05:00Z"}],"count":1}`
	if got := text(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	noted := func(month, unit string) *macro.Point {
		p := points(macro.YIUFE, map[string]string{month: "1"})[0]
		p.Unit = &unit
		return p
	}
	other := noted("2026-02", "1994=100")
	other.SeriesID = macro.TUFE
	e.Live.PutPoints(append(all, noted("2025-06", "2003=100"), noted("2025-07", "2003=100 (revised)"), other))
	s, err := e.ProducerPriceIndex(reader(), nil, nil, new(1))
	if err != nil || *s.Unit != "2003=100 (revised)" {
		t.Errorf("%+v, %v", s, err)
	}
}

// Any months stored: the points are the months between, each once, newest
// first, and state what is stored.
func TestAnyProducerPriceIndex(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		levels, first := map[string]string{}, value.MustMonth("2002-06")
		for range rapid.IntRange(0, 12).Draw(t, "points") {
			m := first
			for range rapid.IntRange(0, 30).Draw(t, "month") {
				m = m.Next()
			}
			levels[m.String()] = rapid.SampledFrom([]string{"", "1", "2.50"}).Draw(t, "level")
		}
		e := newEconomy()
		e.Live.PutPoints(points(macro.YIUFE, levels))
		s, err := e.ProducerPriceIndex(reader(), nil, nil, nil)
		need.NoError(t, err)
		months := monthsOf(s)
		for i, p := range s.Points {
			if p.Value.String() != levels[months[i]] || months[i] < "2003-01" || (i > 0 && p.Month.Next() != s.Points[i-1].Month) {
				t.Fatalf("%v of %v", months, levels)
			}
		}
		for m, level := range levels {
			if level != "" && m >= "2003-01" && !slices.Contains(months, m) {
				t.Fatalf("%s is not in %v", m, months)
			}
		}
		if len(months) > 0 && levels[months[0]] == "" {
			t.Fatalf("the newest, %s, is not published", months[0])
		}
	})
}
