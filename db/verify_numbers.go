package db

import (
	"context"
	"fmt"
	"strings"

	"github.com/uptrace/bun"

	"piyasa/internal/epoch"
)

// numberedTable is a table whose rows carry numbers of a feed.
type numberedTable struct {
	feed, name string
	shared     bool // several rows may have one number
}

// numberedTables lists every table with a column seq, except heads and withdrawn. Replaced rows
// take a new number; only disclosures keep theirs.
var numberedTables = []numberedTable{
	{feed: FeedBars, name: "bar_changes", shared: true},
	{feed: FeedBars, name: "bars", shared: true}, {feed: FeedBars, name: "index_bars", shared: true}, // 0 if an earlier version stored them
	{feed: FeedCalendar, name: "calendar_events"}, {feed: FeedCalendar, name: "calendar_items"},
	{feed: FeedCatalog, name: "instruments"}, {feed: FeedCatalog, name: "sectors"}, {feed: FeedCatalog, name: "bist_indices"},
	{feed: FeedCatalog, name: "trading_days"}, {feed: FeedCatalog, name: "adjustments"},
	{feed: FeedCatalog, name: "price_limits"}, {feed: FeedCatalog, name: "corporate_actions"},
	{feed: FeedCatalog, name: "renames", shared: true}, // 0 if an earlier version stored them
	{feed: FeedCatalog, name: "former_meanings", shared: true},
	{feed: FeedCompanies, name: "companies"}, {feed: FeedCompanies, name: "company_codes", shared: true},
	{feed: FeedDisclosures, name: "disclosures"},
	{feed: FeedDividends, name: "dividends"},
	{feed: FeedFilings, name: "filings"},
	{feed: FeedFunds, name: "funds"}, {feed: FeedFunds, name: "fund_flows"}, {feed: FeedFunds, name: "fund_holdings"},
	{feed: FeedIPOs, name: "ipos"},
	{feed: FeedInflation, name: "inflation_points"}, {feed: FeedInflation, name: "index_links"},
	{feed: FeedLogos, name: "logos"},
	{feed: FeedMetrics, name: "market_metrics"},
	{feed: FeedNews, name: "news"},
	{feed: FeedQuotes, name: "quotes"},
	{feed: FeedSources, name: "source_status"}, {feed: FeedSources, name: "source_states"},
	{feed: FeedStatements, name: "statements"},
}

// numbersOf returns the statements that select the numbers of a feed, one for each table. own
// leaves out tables whose rows share numbers.
func numbersOf(feed string, own bool) []string {
	var all []string
	for _, t := range numberedTables {
		if t.feed == feed && !(own && t.shared) {
			all = append(all, "SELECT seq, '"+t.name+"' AS name FROM "+t.name)
		}
	}
	if feed == FeedDisclosures {
		all = append(all, "SELECT completed_seq AS seq, 'disclosures' AS name FROM disclosures WHERE completed_seq IS NOT NULL",
			"SELECT filled_seq AS seq, 'disclosures' AS name FROM disclosures WHERE filled_seq IS NOT NULL")
	}
	return append(all, "SELECT seq, 'withdrawn' AS name FROM withdrawn WHERE feed = '"+feed+"'")
}

// numbers is a run of numbers.
type numbers struct{ first, last int64 }

// String implements fmt.Stringer.
func (n numbers) String() string {
	if n.first == n.last {
		return fmt.Sprintf("number %d", n.first)
	}
	return fmt.Sprintf("numbers %d to %d", n.first, n.last)
}

// skipped returns the numbers of a feed between its epochs, which no row may have.
func skipped(l epoch.Lineage, feed string) []numbers {
	var all []numbers
	for _, e := range l {
		if e.Skip > 0 {
			all = append(all, numbers{e.Ended[feed] + 1, e.Ended[feed] + e.Skip})
		}
	}
	return all
}

// checkNumbers compares the numbers of rows with the last numbers of their feeds and with the
// epochs.
func (v *verifier) checkNumbers(ctx context.Context) error {
	m, err := momentOf(ctx, v.tx)
	if err != nil {
		return err
	}
	for _, feed := range Feeds {
		head, ok := m.Heads[feed]
		if !ok {
			v.finding("numbers", feed, "the feed has no last number")
			continue
		}
		gaps := skipped(m.Epochs, feed)
		if n := len(gaps); n > 0 && head < gaps[n-1].last {
			v.finding("numbers", feed, "the last number is %d, and the newest epoch begins above %d", head, gaps[n-1].last)
		}
		for _, check := range []func(context.Context, string, int64, []numbers) error{v.checkHead, v.checkSkipped, v.checkTwice} {
			if err := check(ctx, feed, head, gaps); err != nil {
				return err
			}
		}
	}
	return v.checkMissing(ctx, m.Heads[FeedDisclosures], skipped(m.Epochs, FeedDisclosures))
}

// checkHead finds rows with numbers above the last one.
func (v *verifier) checkHead(ctx context.Context, feed string, head int64, _ []numbers) error {
	return v.listed(ctx, "numbers",
		fmt.Sprintf("SELECT name AS subject, CAST(seq AS TEXT) AS value FROM (%s) AS n WHERE seq > %d ORDER BY seq LIMIT %d",
			strings.Join(numbersOf(feed, false), " UNION ALL "), head, maxFindings), func(seq string) string {
			return fmt.Sprintf("number %s is above %d, the last number of %s", seq, head, feed)
		})
}

// checkSkipped finds rows with numbers between two epochs.
func (v *verifier) checkSkipped(ctx context.Context, feed string, _ int64, gaps []numbers) error {
	for _, gap := range gaps {
		if err := v.listed(ctx, "numbers",
			fmt.Sprintf("SELECT name AS subject, CAST(seq AS TEXT) AS value FROM (%s) AS n WHERE seq BETWEEN %d AND %d "+
				"ORDER BY seq LIMIT %d",
				strings.Join(numbersOf(feed, false), " UNION ALL "), gap.first, gap.last, maxFindings), func(seq string) string {
				return fmt.Sprintf("number %s of %s belongs to no epoch", seq, feed)
			}); err != nil {
			return err
		}
	}
	return nil
}

// checkTwice finds numbers that two rows have.
func (v *verifier) checkTwice(ctx context.Context, feed string, _ int64, _ []numbers) error {
	return v.listed(ctx, "numbers",
		fmt.Sprintf("SELECT min(name) AS subject, CAST(seq AS TEXT) AS value FROM (%s) AS n GROUP BY seq HAVING count(*) > 1 "+
			"ORDER BY seq LIMIT %d",
			strings.Join(numbersOf(feed, true), " UNION ALL "), maxFindings), func(seq string) string {
			return fmt.Sprintf("several rows have number %s of %s", seq, feed)
		})
}

// listed reports each row of a statement that selects a subject and a value.
func (v *verifier) listed(ctx context.Context, check, statement string, problem func(value string) string) error {
	var rows []struct{ Subject, Value string }
	if err := v.tx.NewRaw(statement).Scan(ctx, &rows); err != nil {
		return err
	}
	for _, r := range rows {
		v.finding(check, r.Subject, "%s", problem(r.Value))
	}
	return nil
}

// checkMissing finds numbers of the feed disclosures without a row. A disclosure keeps its
// number, and is completed at most once.
func (v *verifier) checkMissing(ctx context.Context, head int64, gaps []numbers) error {
	rows, err := v.tx.QueryContext(ctx, "SELECT seq FROM ("+strings.Join(numbersOf(FeedDisclosures, true), " UNION ALL ")+
		") AS n ORDER BY 1")
	if err != nil {
		return err
	}
	defer rows.Close()
	last := int64(0)
	missing := func(first, until int64) {
		if n := (numbers{first, until}); first <= until {
			v.finding("numbers", FeedDisclosures, "no row has %s", n)
		}
	}
	next := func(seq int64) {
		for len(gaps) > 0 && gaps[0].first <= seq {
			missing(last+1, gaps[0].first-1)
			last, gaps = max(last, gaps[0].last), gaps[1:]
		}
		missing(last+1, seq-1)
		last = max(last, seq)
	}
	for rows.Next() {
		var seq int64
		if err := rows.Scan(&seq); err != nil {
			return err
		}
		next(seq)
	}
	next(head + 1)
	return rows.Err()
}

// readLineage reads the epochs.
func readLineage(ctx context.Context, db bun.IDB) (epoch.Lineage, error) {
	var rows []epochRow
	err := db.NewSelect().Model(&rows).OrderExpr("number").Scan(ctx)
	return lineageOf(rows), err
}
