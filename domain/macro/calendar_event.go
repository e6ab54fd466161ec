package macro

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"piyasa/account/access"
	"piyasa/domain/market"
	"piyasa/internal/problem"
	"piyasa/internal/value"
)

// Country is where an event happens.
type Country struct {
	Name string `json:"name" record:"required"` // Turkish
	Code string `json:"code" record:"required"` // ISO 3166, two capital letters
}

// CalendarEvent is the definition of a recurring event.
type CalendarEvent struct {
	EventID    int     `json:"event_id" record:"required" range:"1 2147483647"` // never reused for another event
	Name       string  `json:"name" record:"required"`
	Country    Country `json:"country" record:"required"`
	Currency   string  `json:"currency" record:"required"` // of the event's economy
	Importance int     `json:"importance" record:"required" range:"1 3"`
	IsSpeaking bool    `json:"is_speaking" record:"required"` // a speech, or minutes: it has no figures
}

// Validate returns the value.Invalid of the event, if any.
func (e *CalendarEvent) Validate() error {
	if err := market.CheckCurrencyCode(e.Currency); err != nil {
		return err
	}
	if c := e.Country.Code; len(c) != 2 || c[0] < 'A' || c[0] > 'Z' || c[1] < 'A' || c[1] > 'Z' {
		return value.Invalidf("country.code", "must be a country code of two capital letters such as TR")
	}
	return nil
}

// Events holds the definitions as of one moment. It is immutable.
type Events struct {
	byID   map[int]*CalendarEvent
	sorted []*CalendarEvent // by id
}

// newEvents arranges definitions.
func newEvents(all []*CalendarEvent) *Events {
	e := &Events{make(map[int]*CalendarEvent, len(all)), slices.Clone(all)}
	slices.SortFunc(e.sorted, func(a, b *CalendarEvent) int { return cmp.Compare(a.EventID, b.EventID) })
	for _, event := range all {
		e.byID[event.EventID] = event
	}
	return e
}

// EventFilter narrows the calendar; nil members do not restrict.
type EventFilter struct {
	Countries  []string // codes in any letter case; empty: all
	Importance *int     // at least this, 1 to 3
	EventID    *int
}

// ImportanceLimit is the range of importance.
var ImportanceLimit = value.Limit{Min: 1, Max: 3}

// check returns the problem of an invalid filter.
func (f EventFilter) check() error {
	if slices.Contains(f.Countries, "") {
		return problem.New(problem.InvalidParameter, "country must not be empty; got %s.", problem.Shown("")).About("country", "")
	}
	for _, code := range f.Countries {
		if strings.Contains(code, ",") {
			return problem.Parameter("country", code, "one country code such as TR")
		}
	}
	if i := f.Importance; i != nil && (*i < ImportanceLimit.Min || *i > ImportanceLimit.Max) {
		return ImportanceLimit.Refuse("importance", strconv.Itoa(*i))
	}
	return nil
}

// fits reports whether an event passes the filter.
func (f EventFilter) fits(e *CalendarEvent) bool {
	return f.covers(e.Country.Code) &&
		(f.Importance == nil || e.Importance >= *f.Importance) &&
		(f.EventID == nil || e.EventID == *f.EventID)
}

// covers reports whether a country passes the filter.
func (f EventFilter) covers(country string) bool {
	return len(f.Countries) == 0 || slices.ContainsFunc(f.Countries, func(code string) bool { return value.UpperASCII(code) == country })
}

// CalendarEventList is a part of the event catalog.
type CalendarEventList struct {
	Items []*CalendarEvent `json:"items"` // by event id
	Count int              `json:"count"`

	MissingReason *value.MissingReason `json:"-"` // nil unless it is empty or cut
}

// CalendarEvents returns the definitions of events by id. Needs calendar:read.
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
	list.MissingReason = value.MissingFrom(list.Count, len(s.Live.Events().sorted) > 0)
	access.Charge(ctx, access.Unit)
	return list, nil
}

// CalendarEvent returns the definition of an event. Needs calendar:read.
// Problems: not-found.
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

// EventOf returns the definition of an item's event. No scope, no cost.
func (s *Service) EventOf(i *CalendarItem) *CalendarEvent { return s.Live.Events().byID[i.EventID] }
