package db

import (
	"context"
	"log/slog"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"piyasa/domain/kap"
	"piyasa/internal/problem"
	"piyasa/internal/value"
)

// wordsRow is the searchable text of a disclosure, as kap.Record.Words makes it. Indexes find
// it: a GIN index on Postgres, and on SQLite an FTS5 table that triggers maintain.
type wordsRow struct {
	bun.BaseModel   `bun:"table:disclosure_words"`
	DisclosureIndex int
	Words           string
}

// storeWords stores the words of disclosures. Triggers have recorded that they are missing.
func storeWords(ctx context.Context, tx bun.IDB, numbers []int, records map[int]*kap.Record) error {
	var rows []*wordsRow
	for _, n := range numbers {
		if records[n] != nil {
			rows = append(rows, &wordsRow{DisclosureIndex: n, Words: records[n].Words()})
		}
	}
	if err := upsert(ctx, tx, rows, "disclosure_index"); err != nil || len(numbers) == 0 {
		return err
	}
	_, err := tx.NewDelete().Table("unsearched").Where("disclosure_index IN (?)", bun.List(numbers)).Exec(ctx)
	return err
}

// wordsChunk is of how many disclosures one transaction stores the words, so that other writers
// get a turn.
const wordsChunk = 50

// storeMissingWords stores the words of disclosures that an older version stored, the newest
// first. If it is killed, the next call continues.
func (s *Store) storeMissingWords(ctx context.Context) error {
	for stored := 0; ; stored += wordsChunk {
		left, err := s.unsearched(ctx, s.write)
		if err != nil || left == 0 {
			return err
		}
		if stored%(100*wordsChunk) == 0 {
			slog.Info("the words of disclosures are being indexed; searches answer 503 until then", "left", left)
		}
		if err := s.inFeeds(ctx, []string{FeedDisclosures}, func(ctx context.Context, tx *numbered) error {
			var numbers []int
			if err := tx.NewSelect().Table("unsearched").Column("disclosure_index").Order("disclosure_index DESC").
				Limit(wordsChunk).Scan(ctx, &numbers); err != nil {
				return err
			}
			_, records, err := disclosureRecords(ctx, atOnce, tx, numbers)
			if err != nil {
				return err
			}
			return storeWords(ctx, tx, numbers, records)
		}); err != nil {
			return err
		}
	}
}

// wordsPause is how often a writer looks for disclosures with missing words, because a writer
// of an older version may run beside it.
const wordsPause = time.Minute

// wordsFirst is the delay before the first look, so that the store's main work comes first.
const wordsFirst = time.Second

// storeWordsBeside stores missing words until the store is closed.
func (s *Store) storeWordsBeside() {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	s.endWords = func() {
		cancel()
		<-ended
	}
	go func() {
		defer close(ended)
		_ = pauseFor(ctx, wordsFirst)
		for ctx.Err() == nil {
			err := s.storeMissingWords(ctx)
			if CannotWrite(err) {
				return
			}
			if err != nil && ctx.Err() == nil {
				slog.Warn("the words of disclosures could not be indexed", "error", err)
			}
			_ = pauseFor(ctx, wordsPause)
		}
	}()
}

// unsearched returns the number of disclosures with missing words.
func (s *Store) unsearched(ctx context.Context, from *bun.DB) (left int, err error) {
	ctx, done := within(ctx, s.timeout)
	defer done(&err)
	err = from.NewRaw("SELECT count(*) FROM unsearched").Scan(ctx, &left)
	return left, err
}

// searchWindow is how many disclosures are checked one by one, in the order of a list, before
// the index of words is used: a page of frequent words is found among these.
const searchWindow = 1000

// search returns the first q.Limit disclosures that q selects, including by text.
func (s *Store) search(ctx context.Context, q kap.Query) ([]*kap.Stored, error) {
	left, err := s.unsearched(ctx, s.write)
	if err != nil {
		return nil, err
	}
	if left > 0 {
		e := problem.New(problem.StoreUnavailable,
			"The words of %d disclosures are not indexed yet, so a search could miss them; lists without q answer.", left)
		e.RetryAfter = retrySearch
		return nil, e
	}
	numbers, end, err := s.searchNext(ctx, q)
	if err != nil {
		return nil, err
	}
	if end != nil && len(numbers) < q.Limit {
		rest := q
		rest.After, rest.Limit = end, q.Limit-len(numbers)
		var more []int
		if err := s.searchIndexed(rest).Scan(ctx, &more); err != nil {
			return nil, err
		}
		numbers = append(numbers, more...)
	}
	if len(numbers) == 0 {
		return nil, nil
	}
	rows, err := disclosureRows(ctx, s.hot.scan, s.read, numbers)
	if err != nil {
		return nil, err
	}
	byNumber, found := make(map[int]*disclosureRow, len(rows)), make([]*kap.Stored, 0, len(rows))
	for _, r := range rows {
		byNumber[r.DisclosureIndex] = r
	}
	for _, n := range numbers {
		if r := byNumber[n]; r != nil {
			found = append(found, r.listed())
		}
	}
	return found, nil
}

// retrySearch is after how many seconds a client may search again while words are indexed.
const retrySearch = 60

// searchNext returns the disclosures that q selects among the next searchWindow ones, at most
// q.Limit, and where the window ends; nil: nothing follows.
func (s *Store) searchNext(ctx context.Context, q kap.Query) (numbers []int, end *kap.Place, err error) {
	window := q
	window.Search, window.Limit = nil, searchWindow
	next := s.selecting(s.read.NewSelect().Model((*disclosureRow)(nil)).Column("effective_at", "disclosure_index", "published_at"), window)
	// A count, because Postgres may answer EXISTS by reading all rows.
	says := s.read.NewSelect().TableExpr("disclosure_words AS w").ColumnExpr("count(*)").Where("w.disclosure_index = n.disclosure_index")
	says = s.saying(says, q.Search.Says, 0)
	says = s.notSaying(says, q.Search)
	if q.Dated() {
		says = says.Where("n.published_at IS NOT NULL")
	}
	var rows []struct {
		EffectiveAt     value.Instant
		DisclosureIndex int
		Says            bool
	}
	order := "DESC"
	if q.Ascending {
		order = "ASC"
	}
	err = s.read.NewSelect().TableExpr("(?) AS n", next).ColumnExpr("n.effective_at, n.disclosure_index, (?) > 0 AS says", says).
		OrderExpr("n.effective_at "+order+", n.disclosure_index "+order).Scan(ctx, &rows)
	for _, r := range rows {
		if r.Says && len(numbers) < q.Limit {
			numbers = append(numbers, r.DisclosureIndex)
		}
	}
	if len(rows) == searchWindow {
		last := rows[searchWindow-1]
		end = &kap.Place{EffectiveAt: last.EffectiveAt, DisclosureIndex: last.DisclosureIndex}
	}
	return numbers, end, err
}

// searchIndexed selects the numbers of the first q.Limit disclosures that q selects, through
// the index of words. The matches are materialized before they are ordered: a plan that
// followed the order would read each disclosure.
func (s *Store) searchIndexed(q kap.Query) *bun.SelectQuery {
	indexed, all := s.read.NewSelect(), make([]string, len(q.Search.Says))
	for i, saying := range q.Search.Says {
		all[i] = s.asked(saying)
	}
	if s.isPostgres() {
		indexed = indexed.TableExpr("disclosure_words AS w").Where(searched+" @@ CAST(? AS tsquery)", strings.Join(all, " & "))
	} else {
		asked := strings.Join(all, " AND ")
		indexed = indexed.TableExpr("disclosure_search AS f CROSS JOIN disclosure_words AS w") // CROSS keeps this order
		indexed = indexed.Where("f.disclosure_search MATCH ?", asked).Where("w.disclosure_index = f.rowid")
	}
	indexed = s.notSaying(s.saying(indexed.ColumnExpr("w.disclosure_index"), q.Search.Says, 1), q.Search)
	sel := s.read.NewSelect().WithQuery(bun.NewWithQuery("found", indexed).Materialized()).TableExpr("found CROSS JOIN disclosures AS d").
		ColumnExpr("d.disclosure_index").Where("d.disclosure_index = found.disclosure_index")
	if q.Of != nil {
		sel = sel.Where("d.disclosure_index IN (?)", s.anyOf(q.Of.Origins, "disclosure_codes", "code"))
	}
	if q.Dated() {
		sel = sel.Where("d.published_at IS NOT NULL")
	}
	return ordered(matching(sel, "d", q), "d", q)
}

// searched is the indexed expression of words on Postgres.
const searched = "array_to_tsvector(string_to_array(btrim(w.words), ' '))"

// asked returns a saying in the form that the index of words takes: stems are letters and
// digits.
func (s *Store) asked(saying kap.Saying) string {
	and, or, quote := " AND ", " OR ", `"`
	if s.isPostgres() {
		and, or, quote = " & ", " | ", "'"
	}
	readings := make([]string, len(saying))
	for i, stems := range saying {
		readings[i] = "(" + quote + strings.Join(stems, quote+and+quote) + quote + ")"
	}
	return "(" + strings.Join(readings, or) + ")"
}

// saying narrows sel to words that have those sayings that have more than moreThan stems.
func (s *Store) saying(sel *bun.SelectQuery, all []kap.Saying, moreThan int) *bun.SelectQuery {
	for _, saying := range all {
		if len(saying[0]) > moreThan {
			sel = sel.WhereGroup(" AND ", func(either *bun.SelectQuery) *bun.SelectQuery { return s.has(either, saying) })
		}
	}
	return sel
}

// notSaying narrows sel to words that have none of the excluded sayings.
func (s *Store) notSaying(sel *bun.SelectQuery, search *kap.Search) *bun.SelectQuery {
	for _, saying := range search.SaysNot {
		sel = sel.WhereGroup(" AND NOT ", func(either *bun.SelectQuery) *bun.SelectQuery { return s.has(either, saying) })
	}
	return sel
}

// has narrows sel to words that have one reading of a saying.
func (s *Store) has(sel *bun.SelectQuery, saying kap.Saying) *bun.SelectQuery {
	position := "instr"
	if s.isPostgres() {
		position = "strpos"
	}
	for _, stems := range saying {
		sel = sel.WhereOr(position+"(w.words, ?) > 0", " "+strings.Join(stems, " ")+" ")
	}
	return sel
}
