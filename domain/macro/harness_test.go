package macro_test

import (
	"cmp"
	"context"
	"slices"

	"piyasa/account/access"
	"piyasa/domain/macro"
	"piyasa/internal/value"
	"piyasa/test/fixture/calls"
)

// now is the moment at which the tests ask: a Wednesday, 15:00 in Istanbul.
var now = value.MustInstant("2026-03-18T12:00:00Z")

// economy is the service under test over records in memory.
type economy struct {
	*macro.Service
	now     value.Instant
	records []*macro.CalendarRecord
	asked   [][]int // event ids of every read; nil for all
}

func newEconomy() *economy {
	e := &economy{now: now}
	e.Service = &macro.Service{Store: e, Live: macro.NewLive(), Now: func() value.Instant { return e.now }}
	e.Live.PutEvents([]*macro.CalendarEvent{event(12, "TR", 2), event(10, "TR", 3), event(11, "US", 1), event(13, "DE", 2)})
	return e
}

// CalendarRecords implements macro.Store.
func (e *economy) CalendarRecords(_ context.Context, first, last value.Instant, ids []int) ([]*macro.CalendarRecord, error) {
	e.asked = append(e.asked, ids)
	var found []*macro.CalendarRecord
	for _, r := range e.records {
		if !r.Time.Before(first) && !r.Time.After(last) && (ids == nil || slices.Contains(ids, r.EventID)) {
			found = append(found, r)
		}
	}
	slices.SortFunc(found, func(a, b *macro.CalendarRecord) int {
		return cmp.Or(a.Time.Time().Compare(b.Time.Time()), cmp.Compare(a.EventID, b.EventID))
	})
	return found, nil
}

// at adds an occurrence without figures.
func (e *economy) at(event int, times ...string) *economy {
	for _, t := range times {
		e.records = append(e.records, &macro.CalendarRecord{EventID: event, Time: value.MustInstant(t)})
	}
	return e
}

// event is a definition; 12 is a speech.
func event(id int, country string, importance int) *macro.CalendarEvent {
	return &macro.CalendarEvent{
		EventID: id, Name: "Olay", Country: macro.Country{Name: "Ülke", Code: country}, Currency: "TRY", Importance: importance,
		IsSpeaking: id == 12,
	}
}

func day(text string) *value.Date {
	if text == "" {
		return nil
	}
	return new(value.MustDate(text))
}

func month(text string) *value.Month {
	if text == "" {
		return nil
	}
	return new(value.MustMonth(text))
}

// reader is a call that may read the calendar.
func reader() context.Context {
	ctx := calls.Caller(access.CalendarRead)
	return ctx
}
