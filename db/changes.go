package db

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/uptrace/bun"

	"piyasa/domain/fundamentals"
	"piyasa/domain/market"
	"piyasa/internal/value"
)

// Change is what the log says of one record under a number: its content since then, or its
// withdrawal. Most kinds keep only the newest change of a record; where versions are
// remembered, each is a change.
type Change struct {
	Kind   string // of the record, as ingest names it: "bar"
	Number int64
	Record any // a pointer to the type that ingest reads; nil: withdrawn

	// Key is the values of the key that identifies records of the kind. A withdrawal that is
	// Moved states only one of them, and covers every record with it up to Number: the records
	// of that id, or of the code of a fund, now belong to another one.
	Key   []Member
	Moved bool

	// KnownFrom is when the change was recorded; null: the feed is not dated.
	KnownFrom value.Instant
}

// Member is a member of a key, with its value as text.
type Member struct{ Name, Value string }

// Members returns the members that ingest needs to withdraw the record.
func (c *Change) Members() []Member {
	var members []Member
	for _, m := range c.Key {
		switch id, isID := strings.CutPrefix(m.Value, "id:"); {
		case m.Name != "occasion":
			members = append(members, m)
		case c.Kind == "dividend" && isID:
			members = append(members, Member{"dividend_id", id})
		case c.Kind == "dividend":
			at := strings.LastIndex(m.Value, "/")
			members = append(members, Member{"kind", m.Value[:at]}, Member{"installment", m.Value[at+1:]})
		case isID:
			members = append(members, Member{"action_id", id})
		default:
			day, kind, _ := strings.Cut(m.Value, "/")
			members = append(members, Member{"ex_date", day}, Member{"kind", kind})
		}
	}
	return slices.DeleteFunc(members, func(m Member) bool {
		return m.Value == "" || m.Name == "installment" && m.Value == "0"
	})
}

// Cursor is how far the changes of a feed have been read: all up to Number. While bars of one
// moment are read in the order of their series, it also states up to which number they are
// read, and after which place.
type Cursor struct {
	Number int64  `json:"number"`
	To     int64  `json:"to,omitzero"`
	Place  string `json:"place,omitzero"`
}

// logged is a kind of record with changes that can be followed.
type logged struct {
	kind, feed, table string
	read              func(ctx context.Context, s *Store, after, upTo int64, limit int) ([]Change, error)
	key               []string // the columns of its key
}

// followed lists the kinds with changes that can be followed, except bars.
var followed = []logged{
	{"instrument", FeedCatalog, "instruments", instrumentChanges, instruments.columns},
	loggedIn("sector", sectors), loggedIn("index", indices),
	loggedIn("trading_day", tradingDays), loggedIn("price_limits", priceLimits), loggedIn("corporate_action", corporateActions),
	{"quote", FeedQuotes, "quotes", quoteChanges, []string{"instrument_id"}},
	loggedIn("market_metrics", marketMetrics),
	{"statement", FeedStatements, "statements", statementChanges, statements.columns},
	loggedIn("dividend", dividends),
	loggedIn("calendar_event", calendarEvents), loggedIn("calendar_item", calendarItems),
	loggedIn("inflation_point", inflationPoints), loggedIn("index_link", indexLinks),
	{"disclosure", FeedDisclosures, "disclosures", disclosureChanges, []string{"disclosure_index"}},
	loggedIn("company", companies), loggedIn("filing", filings),
	loggedIn("fund", fundProfiles), loggedIn("fund_flow", fundFlows), loggedIn("fund_holding", fundHoldings),
	loggedIn("ipo", ipos), loggedIn("news", newsItems),
	{"logo", FeedLogos, "logos", logoChanges, logoKey},
}

// FollowedKinds lists the kinds with changes that can be followed, in order.
func FollowedKinds() []string {
	kinds := []string{"bar", "index_bar"}
	for _, l := range followed {
		kinds = append(kinds, l.kind)
	}
	slices.Sort(kinds)
	return kinds
}

// FeedOf returns the feed that numbers the changes of a kind; empty: the kind cannot be
// followed.
func FeedOf(kind string) string {
	if kind == "bar" || kind == "index_bar" {
		return FeedBars
	}
	for _, l := range followed {
		if l.kind == kind {
			return l.feed
		}
	}
	return ""
}

// Changes returns changes of a feed after a cursor, up to the number head, in the order of
// their numbers, and the cursor after them. The cursor is at head if there are no more. Bars
// come in the order of their series, after withdrawn bars. limit is about how many rows of each
// table are read.
func (s *Store) Changes(ctx context.Context, feed string, from Cursor, head int64, limit int) (_ []Change, next Cursor, err error) {
	ctx, done := s.followingMuch(ctx)
	defer done(&err)
	if feed == FeedBars {
		return s.barChanges(ctx, from, head, limit)
	}
	upTo, all := head, []Change(nil)
	note := func(changes []Change, err error) error {
		if n := len(changes); n > limit { // it may have more
			upTo = min(upTo, changes[n-1].Number)
		}
		all = append(all, changes...)
		return err
	}
	for _, l := range followed {
		if l.feed != feed {
			continue
		}
		if err := note(l.read(ctx, s, from.Number, head, limit+1)); err != nil {
			return nil, from, fmt.Errorf("the changes of %s: %w", l.table, err)
		}
	}
	if err := note(s.withdrawals(ctx, feed, from.Number, head, limit+1)); err != nil {
		return nil, from, err
	}
	all = slices.DeleteFunc(all, func(c Change) bool { return c.Number > upTo || c.Kind == "" })
	slices.SortStableFunc(all, func(a, b Change) int { return cmp.Compare(a.Number, b.Number) })
	if err := s.date(ctx, feed, all); err != nil {
		return nil, from, err
	}
	return all, Cursor{Number: upTo}, nil
}

// loggedIn returns the kind of a table's records.
func loggedIn[T, R any, K comparable](kind string, t table[T, R, K]) logged {
	return logged{kind: kind, feed: t.feed, table: tableOf[R](), key: t.columns,
		read: func(ctx context.Context, s *Store, after, upTo int64, limit int) ([]Change, error) {
			rows, err := t.between(ctx, s, after, upTo, limit)
			changes := make([]Change, len(rows))
			for i, r := range rows {
				changes[i] = Change{Kind: kind, Number: seqOf(s.follow, r), Record: t.record(r), Key: membersOf(s.follow, r, t.columns)}
			}
			return changes, err
		}}
}

// between returns the first limit rows numbered above after, up to upTo, and superseded
// versions, in the order of their numbers.
func (t table[T, R, K]) between(ctx context.Context, s *Store, after, upTo int64, limit int) ([]*R, error) {
	var rows []*R
	if err := s.follow.NewSelect().Model(&rows).Where("seq > ? AND seq <= ?", after, upTo).Order("seq").Limit(int64(limit)).
		Scan(ctx); err != nil || !t.remembered {
		return rows, err
	}
	var packed []*supersededRow
	if err := s.follow.NewSelect().Model(&packed).Column("record").
		Where("of_table = ? AND version > ? AND version <= ?", tableOf[R](), after, upTo).
		Order("version").Limit(int64(limit)).Scan(ctx); err != nil {
		return nil, err
	}
	for _, p := range packed {
		row, err := unpackRow[R](p.Record)
		if err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
	slices.SortFunc(rows, func(a, b *R) int { return cmp.Compare(seqOf(s.follow, a), seqOf(s.follow, b)) })
	return rows[:min(len(rows), limit)], nil
}

// membersOf returns the key of a row.
func membersOf[R any](in bun.IDB, row *R, columns []string) []Member {
	key := make([]Member, len(columns))
	for i, v := range keyOf(in, row, columns) {
		key[i] = Member{columns[i], fmt.Sprint(v)}
	}
	return key
}

// instrumentChanges returns instruments with the facts of identity that the newest record of
// each stated.
func instrumentChanges(ctx context.Context, s *Store, after, upTo int64, limit int) ([]Change, error) {
	rows, err := instruments.between(ctx, s, after, upTo, limit)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	renames, err := renames(ctx, s.follow)
	if err != nil {
		return nil, err
	}
	meanings, err := formerMeanings(ctx, s.follow)
	if err != nil {
		return nil, err
	}
	newest, changes := map[market.ID]*market.Instrument{}, make([]Change, len(rows))
	for i, r := range rows {
		newest[r.InstrumentID] = &r.Instrument
		changes[i] = Change{Kind: "instrument", Number: r.Seq, Record: &r.Instrument, Key: membersOf(s.follow, r, instruments.columns)}
	}
	for _, r := range renames {
		if in := newest[r.InstrumentID]; in != nil {
			in.Predecessor, in.RenamedOn = &r.Predecessor, r.RenamedOn
		}
	}
	for _, m := range meanings { // by day
		if in := newest[m.InstrumentID]; in != nil {
			in.ValidFrom = m.ValidFrom
		}
	}
	return changes, nil
}

func quoteChanges(ctx context.Context, s *Store, after, upTo int64, limit int) ([]Change, error) {
	var rows []*quoteRow
	err := s.follow.NewSelect().Model(&rows).Where("seq > ? AND seq <= ?", after, upTo).Order("seq").Limit(int64(limit)).Scan(ctx)
	changes := make([]Change, len(rows))
	for i, r := range rows {
		changes[i] = Change{Kind: "quote", Number: r.Seq, Record: &r.Observation, Key: membersOf(s.follow, r, quoteTable.key)}
	}
	return changes, err
}

func statementChanges(ctx context.Context, s *Store, after, upTo int64, limit int) ([]Change, error) {
	rows, err := statements.between(ctx, s, after, upTo, limit)
	if err != nil {
		return nil, err
	}
	filed := make([]*filedRow, len(rows))
	for i, r := range rows {
		filed[i] = &filedRow{statementRow: *r}
	}
	layouts, err := s.layoutsOf(ctx, filed)
	if err != nil {
		return nil, err
	}
	changes := make([]Change, len(rows))
	for i, r := range rows {
		layout := layouts[r.Layout]
		if layout == nil { // the database has changed hosts between the reads
			return nil, fmt.Errorf("the lines of a statement of %s are not there", r.InstrumentID)
		}
		record := (&fundamentals.Filed{Heading: r.Heading, Layout: layout, Figures: r.Figures}).Statement()
		changes[i] = Change{Kind: "statement", Number: r.Seq, Record: record, Key: membersOf(s.follow, r, statements.columns)}
	}
	return changes, nil
}

// disclosureChanges returns a disclosure once for each of its numbers, with all its content
// each time.
func disclosureChanges(ctx context.Context, s *Store, after, upTo int64, limit int) ([]Change, error) {
	found, err := s.ChangedDisclosures(ctx, after, upTo, limit)
	if err != nil {
		return nil, err
	}
	numbers := make([]int, len(found))
	for i, d := range found {
		numbers[i] = d.DisclosureIndex
	}
	_, records, err := disclosureRecords(ctx, atOnce, s.follow, numbers)
	if err != nil {
		return nil, err
	}
	changes := make([]Change, 0, len(found))
	for _, d := range found {
		r := records[d.DisclosureIndex]
		if r == nil { // the database has changed hosts between the reads
			return nil, fmt.Errorf("disclosure %d is not there", d.DisclosureIndex)
		}
		changes = append(changes, Change{Kind: "disclosure", Number: d.Seq, Record: r,
			Key: []Member{{"disclosure_index", fmt.Sprint(d.DisclosureIndex)}}})
	}
	return changes, nil
}

func logoChanges(ctx context.Context, s *Store, after, upTo int64, limit int) ([]Change, error) {
	var rows []*logoRow
	err := s.follow.NewSelect().Model(&rows).Where("seq > ? AND seq <= ?", after, upTo).Order("seq").Limit(int64(limit)).Scan(ctx)
	changes := make([]Change, len(rows))
	for i, r := range rows {
		owner := market.LogoOwner{InstrumentID: r.InstrumentID, Founder: r.Founder}
		changes[i] = Change{Kind: "logo", Number: r.Seq, Record: &market.LogoRecord{LogoOwner: owner, PNG: r.PNG},
			Key: membersOf(s.follow, r, logoKey)}
	}
	return changes, err
}

// withdrawals returns the withdrawals of a feed. Those of rows that are no records have no
// kind.
func (s *Store) withdrawals(ctx context.Context, feed string, after, upTo int64, limit int) ([]Change, error) {
	var rows []*withdrawnRow
	if err := s.follow.NewSelect().Model(&rows).Where("feed = ? AND seq > ? AND seq <= ?", feed, after, upTo).Order("seq").
		Limit(int64(limit)).Scan(ctx); err != nil {
		return nil, err
	}
	changes := make([]Change, len(rows))
	for i, r := range rows {
		c := &changes[i]
		c.Number = r.Seq
		var columns []string
		switch r.OfTable {
		case "bars":
			c.Kind, columns = "bar", barKeyColumns
		case "index_bars":
			c.Kind, columns = "index_bar", indexBarKey
		default:
			of := slices.IndexFunc(followed, func(l logged) bool { return l.table == r.OfTable })
			if of < 0 { // former meanings, for example, are no records
				continue
			}
			c.Kind, columns = followed[of].kind, followed[of].key
		}
		words, err := wordsOf(r.Key)
		if err != nil {
			return nil, err
		}
		if len(words) < len(columns) {
			columns, c.Moved = []string{movedColumn(columns, words[0])}, true
		}
		for at, column := range columns {
			c.Key = append(c.Key, Member{column, words[at]})
		}
	}
	return changes, nil
}

// movedColumn returns the column with the id, or the code of a fund, whose rows have all moved.
func movedColumn(columns []string, word string) string {
	isID := strings.Contains(word, ":")
	for _, column := range columns {
		if isID == (column == "instrument_id") && (isID || strings.HasSuffix(column, "code")) {
			return column
		}
	}
	return columns[0]
}

// date sets the time at which changes of a feed were recorded.
func (s *Store) date(ctx context.Context, feed string, changes []Change) error {
	if !datedFeeds[feed] || len(changes) == 0 {
		return nil
	}
	var commits []*commitRow
	if err := s.follow.NewSelect().Model(&commits).Where("feed = ? AND last >= ? AND first <= ?", feed, changes[0].Number,
		changes[len(changes)-1].Number).Order("first").Scan(ctx); err != nil {
		return err
	}
	for i := range changes {
		at, found := slices.BinarySearchFunc(commits, changes[i].Number, func(c *commitRow, n int64) int {
			switch {
			case c.Last < n:
				return -1
			case c.First > n:
				return 1
			}
			return 0
		})
		if found {
			changes[i].KnownFrom = commits[at].At
		}
	}
	return nil
}
