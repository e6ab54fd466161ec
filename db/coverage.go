package db

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/uptrace/bun"

	"piyasa/domain/coverage"
	"piyasa/domain/market"
	"piyasa/internal/value"
)

// counted says how the records of a kind are counted: which columns of its table have the
// subject and the time.
type counted struct {
	kind, table string
	subject     string // the first column of an index; empty: all records together
	series      string
	market      string // an expression; empty: none, or that of the subject
	day         string // a date
	month       string
	at          string // an instant
	newest      string // an instant, if it differs from at
	where       string // a condition for the counted rows; empty: all
}

// countedBySubject are the kinds with an index that begins with a subject, so that some
// subjects are counted without reading the others.
var countedBySubject = []counted{
	{kind: "quote", table: "observations", subject: "instrument_id", at: "as_of"},
	{kind: "bar", table: "bars", subject: "instrument_id", series: "resolution", at: "t"},
	{kind: "index_bar", table: "index_bars", subject: "code", day: "date"},
	{kind: "statement", table: "statements", subject: "instrument_id", day: "end_date", newest: "filed_at"},
	{kind: "market_metrics", table: "market_metrics", subject: "instrument_id", day: "date", newest: "as_of"},
	{kind: "dividend", table: "dividends", subject: "instrument_id", day: "ex_date"},
	{kind: "corporate_action", table: "corporate_actions", subject: "instrument_id", day: "ex_date"},
	{kind: "disclosure", table: "disclosure_codes", subject: "code", at: "effective_at"},
	{kind: "filing", table: "filings", subject: "symbol", day: "end_date"},
	{kind: "news", table: "news_codes", subject: "code", at: "published_at"},
	{kind: "fund_flow", table: "fund_flows", subject: "code", day: "date"},
	{kind: "fund_holding", table: "fund_holdings", subject: "fund_code", month: "report_month"},
}

// countedWhole are the kinds with few records, or with an index of their days.
var countedWhole = []counted{
	{kind: "instrument", table: "instruments", market: "market"},
	{
		kind: "quote", table: "quotes", subject: "instrument_id", at: "as_of", // quotes whose observation is no longer kept, or never was
		where: " WHERE NOT EXISTS (SELECT 1 FROM observations AS o WHERE o.instrument_id = quotes.instrument_id AND " +
			"o.as_of = quotes.as_of)",
	},
	{kind: "trading_day", table: "trading_days", market: "market", day: "date"},
	{kind: "price_limits", table: "price_limits", day: "date"},
	{kind: "sector", table: "sectors"},
	{kind: "index", table: "bist_indices", newest: "synced_at"},
	{kind: "company", table: "companies"},
	{kind: "news", table: "news", at: "published_at"},
	{kind: "calendar_event", table: "calendar_events"},
	{kind: "index_link", table: "index_links"},
	{kind: "calendar_item", table: "calendar_items", at: "time"},
	{kind: "fund", table: "funds", day: "price_date", newest: "as_of"},
	{kind: "ipo", table: "ipos", newest: "as_of"},
	{kind: "logo", table: "logos"},
	{kind: "source_status", table: "source_status", newest: "as_of"},
	{kind: "state", table: "source_states", newest: "as_of"},
}

// countRow is a row of a count.
type countRow struct {
	Subject, Series, Market string
	Records                 int
	FirstDay, LastDay       value.Date
	FirstMonth, LastMonth   value.Month
	FirstAt, LastAt, Newest value.Instant
}

// query returns the counting statement, with a place for its condition.
func (c counted) query(where string) string {
	text := func(expression string) string { return cmp.Or(expression, "''") }
	ends := func(column, first, last string) string {
		if column == "" {
			return ""
		}
		return fmt.Sprintf(", min(%s) AS %s, max(%s) AS %s", column, first, column, last)
	}
	newest := ""
	if c.newest != "" {
		newest = ", max(" + c.newest + ") AS newest"
	}
	by := slices.DeleteFunc([]string{c.subject, c.series, c.market}, func(s string) bool { return s == "" })
	group := ""
	if len(by) > 0 {
		group = " GROUP BY " + strings.Join(by, ", ")
	}
	return "SELECT " + text(c.subject) + " AS subject, " + text(c.series) + " AS series, " + text(c.market) +
		" AS market, count(*) AS records" +
		ends(c.day, "first_day", "last_day") + ends(c.month, "first_month", "last_month") + ends(c.at, "first_at", "last_at") + newest +
		" FROM " + c.table + where + group
}

func (c counted) counts(rows []countRow) []coverage.Count {
	rows = slices.DeleteFunc(rows, func(r countRow) bool { // nothing of these is shown
		return market.ID(r.Subject).IsFormer() || r.LastAt == value.FirstMoment
	})
	all := make([]coverage.Count, len(rows))
	for i, r := range rows {
		all[i] = coverage.Count{
			Kind: c.kind, Market: market.Market(r.Market), Subject: r.Subject, Series: r.Series, Records: r.Records,
			First: r.FirstDay, Last: r.LastDay, FirstAt: r.FirstAt, LastAt: r.LastAt, Newest: r.Newest,
		}
		if !r.FirstMonth.IsNull() {
			all[i].First, all[i].Last = r.FirstMonth.First(), r.LastMonth.Next().First().AddDays(-1)
		}
	}
	return all
}

// CountWhole implements coverage.Store with a statement for each kind.
func (s *Store) CountWhole(ctx context.Context) (all []coverage.Count, err error) {
	ctx, done := s.followingMuch(ctx)
	defer done(&err)
	for _, c := range countedWhole {
		var rows []countRow
		if err := s.follow.NewRaw(c.query(c.where)).Scan(ctx, &rows); err != nil {
			return nil, err
		}
		all = append(all, c.counts(rows)...)
	}
	var ends []countRow // their count comes with their numbers
	err = s.follow.NewRaw("SELECT (SELECT min(effective_at) FROM disclosures) AS first_at, (SELECT max(effective_at) FROM "+
		"disclosures) AS last_at").Scan(ctx, &ends)
	return append(all, counted{kind: "disclosure"}.counts(ends)...), err
}

// CountedBySubject implements coverage.Store.
func (s *Store) CountedBySubject() []string {
	kinds := make([]string, len(countedBySubject))
	for i, c := range countedBySubject {
		kinds[i] = c.kind
	}
	return kinds
}

func countedOf(kind string) (counted, error) {
	i := slices.IndexFunc(countedBySubject, func(c counted) bool { return c.kind == kind })
	if i < 0 {
		return counted{}, fmt.Errorf("records of kind %q are not counted by subject", kind)
	}
	return countedBySubject[i], nil
}

// Subjects implements coverage.Store. It goes from one subject to the next in the index,
// however many records each has.
func (s *Store) Subjects(ctx context.Context, kind, after string, limit int) (subjects []string, err error) {
	c, err := countedOf(kind)
	if err != nil {
		return nil, err
	}
	ctx, done := s.followingMuch(ctx)
	defer done(&err)
	err = s.follow.NewRaw("WITH RECURSIVE found (id, n) AS (SELECT (SELECT min(?0) FROM ?1 WHERE ?0 > ?2), 1 UNION ALL "+
		"SELECT (SELECT min(?0) FROM ?1 WHERE ?0 > found.id), n + 1 FROM found WHERE found.id IS NOT NULL AND n < ?3) "+
		"SELECT id FROM found "+
		"WHERE id IS NOT NULL",
		bun.Ident(c.subject), bun.Ident(c.table), after, limit).Scan(ctx, &subjects)
	return subjects, err
}

// CountSubjects implements coverage.Store with one statement.
func (s *Store) CountSubjects(ctx context.Context, kind string, subjects []string) (_ []coverage.Count, err error) {
	c, err := countedOf(kind)
	if err != nil || len(subjects) == 0 {
		return nil, err
	}
	ctx, done := s.followingMuch(ctx)
	defer done(&err)
	var rows []countRow
	err = s.follow.NewRaw(c.query(" WHERE "+c.subject+" IN (?)"), bun.List(subjects)).Scan(ctx, &rows)
	return c.counts(rows), err
}

// dailyBars says where daily bars are stored.
type dailyBars struct {
	table, subject, at, condition string
	onSQLite, onPostgres          string // the day in days since 1970
}

// Days of Turkey begin up to three hours before those of UTC, and t is the start of a day in
// either zone; a century more keeps it from being negative.
var dailyBarsOf = map[string]dailyBars{
	"bar": {
		"bars", "instrument_id", "t", "resolution = '1d' AND ",
		"((t + 10800000000 + 3155760000000000) / 86400000000 - 36525)", "CAST(floor((EXTRACT(EPOCH FROM t) + 10800) / 86400) AS BIGINT)",
	},
	"index_bar": {"index_bars", "code", "date", "", "CAST(julianday(date) - 2440587.5 AS INTEGER)", "(date - DATE '1970-01-01')"},
}

// Jumps implements coverage.Store with one statement. On SQLite, joining the days of a subject
// is faster than comparing rows with earlier ones.
func (s *Store) Jumps(ctx context.Context, kind string, subjects []string, weekends bool) (jumps []coverage.Jump, err error) {
	bars, known := dailyBarsOf[kind]
	switch {
	case !known:
		return nil, fmt.Errorf("records of kind %q are no daily bars", kind)
	case len(subjects) == 0:
		return nil, nil
	}
	ctx, done := s.followingMuch(ctx)
	defer done(&err)
	from := " FROM " + bars.table + " WHERE " + bars.condition + bars.subject + " IN (?)"
	add := func(subject string, before, day int) {
		if j := (coverage.Jump{Subject: subject, Before: before, After: day}); day-before > 1 && (weekends || !j.IsWeekend()) {
			jumps = append(jumps, j)
		}
	}
	if s.isPostgres() {
		var rows []struct {
			Subject     string
			Before, Day int
		}
		week := ""
		if !weekends { // day 1 was a Friday
			week = " AND NOT (day - before = 3 AND (before + 36525) % 7 = 0)"
		}
		err = s.follow.NewRaw("SELECT subject, before, day FROM (SELECT "+bars.subject+" AS subject, "+bars.onPostgres+" AS day, lag("+
			bars.onPostgres+") OVER (PARTITION BY "+bars.subject+" ORDER BY "+bars.at+") AS before"+
			from+") AS days WHERE day - before > 1"+week+" ORDER BY subject, day", bun.List(subjects)).Scan(ctx, &rows)
		for _, r := range rows {
			add(r.Subject, r.Before, r.Day)
		}
		return jumps, err
	}
	var rows []struct{ Subject, Days string }
	if err := s.follow.NewRaw("SELECT "+bars.subject+" AS subject, string_agg("+bars.onSQLite+", ' ') AS days"+from+" GROUP BY "+
		bars.subject, bun.List(subjects)).Scan(ctx, &rows); err != nil {
		return nil, err
	}
	for _, r := range rows {
		var days []int
		for word := range strings.FieldsSeq(r.Days) {
			day, err := strconv.Atoi(word)
			if err != nil {
				return nil, err
			}
			days = append(days, day)
		}
		slices.Sort(days)
		for i := 1; i < len(days); i++ {
			add(r.Subject, days[i-1], days[i])
		}
	}
	return jumps, nil
}

// DisclosureNumbers implements coverage.Store with two statements.
func (s *Store) DisclosureNumbers(ctx context.Context, after, limit int) (n coverage.Numbers, err error) {
	ctx, done := s.followingMuch(ctx)
	defer done(&err)
	var found struct{ Count, First, Last int }
	if err := s.follow.NewRaw("SELECT count(*) AS count, COALESCE(min(i), 0) AS first, COALESCE(max(i), 0) AS last FROM "+
		"(SELECT disclosure_index AS i FROM disclosures WHERE disclosure_index > ? ORDER BY disclosure_index LIMIT ?) AS n", after,
		limit).Scan(ctx, &found); err != nil || found.Count == 0 {
		return n, err
	}
	n = coverage.Numbers{Count: found.Count, First: found.First, Last: found.Last}
	var holes []struct{ First, Last int }
	err = s.follow.NewRaw("SELECT before + 1 AS first, i - 1 AS last FROM (SELECT disclosure_index AS i, "+
		"lag(disclosure_index) OVER (ORDER "+
		"BY disclosure_index) AS before "+
		"FROM disclosures WHERE disclosure_index BETWEEN ? AND ?) AS n WHERE i > before + 1 ORDER BY i", after,
		found.Last).Scan(ctx, &holes)
	for _, h := range holes {
		n.Holes = append(n.Holes, [2]int{h.First, h.Last})
	}
	return n, err
}

// CancelledNumbers implements coverage.Store with one statement.
func (s *Store) CancelledNumbers(ctx context.Context, first, last, limit int) (numbers []int, err error) {
	ctx, done := s.followingMuch(ctx)
	defer done(&err)
	err = s.follow.NewRaw("SELECT DISTINCT related_index FROM disclosures WHERE reason = 'CANC' AND related_index "+
		"BETWEEN ? AND ? ORDER BY "+
		"related_index DESC LIMIT ?", first, last, limit).Scan(ctx, &numbers)
	slices.Reverse(numbers)
	return numbers, err
}
