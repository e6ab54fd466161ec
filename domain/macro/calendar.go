package macro

import (
	"cmp"
	"slices"

	"piyasa/value"
)

// Country is where an event happens.
type Country struct {
	Name string `json:"name" record:"required"` // Turkish
	Code string `json:"code" record:"required"` // ISO 3166, two capital letters
}

// CalendarEvent is the definition of a recurring event.
type CalendarEvent struct {
	EventID    int     `json:"event_id" record:"required" range:"1 2147483647"` // never given to another event
	Name       string  `json:"name" record:"required"`
	Country    Country `json:"country" record:"required"`
	Currency   string  `json:"currency" record:"required"` // of the event's economy
	Importance int     `json:"importance" record:"required" range:"1 3"`
	IsSpeaking bool    `json:"is_speaking" record:"required"` // a speech, or minutes: it has no figures
}

// Check returns what is wrong with the event as a whole: the member, and what
// is allowed.
func (e *CalendarEvent) Check() (member, wrong string) {
	if c := e.Country.Code; len(c) != 2 || c[0] < 'A' || c[0] > 'Z' || c[1] < 'A' || c[1] > 'Z' {
		return "country.code", "must be a country code of two capital letters such as TR"
	}
	return "", ""
}

// CalendarRecord is one occurrence of an event. The latest record of an event
// and a time replaces the ones before: there is no history of revisions.
type CalendarRecord struct {
	EventID  int           `json:"event_id" record:"required" range:"1 2147483647"`
	Time     value.Instant `json:"time" record:"required" time:"any"` // scheduled release
	Actual   Number        `json:"actual"`                            // null until the release
	Forecast Number        `json:"forecast"`                          // null without a consensus
	Previous Number        `json:"previous"`
	Unit     string        `json:"unit" text:"any"` // %, B, …; empty for index-type numbers
}

// CalendarItem is an occurrence as it is shown, with what its event says.
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
	Unit       *string       `json:"unit"` // null for index-type numbers
	Time       value.Instant `json:"time"`
}

// item is an occurrence of the event. A speech has no figures, whatever the
// source says.
func (e *CalendarEvent) item(r *CalendarRecord) *CalendarItem {
	i := &CalendarItem{EventID: e.EventID, Name: e.Name, Country: e.Country, Currency: e.Currency, Importance: e.Importance, IsSpeaking: e.IsSpeaking, Time: r.Time}
	if e.IsSpeaking {
		return i
	}
	i.Actual, i.Forecast, i.Previous = r.Actual, r.Forecast, r.Previous
	if r.Unit != "" {
		i.Unit = &r.Unit
	}
	return i
}

// Events are the definitions at one moment. They are immutable.
type Events struct {
	byID   map[int]*CalendarEvent
	sorted []*CalendarEvent // by id
}

func newEvents(all []*CalendarEvent) *Events {
	e := &Events{make(map[int]*CalendarEvent, len(all)), slices.Clone(all)}
	slices.SortFunc(e.sorted, func(a, b *CalendarEvent) int { return cmp.Compare(a.EventID, b.EventID) })
	for _, event := range all {
		e.byID[event.EventID] = event
	}
	return e
}

// EventFilter narrows the calendar; what is nil does not matter.
type EventFilter struct {
	Countries  []string // codes in any letter case; without any: all
	Importance *int     // at least this, 1 to 3
	EventID    *int
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
