package db_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"piyasa/db"
	"piyasa/db/dbtest"
	"piyasa/domain/funds"
	"piyasa/domain/market"
	"piyasa/internal/value"
	"piyasa/test/fixture/need"
)

// aFund returns one with nothing optional but as_of, which may be empty.
func aFund(code, name, asOf string) *funds.Fund {
	f := &funds.Fund{Profile: funds.Profile{InstrumentID: market.FundID(code), Code: code, Name: name, Currency: "TRY"}}
	if asOf != "" {
		f.AsOf = value.MustInstant(asOf)
	}
	return f
}

func flow(code, date, net string) *funds.Flow {
	return &funds.Flow{Code: code, Date: value.MustDate(date), NetFlow: value.MustDecimal(net)}
}

func holding(code, month string, id market.ID, amount string) *funds.Holding {
	return &funds.Holding{FundCode: code, ReportMonth: value.MustMonth(month), InstrumentID: id, MarketValue: value.MustDecimal(amount)}
}

func TestFundsComeBackExactly(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		s, round := open(t, url), 0
		rapid.Check(t, func(t *rapid.T) {
			round++
			f := aFund(fmt.Sprintf("F%d", round), texts.Draw(t, "name"), "")
			f.Founder, f.Category = optional(texts).Draw(t, "founder"), optional(texts).Draw(t, "category")
			f.InvestorCount, f.RiskLevel = optional(rapid.IntRange(0, 1<<31-1)).Draw(t, "investors"),
				optional(rapid.IntRange(1, 7)).Draw(t, "risk")
			f.IsParticipation = optional(rapid.Bool()).Draw(t, "participation")
			for _, d := range []*value.Decimal{&f.Price, &f.PortfolioSize, &f.ShareCount, &f.ManagementFeePct} {
				*d = figures.Draw(t, "figure")
			}
			if rapid.Bool().Draw(t, "dated") {
				f.PriceDate, f.InceptionDate, f.AsOf = dates.Draw(t, "price_date"), dates.Draw(t, "inception_date"),
					instants.Draw(t, "as_of")
			}
			if rapid.Bool().Draw(t, "returns") {
				f.Returns = &funds.Returns{W1: figures.Draw(t, "1w"), M1: figures.Draw(t, "1m"), Y5: figures.Draw(t, "5y")}
			}
			before := heads(t, s)[db.FeedFunds]
			want(t, put(t, s, f), db.Stored)
			same(t, "funds", must[[]*funds.Fund](t)(s.FundsAfter(background, before)), []*funds.Fund{f})
			want(t, put(t, s, f), db.Unchanged)
		})
	})
}

// The newest line about a fund stands. Of two with the same as_of, or without,
// the later one does.
func TestFundsReplace(t *testing.T) {
	const early, late = "2026-03-16T18:00:00Z", "2026-03-17T18:00:00Z"
	dbtest.Each(t, func(t *testing.T, url string) {
		s := open(t, url)
		want(t, put(t, s, aFund("A", "1", late), aFund("A", "2", early), aFund("A", "1", late), aFund("B", "1", "")), db.Stored, db.Stale,
			db.Unchanged, db.Stored)
		want(t, put(t, s, aFund("A", "3", early), aFund("A", "3", late), aFund("B", "2", "")), db.Stale, db.Stored, db.Stored)
		want(t, put(t, s, aFund("A", "4", ""), aFund("B", "3", early)), db.Stored, db.Stored)
		want(t, put(t, s, aFund("A", "5", early), aFund("B", "4", "")), db.Stored, db.Stored)
		found := must[[]*funds.Fund](t)(s.FundsAfter(background, 0))
		slices.SortFunc(found, func(a, b *funds.Fund) int { return cmp.Compare(a.Code, b.Code) })
		same(t, "funds", found, []*funds.Fund{aFund("A", "5", early), aFund("B", "4", "")})
	})
}

// Flows of a fund that nobody described yet are stored; a day has one line.
func TestFundFlows(t *testing.T) {
	full := flow("A", "2026-03-12", "-1250000.50")
	full.Inflow, full.Outflow, full.InvestorCount = value.MustDecimal("0.10"), value.MustDecimal("1250000.60"), new(0)
	dbtest.Each(t, func(t *testing.T, url string) {
		s := open(t, url)
		newest := func(code, last string) string {
			return must[value.Date](t)(s.NewestFlow(background, code, value.MustDate(last))).String()
		}
		flows := func(code, first, last string) []*funds.Flow {
			return must[[]*funds.Flow](t)(s.Flows(background, code, value.MustDate(first), value.MustDate(last)))
		}
		if got := newest("A", "2026-03-18"); got != "" {
			t.Errorf("the newest day of nothing is %s", got)
		}
		want(t, put(t, s, flow("A", "2026-03-13", "2"), full, flow("A", "2026-03-11", "1"), flow("B", "2026-03-18", "9"), full), db.Stored,
			db.Stored, db.Stored, db.Stored, db.Unchanged)
		want(t, put(t, s, flow("A", "2026-03-11", "1"), flow("A", "2026-03-11", "1.0"), flow("A", "2026-03-13", "2")), db.Unchanged,
			db.Stored, db.Unchanged)
		for _, c := range []struct{ code, last, want string }{
			{"A", "2026-03-18", "2026-03-13"}, {"A", "2026-03-13", "2026-03-13"}, {"A", "2026-03-12", "2026-03-12"},
			{"A", "2026-03-10", ""}, {"B", "2026-03-18", "2026-03-18"}, {"C", "2026-03-18", ""},
		} {
			if got := newest(c.code, c.last); got != c.want {
				t.Errorf("the newest day of %s up to %s is %q, want %q", c.code, c.last, got, c.want)
			}
		}
		same(t, "all", flows("A", "0001-01-02", "9999-12-31"),
			[]*funds.Flow{flow("A", "2026-03-11", "1.0"), full, flow("A", "2026-03-13", "2")})
		same(t, "some", flows("A", "2026-03-12", "2026-03-12"), []*funds.Flow{full})
		if none := flows("B", "2026-03-11", "2026-03-17"); len(none) != 0 {
			t.Errorf("%s", encoded(none))
		}
	})
}

// Of each fund its newest report counts, whatever it is of; one statement for
// any number of instruments.
func TestHoldings(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		s := open(t, url)
		holders := func(ids ...market.ID) map[market.ID][]*funds.Holding {
			statements := 0
			found := must[map[market.ID][]*funds.Holding](t)(s.Watched(func(string) { statements++ }).Holders(background, ids))
			if statements > 1 {
				t.Errorf("%d statements", statements)
			}
			for _, list := range found {
				slices.SortFunc(list, func(a, b *funds.Holding) int { return cmp.Compare(a.FundCode, b.FundCode) })
			}
			return found
		}
		holdings := func(codes ...string) map[string][]*funds.Holding {
			statements := 0
			found := must[map[string][]*funds.Holding](t)(s.Watched(func(string) { statements++ }).Holdings(background, codes))
			if statements > 1 {
				t.Errorf("%d statements", statements)
			}
			for _, list := range found {
				slices.SortFunc(list, func(a, b *funds.Holding) int { return cmp.Compare(a.InstrumentID, b.InstrumentID) })
			}
			return found
		}
		bare := &funds.Holding{FundCode: "C", ReportMonth: value.MustMonth("2026-02"), InstrumentID: "us:X"}
		want(t, put(t, s,
			holding("A", "2026-01", "bist:X", "1"), holding("A", "2026-02", "bist:X", "2.50"), holding("B", "2026-01", "bist:X", "3"),
			holding("B", "2026-02", "bist:Y", "4"), bare,
			holding("A", "2026-02", "bist:X", "2.50"),
		), db.Stored, db.Stored, db.Stored, db.Stored, db.Stored, db.Unchanged)
		want(t, put(t, s, holding("A", "2026-02", "bist:X", "2.5"), holding("B", "2026-01", "bist:X", "3"), bare), db.Stored, db.Unchanged,
			db.Unchanged)
		same(t, "holders", holders("bist:X", "bist:Y", "us:X", "bist:NONE"), map[market.ID][]*funds.Holding{
			"bist:X": {holding("A", "2026-02", "bist:X", "2.5")}, "bist:Y": {holding("B", "2026-02", "bist:Y", "4")}, "us:X": {bare},
		})
		same(t, "holdings", holdings("A", "B", "C", "NONE"), map[string][]*funds.Holding{
			"A": {holding("A", "2026-02", "bist:X", "2.5")}, "B": {holding("B", "2026-02", "bist:Y", "4")}, "C": {bare},
		})
		if none, nothing := holders(), holdings(); len(none) != 0 || len(nothing) != 0 {
			t.Errorf("%s %s", encoded(none), encoded(nothing))
		}
		put(t, s, holding("B", "2025-12", "bist:X", "9"), holding("B", "2026-03", "bist:X", "7")) // an old report, and a newer one
		same(t, "holders", holders("bist:X", "bist:Y"),
			map[market.ID][]*funds.Holding{"bist:X": {holding("A", "2026-02", "bist:X", "2.5"), holding("B", "2026-03", "bist:X", "7")}})
		put(t, s, holding("B", "2026-03", "bist:Y", "1"))
		same(t, "holdings", holdings("B"),
			map[string][]*funds.Holding{"B": {holding("B", "2026-03", "bist:X", "7"), holding("B", "2026-03", "bist:Y", "1")}})
	})
}

// Any reports: what holds an instrument is what a slow look finds.
func TestAnyHoldings(t *testing.T) {
	ids, months := []market.ID{"bist:X", "bist:Y", "us:X"}, []string{"2025-12", "2026-01", "2026-02"}
	dbtest.Each(t, func(t *testing.T, url string) {
		s, all := open(t, url), map[string]*funds.Holding{}
		rapid.Check(t, func(t *rapid.T) {
			for range rapid.IntRange(0, 3).Draw(t, "new") {
				h := holding(rapid.SampledFrom([]string{"A", "B", "C"}).Draw(t, "fund"), rapid.SampledFrom(months).Draw(t, "month"),
					rapid.SampledFrom(ids).Draw(t, "id"), decimals.Draw(t, "value").String())
				all[fmt.Sprint(h.FundCode, h.ReportMonth, h.InstrumentID)] = h
				put(t, s, h)
			}
			newest, expected, reports := map[string]string{}, map[market.ID][]*funds.Holding{}, map[string][]*funds.Holding{}
			for _, h := range all {
				newest[h.FundCode] = max(newest[h.FundCode], h.ReportMonth.String())
			}
			for _, h := range all {
				if h.ReportMonth.String() == newest[h.FundCode] {
					expected[h.InstrumentID] = append(expected[h.InstrumentID], h)
					reports[h.FundCode] = append(reports[h.FundCode], h)
				}
			}
			got := must[map[market.ID][]*funds.Holding](t)(s.Holders(background, ids))
			for _, found := range []map[market.ID][]*funds.Holding{got, expected} {
				for _, list := range found {
					slices.SortFunc(list, func(a, b *funds.Holding) int { return cmp.Compare(a.FundCode, b.FundCode) })
				}
			}
			same(t, "holders", got, expected)
			held := must[map[string][]*funds.Holding](t)(s.Holdings(background, []string{"A", "B", "C"}))
			for _, found := range []map[string][]*funds.Holding{held, reports} {
				for _, list := range found {
					slices.SortFunc(list, func(a, b *funds.Holding) int { return cmp.Compare(a.InstrumentID, b.InstrumentID) })
				}
			}
			same(t, "holdings", held, reports)
		})
	})
}

// However many reports are stored, the newest of a fund is found by the index of its key.
func TestNewestReportsAreFoundByTheirKey(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, url string) {
		s, b := open(t, url), new(db.Batch)
		for n := range 20_000 {
			code, month := fmt.Sprintf("F%03d", n%200), value.MustDate("2024-01-01").AddMonths(n / 200 % 20).String()[:len("2024-01")]
			db.Put(b, holding(code, month, market.ID(fmt.Sprintf("bist:S%d", n/4000)), "1"), new(db.Outcome))
		}
		need.NoError(t, s.Store(background, b))
		plan := planner(t, url)
		var statements []string
		held := must[map[string][]*funds.Holding](t)(s.Watched(func(statement string) { statements = append(statements, statement) }).
			Holdings(background, []string{"F007", "F133"}))
		if len(held["F007"]) != 5 || len(held["F133"]) != 5 || len(statements) != 1 {
			t.Fatalf("%s by %q", encoded(held), statements)
		}
		p, scans := plan(statements[0]), "SCAN f"
		if dbtest.IsPostgres(url) {
			scans = "Seq Scan"
		}
		if strings.Contains(p, scans) || !strings.Contains(p, "fund_holdings") {
			t.Errorf("%s\nin the plan\n%s", statements[0], p)
		}
	})
}
