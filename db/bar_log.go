package db

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"piyasa/domain/market"
	"piyasa/internal/value"
)

// Bars have no index by number: it would be as large as the bars. A follower that has read
// nothing yet reads them in the order of their key. Later, bar_changes says which series have
// changed: the end of each is read, and all of it only where an earlier bar was corrected.

// tailBars is how many bars at the end of a changed series are read first.
const tailBars = 16

// tailSeries is the number of series whose ends one statement reads.
const tailSeries = 100

// The stages of reading the changes of bars, in order: withdrawn bars, bars, index bars. A
// place is the letter of the stage and the last row read in it.
const (
	withdrawnStage = "w"
	barStage       = "b"
	indexStage     = "i"
)

// barChanges does what Changes does, for bars.
func (s *Store) barChanges(ctx context.Context, from Cursor, head int64, limit int) (changes []Change, next Cursor, err error) {
	next = from
	if next.To == 0 {
		if next.To = head; next.Number >= head {
			return nil, Cursor{Number: head}, nil
		}
		next.Place = withdrawnStage
	}
	stage, place := next.Place[:1], next.Place[1:]
	switch stage {
	case withdrawnStage:
		changes, next.Place, err = s.withdrawnBars(ctx, next, place, limit)
	case barStage:
		changes, next.Place, err = s.writtenBars(ctx, next, place, limit)
	default:
		changes, next.Place, err = s.writtenIndexBars(ctx, next, place, limit)
	}
	if next.Place == "" {
		next = Cursor{Number: next.To}
	}
	return changes, next, err
}

func (s *Store) withdrawnBars(ctx context.Context, c Cursor, place string, limit int) (changes []Change, next string, err error) {
	after := c.Number
	if place != "" {
		if _, err := fmt.Sscan(place, &after); err != nil {
			return nil, "", err
		}
	}
	changes, err = s.withdrawals(ctx, FeedBars, after, c.To, limit)
	if len(changes) == limit {
		return changes, withdrawnPlace(changes[limit-1].Number), err
	}
	return changes, barStage, err
}

// Through returns the cursor after a change that was read between c and next, for a reader that
// has processed everything up to the change.
func (c Cursor) Through(change *Change, next Cursor) Cursor {
	reading := Cursor{Number: c.Number, To: max(next.Number, next.To)}
	switch r := change.Record.(type) {
	case *market.Bar:
		reading.Place = barPlace{series{r.InstrumentID, r.Resolution}, r.T.Time().UnixMicro()}.String()
	case *market.IndexBar:
		reading.Place = indexPlace(r.Code, r.Date)
	default:
		if FeedOf(change.Kind) != FeedBars {
			return Cursor{Number: change.Number}
		}
		reading.Place = withdrawnPlace(change.Number)
	}
	return reading
}

func withdrawnPlace(number int64) string { return withdrawnStage + fmt.Sprint(number) }

func indexPlace(code string, day value.Date) string { return indexStage + code + " " + day.String() }

// barPlace is the bar after which to continue.
type barPlace struct {
	series
	micros int64
}

func barPlaceOf(text string) (p barPlace, err error) {
	if text == "" {
		return p, nil
	}
	part := strings.Split(text, " ")
	if len(part) != 3 {
		return p, fmt.Errorf("the place %q is none of a bar", text)
	}
	p.id, p.resolution = market.ID(part[0]), market.Resolution(part[1])
	_, err = fmt.Sscan(part[2], &p.micros)
	return p, err
}

func (p barPlace) String() string {
	return fmt.Sprintf("%s%s %s %d", barStage, p.id, p.resolution, p.micros)
}

func (s *Store) writtenBars(ctx context.Context, c Cursor, place string, limit int) (changes []Change, next string, err error) {
	p, err := barPlaceOf(place)
	if err != nil {
		return nil, "", err
	}
	read := s.changedBars
	if c.Number == 0 {
		read = s.allBars
	}
	rows, whole, err := read(ctx, c, p, limit)
	if err != nil {
		return nil, "", err
	}
	if err := s.stateAdjustments(ctx, rows); err != nil {
		return nil, "", err
	}
	changes = make([]Change, len(rows))
	for i, r := range rows {
		r.LeaveOut()
		changes[i] = *loggedBar(r)
	}
	if whole {
		return changes, indexStage, nil
	}
	last := rows[len(rows)-1]
	return changes, barPlace{series{last.InstrumentID, last.Resolution}, last.T.Time().UnixMicro()}.String(), nil
}

func loggedBar(r *barRow) *Change {
	return &Change{Kind: "bar", Number: r.Seq, Record: &r.Bar, Key: []Member{
		{"instrument_id", string(r.InstrumentID)}, {"resolution", string(r.Resolution)}, {"t", r.T.String()},
	}}
}

// stateAdjustments sets the adjustment of bars to that of their histories.
func (s *Store) stateAdjustments(ctx context.Context, rows []*barRow) error {
	ids := map[market.ID]bool{}
	for _, r := range rows {
		ids[r.InstrumentID] = true
	}
	var of []*adjustmentRow
	for chunk := range slices.Chunk(distinctIDs(ids), upsertChunk) {
		var some []*adjustmentRow
		if err := s.follow.NewSelect().Model(&some).Where("instrument_id IN (?)", bun.List(chunk)).Scan(ctx); err != nil {
			return err
		}
		of = append(of, some...)
	}
	adjustments := make(map[market.ID]*string, len(of))
	for _, a := range of {
		adjustments[a.InstrumentID] = &a.Adjustment
	}
	for _, r := range rows {
		r.Adjustment = adjustments[r.InstrumentID]
	}
	return nil
}

// allBars reads bars in the order of their key. whole reports whether there are no more.
func (s *Store) allBars(ctx context.Context, c Cursor, p barPlace, limit int) (rows []*barRow, whole bool, err error) {
	err = s.follow.NewSelect().Model(&rows).
		Where("(instrument_id, resolution, t) > (?, ?, ?)", p.id, p.resolution, p.time()).
		Where("seq <= ?", c.To).Order("instrument_id", "resolution", "t").Limit(int64(limit)).Scan(ctx)
	return rows, len(rows) < limit, err
}

func (p barPlace) time() value.Instant {
	if p.id == "" {
		return earliest
	}
	return value.At(time.UnixMicro(p.micros))
}

// earliest is before every bar.
var earliest = value.MustInstant("0001-01-02T00:00:00Z")

// changedBars reads bars of the changed series in order, at least one of them. whole reports
// whether there are no more.
func (s *Store) changedBars(ctx context.Context, c Cursor, p barPlace, limit int) (rows []*barRow, whole bool, err error) {
	beyond := "(subject, resolution) >= (?, ?)" // the series at which reading stopped may have more
	for ; len(rows) < limit; beyond = "(subject, resolution) > (?, ?)" {
		var changed []struct {
			Subject    market.ID
			Resolution market.Resolution
			Corrected  bool
		}
		if err := s.follow.NewSelect().TableExpr("bar_changes").Column("subject", "resolution").
			ColumnExpr("corrected > ? AS corrected", c.Number).
			Where("seq > ? AND resolution NOT IN (?, ?)", c.Number, market.ObservedRates, market.HeldRates).
			Where(beyond, p.id, p.resolution).
			Order("subject", "resolution").Limit(tailSeries).Scan(ctx, &changed); err != nil {
			return nil, false, err
		}
		ends := make([]series, 0, len(changed))
		for _, ch := range changed {
			ends = append(ends, series{ch.Subject, ch.Resolution})
		}
		tails, err := s.lastBars(ctx, ends)
		if err != nil {
			return nil, false, err
		}
		for i, of := range ends {
			rest, first := limit-len(rows), earliest
			if of == p.series {
				first = p.time()
			}
			tail := tails[of]
			if changed[i].Corrected || len(tail) == tailBars && tail[0].Seq > c.Number || of == p.series {
				tail = nil
				if err := s.follow.NewSelect().Model(&tail).
					Where("instrument_id = ? AND resolution = ? AND t > ?", of.id, of.resolution, first).
					Where("seq > ? AND seq <= ?", c.Number, c.To).Order("t").Limit(int64(rest)).Scan(ctx); err != nil {
					return nil, false, err
				}
			}
			for _, r := range tail {
				if r.Seq > c.Number && r.Seq <= c.To {
					rows = append(rows, r)
				}
			}
			if len(tail) >= rest && len(rows) > 0 {
				return rows, false, nil
			}
			p = barPlace{of, 0}
		}
		if len(changed) < tailSeries {
			return rows, true, nil
		}
	}
	return rows, false, nil
}

// lastBars reads the last bars of series, by time.
func (s *Store) lastBars(ctx context.Context, of []series) (map[series][]*barRow, error) {
	tails := map[series][]*barRow{}
	if len(of) == 0 {
		return tails, nil
	}
	places, keys := make([]string, len(of)), make([]any, 0, 2*len(of))
	for i, o := range of {
		places[i], keys = "(?, ?)", append(keys, o.id, o.resolution)
	}
	var rows []*barRow
	err := s.follow.NewSelect().Model(&rows).
		Where("(instrument_id, resolution) IN (VALUES "+strings.Join(places, ", ")+")", keys...).
		Where("t >= (SELECT MIN(e.t) FROM (SELECT l.t FROM bars AS l WHERE l.instrument_id = bar_row.instrument_id AND "+
			"l.resolution = bar_row.resolution ORDER BY l.t DESC LIMIT ?) AS e)", tailBars).
		Order("instrument_id", "resolution", "t").Scan(ctx)
	for _, r := range rows {
		of := series{r.InstrumentID, r.Resolution}
		tails[of] = append(tails[of], r)
	}
	return tails, err
}

func (s *Store) writtenIndexBars(ctx context.Context, c Cursor, place string, limit int) (changes []Change, next string, err error) {
	code, date, _ := strings.Cut(place, " ")
	day := value.MustDate("0001-01-02")
	if date != "" {
		if day, err = value.ParseDate(date); err != nil {
			return nil, "", err
		}
	}
	var rows []*indexBarRow
	if err := s.follow.NewSelect().Model(&rows).Where("(code, date) > (?, ?) AND seq <= ?", code, day, c.To).
		Where("? = 0 OR seq > ?", c.Number, c.Number).Order("code", "date").Limit(int64(limit)).Scan(ctx); err != nil {
		return nil, "", err
	}
	changes = make([]Change, len(rows))
	for i, r := range rows {
		r.LeaveOut()
		changes[i] = Change{Kind: "index_bar", Number: r.Seq, Record: &r.IndexBar, Key: []Member{
			{"code", r.Code}, {"date", r.Date.String()},
		}}
	}
	if len(rows) < limit {
		return changes, "", nil
	}
	last := rows[len(rows)-1]
	return changes, indexPlace(last.Code, last.Date), nil
}
