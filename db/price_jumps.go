package db

import (
	"context"

	"github.com/uptrace/bun"

	"piyasa/domain/market"
	"piyasa/internal/value"
)

// PriceJumps implements coverage.Store with three statements.
func (s *Store) PriceJumps(ctx context.Context, ids []market.ID) (_ []market.PriceJump, err error) {
	ctx, done := s.followingMuch(ctx)
	defer done(&err)
	return priceJumps(ctx, s.follow, ids)
}

// priceJumps returns where daily closes of instruments move by more than a tenth. The numbers
// in the statement only filter roughly; the rule compares exact figures.
func priceJumps(ctx context.Context, db bun.IDB, ids []market.ID) ([]market.PriceJump, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	var rows []struct {
		InstrumentID market.ID
		T, Previous  value.Instant
		Close        value.Decimal
		Before       value.Decimal
	}
	if err := db.NewRaw("SELECT instrument_id, t, close, previous, before FROM (SELECT instrument_id, t, close, "+
		"lag(t) OVER (PARTITION BY instrument_id ORDER BY t) AS previous, lag(close) OVER (PARTITION BY instrument_id "+
		"ORDER BY t) AS before "+
		"FROM bars WHERE resolution = '1d' AND close IS NOT NULL AND instrument_id IN (?)) AS days WHERE before IS NOT NULL AND "+
		"(CAST(close AS DOUBLE PRECISION) < 0.9 * CAST(before AS DOUBLE PRECISION) OR CAST(before AS DOUBLE PRECISION) < "+
		"0.9 * CAST(close AS "+
		"DOUBLE PRECISION)) ORDER BY instrument_id, t",
		bun.List(ids)).Scan(ctx, &rows); err != nil || len(rows) == 0 {
		return nil, err
	}
	closed, err := exceptions(ctx, db)
	if err != nil {
		return nil, err
	}
	var jumps []market.PriceJump
	var hidden market.PriceJump // the jump to a day that cannot have a bar, and is not shown
	days := map[value.Date]bool{}
	for _, r := range rows {
		m := r.InstrumentID.Market()
		j := market.PriceJump{InstrumentID: r.InstrumentID, Before: m.DayAt(r.Previous), Day: m.DayAt(r.T), From: r.Before, To: r.Close}
		calendar := market.CalendarOf(m, nil, closed)
		if !calendar.CanHave(j.Before) {
			if hidden.InstrumentID != j.InstrumentID || hidden.Day != j.Before {
				continue
			}
			j.Before, j.From = hidden.Before, hidden.From
		}
		if !calendar.CanHave(j.Day) {
			hidden = j
			continue
		}
		jumps, days[j.Day] = append(jumps, j), true
	}
	limits, err := limitsOf(ctx, db, days, ids)
	for i, j := range jumps {
		if l := limits[limitsKey{j.Day, j.InstrumentID}]; l != nil {
			jumps[i].LimitUp, jumps[i].LimitDown = l.LimitUp, l.LimitDown
		}
	}
	return jumps, err
}

// limitsOf returns the price limits of instruments on some days.
func limitsOf(ctx context.Context, db bun.IDB, days map[value.Date]bool, ids []market.ID) (map[limitsKey]*market.PriceLimits, error) {
	all := make([]value.Date, 0, len(days))
	for day := range days {
		all = append(all, day)
	}
	var rows []*priceLimitsRow
	err := db.NewSelect().Model(&rows).Where("date IN (?)", bun.List(all)).Where("instrument_id IN (?)", bun.List(ids)).Scan(ctx)
	of := make(map[limitsKey]*market.PriceLimits, len(rows))
	for _, r := range rows {
		of[limitsKey{r.Date, r.InstrumentID}] = &r.PriceLimits
	}
	return of, err
}

// actionsCheck names the check for missing corporate actions.
const actionsCheck = "actions"

// jumpsTogether is for how many instruments verify compares closes at a time.
const jumpsTogether = 64

// checkActions finds days of unadjusted series on which a corporate action seems to be missing.
func (v *verifier) checkActions(ctx context.Context) error {
	last := market.ID("")
	for {
		var ids []market.ID
		if err := v.tx.NewRaw("SELECT instrument_id FROM adjustments WHERE adjustment = ? AND instrument_id > ? ORDER BY "+
			"instrument_id LIMIT ?",
			market.Unadjusted, last, jumpsTogether).Scan(ctx, &ids); err != nil || len(ids) == 0 {
			return err
		}
		last = ids[len(ids)-1]
		jumps, err := priceJumps(ctx, v.tx, ids)
		if err != nil || len(jumps) == 0 {
			if err != nil {
				return err
			}
			continue
		}
		var rows []*actionRow
		if err := v.tx.NewSelect().Model(&rows).Where("instrument_id IN (?)", bun.List(ids)).Scan(ctx); err != nil {
			return err
		}
		of := map[market.ID][]*market.CorporateAction{}
		for _, r := range rows {
			of[r.Subject()] = append(of[r.Subject()], &r.CorporateAction)
		}
		for _, j := range jumps {
			if !v.skip[j.InstrumentID] && j.LacksAction(of[j.InstrumentID]) {
				v.finding(actionsCheck, string(j.InstrumentID),
					"a corporate action seems to be missing on %s: its series is unadjusted, and the close "+
						"goes from %s, of %s, to %s", j.Day, j.From, j.Before, j.To)
			}
		}
	}
}
