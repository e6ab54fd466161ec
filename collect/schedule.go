package collect

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"
	_ "time/tzdata" // so that a collector knows the zones on any machine
)

// Istanbul is the zone of all schedules.
var Istanbul = Zone("Europe/Istanbul")

// Zone returns a zone by name, such as Europe/Berlin; it panics if there is none.
func Zone(name string) *time.Location {
	l, err := time.LoadLocation(name)
	if err != nil {
		panic(err) // the zones are part of the program
	}
	return l
}

// Schedule is when a source is asked: at times of the day, in Turkey's time, or at an interval.
type Schedule struct {
	Every    time.Duration
	At       []Clock
	Workdays bool // At applies from Monday to Friday only
}

// Clock is a time of day, in minutes after midnight.
type Clock int

// At returns the Clock of an hour and a minute.
func At(hour, minute int) Clock { return Clock(60*hour + minute) }

// Last returns the last scheduled moment not after now; zero: none in the week before.
func (s Schedule) Last(now time.Time) time.Time {
	if s.Every > 0 {
		return now.Truncate(s.Every)
	}
	today := now.In(Istanbul)
	for back := range 8 {
		day := time.Date(today.Year(), today.Month(), today.Day()-back, 0, 0, 0, 0, Istanbul)
		if s.Workdays && (day.Weekday() == time.Saturday || day.Weekday() == time.Sunday) {
			continue
		}
		for _, at := range slices.Backward(s.At) {
			if moment := time.Date(day.Year(), day.Month(), day.Day(), 0, int(at), 0, 0, Istanbul); !moment.After(now) {
				return moment
			}
		}
	}
	return time.Time{}
}

// Next returns the first scheduled moment after now.
func (s Schedule) Next(now time.Time) time.Time {
	if s.Every > 0 {
		return now.Truncate(s.Every).Add(s.Every)
	}
	today := now.In(Istanbul)
	for ahead := 0; ; ahead++ {
		day := time.Date(today.Year(), today.Month(), today.Day()+ahead, 0, 0, 0, 0, Istanbul)
		if s.Workdays && (day.Weekday() == time.Saturday || day.Weekday() == time.Sunday) {
			continue
		}
		for _, at := range s.At {
			if moment := time.Date(day.Year(), day.Month(), day.Day(), 0, int(at), 0, 0, Istanbul); moment.After(now) {
				return moment
			}
		}
	}
}

// Bounds of schedules.
const (
	leastEvery = 5 * time.Second
	mostEvery  = 7 * 24 * time.Hour
	mostTimes  = 100
)

// UnmarshalJSON reads {"every": "10m"} or {"at": ["15:31"], "days": "workdays"}.
func (s *Schedule) UnmarshalJSON(text []byte) error {
	var in struct {
		Every string   `json:"every"`
		At    []string `json:"at"`
		Days  string   `json:"days"`
	}
	if err := strictly(text, &in); err != nil {
		return err
	}
	if (in.Every == "") == (len(in.At) == 0) {
		return errors.New(`must have either "every", such as "10m", or "at", such as ["15:31", "16:00"]`)
	}
	*s = Schedule{}
	if in.Every != "" {
		every, err := time.ParseDuration(in.Every)
		if err != nil || every < leastEvery || every > mostEvery || in.Days != "" {
			return fmt.Errorf(`"every" must be a duration from %s to %s such as "10m", without "days"; got %q`,
				leastEvery, mostEvery, in.Every)
		}
		s.Every = every
		return nil
	}
	for _, text := range in.At {
		t, err := time.Parse("15:04", text)
		if err != nil || len(in.At) > mostTimes {
			return fmt.Errorf(`"at" must hold at most %d times of the day such as "15:31"; got %q`, mostTimes, text)
		}
		s.At = append(s.At, At(t.Hour(), t.Minute()))
	}
	slices.Sort(s.At)
	switch in.Days {
	case "", "all":
	case "workdays":
		s.Workdays = true
	default:
		return fmt.Errorf(`"days" must be "all" or "workdays"; got %q`, in.Days)
	}
	return nil
}

var _ json.Unmarshaler = (*Schedule)(nil)
