package kap_test

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"piyasa/account/access"
	"piyasa/domain/kap"
	"piyasa/domain/macro"
	"piyasa/internal/problem"
	"piyasa/internal/value"
	"piyasa/internal/value/valuetest"
	"piyasa/test/fixture/calls"
	"piyasa/test/fixture/need"
)

// filed is a store of filings.
type filed struct {
	kap.Store
	filings   []*kap.FilingRecord
	cancelled map[int]bool
	corrects  map[int]int
}

// FilingSummaries implements kap.Store.
func (f *filed) FilingSummaries(_ context.Context, of []kap.Origin) ([]*kap.FilingSummary, error) {
	var heads []*kap.FilingSummary
	for _, r := range f.filings {
		if slices.ContainsFunc(of, func(o kap.Origin) bool { return o.Code == r.Symbol }) {
			heads = append(heads, &kap.FilingSummary{
				DisclosureIndex: r.DisclosureIndex, Year: r.Year, Period: r.Period, EndDate: r.EndDate,
				Consolidation: kap.Consolidation(r.Consolidation),
				PublishedAt:   published(r.DisclosureIndex), Cancelled: f.cancelled[r.DisclosureIndex],
			})
			if n, ok := f.corrects[r.DisclosureIndex]; ok {
				heads[len(heads)-1].Corrects = &n
			}
		}
	}
	return heads, nil
}

// published is when a disclosure was.
func published(index int) value.Instant {
	return value.MustInstant("2026-01-01T00:00:00Z").Add(-time.Duration(index) * time.Hour) // times do not order filings
}

// Filings implements kap.Store.
func (f *filed) Filings(_ context.Context, numbers []int) ([]*kap.Filing, error) {
	var found []*kap.Filing
	for _, r := range f.filings {
		if slices.Contains(numbers, r.DisclosureIndex) {
			c := r.Filing
			for _, lines := range []*[]*kap.FilingLine{&c.BalanceSheet, &c.IncomeStatement, &c.CashFlow} {
				copies := make([]*kap.FilingLine, len(*lines))
				for i, l := range *lines {
					copies[i] = new(*l)
				}
				*lines = copies
			}
			found = append(found, &c)
		}
	}
	return found, nil
}

func (f *filed) service() *kap.Service {
	live, inflation := kap.NewLive(), macro.NewLive()
	live.PutCompanies([]*kap.CompanyRecord{{CompanyID: "K1", Codes: []string{"DMOST", "DMOSR"}},
		{CompanyID: "K3", Codes: []string{"DMSIG"}}})
	var points []*macro.Point
	for series, levels := range map[macro.Series]map[string]string{
		macro.YIUFE: {"2025-03": "4100", "2025-06": "4320.15", "2025-09": "", "2025-12": "4783.12", "2026-02": "4900.5"},
		macro.TUFE:  {"2025-06": "3132.17", "2025-12": "3300.01"},
	} {
		for month, level := range levels {
			p := &macro.Point{SeriesID: series, Month: value.MustMonth(month)}
			if level != "" {
				p.Value = value.MustDecimal(level)
			}
			points = append(points, p)
		}
	}
	inflation.PutPoints(points)
	return &kap.Service{Store: f, Live: live, Inflation: inflation, Signer: access.Signer{Secret: []byte("a secret of this test")}}
}

// statements are a filing of DMOST with a figure of each kind.
func statements(index int, year, period, end, consolidation string) *kap.FilingRecord {
	line := func(code, figure, of string) *kap.FilingLine {
		l := &kap.FilingLine{Code: code, ValueType: of}
		if figure != "" {
			l.Value = value.MustDecimal(figure)
		}
		return l
	}
	return &kap.FilingRecord{Symbol: "DMOST", Filing: kap.Filing{
		DisclosureIndex: index, Year: year, Period: period, EndDate: value.MustDate(end), Consolidation: consolidation,
		Currency: "TRY", Template: "industrial", Tms29Applied: true, MeasuringMonth: value.MustMonth(end[:7]),
		BalanceSheet:    []*kap.FilingLine{line("share_count", "200000000", "non_monetary")},
		IncomeStatement: []*kap.FilingLine{line("revenue", "1000000.00", "monetary"), line("eps", "1.93", "per_share")},
		CashFlow:        []*kap.FilingLine{line("net_cash", "", "monetary")},
	}}
}

// half is the filing of the first half of 2025, changed.
func half(change func(*kap.FilingRecord)) *kap.FilingRecord {
	r := statements(1444, "2025", "6 Months", "2025-06-30", "CS")
	if change != nil {
		change(r)
	}
	return r
}

// figures are the lines of a filing as text: value, or why there is none.
func figures(f *kap.Filing) string {
	var all []string
	for _, l := range slices.Concat(f.BalanceSheet, f.IncomeStatement, f.CashFlow) {
		text := l.Value.String()
		if l.NullReason != nil {
			text += "!" + *l.NullReason
		}
		all = append(all, text)
	}
	return strings.Join(all, " ")
}

// V-104, V-105, V-106, V-107 and what is left alone.
func TestStatedFilings(t *testing.T) {
	yiufe, tufe, thousand, million := new(kap.YIUFEAdjusted), new(kap.TUFEAdjusted), new(kap.Thousand), new(kap.Million)
	december := new(value.MustMonth("2025-12"))
	const asFiled = "200000000 1000000.00 1.93 !not_provided_by_source"
	for _, c := range []struct {
		name   string
		filing *kap.FilingRecord
		args   kap.FilingArgs
		want   string // figures
		month  string // of the page
		factor string // of the restatement; empty: none
	}{
		{"as reported", half(nil), kap.FilingArgs{}, asFiled, "", ""},
		{"V-104", half(nil), kap.FilingArgs{Basis: yiufe, AsOf: december}, "200000000 1107165.26 1.93 !not_provided_by_source", "2025-12",
			"1.10716526047"},
		{"V-105 thousand", half(nil), kap.FilingArgs{Basis: yiufe, AsOf: december, Unit: thousand},
			"200000000 1107.16526 1.93 !not_provided_by_source", "2025-12", "1.10716526047"},
		{"V-105 million", half(nil), kap.FilingArgs{Basis: yiufe, AsOf: december, Unit: million},
			"200000000 1.10716526 1.93 !not_provided_by_source", "2025-12", "1.10716526047"},
		{"thousands as reported", half(nil), kap.FilingArgs{Unit: thousand}, "200000000 1000 1.93 !not_provided_by_source", "", ""},
		{"V-107: the default month", half(nil), kap.FilingArgs{Basis: yiufe}, "200000000 1107165.26 1.93 !not_provided_by_source",
			"2025-12", "1.10716526047"},
		{"consumer prices", half(nil), kap.FilingArgs{Basis: tufe}, "200000000 1053585.85 1.93 !not_provided_by_source", "2025-12",
			"1.05358585262"},
		{"back in time", half(nil), kap.FilingArgs{Basis: yiufe, AsOf: new(value.MustMonth("2025-03"))},
			"200000000 949041.12 1.93 !not_provided_by_source", "2025-03", "0.949041121257"},
		{"in the money of the month already", half(nil), kap.FilingArgs{Basis: yiufe, AsOf: new(value.MustMonth("2025-06"))}, asFiled,
			"2025-06", ""},
		{"V-106: outside the standard", half(func(r *kap.FilingRecord) { r.Tms29Applied, r.MeasuringMonth = false, value.Month{} }),
			kap.FilingArgs{Basis: yiufe}, asFiled, "2025-12", ""},
		{"another currency", half(func(r *kap.FilingRecord) { r.Currency = "USD" }), kap.FilingArgs{Basis: yiufe}, asFiled, "2025-12", ""},
		{"a skipped target month", half(nil), kap.FilingArgs{Basis: yiufe, AsOf: new(value.MustMonth("2025-09"))},
			"200000000 !index_not_published 1.93 !not_provided_by_source", "2025-09", ""},
		{"before the series", half(nil), kap.FilingArgs{Basis: tufe, AsOf: new(value.MustMonth("2002-12")), Unit: million},
			"200000000 !index_not_published 1.93 !not_provided_by_source", "2002-12", ""},
		{"filed in a skipped month", half(func(r *kap.FilingRecord) { r.MeasuringMonth = value.MustMonth("2025-09") }),
			kap.FilingArgs{Basis: yiufe}, "200000000 !index_not_published 1.93 !not_provided_by_source", "2025-12", ""},
		{"filed in nobody knows whose money", half(func(r *kap.FilingRecord) { r.MeasuringMonth = value.Month{} }),
			kap.FilingArgs{Basis: yiufe}, "200000000 !missing_input 1.93 !not_provided_by_source", "2025-12", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			page, err := (&filed{filings: []*kap.FilingRecord{c.filing}}).service().Filings(calls.Caller(access.KAP), "DMOST",
				c.args, nil, nil)
			if err != nil || page.Count != 1 {
				t.Fatalf("%+v, %v", page, err)
			}
			f := page.Items[0]
			if got := figures(f); got != c.want || page.AsOfMonth.String() != c.month {
				t.Errorf("%s in the money of %q, want %s of %q", got, page.AsOfMonth, c.want, c.month)
			}
			switch r := f.Restatement; {
			case r == nil && c.factor != "":
				t.Error("no restatement")
			case r != nil && (r.Factor.String() != c.factor || r.FromMonth != f.MeasuringMonth || r.ToMonth != page.AsOfMonth ||
				!strings.HasPrefix(strings.ReplaceAll(string(page.Basis), "yi", "yi_"), strings.ToLower(r.Index))):
				t.Errorf("restatement %+v", *r)
			}
		})
	}
}

// While no month of an index is published, adjusted amounts are not stated.
func TestNoIndexAtAll(t *testing.T) {
	s := (&filed{filings: []*kap.FilingRecord{half(nil)}}).service()
	s.Inflation.PutPoints(nil)
	page, err := s.Filings(calls.Caller(access.KAP), "DMOST", kap.FilingArgs{Basis: new(kap.TUFEAdjusted)}, nil, nil)
	if err != nil || !page.AsOfMonth.IsNull() || figures(page.Items[0]) != "200000000 !index_not_published 1.93 !not_provided_by_source" ||
		page.Items[0].Restatement != nil {
		t.Errorf("%+v, %v", page, err)
	}
}

func TestFilingRefusals(t *testing.T) {
	month := func(text string) *value.Month { return new(value.MustMonth(text)) }
	yiufe := new(kap.YIUFEAdjusted)
	for _, c := range []struct {
		name, code string
		args       kap.FilingArgs
		cursor     *string
		limit      *int
		want       problem.Kind
	}{
		{name: "limit 0", code: "DMOST", limit: new(0), want: problem.InvalidParameter},
		{name: "limit 13", code: "DMOST", limit: new(13), want: problem.InvalidParameter},
		{name: "limit before code", code: "D-M", limit: new(13), want: problem.InvalidParameter},
		{name: "as_of as reported", code: "DMOST", args: kap.FilingArgs{AsOf: month("2025-12")}, want: problem.ConflictingParameters},
		{name: "no quarter's end", code: "DMOST", args: kap.FilingArgs{Basis: yiufe, AsOf: month("2025-11")},
			want: problem.InvalidParameter},
		{name: "a wrong month before the combination", code: "DMOST", args: kap.FilingArgs{AsOf: month("2025-11")},
			want: problem.InvalidParameter},
		{name: "not published yet", code: "DMOST", args: kap.FilingArgs{Basis: yiufe, AsOf: month("2026-03")},
			want: problem.InvalidParameter},
		{name: "malformed", code: "D-M", want: problem.MalformedCode},
		{name: "unknown", code: "ZZZZZ", want: problem.NotFound},
		{name: "cursor before unknown", code: "ZZZZZ", cursor: new("garbage"), want: problem.InvalidCursor},
		{name: "garbage", code: "DMOST", cursor: new("garbage"), want: problem.InvalidCursor},
	} {
		t.Run(c.name, func(t *testing.T) {
			page, err := (&filed{}).service().Filings(calls.Caller(access.KAP), c.code, c.args, c.cursor, c.limit)
			if page != nil || calls.KindOf(err) != c.want {
				t.Errorf("%+v, %v; want %s", page, err, c.want)
			}
		})
	}
	ctx, _ := access.WithCall(t.Context(), &access.Key{Scopes: []access.Scope{access.News, access.History}})
	if _, err := (&filed{}).service().Filings(ctx, "D-M", kap.FilingArgs{}, nil, new(13)); calls.KindOf(err) != problem.MissingScope {
		t.Errorf("without the scope: %v", err)
	}
}

// chosen are the numbers of the filings of a page.
func chosen(t testing.TB, s *kap.Service, code string, args kap.FilingArgs) []int {
	t.Helper()
	page, err := s.Filings(calls.Caller(access.KAP), code, args, nil, new(12))
	need.NoError(t, err)
	numbers := []int{}
	for _, f := range page.Items {
		numbers = append(numbers, f.DisclosureIndex)
	}
	return numbers
}

// KF-10 to KF-13, G-67.
func TestChosenFilings(t *testing.T) {
	store := &filed{cancelled: map[int]bool{15: true, 31: true}, filings: []*kap.FilingRecord{
		statements(10, "2024", "Annual", "2024-12-31", "CS"),
		statements(11, "2024", "Annual", "2024-12-31", "NC"),
		statements(14, "2024", "Annual", "2024-12-31", "CS"), // corrects 10
		statements(15, "2024", "Annual", "2024-12-31", "CS"), // and is cancelled
		statements(20, "2025", "3 Months", "2025-03-31", "NC"),
		statements(30, "2025", "6 Months", "2025-06-30", "CS"),
		statements(31, "2025", "9 Months", "2025-09-30", "CS"), // the only one, cancelled
		statements(12, "2025", "6 Months", "2025-06-30", "CS"), // stored late, and older
	}}
	store.filings[4].Symbol = "DMOSR" // another code of the company
	s := store.service()
	for _, c := range []struct {
		name string
		args kap.FilingArgs
		want []int
	}{
		{"consolidated", kap.FilingArgs{}, []int{30, 20, 14}},
		{"solo", kap.FilingArgs{Consolidation: new(kap.Solo)}, []int{30, 20, 11}},
		{"CS", kap.FilingArgs{Consolidation: new(kap.CS)}, []int{30, 14}},
		{"NC", kap.FilingArgs{Consolidation: new(kap.NC)}, []int{20, 11}},
		{"a year", kap.FilingArgs{Year: new("2025")}, []int{30, 20}},
		{"a period", kap.FilingArgs{Period: new("Annual")}, []int{14}},
		{"both", kap.FilingArgs{Year: new("2025"), Period: new("6 Months")}, []int{30}},
		{"empty texts", kap.FilingArgs{Year: new(""), Period: new("")}, []int{30, 20, 14}},
		{"not as filed", kap.FilingArgs{Period: new("annual")}, []int{}},
		{"a cancelled one", kap.FilingArgs{Period: new("9 Months")}, []int{}},
	} {
		for _, code := range []string{"DMOST", "bist:dmost", "DMOSR"} {
			if got := chosen(t, s, code, c.args); !slices.Equal(got, c.want) {
				t.Errorf("%s of %s: %v, want %v", c.name, code, got, c.want)
			}
		}
	}
	if got := chosen(t, s, "DMSIG", kap.FilingArgs{}); len(got) != 0 { // KF-16
		t.Errorf("a company without filings has %v", got)
	}
	store.filings = append(store.filings, statements(40, "2025", "Annual", "2025-12-31", "NC"))
	store.filings[8].Symbol = "ALONE" // of a company that nobody described
	if got := chosen(t, s, "ALONE", kap.FilingArgs{}); !slices.Equal(got, []int{40}) {
		t.Errorf("a company that nobody described has %v", got)
	}
}

func TestFilingPage(t *testing.T) {
	s := (&filed{filings: []*kap.FilingRecord{half(nil)}}).service()
	ctx, call := access.WithCall(t.Context(), &access.Key{Scopes: []access.Scope{access.KAP}})
	page, err := s.Filings(ctx, "bist:dmosr", kap.FilingArgs{}, nil, nil)
	if err != nil || call.Units() != 1 {
		t.Fatalf("%v, %d units", err, call.Units())
	}
	if page.Symbol != "DMOST" || page.Basis != kap.AsReported || page.Unit != kap.One || page.Consolidation != kap.Consolidated ||
		page.Count != 1 || page.NextCursor != nil {
		t.Errorf("%+v", page)
	}
	if f := page.Items[0]; f.PublishedAt != published(1444) {
		t.Errorf("published %s", f.PublishedAt)
	}
}

// gone is a store that loses a filing between two reads.
type gone struct {
	*filed
	index int
}

// Filings implements kap.Store.
func (g gone) Filings(ctx context.Context, numbers []int) ([]*kap.Filing, error) {
	return g.filed.Filings(ctx, slices.DeleteFunc(numbers, func(n int) bool { return n == g.index }))
}

func TestFilingThatIsGone(t *testing.T) {
	store := &filed{filings: []*kap.FilingRecord{half(nil), statements(1505, "2025", "Annual", "2025-12-31", "CS")}}
	s := store.service()
	s.Store = gone{store, 1505}
	page, err := s.Filings(calls.Caller(access.KAP), "DMOST", kap.FilingArgs{}, nil, nil)
	if err != nil || page.Count != 1 || page.Items[0].DisclosureIndex != 1444 {
		t.Errorf("%+v, %v", page, err)
	}
}

// KF-14, G-63: a cursor belongs to everything but limit.
func TestFilingCursor(t *testing.T) {
	s := (&filed{filings: []*kap.FilingRecord{half(nil), statements(1505, "2025", "Annual", "2025-12-31", "CS")}}).service()
	first, err := s.Filings(calls.Caller(access.KAP), "DMOST", kap.FilingArgs{}, nil, new(1))
	if err != nil || first.NextCursor == nil {
		t.Fatalf("%+v, %v", first, err)
	}
	for _, args := range []kap.FilingArgs{
		{Unit: new(kap.Thousand)}, {Basis: new(kap.TUFEAdjusted)}, {Consolidation: new(kap.CS)}, {Year: new("2025")}, {Period: new("2025")},
	} {
		if _, err := s.Filings(calls.Caller(access.KAP), "DMOST", args, first.NextCursor,
			new(1)); calls.KindOf(err) != problem.InvalidCursor {
			t.Errorf("%+v takes it: %v", args, err)
		}
	}
	if _, err := s.Filings(calls.Caller(access.KAP), "DMSIG", kap.FilingArgs{}, first.NextCursor,
		nil); calls.KindOf(err) != problem.InvalidCursor {
		t.Errorf("another company takes it: %v", err)
	}
	for _, args := range []kap.FilingArgs{{}, {Basis: new(kap.AsReported), Unit: new(kap.One), Consolidation: new(kap.Consolidated)}} {
		for _, code := range []string{"DMOST", "bist:dmost"} {
			rest, err := s.Filings(calls.Caller(access.KAP), code, args, first.NextCursor, new(12))
			if err != nil || rest.Count != 1 || rest.Items[0].DisclosureIndex != 1444 || rest.NextCursor != nil {
				t.Errorf("%s %+v: %+v, %v", code, args, rest, err)
			}
		}
	}
}

// KF-01: a walk gives every period once, newest first, whatever the pages, and
// whatever is corrected or cancelled meanwhile.
func TestAnyWalkOverFilings(t *testing.T) {
	ends := []string{"2023-12-31", "2024-06-30", "2024-12-31", "2025-12-31"}
	labels := []string{" Annual", " Months", " Yıllık"} // several periods end on one day
	rapid.Check(t, func(t *rapid.T) {
		store, number := &filed{cancelled: map[int]bool{}}, 0
		file := func(end, label string) {
			number++
			consolidation := rapid.SampledFrom([]string{"CS", "NC"}).Draw(t, "consolidation")
			store.filings = append(store.filings, statements(number, end[:4], label, end, consolidation))
		}
		for range rapid.IntRange(0, 30).Draw(t, "filings") {
			end := rapid.SampledFrom(ends).Draw(t, "end")
			file(end, end[5:7]+rapid.SampledFrom(labels).Draw(t, "label"))
		}
		for i := 1; i <= number; i++ {
			store.cancelled[i] = rapid.IntRange(0, 4).Draw(t, "cancelled") == 0
		}
		s, want := store.service(), map[string]bool{}
		for _, r := range store.filings {
			if !store.cancelled[r.DisclosureIndex] {
				want[fmt.Sprint(r.EndDate, r.Year, r.Period)] = true
			}
		}
		initially := number
		ctx, _ := access.WithCall(context.Background(), &access.Key{Scopes: []access.Scope{access.KAP}})
		var cursor *string
		last, got := value.MustDate("2030-01-01"), map[string]bool{}
		for {
			page, err := s.Filings(ctx, "DMOST", kap.FilingArgs{}, cursor, new(rapid.IntRange(1, 4).Draw(t, "limit")))
			need.NoError(t, err)
			for _, f := range page.Items {
				period := fmt.Sprint(f.EndDate, f.Year, f.Period)
				if got[period] || last.Before(f.EndDate) {
					t.Fatalf("%s again, or after %s", period, last)
				}
				got[period], last = true, f.EndDate
			}
			if cursor = page.NextCursor; cursor == nil {
				break
			}
			if number > 0 && number < initially+5 { // a correction of anything
				of := store.filings[rapid.IntRange(0, initially-1).Draw(t, "of")]
				if want[fmt.Sprint(of.EndDate, of.Year, of.Period)] {
					file(of.EndDate.String(), of.Period)
				}
			}
		}
		if !maps.Equal(got, want) {
			t.Fatalf("walked over %v, want %v", got, want)
		}
	})
}

func TestFilingValidate(t *testing.T) {
	for symbol, wrong := range map[string]bool{"DMOST": false, "A1": false, "dmost": true, "bist:DMOST": true, "D": true, "DMOST.E": true,
		"ABCDEFGHIJK": true} {
		r := half(func(r *kap.FilingRecord) { r.Symbol = symbol })
		if err := r.Validate(); (err != nil) != wrong || (valuetest.InvalidMember(t, err) == "symbol") != wrong {
			t.Errorf("%q: %v", symbol, err)
		}
	}
}

func TestFilingWords(t *testing.T) {
	for _, c := range []struct {
		enum reflect.Type
		good []string
		bad  []string
	}{
		{reflect.TypeFor[kap.FilingBasis](), []string{"as_reported", "tufe_adjusted", "yiufe_adjusted"},
			[]string{"", "AS_REPORTED", "yi_ufe_adjusted", "current"}},
		{reflect.TypeFor[kap.FilingUnit](), []string{"one", "thousand", "million"}, []string{"", "One", "billion", "1"}},
		{reflect.TypeFor[kap.Consolidation](), []string{"consolidated", "solo", "CS", "NC"},
			[]string{"", "cs", "nc", "both", "CONSOLIDATED"}},
	} {
		for _, text := range c.good {
			if err := value.OneOf(text, value.EnumOf(c.enum)); err != nil {
				t.Errorf("%v %s: %v", c.enum, text, err)
			}
		}
		for _, text := range c.bad {
			if err := value.OneOf(text, value.EnumOf(c.enum)); err == nil || !strings.HasPrefix(err.Error(), "must be one of "+c.good[0]) {
				t.Errorf("%v %q: %v", c.enum, text, err)
			}
		}
	}
}
