package db_test

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"piyasa/db"
	"piyasa/db/dbtest"
	"piyasa/domain/fundamentals"
	"piyasa/domain/market"
	"piyasa/internal/value"
)

// marketCap returns what the distributor says of a day of March 2026 at an hour of
// that day.
func marketCap(company string, day int, hour, amount string) *fundamentals.Metrics {
	date := value.MustDate(fmt.Sprintf("2026-03-%02d", day))
	return &fundamentals.Metrics{
		InstrumentID: market.ID(company), Date: date, MarketCap: value.MustDecimal(amount),
		AsOf: value.MustInstant(date.String() + "T" + hour + ":00:00Z"),
	}
}

// metricsOf returns the stored metrics of companies over March 2026.
func metricsOf(t rapid.TB, s *db.Store, companies ...market.ID) [][]*fundamentals.Metrics {
	t.Helper()
	return must[[][]*fundamentals.Metrics](t)(s.Metrics(background, companies, value.MustDate("2026-03-01"), value.MustDate("2026-03-31")))
}

func TestMetricsComeBackExactly(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, url string) {
		s, round := open(t, url), 0
		rapid.Check(t, func(t *rapid.T) {
			round++
			m := &fundamentals.Metrics{
				InstrumentID: market.ID(fmt.Sprintf("bist:S%d", round)), Date: dates.Draw(t, "date"),
				MarketCap: figures.Draw(t, "market_cap"), PeRatio: figures.Draw(t, "pe_ratio"),
				AsOf: instants.Draw(t, "as_of"), Source: optional(texts).Draw(t, "source"),
			}
			before := heads(t, s)[db.FeedMetrics]
			want(t, put(t, s, m), db.Stored)
			got := must[[][]*fundamentals.Metrics](t)(s.Metrics(background, []market.ID{m.InstrumentID}, m.Date, m.Date))
			same(t, "metrics", got, [][]*fundamentals.Metrics{{m}})
			newest := must[[]*fundamentals.Metrics](t)(s.NewestMetrics(background, before))
			same(t, "newest", newest, []*fundamentals.Metrics{m})
			want(t, put(t, s, m), db.Unchanged)
			same(t, "head", heads(t, s)[db.FeedMetrics], before+1)
		})
	})
}

// Of one day the latest word stands.
func TestMetricsReplace(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		s := open(t, url)
		for _, step := range []struct {
			put   *fundamentals.Metrics
			want  db.Result
			value string // that stands
		}{
			{marketCap("bist:A", 17, "09", "1"), db.Stored, "1"},
			{marketCap("bist:A", 17, "09", "1"), db.Unchanged, "1"},
			{marketCap("bist:A", 17, "08", "2"), db.Stale, "1"},
			{marketCap("bist:A", 17, "09", "1.0"), db.Stored, "1.0"},
			{marketCap("bist:A", 17, "10", "3"), db.Stored, "3"},
			{marketCap("bist:A", 17, "09", "3"), db.Stale, "3"},
		} {
			want(t, put(t, s, step.put), step.want)
			if got := metricsOf(t, s, "bist:A")[0]; len(got) != 1 || got[0].MarketCap.String() != step.value {
				t.Errorf("%s, want %s", encoded(got), step.value)
			}
		}
		// In one batch, too; another day and another company are others.
		want(t, put(t, s, marketCap("bist:A", 18, "10", "1"), marketCap("bist:A", 18, "09", "2"), marketCap("bist:A", 16, "09", "3"),
			marketCap("bist:B", 18, "09", "4"), marketCap("bist:A", 18, "11", "5")),
			db.Stored, db.Stale, db.Stored, db.Stored, db.Stored)
		same(t, "metrics", metricsOf(t, s, "bist:A")[0],
			[]*fundamentals.Metrics{marketCap("bist:A", 16, "09", "3"), marketCap("bist:A", 17, "10", "3"),
				marketCap("bist:A", 18, "11", "5")})
	})
}

// The answers are those of a slow look: of any companies, over any days, and
// the newest of those that changed after a number, with one statement each.
func TestSomeMetrics(t *testing.T) {
	t.Parallel()
	companies := rapid.SampledFrom([]market.ID{"bist:A", "bist:B", "us:A"})
	days := rapid.IntRange(1, 9)
	dbtest.Each(t, func(t *testing.T, url string) {
		s, all := open(t, url), map[string]*fundamentals.Metrics{}
		statements := 0
		watched := s.Watched(func(string) { statements++ })
		rapid.Check(t, func(t *rapid.T) {
			before, changed := heads(t, s)[db.FeedMetrics], map[market.ID]bool{}
			for range rapid.IntRange(0, 4).Draw(t, "new") {
				m := marketCap(string(companies.Draw(t, "company")), days.Draw(t, "day"), "12",
					fmt.Sprint(rapid.IntRange(0, 99).Draw(t, "value")))
				all[fmt.Sprint(m.InstrumentID, m.Date)] = m
				if put(t, s, m)[0].Result == db.Stored {
					changed[m.InstrumentID] = true
				}
			}
			ids := rapid.SliceOfN(companies, 0, 4).Draw(t, "ids")
			first, last := marketCap("bist:A", days.Draw(t, "first"), "12", "1").Date,
				marketCap("bist:A", days.Draw(t, "last"), "12", "1").Date
			expected := make([][]*fundamentals.Metrics, len(ids))
			newest := map[market.ID]*fundamentals.Metrics{}
			for _, m := range all {
				for i, id := range ids {
					if m.InstrumentID == id && !m.Date.Before(first) && !last.Before(m.Date) {
						expected[i] = append(expected[i], m)
					}
				}
				if known := newest[m.InstrumentID]; changed[m.InstrumentID] && (known == nil || known.Date.Before(m.Date)) {
					newest[m.InstrumentID] = m
				}
			}
			for _, rows := range expected {
				slices.SortFunc(rows, func(a, b *fundamentals.Metrics) int { return a.Date.Compare(b.Date) })
			}
			statements = 0
			got := must[[][]*fundamentals.Metrics](t)(watched.Metrics(background, ids, first, last))
			if len(ids) > 0 != (statements == 1) {
				t.Errorf("%d statements for %d companies", statements, len(ids))
			}
			same(t, "metrics", got, expected)
			same(t, "newest", byCompany(must[[]*fundamentals.Metrics](t)(s.NewestMetrics(background, before))),
				byCompany(slices.Collect(maps.Values(newest))))
			if before == 0 {
				return
			}
			if whole := must[[]*fundamentals.Metrics](t)(s.NewestMetrics(background, 0)); len(whole) > 3 {
				t.Errorf("of 3 companies: %s", encoded(whole))
			}
		})
	})
}

// byCompany spells metrics, by company.
func byCompany(all []*fundamentals.Metrics) string {
	slices.SortFunc(all, func(a, b *fundamentals.Metrics) int { return cmp.Compare(a.InstrumentID, b.InstrumentID) })
	var words []string
	for _, m := range all {
		words = append(words, encoded(m))
	}
	return strings.Join(words, " ")
}
