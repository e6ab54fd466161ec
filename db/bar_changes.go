package db

import (
	"context"
	"slices"

	"github.com/uptrace/bun"

	"piyasa/domain/market"
)

type barChangeRow struct {
	bun.BaseModel `bun:"table:bar_changes"`
	Subject       string
	Seq           int64
}

// noteBars numbers a change of bars, and records whose daily bars changed, so that
// servers compute their figures again.
func noteBars(ctx context.Context, tx *numbered, changed ...*market.Bar) error {
	if len(changed) == 0 {
		return nil
	}
	var subjects []string
	for _, b := range changed {
		if b.Resolution == market.Day {
			subjects = append(subjects, string(b.InstrumentID))
		}
	}
	return noteSubjects(ctx, tx, subjects)
}

func noteSubjects(ctx context.Context, tx *numbered, subjects []string) error {
	seq := tx.number(FeedBars)
	slices.Sort(subjects)
	subjects = slices.Compact(subjects)
	rows := make([]*barChangeRow, len(subjects))
	for i, subject := range subjects {
		rows[i] = &barChangeRow{Subject: subject, Seq: seq}
	}
	return upsert(ctx, tx, rows, "subject")
}

// DailyBarsAfter returns the instruments, and the codes of indices, whose daily
// bars were numbered above seq.
func (s *Store) DailyBarsAfter(ctx context.Context, seq int64) (subjects []string, err error) {
	ctx, done := s.followingMuch(ctx)
	defer done(&err)
	err = s.follow.NewSelect().TableExpr("bar_changes").Column("subject").Where("seq > ?", seq).Scan(ctx, &subjects)
	return subjects, err
}
