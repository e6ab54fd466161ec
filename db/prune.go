package db

import (
	"context"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"piyasa/domain/market"
	"piyasa/internal/value"
)

type keptRow struct {
	bun.BaseModel `bun:"table:kept"`
	Market        market.Market
	Since         value.Instant
}

// keptSince returns from when on the observations of each market are kept.
func keptSince(ctx context.Context, tx bun.IDB) (map[market.Market]value.Instant, error) {
	var rows []*keptRow
	if err := tx.NewSelect().Model(&rows).Scan(ctx); err != nil {
		return nil, err
	}
	kept := make(map[market.Market]value.Instant, len(rows))
	for _, r := range rows {
		kept[r.Market] = r.Since
	}
	return kept, nil
}

// pruneChunk is how many instruments one transaction prunes, so that other writers get a turn.
const pruneChunk = 20

// prunedAgain is the span of rates before the kept days that is pruned, so that days on which
// pruning failed are pruned later.
const prunedAgain = 60 * 24 * time.Hour

// Prune deletes the observations before since, by market, and rejects such observations from
// then on, because their bars cannot be made again. It keeps bars, and the rates of pairs that
// may convert bars. It holds no lock for long. Only one caller at a time; after an error, call
// it again.
func (s *Store) Prune(ctx context.Context, since map[market.Market]value.Instant) error {
	for m, since := range since {
		if s.pruned[m] == since {
			continue
		}
		if err := s.keepSince(ctx, m, since); err != nil {
			return err
		}
		ids, err := s.observedIn(ctx, m)
		if err != nil {
			return err
		}
		for some := range slices.Chunk(ids, pruneChunk) {
			if err := s.pruneSome(ctx, m, some, since); err != nil {
				return err
			}
		}
		if m == market.BIST {
			if err := s.pruneRefreshes(ctx, since); err != nil {
				return err
			}
		}
		s.pruned[m] = since
	}
	return nil
}

// pruneRefreshes deletes superseded market metrics, published before since, that newer ones of
// the same day replaced: they are refreshed every few minutes. It keeps the last of each day.
func (s *Store) pruneRefreshes(ctx context.Context, since value.Instant) error {
	subjects, err := s.refreshed(ctx, since)
	if err != nil {
		return err
	}
	for _, id := range subjects {
		if err := s.pruneRefreshesOf(ctx, id, since); err != nil {
			return err
		}
	}
	return nil
}

// refreshed returns the companies with superseded market metrics published before since.
func (s *Store) refreshed(ctx context.Context, since value.Instant) (ids []market.ID, err error) {
	ctx, done := s.followingMuch(ctx)
	defer done(&err)
	err = s.follow.NewSelect().Model((*supersededRow)(nil)).Distinct().Column("subject").
		Where("of_table = 'market_metrics' AND published < ?", since).Scan(ctx, &ids)
	return ids, err
}

func (s *Store) pruneRefreshesOf(ctx context.Context, id market.ID, since value.Instant) (err error) {
	ctx, done := s.writing(ctx)
	defer done(&err)
	return s.write.RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error {
		var versions []*supersededRow
		if err := tx.NewSelect().Model(&versions).ExcludeColumn("record").
			Where("of_table = 'market_metrics' AND subject = ?", id).Order("key", "version").Scan(ctx); err != nil {
			return err
		}
		var rows []*metricsRow
		if err := tx.NewSelect().Model(&rows).Where("instrument_id = ?", id).Scan(ctx); err != nil {
			return err
		}
		newest := map[string]value.Instant{} // publication times of the current rows
		for _, r := range rows {
			newest[keyOf(&numbered{Tx: tx}, r, marketMetrics.columns).String()] = r.AsOf
		}
		for i, v := range versions {
			next := newest[v.Key]
			if i+1 < len(versions) && versions[i+1].Key == v.Key {
				next = versions[i+1].Published
			}
			if !v.Published.Before(since) || next.IsNull() || value.TurkeyDay(next) != value.TurkeyDay(v.Published) {
				continue
			}
			if _, err := tx.NewDelete().Model(v).
				Where("of_table = ? AND subject = ? AND key = ? AND version = ?", v.OfTable, v.Subject, v.Key, v.Version).
				Exec(ctx); err != nil {
				return err
			}
		}
		return nil
	})
}

// observedIn returns the instruments of a market that may have observations.
func (s *Store) observedIn(ctx context.Context, m market.Market) (ids []market.ID, err error) {
	ctx, done := s.followingMuch(ctx)
	defer done(&err)
	prefix := string(m) + ":%"
	err = s.follow.NewRaw("SELECT instrument_id FROM quotes WHERE instrument_id LIKE ? UNION SELECT instrument_id FROM instruments WHERE "+
		"instrument_id LIKE ?", prefix, prefix).Scan(ctx, &ids)
	return ids, err
}

// keepSince moves the start of the kept observations forward, never back. It waits for writers
// of observations.
func (s *Store) keepSince(ctx context.Context, m market.Market, since value.Instant) error {
	return s.inFeeds(ctx, []string{FeedQuotes}, func(ctx context.Context, tx *numbered) error {
		kept, err := keptSince(ctx, tx)
		if err != nil || !kept[m].Before(since) {
			return err
		}
		return upsert(ctx, tx, []*keptRow{{Market: m, Since: since}}, "market")
	})
}

func (s *Store) pruneSome(ctx context.Context, m market.Market, ids []market.ID, since value.Instant) (err error) {
	ctx, done := s.writing(ctx)
	defer done(&err)
	return s.write.RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error {
		old := tx.NewDelete().TableExpr("observations AS o").Where("o.instrument_id IN (?) AND o.as_of < ?", bun.List(ids), since)
		if m == market.FX {
			old = pruneRates(old, s.isPostgres(), since)
		}
		_, err := old.Exec(ctx)
		return err
	})
}
