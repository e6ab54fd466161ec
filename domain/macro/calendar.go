package macro

import (
	"context"
	"fmt"

	"piyasa/account/access"
	"piyasa/internal/value"
)

// CalendarRecord is one occurrence of an event. The latest record of an event and a time
// replaces earlier ones; revisions have no history.
type CalendarRecord struct {
	EventID  int           `json:"event_id" record:"required" range:"1 2147483647"`
	Time     value.Instant `json:"time" record:"required" time:"any"` // scheduled release
	Actual   Number        `json:"actual"`                            // null until the release
	Forecast Number        `json:"forecast"`                          // null without a consensus
	Previous Number        `json:"previous"`
	Unit     string        `json:"unit" text:"any"` // %, B, …; empty for index levels
}

// Validate returns the value.Invalid of the occurrence, if any.
func (r *CalendarRecord) Validate() error { return value.CheckMoment("time", r.Time) }

// CalendarItem is an occurrence as answers show it, with the facts of its event.
type CalendarItem struct {
	EventID    int           `json:"event_id"`
	Name       string        `json:"name"`
	Country    Country       `json:"country"`
	Currency   string        `json:"currency"`
	Importance int           `json:"importance"`
	IsSpeaking bool          `json:"is_speaking"`
	Actual     Number        `json:"actual"`
	Forecast   Number        `json:"forecast"`
	Previous   Number        `json:"previous"`
	Unit       *string       `json:"unit"` // null for index levels
	Time       value.Instant `json:"time"`
}

// item returns an occurrence of the event as answers show it. A speech has no figures, even if
// the source states some.
func (e *CalendarEvent) item(r *CalendarRecord) *CalendarItem {
	i := &CalendarItem{EventID: e.EventID, Name: e.Name, Country: e.Country, Currency: e.Currency, Importance: e.Importance,
		IsSpeaking: e.IsSpeaking, Time: r.Time}
	if e.IsSpeaking {
		return i
	}
	i.Actual, i.Forecast, i.Previous = r.Actual, r.Forecast, r.Previous
	if r.Unit != "" {
		i.Unit = &r.Unit
	}
	return i
}

// Calendar holds the occurrences in a range of Turkey-time days.
type Calendar struct {
	FromDate value.Date      `json:"from_date"`
	ToDate   value.Date      `json:"to_date"`
	Items    []*CalendarItem `json:"items"` // by time, then event id
	Count    int             `json:"count"`

	MissingReason *value.MissingReason `json:"-"` // nil unless it is empty or cut
}

// Lengths of windows, in days.
const (
	daysAhead = 7  // from the first day to the last, if not stated
	maxDays   = 31 // both ends counted
)

// lastDay is the last possible date.
var lastDay = value.MustDate("9999-12-31")

// Calendar returns the occurrences of events from one Turkey-time day to
// another, both included; by default from today to seven days later. Needs
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
	c.MissingReason = value.MissingFrom(c.Count, len(records) > 0 || filter.EventID != nil)
	access.Charge(ctx, access.Unit)
	return c, nil
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

// records reads the occurrences in a range of days.
func (s *Service) records(ctx context.Context, first, last value.Date, ids []int) ([]*CalendarRecord, error) {
	return s.Store.CalendarRecords(ctx, first.TurkeyStart(), last.TurkeyEnd(), ids)
}

// ItemsArgs select the occurrences that the relation of an event returns.
type ItemsArgs struct {
	From, To *value.Date
	First    *int
}

// ItemsOf returns the first occurrences of events in their order, by time, read
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
