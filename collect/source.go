// Package collect asks upstreams for data on their schedules, and turns their answers into
// records for ingest.
//
// A Source says what to ask for and what an answer means; both are pure functions of what is
// kept of earlier answers. The package does the rest: one collector for each source at a
// time, polite requests, raw answers that can be parsed again, and a state that is stored
// after the records of its answer, so that a crash loses nothing.
package collect

import (
	"encoding/json"
	"net/http"
	"net/url"
	"time"
)

// Source knows one upstream.
type Source interface {
	// Plan is when to ask, unless the configuration says otherwise.
	Plan() Plan
	// Ask returns the next request, given what was kept last; nil: nothing until the next
	// time of the plan.
	Ask(kept json.RawMessage, now time.Time) (*Request, error)
	// Parse returns what an answer says. It has no clock and no network. An error means that
	// the answer is not what the upstream is known to give: nothing of it is stored.
	Parse(kept json.RawMessage, asked *Request, got *Answer) (*Result, error)
}

// Plan is how a source is asked.
type Plan struct {
	Schedule Schedule
	Base     string        // where requests go
	Pace     time.Duration // between two requests, at least
	MaxBytes int64         // of an answer; 0: 16 MiB
}

// Request is what to ask for, below the base of the plan.
type Request struct {
	Path    string      `json:"path"`
	Query   url.Values  `json:"query,omitempty"`
	Header  http.Header `json:"-"` // may hold credentials, so it is never kept
	Expect  Format      `json:"expect"`
	Missing bool        `json:"missing,omitempty"` // 404 is an answer, too
}

// Format is what an answer must look like, whatever its content type says.
type Format string

// Formats.
const (
	JSON Format = "JSON"
	XML  Format = "XML"
	Text Format = "text" // anything but HTML
)

// Answer is what came, as it came.
type Answer struct {
	Status int       `json:"status"`
	At     time.Time `json:"at"`
	Body   []byte    `json:"-"`
}

// Result is what an answer means.
type Result struct {
	Records []Record
	Keep    json.RawMessage // for the next Ask and Parse
	More    bool            // whether to ask again at once
}

// Record is a line of ingest: a kind, and its members.
type Record struct {
	Kind   string
	Fields map[string]any
}
