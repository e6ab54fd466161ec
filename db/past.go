package db

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/uptrace/bun"

	"piyasa/domain/fundamentals"
	"piyasa/domain/funds"
	"piyasa/domain/kap"
	"piyasa/domain/macro"
	"piyasa/domain/market"
	"piyasa/internal/value"
)

// Past reads the store as it could have answered at a moment. A version of a record is known
// from the commit that recorded it up to the one that replaced or withdrew it; the first one of
// a record whose source says when it was published is known from then on, so that a history
// that is loaded later counts as well.
//
// What is asked of the present only, such as disclosures and bars, it reads as the Store does.
type Past struct {
	*Store
	at        value.Instant
	heads     map[string]int64 // the last number of each dated feed by then
	described bool             // whether instruments that were recorded later count
	catalog   []*market.Instrument
	renames   []*market.Rename
	carried   map[string]bool // ids to which later renames led that count
}

// commitRow says when which numbers of a feed were committed.
type commitRow struct {
	bun.BaseModel `bun:"table:commits"`
	Feed          string
	At            value.Instant
	First, Last   int64
}

// At returns the store as of a moment. What was stored before commits were dated counts as known.
// Described adds instruments that were recorded later, by their first records: for figures whose
// sources say when they were published.
func (s *Store) At(ctx context.Context, at value.Instant, described bool) (*Past, error) {
	p := &Past{Store: s, at: at, heads: map[string]int64{}, described: described, carried: map[string]bool{}}
	err := p.readHeads(ctx)
	if err != nil {
		return nil, err
	}
	return p, p.readIdentities(ctx)
}

func (p *Past) readHeads(ctx context.Context) (err error) {
	s := p.Store
	ctx, done := s.following(ctx)
	defer done(&err)
	var rows []*commitRow
	err = s.follow.NewSelect().Model(&rows).Where("(feed, at) IN (SELECT feed, MAX(at) FROM commits WHERE at <= ? GROUP BY feed)", p.at).
		WhereOr("(feed, at) IN (SELECT feed, MIN(at) FROM commits WHERE at > ? GROUP BY feed)", p.at).Order("at").Scan(ctx)
	for _, c := range rows {
		if _, known := p.heads[c.Feed]; !c.At.After(p.at) {
			p.heads[c.Feed] = c.Last
		} else if !known { // the first commit that is dated
			p.heads[c.Feed] = c.First - 1
		}
	}
	return err
}

// readIdentities reads the instruments and the ids that they had had by then. A rename counts from
// its recording on: until then the id before is the instrument's. Where neither id was recorded by
// then, both are described, and a rename counts from its day on.
func (p *Past) readIdentities(ctx context.Context) error {
	rows, err := rowsAt(ctx, p, instruments, nil, nil)
	if err != nil {
		return err
	}
	renamed, err := rowsAt(ctx, p, renameFacts, nil, nil)
	if err != nil {
		return err
	}
	head, recorded, unknown := p.heads[FeedCatalog], map[market.ID]bool{}, map[market.ID]bool{}
	for _, r := range rows {
		recorded[r.InstrumentID] = r.Seq <= head
	}
	for _, r := range renamed {
		switch {
		case r.Seq <= head:
		case recorded[r.InstrumentID]:
			continue
		case recorded[r.Predecessor] || value.TurkeyDay(p.at).Before(r.RenamedOn):
			unknown[r.InstrumentID] = true
			continue
		default:
			unknown[r.Predecessor], p.carried[string(r.InstrumentID)] = true, true
		}
		p.renames = append(p.renames, &r.Rename)
	}
	rows = slices.DeleteFunc(rows, func(r *instrumentRow) bool { return unknown[r.InstrumentID] })
	p.catalog = records(rows, instruments.record)
	return nil
}

// rowsAt returns the rows of a table that were known at the moment: of the subjects or, if
// nil, all of them. narrow may bound the current rows further.
func rowsAt[T, R any, K comparable](ctx context.Context, p *Past, t table[T, R, K], subjects []string,
	narrow func(*bun.SelectQuery) *bun.SelectQuery) (rows []*R, err error) {
	ctx, done := p.followingMuch(ctx)
	defer done(&err)
	head := p.heads[t.feed]
	err = p.follow.RunInTx(ctx, p.oneMoment(), func(ctx context.Context, tx bun.Tx) error {
		n := &numbered{Tx: tx}
		var current []*R
		var replaced []*supersededRow
		now := tx.NewSelect().Model(&current).WhereGroup(" AND ", func(q *bun.SelectQuery) *bun.SelectQuery {
			if q = q.Where("seq <= ?", head); t.published != "" {
				q = q.WhereOr("? <= ?", bun.Ident(t.published), p.at)
			}
			return q
		})
		then := tx.NewSelect().Model(&replaced).Where("of_table = ? AND until > ? AND (version <= ? OR published <= ?)",
			tableName[R](n), head, head, p.at)
		if t.described == always || t.described == ifAsked && p.described {
			now = tx.NewSelect().Model(&current)
			then = tx.NewSelect().Model(&replaced).Where("of_table = ? AND until > ?", tableName[R](n), head)
		}
		if subjects != nil {
			now, then = now.Where("? IN (?)", bun.Ident(t.columns[0]), bun.List(subjects)), then.Where("subject IN (?)", bun.List(subjects))
		}
		if narrow != nil {
			now = narrow(now)
		}
		if err := cmp.Or(now.Scan(ctx), then.Scan(ctx)); err != nil {
			return err
		}
		found := map[string]*foundVersion[R]{} // the oldest of each key that the moment may have known
		add := func(key string, v foundVersion[R]) {
			if old := found[key]; old == nil || v.number < old.number {
				found[key] = &v
			}
		}
		for _, row := range current {
			key := keyOf(n, row, t.columns)
			add(key.String(), foundVersion[R]{number: seqOf(n, row), subject: fmt.Sprint(key[0]), row: row})
		}
		for _, r := range replaced {
			add(r.Key, foundVersion[R]{number: r.Version, subject: r.Subject, packed: r.Record})
		}
		firsts, err := firstVersions(ctx, n, tableName[R](n), found, head)
		if err != nil {
			return err
		}
		others, err := passedOn(ctx, n, tableName[R](n), found, head)
		if err != nil {
			return err
		}
		for key, v := range found {
			first, known := firsts[key]
			moved := known && first == 0 && p.carried[v.subject]
			other, passed := others[v.subject]
			if v.number > head && (known && first < v.number && !moved || passed && other < v.number) {
				continue // it was published, but what was known then had been withdrawn, or the id was another's
			}
			row, err := v.unpacked()
			if err != nil {
				return err
			}
			rows = append(rows, row)
		}
		return nil
	})
	return rows, err
}

// foundVersion is a version of a row, unpacked or not.
type foundVersion[R any] struct {
	number  int64
	subject string
	row     *R
	packed  []byte
}

func (v *foundVersion[R]) unpacked() (*R, error) {
	if v.row != nil {
		return v.row, nil
	}
	return unpackRow[R](v.packed)
}

// firstVersions returns the numbers of the first versions that were superseded of keys whose
// found version was recorded after head: only a first one counts from its publication on.
func firstVersions[R any](ctx context.Context, tx *numbered, table string, found map[string]*foundVersion[R],
	head int64) (map[string]int64, error) {
	var keys [][2]string
	for key, v := range found {
		if v.number > head {
			keys = append(keys, [2]string{v.subject, key})
		}
	}
	slices.SortFunc(keys, func(a, b [2]string) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) })
	firsts := map[string]int64{}
	for some := range slices.Chunk(keys, upsertChunk) {
		var rows []*supersededRow
		var subjects, of []string
		for _, k := range some {
			subjects, of = append(subjects, k[0]), append(of, k[1])
		}
		if err := tx.NewSelect().Model(&rows).Column("key").ColumnExpr("MIN(version) AS version").
			Where("of_table = ? AND subject IN (?) AND key IN (?)", table, bun.List(slices.Compact(subjects)), bun.List(of)).
			Group("key").Scan(ctx); err != nil {
			return nil, err
		}
		for _, r := range rows {
			firsts[r.Key] = r.Version
		}
	}
	return firsts, nil
}

// passedOn returns the numbers at which ids of found versions became those of other instruments,
// or none, after head: what was recorded since is not of the instrument that had the id.
func passedOn[R any](ctx context.Context, tx *numbered, table string, found map[string]*foundVersion[R],
	head int64) (map[string]int64, error) {
	subjects := map[string]string{} // by the keys of notes
	for _, v := range found {
		if v.number > head {
			subjects[rowKey{v.subject}.String()] = v.subject
		}
	}
	others := map[string]int64{}
	for some := range slices.Chunk(slices.Sorted(maps.Keys(subjects)), upsertChunk) {
		var rows []*withdrawnRow
		if err := tx.NewSelect().Model(&rows).Where("of_table = ? AND key IN (?) AND seq > ?", table, bun.List(some), head).
			Scan(ctx); err != nil {
			return nil, err
		}
		for _, r := range rows {
			others[subjects[r.Key]] = r.Seq
		}
	}
	return others, nil
}

func recordsAt[T, R any, K comparable](ctx context.Context, p *Past, t table[T, R, K], subjects []string) ([]*T, error) {
	rows, err := rowsAt(ctx, p, t, subjects, nil)
	return records(rows, t.record), err
}

// texts returns ids as subjects of versions.
func texts[S ~string](ids []S) []string {
	all := make([]string, len(ids))
	for i, id := range ids {
		all[i] = string(id)
	}
	return all
}

// InstrumentsAfter returns all instruments.
func (p *Past) InstrumentsAfter(context.Context, int64) ([]*market.Instrument, error) {
	return p.catalog, nil
}

// Sectors returns all sectors by code.
func (p *Past) Sectors(ctx context.Context) ([]*market.Sector, error) {
	all, err := recordsAt(ctx, p, sectors, nil)
	slices.SortFunc(all, func(a, b *market.Sector) int { return cmp.Compare(a.Code, b.Code) })
	return all, err
}

// Indices returns all indices by code.
func (p *Past) Indices(ctx context.Context) ([]*market.BistIndex, error) {
	all, err := recordsAt(ctx, p, indices, nil)
	slices.SortFunc(all, func(a, b *market.BistIndex) int { return cmp.Compare(a.Code, b.Code) })
	return all, err
}

// LogosAfter returns none: logos have no history.
func (p *Past) LogosAfter(context.Context, int64) ([]*market.LogoTag, error) { return nil, nil }

// FundsAfter returns none: funds have no statements.
func (p *Past) FundsAfter(context.Context, int64) ([]*funds.Fund, error) { return nil, nil }

// QuotesAfter returns the newest observation of each currency pair by then. Of a time whose
// observations are pruned it is left out where a newer one of its slot of coins is stored, since
// pruning may have deleted the one that was the newest then.
func (p *Past) QuotesAfter(ctx context.Context, _ int64) (_ []*market.Observation, err error) {
	ctx, done := p.followingMuch(ctx)
	defer done(&err)
	var rows []*observationRow
	err = p.follow.RunInTx(ctx, p.oneMoment(), func(ctx context.Context, tx bun.Tx) error {
		kept, err := keptSince(ctx, tx)
		if err != nil {
			return err
		}
		q := tx.NewSelect().Model(&rows).Where("(instrument_id, as_of) IN (SELECT instrument_id, MAX(as_of) FROM observations "+
			"WHERE instrument_id > 'fx:' AND instrument_id < 'fx;' AND as_of <= ? GROUP BY instrument_id)", p.at)
		if p.at.Before(kept[market.FX]) {
			q = q.Where("instrument_id NOT IN (SELECT instrument_id FROM observations WHERE instrument_id > 'fx:' AND "+
				"instrument_id < 'fx;' AND as_of > ? AND as_of <= ?)", p.at, coinSlotAfter(p.at))
		}
		return q.Scan(ctx)
	})
	return records(rows, func(r *observationRow) *market.Observation {
		r.LeaveOut()
		return &r.Observation
	}), err
}

// ActionsAfter returns all corporate actions.
func (p *Past) ActionsAfter(ctx context.Context, _ int64) ([]*market.StoredAction, error) {
	rows, err := rowsAt(ctx, p, corporateActions, nil, nil)
	return records(rows, (*actionRow).stored), err
}

// FormerMeanings returns what prices had meant before.
func (p *Past) FormerMeanings(ctx context.Context) ([]*market.FormerMeaning, error) {
	return recordsAt(ctx, p, formerMeaningFacts, nil)
}

// Renames returns the ids that instruments had had before.
func (p *Past) Renames(context.Context) ([]*market.Rename, error) { return p.renames, nil }

// IndexLinks returns all links between bases of price indices.
func (p *Past) IndexLinks(ctx context.Context) ([]*macro.IndexLink, error) {
	return recordsAt(ctx, p, indexLinks, nil)
}

// FilingSummaries implements kap.Store.
func (p *Past) FilingSummaries(ctx context.Context, of []kap.Origin) (_ []*kap.FilingSummary, err error) {
	if len(of) == 0 {
		return nil, nil
	}
	known, err := rowsAt(ctx, p, filings, nil, func(q *bun.SelectQuery) *bun.SelectQuery {
		return q.ExcludeColumn("balance_sheet", "income_statement", "cash_flow").
			Where("disclosure_index IN (?)", p.anyOf(of, "filings", "symbol"))
	})
	if err != nil || len(known) == 0 {
		return nil, err
	}
	ctx, done := p.reading(ctx, FeedFilings)
	defer done(&err)
	numbers := make([]int, len(known))
	for i, f := range known {
		numbers[i] = f.DisclosureIndex
	}
	var disclosed []*struct {
		kap.FilingSummary
		CompanyID *string
	}
	err = p.read.NewSelect().TableExpr("disclosures AS d").ColumnExpr("d.disclosure_index, d.published_at, d.company_id").
		ColumnExpr(cancelled+"d.disclosure_index AND c.reason = ?0 AND c.published_at <= ?1) AS cancelled", kap.Cancelled, p.at).
		ColumnExpr("("+corrected("earlier.number IN (?1)")+") AS corrects", kap.Cancelled, bun.List(numbers)).
		Where("d.disclosure_index IN (?)", bun.List(numbers)).Scan(ctx, &disclosed)
	if err != nil {
		return nil, err
	}
	by := map[int]int{}
	for i, d := range disclosed {
		by[d.DisclosureIndex] = i
	}
	var all []*kap.FilingSummary
	for _, f := range known {
		h, company := &kap.FilingSummary{DisclosureIndex: f.DisclosureIndex}, (*string)(nil)
		if i, ok := by[f.DisclosureIndex]; ok {
			h, company = &disclosed[i].FilingSummary, disclosed[i].CompanyID
		}
		if h.PublishedAt.After(p.at) || h.PublishedAt.IsNull() && f.Seq > p.heads[FeedFilings] || !reached(of, f.Symbol, company) {
			continue
		}
		h.Year, h.Period, h.EndDate, h.Consolidation, h.Seq = f.Year, f.Period, f.EndDate, kap.Consolidation(f.Consolidation), f.Seq
		all = append(all, h)
	}
	return all, nil
}

// reached reports whether origins select a filing of a code, whose disclosure is of a company, or
// of none that is known, as anyOf does.
func reached(of []kap.Origin, code string, company *string) bool {
	return slices.ContainsFunc(of, func(o kap.Origin) bool {
		if o.Code == "" {
			return company != nil && *company == o.CompanyID
		}
		return o.Code == code && (company == nil || !slices.Contains(o.Not, *company))
	})
}

// Filings implements kap.Store.
func (p *Past) Filings(ctx context.Context, numbers []int) ([]*kap.Filing, error) {
	subjects := make([]string, len(numbers))
	for i, n := range numbers {
		subjects[i] = strconv.Itoa(n)
	}
	rows, err := rowsAt(ctx, p, filings, subjects, nil)
	return records(rows, func(r *filingRow) *kap.Filing { return &r.Filing }), err
}

// Companies returns all companies that file disclosures.
func (p *Past) Companies(ctx context.Context) ([]*kap.CompanyRecord, error) {
	return recordsAt(ctx, p, companies, nil)
}

// CodesHeld returns the codes that companies had had by then, the last one latest.
func (p *Past) CodesHeld(ctx context.Context) (_ []kap.CodeHeld, err error) {
	ctx, done := p.followingMuch(ctx)
	defer done(&err)
	var codes []*companyCodeRow
	var replaced []*supersededRow
	head := p.heads[FeedCompanies]
	if err := cmp.Or(p.follow.NewSelect().Model(&codes).Where("seq <= ?", head).Scan(ctx), p.follow.NewSelect().Model(&replaced).
		Where("of_table = 'companies' AND version <= ?", head).Scan(ctx)); err != nil {
		return nil, err
	}
	for _, r := range replaced {
		row, err := unpackRow[companyRow](r.Record)
		if err != nil {
			return nil, err
		}
		for _, code := range row.Record.Codes {
			codes = append(codes, &companyCodeRow{CompanyID: row.CompanyID, Code: code, Seq: r.Version})
		}
	}
	slices.SortFunc(codes, func(a, b *companyCodeRow) int {
		return cmp.Or(cmp.Compare(a.Seq, b.Seq), cmp.Compare(a.CompanyID, b.CompanyID), cmp.Compare(a.Code, b.Code))
	})
	held := make([]kap.CodeHeld, len(codes))
	for i, r := range codes {
		held[i] = kap.CodeHeld{CompanyID: r.CompanyID, Code: r.Code}
	}
	return held, nil
}

// InflationPoints returns all months of all price indices.
func (p *Past) InflationPoints(ctx context.Context) ([]*macro.Point, error) {
	return recordsAt(ctx, p, inflationPoints, nil)
}

// Statements implements fundamentals.StatementStore.
func (p *Past) Statements(ctx context.Context, keys []fundamentals.HistoryKey) (map[fundamentals.HistoryKey][]*fundamentals.Filed,
	int64, error) {
	asked, ids := map[fundamentals.HistoryKey]bool{}, []string{}
	for _, k := range keys {
		asked[k] = true
		ids = append(ids, string(k.Company))
	}
	rows, err := rowsAt(ctx, p, statements, ids, nil)
	if err != nil {
		return nil, 0, err
	}
	rows = slices.DeleteFunc(rows, func(r *statementRow) bool {
		return !asked[fundamentals.HistoryKey{Company: r.InstrumentID, Currency: r.Currency}]
	})
	published, err := p.publicationsOf(ctx, rows)
	if err != nil {
		return nil, 0, err
	}
	filed := make([]*filedRow, len(rows))
	for i, r := range rows {
		filed[i] = &filedRow{statementRow: *r, Published: published.of(&r.Heading)}
	}
	all, err := p.filed(ctx, filed)
	return all, p.heads[FeedStatements], err
}

// Metrics implements fundamentals.MetricsStore.
func (p *Past) Metrics(ctx context.Context, ids []market.ID, first, last value.Date) ([][]*fundamentals.Metrics, error) {
	known, err := recordsAt(ctx, p, marketMetrics, texts(ids))
	byID := make(map[market.ID][]*fundamentals.Metrics, len(ids))
	for _, m := range known {
		if !m.Date.Before(first) && !last.Before(m.Date) {
			byID[m.InstrumentID] = append(byID[m.InstrumentID], m)
		}
	}
	all := make([][]*fundamentals.Metrics, len(ids))
	for i, id := range ids {
		all[i] = byID[id]
		slices.SortFunc(all[i], func(a, b *fundamentals.Metrics) int { return a.Date.Compare(b.Date) })
	}
	return all, err
}

// recentMetrics is for how many days NewestMetrics looks at each of a company; of before, only
// the newest counts.
const recentMetrics = 31

// NewestMetrics returns the newest metrics of every company by then.
func (p *Past) NewestMetrics(ctx context.Context, _ int64) ([]*fundamentals.Metrics, error) {
	day := value.TurkeyDay(p.at)
	known, err := rowsAt(ctx, p, marketMetrics, nil, func(q *bun.SelectQuery) *bun.SelectQuery {
		return q.Where("date > ? OR (instrument_id, date) IN (SELECT instrument_id, MAX(date) FROM market_metrics WHERE as_of <= ? "+
			"GROUP BY instrument_id)", day.AddDays(-recentMetrics), p.at)
	})
	newest := map[market.ID]*fundamentals.Metrics{}
	for _, r := range known {
		if of := newest[r.InstrumentID]; of == nil || of.Date.Before(r.Date) {
			newest[r.InstrumentID] = &r.Metrics
		}
	}
	return slices.Collect(maps.Values(newest)), err
}

// Dividends implements fundamentals.DividendStore.
func (p *Past) Dividends(ctx context.Context, ids []market.ID, first int) (map[market.ID][]*fundamentals.DividendRecord, error) {
	lists, _, err := p.AllDividends(ctx, ids)
	found := make(map[market.ID][]*fundamentals.DividendRecord, len(ids))
	for i, list := range lists {
		if len(list) > 0 {
			found[ids[i]] = list[:min(first, len(list))]
		}
	}
	return found, err
}

// AllDividends implements fundamentals.DividendSource.
func (p *Past) AllDividends(ctx context.Context, ids []market.ID) ([][]*fundamentals.DividendRecord, int64, error) {
	known, err := rowsAt(ctx, p, dividends, texts(ids), nil)
	slices.SortFunc(known, func(a, b *dividendRow) int { return -compareDividends(a, b) })
	lists := make([][]*fundamentals.DividendRecord, len(ids))
	for i, id := range ids {
		for _, r := range known {
			if r.InstrumentID == id {
				lists[i] = append(lists[i], dividends.record(r))
			}
		}
	}
	return lists, p.heads[FeedDividends], err
}

// compareDividends compares dividends of one instrument in the order of their list.
func compareDividends(a, b *dividendRow) int {
	return cmp.Or(a.ExDate.Compare(b.ExDate), cmp.Compare(a.Installment, b.Installment), cmp.Compare(a.Occasion, b.Occasion))
}

// DividendPage implements fundamentals.DividendStore.
func (p *Past) DividendPage(ctx context.Context, q fundamentals.DividendQuery) ([]*fundamentals.StoredDividend, error) {
	listed := map[market.ID]bool{}
	for _, in := range p.catalog {
		listed[in.InstrumentID] = in.Market == q.Market && (q.AssetType == nil || in.AssetType == *q.AssetType) &&
			(q.Instruments == nil || slices.Contains(q.Instruments, in.InstrumentID))
	}
	known, err := rowsAt(ctx, p, dividends, nil, nil)
	if err != nil {
		return nil, err
	}
	known = slices.DeleteFunc(known, func(r *dividendRow) bool { return !listed[r.InstrumentID] || !inPage(q, r) })
	slices.SortFunc(known, func(a, b *dividendRow) int {
		if q.Backward {
			a, b = b, a
		}
		return comparePlaces(q.DateField, a, b)
	})
	page := make([]*fundamentals.StoredDividend, 0, min(q.Limit, len(known)))
	for _, r := range known[:min(q.Limit, len(known))] {
		page = append(page, &fundamentals.StoredDividend{DividendRecord: *dividends.record(r), Seq: r.Seq})
	}
	return page, nil
}

// dateOf returns the date by which a list is ordered.
func (r *dividendRow) dateOf(field fundamentals.DividendDateField) value.Date {
	if field == fundamentals.ByPaymentDate {
		return r.PaymentDate
	}
	return r.ExDate
}

// comparePlaces compares dividends in the order of a list, that of dividendOrders.
func comparePlaces(field fundamentals.DividendDateField, a, b *dividendRow) int {
	return cmp.Or(a.dateOf(field).Compare(b.dateOf(field)), cmp.Compare(a.InstrumentID, b.InstrumentID),
		cmp.Compare(a.Installment, b.Installment), a.ExDate.Compare(b.ExDate), cmp.Compare(a.Occasion, b.Occasion))
}

// inPage reports whether a dividend is one that q selects, as DividendPage of the Store does.
func inPage(q fundamentals.DividendQuery, r *dividendRow) bool {
	date := r.dateOf(q.DateField)
	if date.IsNull() || date.Before(q.From) || q.To.Before(date) {
		return false
	}
	if q.Status != nil {
		settled := r.PaymentDate
		if settled.IsNull() {
			settled = r.ExDate
		}
		if upcoming := q.Today.Before(settled); upcoming != (*q.Status == fundamentals.Upcoming) {
			return false
		}
	}
	if q.After == nil {
		return true
	}
	after := &dividendRow{InstrumentID: q.After.InstrumentID, Installment: q.After.Installment, ExDate: q.After.ExDate,
		PaymentDate: q.After.Date, Occasion: q.After.Occasion}
	beyond := comparePlaces(q.DateField, r, after)
	if q.Backward {
		return beyond < 0
	}
	return beyond > 0
}
