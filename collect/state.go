package collect

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"time"
)

// Store keeps the states of sources, and who collects which.
type Store interface {
	// ClaimSource lets a holder collect a source for a while, unless another one does, and
	// returns the state of the source; null: none yet.
	ClaimSource(ctx context.Context, source, holder string, lease time.Duration) (state json.RawMessage, claimed bool, err error)
	// ReleaseSource ends the claim of a holder.
	ReleaseSource(ctx context.Context, source, holder string) error
}

// Emit stores lines of ingest, in their order, and returns how many of them were refused.
type Emit func(ctx context.Context, lines []byte) (refused int, err error)

// state is what is stored of a source after each answer.
type state struct {
	Done time.Time       `json:"done"` // the time of the schedule that is complete; zero: none
	Kept json.RawMessage `json:"kept"` // by the source itself
}

// readState reads what is stored of a source.
func readState(text json.RawMessage) (s state, err error) {
	if len(text) == 0 || string(text) == "null" {
		return s, nil
	}
	if err := strictly(text, &s); err != nil {
		return s, fmt.Errorf("the stored state cannot be read: %w", err)
	}
	return s, nil
}

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

// recordOf returns the record of a state at a moment.
func (s state) recordOf(source string, now time.Time) Record {
	return Record{"state", map[string]any{"source": source, "state": s, "as_of": moment(now)}}
}

// statusOf returns the record of whether a source was up at a moment.
func statusOf(source string, up bool, now time.Time) Record {
	return Record{"source_status", map[string]any{"source": source, "up": up, "as_of": moment(now)}}
}

// moment is how records write one.
func moment(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }
