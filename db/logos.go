package db

import (
	"context"

	"github.com/uptrace/bun"

	"piyasa/domain/market"
	"piyasa/internal/value"
)

// logoRow is a logo. Its image is read only when it is shown.
type logoRow struct {
	bun.BaseModel `bun:"table:logos"`
	InstrumentID  market.ID // empty: a founder's
	Founder       string    // empty: an instrument's
	ETag          string    `bun:"etag"`
	Seq           int64
	PNG           []byte `bun:"png"`
}

// logo is a record and the digest by which it is compared with what is stored.
type logo struct {
	*market.LogoRecord
	etag string
}

// storeLogos stores the logos that are new or differ from the stored ones. Equal digests mean
// equal bytes, so no stored image is read.
func storeLogos(ctx context.Context, tx *numbered, _ writing, entries []entry[market.LogoRecord]) error {
	logos := make([]entry[logo], len(entries))
	ids, founders := make([]market.ID, len(entries)), make([]string, len(entries))
	for i, e := range entries {
		logos[i] = entry[logo]{&logo{e.record, e.record.PNG.ETag()}, e.withdrawn, e.outcome}
		ids[i], founders[i] = e.record.InstrumentID, e.record.Founder
	}
	var rows []*logoRow
	if err := tx.NewSelect().Model(&rows).ExcludeColumn("png").
		Where("instrument_id IN (?) AND founder IN (?)", bun.List(ids), bun.List(founders)).Scan(ctx); err != nil {
		return err
	}
	current := map[market.LogoOwner]*logo{}
	for _, r := range rows {
		owner := market.LogoOwner{InstrumentID: r.InstrumentID, Founder: r.Founder}
		current[owner] = &logo{&market.LogoRecord{LogoOwner: owner}, r.ETag}
	}
	compare := versions[logo, market.LogoOwner]{
		key:  func(l *logo) market.LogoOwner { return l.LogoOwner },
		same: func(a, b *logo) bool { return a.etag == b.etag },
	}
	changed, gone := compare.changes(logos, current, nil)
	lost := make([]*logoRow, len(gone))
	for i, g := range gone {
		lost[i] = &logoRow{InstrumentID: g.record.InstrumentID, Founder: g.record.Founder}
	}
	if err := withdraw(ctx, tx, FeedLogos, logoKey, lost, make([]value.Instant, len(lost))); err != nil {
		return err
	}
	rows = make([]*logoRow, len(changed))
	for i, l := range changed {
		rows[i] = &logoRow{InstrumentID: l.InstrumentID, Founder: l.Founder, ETag: l.etag, Seq: tx.number(FeedLogos), PNG: l.PNG}
	}
	return upsert(ctx, tx, rows, logoKey...)
}

var logoKey = []string{"instrument_id", "founder"}

// LogosAfter returns the logos numbered above seq, without their images.
func (s *Store) LogosAfter(ctx context.Context, seq int64) (_ []*market.LogoTag, err error) {
	ctx, done := s.followingMuch(ctx)
	defer done(&err)
	var rows []*logoRow
	err = s.follow.NewSelect().Model(&rows).ExcludeColumn("png").Where("seq > ?", seq).Order("seq").Scan(ctx)
	return records(rows, func(r *logoRow) *market.LogoTag {
		return &market.LogoTag{LogoOwner: market.LogoOwner{InstrumentID: r.InstrumentID, Founder: r.Founder}, ETag: r.ETag}
	}), err
}

// Logo implements market.LogoStore with one statement.
func (s *Store) Logo(ctx context.Context, owner market.LogoOwner) (_ *market.LogoImage, err error) {
	ctx, done := s.reading(ctx, FeedLogos)
	defer done(&err)
	rows, err := s.read.NewSelect().TableExpr("logos").Column("etag", "png").
		Where("instrument_id = ? AND founder = ?", owner.InstrumentID, owner.Founder).Rows(ctx)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	if !rows.Next() {
		return nil, rows.Err()
	}
	image := new(market.LogoImage)
	if err := rows.Scan(&image.ETag, (*handedOver)(&image.PNG)); err != nil {
		return nil, err
	}
	return image, rows.Close()
}

// handedOver keeps the driver's slice; scanning into a plain slice would copy it. Both drivers
// allocate the bytes of every row.
type handedOver []byte

// Scan implements sql.Scanner.
func (h *handedOver) Scan(src any) error {
	*h, _ = src.([]byte)
	return nil
}
