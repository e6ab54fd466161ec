package macro

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"piyasa/access"
	"piyasa/problem"
	"piyasa/value"
)

// Store is where occurrences of events are read from.
type Store interface {
	// CalendarRecords are the occurrences from first to last, both included, by
	// time, then event id; of these events only, unless ids is nil.
	CalendarRecords(ctx context.Context, first, last value.Instant, ids []int) ([]*CalendarRecord, error)
}

// Service answers questions about the economy. Each method checks the scope of
// the caller, then its arguments, then what there is; it returns a
// *problem.Error.
type Service struct {
	Store Store
	Live  *Live
	Now   value.Clock
}

// Calendar is the occurrences of a window of Turkey-time days.
type Calendar struct {
	FromDate value.Date      `json:"from_date"`
	ToDate   value.Date      `json:"to_date"`
	Items    []*CalendarItem `json:"items"` // by time, then event id
	Count    int             `json:"count"`
}

// CalendarEventList is a part of the event catalog.
type CalendarEventList struct {
	Items []*CalendarEvent `json:"items"` // by event id
	Count int              `json:"count"`
}

// Lengths of windows, in days.
const (
	daysAhead = 7  // from the first day to the last, when that is not stated
	maxDays   = 31 // both ends counted
)

// lastDay is the last that a date can say.
var lastDay = value.MustDate("9999-12-31")

// ImportanceLimit is the range of importance.
var ImportanceLimit = value.Limit{Min: 1, Max: 3}

func (f EventFilter) check() error {
	if slices.Contains(f.Countries, "") {
		return problem.New(problem.InvalidParameter, "country must not be empty; got %s.", problem.Shown("")).About("country", "")
	}
	if i := f.Importance; i != nil && (*i < ImportanceLimit.Min || *i > ImportanceLimit.Max) {
		return ImportanceLimit.Refuse("importance", strconv.Itoa(*i))
	}
	return nil
}

// days completes and checks the bounds of a calendar.
func (s *Service) days(from, to *value.Date) (first, last value.Date, err error) {
	begins := value.BoundOf(from, value.TurkeyDay(s.Now()), "today")
	first = begins.Date
	if last = first.AddDays(daysAhead); lastDay.Before(last) {
		last = lastDay
	}
	ends := value.BoundOf(to, last, fmt.Sprintf("%d days after from", daysAhead))
	return first, ends.Date, value.Range{From: begins, To: ends}.Check("A calendar range", maxDays)
}

// Calendar is the occurrences of events from one Turkey-time day to another,
// both included; without bounds from today to seven days later. Needs
// calendar:read. Problems: invalid-parameter, inverted-window, window-too-long.
func (s *Service) Calendar(ctx context.Context, filter EventFilter, from, to *value.Date) (*Calendar, error) {
	if err := access.Enter(ctx, access.CalendarRead); err != nil {
		return nil, err
	}
	if err := filter.check(); err != nil {
		return nil, err
	}
	first, last, err := s.days(from, to)
	if err != nil {
		return nil, err
	}
	var ids []int
	if filter.EventID != nil {
		ids = []int{*filter.EventID}
	}
	records, err := s.records(ctx, first, last, ids)
	if err != nil {
		return nil, err
	}
	c := &Calendar{FromDate: first, ToDate: last, Items: []*CalendarItem{}}
	events := s.Live.Events()
	for _, r := range records {
		if e := events.byID[r.EventID]; e != nil && filter.fits(e) {
			c.Items = append(c.Items, e.item(r))
		}
	}
	c.Count = len(c.Items)
	access.Charge(ctx, access.Unit)
	return c, nil
}

func (s *Service) records(ctx context.Context, first, last value.Date, ids []int) ([]*CalendarRecord, error) {
	return s.Store.CalendarRecords(ctx, first.TurkeyStart(), last.TurkeyEnd(), ids)
}

// CalendarEvents are the definitions of events by id. Needs calendar:read.
// Problems: invalid-parameter.
func (s *Service) CalendarEvents(ctx context.Context, filter EventFilter) (*CalendarEventList, error) {
	if err := access.Enter(ctx, access.CalendarRead); err != nil {
		return nil, err
	}
	if err := filter.check(); err != nil {
		return nil, err
	}
	list := &CalendarEventList{Items: []*CalendarEvent{}}
	for _, e := range s.Live.Events().sorted {
		if filter.fits(e) {
			list.Items = append(list.Items, e)
		}
	}
	list.Count = len(list.Items)
	access.Charge(ctx, access.Unit)
	return list, nil
}

// CalendarEvent is the definition of an event. Needs calendar:read. Problems:
// not-found.
func (s *Service) CalendarEvent(ctx context.Context, id int) (*CalendarEvent, error) {
	if err := access.Enter(ctx, access.CalendarRead); err != nil {
		return nil, err
	}
	e := s.Live.Events().byID[id]
	if e == nil {
		return nil, problem.New(problem.NotFound, "The calendar has no event %d.", id)
	}
	access.Charge(ctx, access.Unit)
	return e, nil
}

// EventOf is the definition that an item belongs to. It needs no scope and
// costs nothing.
func (s *Service) EventOf(i *CalendarItem) *CalendarEvent { return s.Live.Events().byID[i.EventID] }

// ItemsArgs say which occurrences of an event its relation gives.
type ItemsArgs struct {
	From, To *value.Date
	First    *int
}

// ItemsOf are the first occurrences of events in their order, by time, read
// together. Needs calendar:read; each event costs one unit. Problems as for
// Calendar.
func (s *Service) ItemsOf(ctx context.Context, events []*CalendarEvent, args ItemsArgs) ([][]*CalendarItem, []error) {
	return access.Relation[*CalendarEvent, []*CalendarItem]{
		Enter: access.Needs(access.CalendarRead),
		Read:  func(events []*CalendarEvent) ([][]*CalendarItem, error) { return s.itemsOf(ctx, events, args) },
	}.Answer(ctx, events)
}

func (s *Service) itemsOf(ctx context.Context, events []*CalendarEvent, args ItemsArgs) ([][]*CalendarItem, error) {
	n, err := value.First(args.First)
	if err != nil {
		return nil, err
	}
	first, last, err := s.days(args.From, args.To)
	if err != nil {
		return nil, err
	}
	ids := make([]int, len(events))
	for i, e := range events {
		ids[i] = e.EventID
	}
	records, err := s.records(ctx, first, last, ids)
	if err != nil {
		return nil, err
	}
	byEvent := map[int][]*CalendarRecord{}
	for _, r := range records {
		byEvent[r.EventID] = append(byEvent[r.EventID], r)
	}
	all := make([][]*CalendarItem, len(events))
	for i, e := range events {
		all[i] = []*CalendarItem{}
		for _, r := range byEvent[e.EventID][:min(n, len(byEvent[e.EventID]))] {
			all[i] = append(all[i], e.item(r))
		}
	}
	return all, nil
}
