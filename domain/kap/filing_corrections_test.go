package kap_test

import (
	"encoding/json"
	"slices"
	"testing"

	"piyasa/account/access"
	"piyasa/domain/kap"
	"piyasa/domain/macro"
	"piyasa/internal/value"
	"piyasa/test/fixture/calls"
	"piyasa/test/fixture/need"
)

// What a correction corrects is replaced, whatever the correction says of its period and
// consolidation; what corrects nothing is another entry.
func TestCorrectedFilings(t *testing.T) {
	const june = "2025-06-30"
	turkish := statements(10, "2025", "6 Aylık", june, "CS")
	solo := statements(10, "2025", "6 Aylık", june, "NC")
	english, group := statements(20, "2025", "6 Months", june, "CS"), statements(20, "2025", "6 Months", june, "CS")
	type numbers = map[kap.Consolidation][]int
	for _, c := range []struct {
		name      string
		filings   []*kap.FilingRecord
		corrects  map[int]int
		cancelled []int
		want      numbers
	}{
		{"in another language", []*kap.FilingRecord{turkish, english}, map[int]int{20: 10}, nil,
			numbers{kap.Consolidated: {20}, kap.CS: {20}, kap.NC: {}}},
		{"in another language, corrects nothing", []*kap.FilingRecord{turkish, english}, nil, nil,
			numbers{kap.Consolidated: {20}, kap.CS: {20}}},
		{"from solo to group", []*kap.FilingRecord{solo, group}, map[int]int{20: 10}, nil,
			numbers{kap.Consolidated: {20}, kap.Solo: {20}, kap.CS: {20}, kap.NC: {}}},
		{"from group to solo", []*kap.FilingRecord{turkish, statements(20, "2025", "6 Months", june, "NC")}, map[int]int{20: 10}, nil,
			numbers{kap.Consolidated: {20}, kap.Solo: {20}, kap.CS: {}, kap.NC: {20}}},
		{"solo beside group", []*kap.FilingRecord{solo, group}, nil, nil,
			numbers{kap.Consolidated: {20}, kap.Solo: {10}, kap.CS: {20}, kap.NC: {10}}},
		{"another period", []*kap.FilingRecord{turkish, statements(20, "2025", "9 Aylık", "2025-09-30", "CS")}, map[int]int{20: 10}, nil,
			numbers{kap.Consolidated: {20}}},
		{"another length of one last day", []*kap.FilingRecord{turkish, statements(20, "2025", "3 Months", june, "CS")}, nil, nil,
			numbers{kap.Consolidated: {10, 20}}},
		{"a year in three wordings", []*kap.FilingRecord{statements(1, "2025", "Yıllık", "2025-12-31", "CS"),
			statements(2, "2025/2026", "12 aylik", "2025-12-31", "CS"), statements(3, "2025", "ANNUAL", "2025-12-31", "CS")}, nil, nil,
			numbers{kap.Consolidated: {3}}},
		{"labels that say no length", []*kap.FilingRecord{statements(1, "2025", "Ara Dönem", june, "CS"),
			statements(2, "2025", "ARA  DÖNEM", june, "CS"), statements(3, "2025", "Q2", june, "CS")}, nil, nil,
			numbers{kap.Consolidated: {3, 2}}},
		{"a chain", []*kap.FilingRecord{solo, group, statements(30, "2025", "9 Aylık", "2025-09-30", "NC")},
			map[int]int{20: 10, 30: 20}, nil,
			numbers{kap.Consolidated: {30}}},
		{"a chain, the last one cancelled", []*kap.FilingRecord{solo, group, statements(30, "2025", "9 Aylık", "2025-09-30", "NC")},
			map[int]int{20: 10, 30: 20}, []int{30}, numbers{kap.Consolidated: {20}, kap.NC: {}}},
		{"a chain, one between cancelled", []*kap.FilingRecord{solo, group, statements(30, "2025", "9 Aylık", "2025-09-30", "NC")},
			map[int]int{20: 10, 30: 20}, []int{20}, numbers{kap.Consolidated: {30}, kap.CS: {}}},
		{"a correction is cancelled", []*kap.FilingRecord{solo, group}, map[int]int{20: 10}, []int{20},
			numbers{kap.Consolidated: {10}, kap.CS: {}}},
		{"two corrections of one filing", []*kap.FilingRecord{solo, group, statements(30, "2025", "9 Aylık", "2025-09-30", "NC")},
			map[int]int{20: 10, 30: 10}, nil, numbers{kap.Consolidated: {30}, kap.CS: {}}},
		{"a correction of what is not there", []*kap.FilingRecord{group}, map[int]int{20: 10}, nil, numbers{kap.Consolidated: {20}}},
		{"a correction of itself", []*kap.FilingRecord{group}, map[int]int{20: 20}, nil, numbers{kap.Consolidated: {20}}},
		{"in a circle", []*kap.FilingRecord{solo, group}, map[int]int{20: 10, 10: 20}, nil, numbers{kap.Consolidated: {20}, kap.NC: {}}},
	} {
		for of, want := range c.want {
			store := &filed{filings: c.filings, corrects: c.corrects, cancelled: map[int]bool{}}
			for _, index := range c.cancelled {
				store.cancelled[index] = true
			}
			args := kap.FilingArgs{Consolidation: &of}
			if got := chosen(t, store.service(), "DMOST", args); !slices.Equal(got, want) {
				t.Errorf("%s, %s: %v, want %v", c.name, of, got, want)
			}
			slices.Reverse(store.filings) // in whatever order they came
			if got := chosen(t, store.service(), "DMOST", args); !slices.Equal(got, want) {
				t.Errorf("%s, %s, the other way round: %v, want %v", c.name, of, got, want)
			}
		}
	}
}

// Filters find a period by each label under which it was filed.
func TestFiltersOfCorrectedFilings(t *testing.T) {
	store := &filed{corrects: map[int]int{20: 10}, cancelled: map[int]bool{30: true}, filings: []*kap.FilingRecord{
		statements(10, "2025", "6 Aylık", "2025-06-30", "NC"), statements(20, "2025", "6 Months", "2025-06-30", "CS"),
		statements(30, "2024", "6 months", "2025-06-30", "CS"),
	}}
	for _, c := range []struct {
		args kap.FilingArgs
		want []int
	}{
		{kap.FilingArgs{Period: new("6 Aylık")}, []int{20}}, {kap.FilingArgs{Period: new("6 Months")}, []int{20}},
		{kap.FilingArgs{Period: new("6 aylık")}, []int{}}, {kap.FilingArgs{Year: new("2025"), Period: new("6 Aylık")}, []int{20}},
		{kap.FilingArgs{Year: new("2024")}, []int{}}, {kap.FilingArgs{Period: new("6 months")}, []int{}},
		{kap.FilingArgs{Period: new("6 Aylık"), Consolidation: new(kap.NC)}, []int{}},
	} {
		if got := chosen(t, store.service(), "DMOST", c.args); !slices.Equal(got, c.want) {
			t.Errorf("%+v: %v, want %v", c.args, got, c.want)
		}
	}
}

// A filter finds what stands of a chain of corrections by each of its labels, whatever their words.
func TestFiltersOfChainsOfCorrections(t *testing.T) {
	store := &filed{corrects: map[int]int{12: 11, 13: 12}, filings: []*kap.FilingRecord{
		statements(11, "2025", "6 Aylık", "2025-06-30", "CS"), statements(12, "2025", "6 Months", "2025-06-30", "CS"),
		statements(13, "2025/26", "Q2", "2025-06-30", "CS"), statements(9, "2025", "3 Aylık", "2025-03-31", "CS"),
	}}
	for _, label := range []string{"6 Aylık", "6 Months", "Q2"} {
		if got := chosen(t, store.service(), "DMOST", kap.FilingArgs{Period: &label}); !slices.Equal(got, []int{13}) {
			t.Errorf("%s: %v", label, got)
		}
	}
	if got := chosen(t, store.service(), "DMOST", kap.FilingArgs{Year: new("2025")}); !slices.Equal(got, []int{13, 9}) {
		t.Error(got)
	}
}

// An amount crosses from one base of an index to another over links only, which the restatement names.
func TestRestatementAcrossBases(t *testing.T) {
	at := func(month, level, unit string) *macro.Point {
		return &macro.Point{SeriesID: macro.YIUFE, Month: value.MustMonth(month), Value: value.MustDecimal(level), Unit: &unit}
	}
	all := []*macro.Point{at("2025-06", "4300.00", "2003=100"), at("2025-12", "104.00", "2025=100")}
	link := func(from, to, factor, divisor string) *macro.IndexLink {
		l := &macro.IndexLink{SeriesID: macro.YIUFE, FromBase: from, ToBase: to, Factor: value.MustDecimal(factor), Source: new("TÜİK")}
		if divisor != "" {
			l.Divisor = value.MustDecimal(divisor)
		}
		return l
	}
	const changed = `{"what":"base","from":"2003=100","to":"2025=100","on":"2025-12-01"}`
	const null = "200000000 !meaning_changed 1.93 !not_provided_by_source"
	for _, c := range []struct {
		name                     string
		asOf                     string
		links                    []*macro.IndexLink
		want, changed, restating string
	}{
		{"no link", "2025-12", nil, null, changed, "null"},
		{"a link of another series", "2025-12", []*macro.IndexLink{{SeriesID: macro.TUFE, FromBase: "2003=100", ToBase: "2025=100",
			Factor: value.MustDecimal("1")}}, null, changed, "null"},
		{"a link", "2025-12", []*macro.IndexLink{link("2003=100", "2025=100", "100", "4321.5")},
			"200000000 1045200 1.93 !not_provided_by_source", "null",
			`{"index":"YI_UFE","from_month":"2025-06","to_month":"2025-12","factor":"1.0452","bridges":[{"kind":"index_link",` +
				`"on":"2025-12-01","factor":"0.0231401133866","source":"TÜİK"}]}`},
		{"a chain", "2025-12", []*macro.IndexLink{link("2015=100", "2025=100", "0.2", ""), link("2015=100", "2003=100", "10", "")},
			"200000000 1209302.33 1.93 !not_provided_by_source", "null",
			`{"index":"YI_UFE","from_month":"2025-06","to_month":"2025-12","factor":"1.20930232558","bridges":[{"kind":"index_link",` +
				`"on":"2025-12-01","factor":"0.1","source":"TÜİK"},{"kind":"index_link","on":"2025-12-01","factor":"0.2","source":"TÜİK"}]}`},
		{"the month of the filing", "2025-06", nil, "200000000 1000000.00 1.93 !not_provided_by_source", "null", "null"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := (&filed{filings: []*kap.FilingRecord{half(nil)}}).service()
			s.Inflation.PutPoints(all, c.links...)
			page, err := s.Filings(calls.Caller(access.KAP), "DMOST",
				kap.FilingArgs{Basis: new(kap.YIUFEAdjusted), AsOf: new(value.MustMonth(c.asOf))}, nil, nil)
			need.NoError(t, err)
			f := page.Items[0]
			change, _ := json.Marshal(f.IncomeStatement[0].MeaningChanged)
			restating, _ := json.Marshal(f.Restatement)
			if got := figures(f); got != c.want || string(change) != c.changed || string(restating) != c.restating {
				t.Errorf("%s\n%s\n%s\nwant %s\n%s\n%s", got, change, restating, c.want, c.changed, c.restating)
			}
			if f.CashFlow[0].MeaningChanged != nil || f.BalanceSheet[0].MeaningChanged != nil {
				t.Error("a figure that is not restated says that the meaning changed")
			}
		})
	}
}
