package demo

import (
	"strings"
	"testing"
	"time"

	"piyasa/domain/macro"
	"piyasa/internal/value"
)

// key is what one occurrence is found by.
type key struct {
	event int
	at    string
}

// calendarOf are the events and the occurrences among record lines; of equal
// ones the later stands.
func calendarOf(t *testing.T, lines []byte) (map[int]*macro.CalendarEvent, map[key]*macro.CalendarRecord) {
	t.Helper()
	events, items := map[int]*macro.CalendarEvent{}, map[key]*macro.CalendarRecord{}
	for _, e := range recordsOf[macro.CalendarEvent](t, "calendar_event", lines) {
		if events[e.EventID] != nil {
			t.Errorf("two events %d", e.EventID)
		}
		events[e.EventID] = e
	}
	for _, r := range itemsOf(t, lines) {
		items[key{r.EventID, r.Time.String()}] = r
	}
	return events, items
}

// itemsOf are occurrences with their figures digit for digit.
func itemsOf(t *testing.T, lines []byte) []*macro.CalendarRecord {
	t.Helper()
	type figures struct{ Actual, Forecast, Previous *rawNumber }
	all := recordsOf[struct {
		EventID int           `json:"event_id"`
		Time    value.Instant `json:"time"`
		Unit    string        `json:"unit"`
		figures
	}](t, "calendar_item", lines)
	items := make([]*macro.CalendarRecord, len(all))
	for i, r := range all {
		items[i] = &macro.CalendarRecord{EventID: r.EventID, Time: r.Time, Unit: r.Unit, Actual: r.Actual.number(),
			Forecast: r.Forecast.number(), Previous: r.Previous.number()}
	}
	return items
}

// rawNumber is a JSON number as it is written.
type rawNumber string

func (n *rawNumber) UnmarshalJSON(text []byte) error {
	*n = rawNumber(text)
	return nil
}

func (n *rawNumber) number() macro.Number {
	if n == nil {
		return ""
	}
	return macro.Number(*n)
}

func TestCalendarAroundNow(t *testing.T) {
	for _, at := range []string{"2026-03-18T12:00:00.250Z", "2026-10-31T23:30:00Z", "2027-01-03T09:00:00Z"} {
		now := value.MustInstant(at)
		events, items := calendarOf(t, New(fixed(now)).calendar.appendRecords(nil, now))
		countries, speeches := map[string]bool{}, 0
		for _, e := range events {
			countries[e.Country.Code] = true
			if e.IsSpeaking {
				speeches++
			}
		}
		if len(events) < 24 || len(countries) < 5 || speeches == 0 {
			t.Errorf("%s: %d events of %v, %d speeches", at, len(events), countries, speeches)
		}
		for _, o := range New(fixed(now)).calendar.occurrences {
			r := items[key{o.EventID, o.Time.String()}]
			if waits := o.before != nil && o.before.Time.After(now); waits && (r.Previous != "" || r.Forecast != "") {
				t.Errorf("%s: %+v compares with what is not released yet", at, *r)
			}
		}
		var past, ahead, unitless, trailing int
		for k, r := range items {
			e := events[k.event]
			if e == nil {
				t.Fatalf("%s: no event %d", at, k.event)
			}
			released := !r.Time.After(now)
			switch {
			case e.IsSpeaking && (r.Actual != "" || r.Forecast != "" || r.Previous != "" || r.Unit != ""):
				t.Errorf("%s: a speech states figures: %+v", at, *r)
			case !e.IsSpeaking && released != (r.Actual != ""):
				t.Errorf("%s: released %t, and states %q: %+v", at, released, r.Actual, *r)
			case !e.IsSpeaking && r.Unit == "":
				unitless++
			}
			if away := r.Time.Sub(now); away < -34*24*time.Hour || away > 34*24*time.Hour {
				t.Errorf("%s: %+v", at, *r)
			} else if away > 0 && away < 14*24*time.Hour {
				ahead++
			} else if away < 0 && away > -14*24*time.Hour {
				past++
			}
			if strings.Contains(string(r.Actual), ".") && strings.HasSuffix(string(r.Actual), "0") {
				trailing++
			}
		}
		if past < 10 || ahead < 15 || unitless == 0 || trailing == 0 {
			t.Errorf("%s: %d in the last two weeks, %d in the next, %d without a unit, %d that end in 0",
				at, past, ahead, unitless, trailing)
		}
	}
}

func TestSomeFiguresAreRevised(t *testing.T) {
	a, revised := newCalendar(session), 0
	for _, o := range a.occurrences {
		if o.before != nil && o.Previous != o.before.Actual {
			revised++
			if place := o.EventID - firstEvent; !eventTable[place].figures.revised {
				t.Errorf("%s: %s became %s", eventTable[place].name, o.before.Actual, o.Previous)
			}
		}
	}
	if revised == 0 {
		t.Error("nothing was revised")
	}
}

// The feed releases each figure at its time, and then states the one before
// beside the next.
func TestFeedReleasesFigures(t *testing.T) {
	now := value.MustInstant("2026-04-01T20:00:00Z")
	s := New(func() value.Instant { return now })
	known := s.calendar.appendRecords(nil, now)
	before := len(recordsOf[macro.Point](t, "inflation_point", known))
	for range 40 * 60 {
		now = now.Add(time.Minute)
		known = append(known, s.turn()...)
	}
	events, items := calendarOf(t, known)
	released := 0
	for k, r := range items {
		if events[k.event].IsSpeaking {
			continue
		}
		if r.Time.After(now) == (r.Actual != "") {
			t.Errorf("at %s: %+v", now, *r)
		}
		if !r.Time.After(now) && r.Time.After(value.MustInstant("2026-04-01T20:00:00Z")) {
			released++
		}
	}
	if released < 6 {
		t.Errorf("%d figures were released", released)
	}
	for _, o := range s.calendar.occurrences {
		if o.before != nil && o.Time.After(now) && !o.before.Time.After(now) {
			if r := items[key{o.EventID, o.Time.String()}]; r.Previous != o.Previous {
				t.Errorf("the next occurrence compares with %q, want %q", r.Previous, o.Previous)
			}
		}
	}
	points := recordsOf[macro.Point](t, "inflation_point", known)
	if newest := points[len(points)-1]; len(points) != before+1 || newest.Month != value.MustMonth("2026-03") {
		t.Errorf("%d points became %d, the newest of %s", before, len(points), newest.Month)
	}
}

// The producer price index has every month since 2003-01 but one, is the same
// whenever the demonstration begins, and is what the calendar states.
func TestProducerPrices(t *testing.T) {
	old := recordsOf[macro.Point](t, "inflation_point", newCalendar(value.MustInstant("2025-02-03T06:59:59Z")).appendRecords(nil, session))
	a := newCalendar(session)
	points := recordsOf[macro.Point](t, "inflation_point", a.appendRecords(nil, session))
	if len(old) != 22*12 || len(points) != 23*12+2 { // to 2024-12, and to 2026-02
		t.Fatalf("%d and %d months", len(old), len(points))
	}
	month, skipped := value.MustMonth("2003-01"), 0
	for i, p := range points {
		if p.Month != month {
			t.Fatalf("%s stands where %s does", p.Month, month)
		}
		if i < len(old) && old[i].Value != p.Value {
			t.Errorf("%s: %s became %s", p.Month, old[i].Value, p.Value)
		}
		if p.Value.IsNull() {
			skipped++
		} else if p.FetchedAt.After(session) {
			t.Errorf("%s was published at %s", p.Month, p.FetchedAt)
		}
		month = month.Next()
	}
	if skipped != 1 {
		t.Errorf("%d months were skipped", skipped)
	}
	last := points[len(points)-1].Value
	for _, o := range a.occurrences {
		months := eventTable[o.EventID-firstEvent].figures.months
		if months == 0 || o.Time.After(session) {
			continue
		}
		rise := number(t, value.MustDecimal(string(o.Actual)))
		base := number(t, points[len(points)-1-months].Value)
		off := rise.Sub(rise, gain(t, last, base))
		if off.Abs(off).Cmp(number(t, value.MustDecimal("0.005"))) > 0 {
			t.Errorf("over %d months prices rose by %s", months, o.Actual)
		}
	}
}

// A clock of any time has a calendar; the price index is there from its
// beginning on.
func TestCalendarOfAnyTime(t *testing.T) {
	for at, months := range map[string]int{"2000-01-03T10:00:00Z": 0, "2003-02-03T07:00:00Z": 1, "2004-01-01T10:00:00Z": 11,
		"2120-01-03T10:00:00Z": 117*12 - 1} {
		now := value.MustInstant(at)
		a := newCalendar(now)
		lines := a.appendRecords(nil, now)
		lines = a.appendReleases(lines, now.Add(40*24*time.Hour))
		points := recordsOf[macro.Point](t, "inflation_point", lines)
		published := 0
		for _, p := range points {
			if p.Month.Before(value.MustMonth(at[:7])) {
				published++
			}
		}
		if _, items := calendarOf(t, lines); len(items) < 40 || published < months || published > months+1 {
			t.Errorf("%s: %d occurrences, %d months", at, len(items), published)
		}
	}
}
