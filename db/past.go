package db

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/uptrace/bun"

	"piyasa/domain/fundamentals"
	"piyasa/domain/funds"
	"piyasa/domain/macro"
	"piyasa/domain/market"
	"piyasa/internal/value"
)

// Past answers from the store as it could have answered at a moment. A version of a record is
// known from the commit that recorded it up to the commit that replaced or withdrew it. If the
// source states when a record was published, its first version is known from then on, so that a
// history that is loaded later also counts.
//
// Data that has only a present, such as disclosures and bars, is read as the Store does. Make
// one with Store.At.
type Past struct {
	*Store
	at        value.Instant
	heads     map[string]int64 // the last number of each dated feed by then
	described bool             // whether instruments that were recorded later count
	catalog   []*market.Instrument
	renames   []*market.Rename
	carried   map[string]bool // ids to which later renames led that count
}

// commitRow says when a commit took which numbers of a feed.
type commitRow struct {
	bun.BaseModel `bun:"table:commits"`
	Feed          string
	At            value.Instant
	First, Last   int64
}

// At returns the store as of a moment. Data stored before commits were dated counts as known.
// described adds instruments that were recorded later, by their first records, for figures
// whose sources state when they were published.
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
		} else if !known { // the first dated commit
			p.heads[c.Feed] = c.First - 1
		}
	}
	return err
}

// readIdentities reads the instruments and their former ids as of the moment. A rename counts
// from its recording on: until then the former id is the instrument's. If neither id was
// recorded by then, both are described, and a rename counts from its day on.
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

// QuotesAfter returns the newest observation of each currency pair as of the moment. Where
// observations of that time are pruned, it leaves out a pair if a newer observation of its coin
// slot is stored, since pruning may have deleted the one that was the newest then.
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

// FormerMeanings returns the former meanings of prices as of the moment.
func (p *Past) FormerMeanings(ctx context.Context) ([]*market.FormerMeaning, error) {
	return recordsAt(ctx, p, formerMeaningFacts, nil)
}

// Renames returns the former ids of instruments as of the moment.
func (p *Past) Renames(context.Context) ([]*market.Rename, error) { return p.renames, nil }

// IndexLinks returns all links between bases of price indices.
func (p *Past) IndexLinks(ctx context.Context) ([]*macro.IndexLink, error) {
	return recordsAt(ctx, p, indexLinks, nil)
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
	known, err := recordsAt(ctx, p, marketMetrics, value.Texts(ids))
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

// recentMetrics is for how many days NewestMetrics looks at all metrics of a company. Of older
// ones, only the newest counts.
const recentMetrics = 31

// NewestMetrics returns the newest metrics of every company as of the moment.
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
