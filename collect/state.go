package collect

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// Store keeps the states of sources, and which process collects which.
type Store interface {
	// ClaimSource gives a holder the claim to collect a source until the lease ends, unless
	// another holder has it. It returns the state of the source (null: none yet) and whether
	// the holder has the claim.
	ClaimSource(ctx context.Context, source, holder string, lease time.Duration) (state json.RawMessage, claimed bool, err error)
	// ReleaseSource ends a holder's claim.
	ReleaseSource(ctx context.Context, source, holder string) error
}

// Emit stores lines of ingest, in order, and returns the rejected ones. Before each commit it
// calls before with those rejected so far; an error of before undoes the commit.
type Emit func(ctx context.Context, lines []byte, before func(refused []Refusal) error) (refused []Refusal, err error)

// state is the stored state of a source after each answer.
type state struct {
	Done    time.Time       `json:"done"`             // the last completed time of the schedule; zero: none
	Success time.Time       `json:"success,omitzero"` // when it was completed
	Newest  time.Time       `json:"newest,omitzero"`  // newest time of observation or publication among the stored records
	Kept    json.RawMessage `json:"kept"`             // state kept by the source itself
	Seen    *seen           `json:"seen,omitempty"`   // of the last answer
	Told    time.Time       `json:"told,omitzero"`    // when it was last stored
	Rest    *rest           `json:"rest,omitempty"`   // the pause that the upstream asked for
}

// complete records that everything due at a scheduled time has been asked for.
func (s *state) complete(due, now time.Time) { s.Done, s.Success = due, now }

// readState reads the stored state of a source.
func readState(text json.RawMessage) (s state, err error) {
	if err := ReadKept(text, &s); err != nil { // a newer version may have members of its own
		return s, fmt.Errorf("the stored state cannot be read: %w", err)
	}
	return s, nil
}

// skew is how much the clocks of collectors may differ.
const skew = time.Minute

// correct clears times in the future: they come from a clock that has since been corrected.
func (s *state) correct(now time.Time) {
	for _, t := range []*time.Time{&s.Done, &s.Success} {
		if t.After(now.Add(skew)) {
			*t = time.Time{}
		}
	}
}

// tick returns the time for a new record: now or, if the clock has gone back a little, just
// after the last stored time, so that the record does not count as older.
func (s *state) tick(now time.Time) time.Time {
	if by := s.Told.Sub(now); by >= 0 && by < mostBack {
		now = s.Told.Add(time.Millisecond)
	}
	s.Told = now.Truncate(time.Millisecond)
	return s.Told
}

// mostBack is less than the time by which records may be ahead of the clock.
const mostBack = 5 * time.Second

// lines returns records as lines of ingest.
func lines(records []Record) ([]byte, error) {
	var b bytes.Buffer
	out := json.NewEncoder(&b)
	out.SetEscapeHTML(false)
	for _, r := range records {
		all := make(map[string]any, len(r.Fields)+1)
		for member, v := range r.Fields {
			all[member] = v
		}
		all["record"] = r.Kind
		if err := out.Encode(all); err != nil {
			return nil, fmt.Errorf("record %s: %w", r.Kind, err)
		}
	}
	return b.Bytes(), nil
}

// recordOf returns the record of a state as of a moment.
func (s *state) recordOf(source string, now time.Time) Record {
	at := s.tick(now)
	return Record{"state", map[string]any{"source": source, "state": *s, "as_of": moment(at)}}
}

// statusOf returns the status record of a source as of a moment: up, unless there is an error.
func (s *state) statusOf(source Named, err error, now time.Time) Record {
	fields := map[string]any{"source": source.Name, "up": err == nil, "as_of": moment(s.tick(now)),
		"next_due": moment(s.nextDue(source.Own.Schedule, now))}
	for member, t := range map[string]time.Time{"last_success": s.Success, "newest_record": s.Newest} {
		if !t.IsZero() {
			fields[member] = moment(t)
		}
	}
	if err != nil {
		fields["error"] = short(err.Error())
	}
	return Record{"source_status", fields}
}

// nextDue returns when the next success is due; a late one is already due.
func (s *state) nextDue(plan Schedule, now time.Time) time.Time {
	if s.Done.IsZero() {
		return plan.Last(now)
	}
	next := plan.Next(s.Done)
	if report := s.Done.Add(tellEvery); plan.Every > 0 && report.After(next) {
		return report
	}
	return next
}

// mostError is how much of an error a record has, in bytes.
const mostError = 500

// short returns the beginning of a text, on one line.
func short(text string) string {
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text, "")), " ")
	if len(text) <= mostError {
		return text
	}
	return strings.ToValidUTF8(text[:mostError], "") + "…"
}

// newest returns the newest moment at which one of the records was observed or published,
// or that of before. The time of a calendar_item is a plan.
func newest(before time.Time, records []Record, now time.Time) time.Time {
	if before.After(now) {
		before = time.Time{}
	}
	for _, r := range records {
		for _, member := range []string{"as_of", "published_at", "t"} {
			text, ok := r.Fields[member].(string)
			if t, err := time.Parse(time.RFC3339, text); ok && err == nil && t.After(before) && !t.After(now) {
				before = t
			}
		}
	}
	return before
}

// moment formats a moment as in records.
func moment(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }
