package db

import (
	"context"

	"github.com/uptrace/bun"

	"piyasa/domain/macro"
	"piyasa/internal/value"
)

type calendarEventRow struct {
	bun.BaseModel `bun:"table:calendar_events"`
	macro.CalendarEvent
	Seq int64
}

type calendarItemRow struct {
	bun.BaseModel `bun:"table:calendar_items"`
	macro.CalendarRecord
	Seq int64
}

// occurrence is the key of an item.
type occurrence struct {
	event int
	time  value.Instant
}

var calendarEvents = table[macro.CalendarEvent, calendarEventRow, int]{
	feed:    FeedCalendar,
	columns: []string{"event_id"},
	key:     func(r *macro.CalendarEvent) int { return r.EventID },
	lookUp:  func(id int) any { return id },
	row: func(r *macro.CalendarEvent, seq int64) *calendarEventRow {
		return &calendarEventRow{CalendarEvent: *r, Seq: seq}
	},
	record: func(r *calendarEventRow) *macro.CalendarEvent { return &r.CalendarEvent },
}

var calendarItems = table[macro.CalendarRecord, calendarItemRow, occurrence]{
	feed:    FeedCalendar,
	columns: []string{"event_id", "time"},
	key:     func(r *macro.CalendarRecord) occurrence { return occurrence{r.EventID, r.Time} },
	lookUp:  func(o occurrence) any { return o.event },
	narrow: func(q *bun.SelectQuery, entries []entry[macro.CalendarRecord]) {
		first, last := rangeOf(entries, func(r *macro.CalendarRecord) value.Instant { return r.Time })
		q.Where("time BETWEEN ? AND ?", first, last)
	},
	row: func(r *macro.CalendarRecord, seq int64) *calendarItemRow {
		return &calendarItemRow{CalendarRecord: *r, Seq: seq}
	},
	record: func(r *calendarItemRow) *macro.CalendarRecord { return &r.CalendarRecord },
}

// CalendarEvents returns all definitions of events.
func (s *Store) CalendarEvents(ctx context.Context) ([]*macro.CalendarEvent, error) {
	return after(ctx, s, 0, calendarEvents.record)
}

// CalendarRecords implements macro.Store with one statement.
func (s *Store) CalendarRecords(ctx context.Context, first, last value.Instant, ids []int) (_ []*macro.CalendarRecord, err error) {
	ctx, done := s.reading(ctx, FeedCalendar)
	defer done(&err)
	if ids != nil && len(ids) == 0 {
		return nil, nil
	}
	var rows []*calendarItemRow
	query := s.read.NewSelect().Model(&rows).Where("time BETWEEN ? AND ?", first, last).Order("time", "event_id")
	if ids != nil {
		query = query.Where("event_id IN (?)", bun.List(ids))
	}
	err = query.Scan(ctx)
	return records(rows, calendarItems.record), err
}
