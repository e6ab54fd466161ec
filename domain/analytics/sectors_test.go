package analytics_test

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"piyasa/account/access"
	"piyasa/domain/analytics"
	"piyasa/domain/fundamentals"
	"piyasa/domain/market"
	"piyasa/internal/problem"
	"piyasa/internal/value"
	"piyasa/test/fixture/calls"
)

// manyMembers returns a fixture whose sector has these P/E figures; a member "-" has
// none, and equity is there for the first two members only.
func manyMembers(pe ...string) *fixture {
	d := newFixture()
	var members []market.ID
	var stocks []*market.Instrument
	var metrics []*fundamentals.Metrics
	for i, figure := range pe {
		id := market.ID(fmt.Sprintf("bist:M%02d", i))
		members, stocks = append(members, id), append(stocks, instrument(id, market.Stock, "TRY"))
		m := &fundamentals.Metrics{InstrumentID: id, Date: value.MustDate("2026-03-17"), MarketCap: value.MustDecimal("1000"),
			AsOf: value.MustInstant("2026-03-17T15:00:00Z").Add(time.Duration(i) * time.Second)}
		if figure != "-" {
			m.PeRatio = value.MustDecimal(figure)
		}
		metrics = append(metrics, m)
		if i < 2 {
			filed := &fundamentals.Statement{Heading: fundamentals.Heading{
				InstrumentID: id, FiscalYear: 2025, FiscalMonth: 12, Currency: "TRY", EndDate: value.MustDate("2025-12-31"),
				Basis:    fundamentals.InflationAdjusted,
				Template: fundamentals.Industrial, FiledAt: value.MustInstant("2026-03-01T00:00:00Z"),
			}, Items: []fundamentals.Item{{
				Line: fundamentals.Line{Code: "eq", LabelTr: "Özkaynak", Group: fundamentals.BalanceSheet, Kind: fundamentals.Stock,
					Role: new(fundamentals.EquityParent)},
				Value: value.MustDecimal([]string{"400", "800"}[i]),
			}}}
			d.statements[id] = []*fundamentals.Filed{{Heading: filed.Heading, Layout: fundamentals.NewLayout(filed.Lines()),
				Figures: filed.Figures()}}
		}
	}
	d.Market.Live.PutCatalog(stocks, nil)
	d.Fundamentals.Live.PutMetrics(metrics)
	d.sectors(&market.Sector{Code: "auto", Name: "Otomotiv", Members: append(members, "bist:GLDF", "bist:CCC")},
		&market.Sector{Code: "bank", Name: "Banka", Members: members[:1]})
	return d
}

// SC-05, SC-08 and V-124: medians over the members that have a figure.
func TestSectorValuation(t *testing.T) {
	for _, c := range []struct {
		pe      []string
		median  string
		counted int
	}{
		{[]string{"10", "12.4", "-", "8", "20"}, "11.2", 4},
		{[]string{"10", "12.4", "8"}, "10", 3},
		{[]string{"-3", "12.4", "0", "20.0005"}, "16.2003", 2}, // zero and losses say nothing
		{[]string{"10.0001", "10.0002"}, "10.0002", 2},         // half away from zero
		{[]string{"7"}, "7", 1},
	} {
		t.Run(strings.Join(c.pe, " "), func(t *testing.T) {
			d := manyMembers(c.pe...)
			v := must[*analytics.SectorValuation](t)(d.SectorValuation(allowed(t, access.History), "auto", nil))
			if v.Code != "auto" || v.Name != "Otomotiv" || v.Market != market.EquityBIST || v.MemberCount != len(c.pe)+2 {
				t.Errorf("%+v", v)
			}
			if v.PeRatio.Median.String() != c.median || v.PeRatio.MembersCounted != c.counted || v.PeRatio.NullReason != nil {
				t.Errorf("P/E %+v, want %s of %d", v.PeRatio, c.median, c.counted)
			}
			pb := map[bool]string{true: "2.5", false: "1.875"}[len(c.pe) == 1]
			if v.PbRatio.Median.String() != pb || v.PbRatio.MembersCounted != min(2, len(c.pe)) {
				t.Errorf("P/B %+v, want %s", v.PbRatio, pb)
			}
			if want := value.MustInstant("2026-03-17T15:00:00Z").Add(time.Duration(len(c.pe)-1) * time.Second); v.AsOf != want {
				t.Errorf("as of %s, want %s", v.AsOf, want)
			}
		})
	}
	d := newFixture()
	none := must[*analytics.SectorValuation](t)(d.SectorValuation(allowed(t, access.History), "auto", new(market.EquityUS)))
	if none.MemberCount != 1 || !none.PeRatio.Median.IsNull() || *none.PeRatio.NullReason != "missing_input" ||
		none.PbRatio.MembersCounted != 0 || !none.AsOf.IsNull() || none.Market != market.EquityUS {
		t.Errorf("nothing known: %+v %+v", none, none.PeRatio)
	}
	_, err := d.SectorValuation(allowed(t, access.History), "old", nil)
	if e := calls.WantProblem(t, err, problem.NotFound); !slices.Equal(e.Members.Successor, []string{"auto"}) {
		t.Errorf("retired: %v", e.Members)
	}
}

// Medians are taken of the exact ratios: of 1000/101 and 1000/108, which round
// to 9.9010 and 9.2593, and have a mean of 9.58012.
func TestSectorMedianIsRoundedOnce(t *testing.T) {
	d := manyMembers("10", "11")
	for i, equity := range []string{"101", "108"} {
		id := market.ID(fmt.Sprintf("bist:M%02d", i))
		filed := *d.statements[id][0]
		filed.Figures = equity
		d.statements[id] = []*fundamentals.Filed{&filed}
	}
	ctx := allowed(t, access.History)
	v := must[*analytics.SectorValuation](t)(d.SectorValuation(ctx, "auto", nil))
	if v.PbRatio.Median.String() != "9.5801" || v.PbRatio.MembersCounted != 2 {
		t.Errorf("P/B %+v, want 9.5801 of 2", v.PbRatio)
	}
}

// Sectors read together say what they say alone, with one read of statements
// and one of bars.
func TestSectorsTogether(t *testing.T) {
	d, ctx := manyMembers("10", "12.4", "8"), allowed(t, access.History)
	d.put(year("bist:M00", 100)...)
	d.put(year("bist:M01", 200)...)
	infos := d.infos("auto", "bank")
	d.takeReads()
	values, errs := d.SectorValuationsOf(ctx, infos, nil)
	if cmp.Or(errs...) != nil {
		t.Fatal(errs)
	}
	if reads := d.takeReads(); len(reads) != 1 || !strings.HasPrefix(reads[0], "statements of") {
		t.Errorf("valuations read %v", reads)
	}
	returns, errs := d.SectorReturnsOf(ctx, infos, analytics.SectorReturnsArgs{})
	if cmp.Or(errs...) != nil {
		t.Fatal(errs)
	}
	if reads := d.takeReads(); !slices.Equal(reads, []string{"bars of 5"}) { // a member of two sectors once
		t.Errorf("returns read %v", reads)
	}
	for i, code := range []string{"auto", "bank"} {
		if alone := must[*analytics.SectorValuation](t)(d.SectorValuation(ctx, code, nil)); !reflect.DeepEqual(alone, values[i]) {
			t.Errorf("%s: alone %+v, together %+v", code, alone, values[i])
		}
		if alone := must[*analytics.SectorReturns](t)(d.SectorReturns(ctx, code, analytics.SectorReturnsArgs{})); !reflect.DeepEqual(alone,
			returns[i]) {
			t.Errorf("%s: the returns differ", code)
		}
	}
	retired := *infos[0]
	retired.Code = "gone"
	values, errs = d.SectorValuationsOf(ctx, []*market.SectorInfo{infos[1], &retired, infos[0]}, nil)
	if values[1] != nil || cmp.Or(errs...) != nil || values[0].Code != "bank" || values[2].Code != "auto" {
		t.Errorf("with one that has just been retired: %+v, %v", values, errs)
	}
}

// SC-06: an equal-weighted series from 100 on the first day of the window, which
// is the last 365 days.
func TestSectorReturns(t *testing.T) {
	d, ctx := newFixture(), allowed(t, access.History)
	for _, day := range []struct{ date, a, b string }{
		{"2025-03-18", "1", "1"}, // the day before the window
		{"2025-03-19", "100", "50"}, {"2025-03-20", "110", "50"}, {"2025-03-21", "99", "60"}, {"2026-03-18", "99", "66"},
		{"2026-03-19", "500", "500"},
	} {
		d.put(daily("bist:AAA", day.date, day.a), daily("bist:BBB", day.date, day.b))
	}
	r := must[*analytics.SectorReturns](t)(d.SectorReturns(ctx, "auto", analytics.SectorReturnsArgs{}))
	if got := points(r); got != "2025-03-19 100, 2025-03-20 105, 2025-03-21 110.25, 2026-03-18 115.7625" {
		t.Errorf("%s", got)
	}
	if r.Code != "auto" || r.Name != "Otomotiv" || r.Market != market.EquityBIST || r.Base.String() != "100" ||
		r.BaseDate.String() != "2025-03-19" || r.Count != 4 {
		t.Errorf("%+v", r)
	}
	from, to := value.MustDate("2025-03-20"), value.MustDate("2025-03-21")
	short := must[*analytics.SectorReturns](t)(d.SectorReturns(ctx, "auto", analytics.SectorReturnsArgs{From: &from, To: &to}))
	if got := points(short); got != "2025-03-20 100, 2025-03-21 105" {
		t.Errorf("%s", got)
	}
	for name, args := range map[string]analytics.SectorReturnsArgs{
		"no days":    {From: new(value.MustDate("2025-04-01")), To: new(value.MustDate("2025-04-30"))},
		"no members": {Market: new(market.EquityUS)},
	} {
		if none := must[*analytics.SectorReturns](t)(d.SectorReturns(ctx, "auto", args)); none.Count != 0 || none.Points == nil ||
			!none.BaseDate.IsNull() || none.Base.String() != "100" {
			t.Errorf("%s: %+v", name, none)
		}
	}
	upTo := must[*analytics.SectorReturns](t)(d.SectorReturns(ctx, "auto", analytics.SectorReturnsArgs{To: &to}))
	if got := points(upTo); got != "2025-03-18 100, 2025-03-19 7500, 2025-03-20 7875, 2025-03-21 8268.75" {
		t.Errorf("the 365 days that end on a day: %s", got)
	}
	for end, want := range map[string]string{"2025-03-17": "2025-03-18", "2025-03-18": "", "2025-03-19": ""} {
		before := must[*analytics.SectorReturns](t)(d.SectorReturns(ctx, "auto", analytics.SectorReturnsArgs{To: new(value.MustDate(end))}))
		if before.AvailableFrom.String() != want || (want != "") != (before.Count == 0) {
			t.Errorf("up to %s: %d, available from %q, want %q", end, before.Count, before.AvailableFrom, want)
		}
	}
	for _, args := range []analytics.SectorReturnsArgs{{From: &to, To: &from}, {From: new(value.MustDate("2026-03-19"))}} {
		_, err := d.SectorReturns(ctx, "nope", args) // before what there is
		calls.WantProblem(t, err, problem.InvertedWindow)
		if _, errs := d.SectorReturnsOf(ctx, d.infos("auto", "bank"), args); problem.From(errs[1]).Kind != problem.InvertedWindow {
			t.Errorf("relation: %v", errs)
		}
	}
	_, err := d.SectorReturns(ctx, "nope", analytics.SectorReturnsArgs{})
	calls.WantProblem(t, err, problem.NotFound)
}

func points(r *analytics.SectorReturns) string {
	var all []string
	for _, p := range r.Points {
		all = append(all, fmt.Sprint(p.Date, " ", p.Value))
	}
	return strings.Join(all, ", ")
}
