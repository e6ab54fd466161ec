// Package collect asks upstreams for data on their schedules, and turns their answers into
// records for ingest.
//
// A Source makes requests and reads answers; both are pure functions of what is
// kept of earlier answers. The package does the rest: one collector for each source at a
// time, polite requests, raw answers that can be parsed again, and a state that is stored
// after the records of its answer, so that a crash loses nothing.
package collect

import (
	"context"
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
	Parse(kept json.RawMessage, request *Request, got *Answer) (*Result, error)
}

// Login is a Source whose requests carry a credential that must be asked for, such as a
// token. It stays in memory: no store, no folder and no log has it.
type Login interface {
	Source
	// Login returns the request for the credential; nil: requests carry what Ask gives them.
	Login() *Request
	// Credential reads the answer: the headers that requests carry, and until when; zero:
	// until an answer says otherwise.
	Credential(got *Answer) (header http.Header, until time.Time, err error)
	// Expired reports whether an answer says that the credential is valid no longer. Then
	// another one is asked for, and the request is repeated, once.
	Expired(got *Answer) bool
}

// Fetcher is a Source that is not asked over HTTP. It has no base.
type Fetcher interface {
	Source
	// Fetch returns the answer to a request. The error is a *Trouble, or that of ctx.
	Fetch(ctx context.Context, request *Request) (*Answer, error)
}

// Based is a Source that must know its base, such as to tell links that leave it.
type Based interface {
	Source
	// At is called once, before anything is asked.
	At(base string)
}

// Finisher is a Source that learns the outcome of an answer.
type Finisher interface {
	Source
	// Refused is called before the commit, perhaps several times, with the records that are
	// not stored. What it writes down must be there when it returns: the state moves on, and
	// a crash may follow at once. An error undoes the commit.
	Refused(request *Request, got *Answer, refused []Refusal) error
	// Finish is called after the commit, so a crash may come between.
	Finish(request *Request, got *Answer) error
}

// Rehearsal is a Source whose requests change something upstream, except in a rehearsal.
type Rehearsal interface {
	Source
	// Rehearse is called before a run that changes nothing, which never calls Refused and
	// Finish.
	Rehearse()
}

// Discreet is a Source whose answers may hold what must not be kept.
type Discreet interface {
	Source
	// Redact returns what may be kept of an answer, from which Parse makes the same records;
	// nil: nothing.
	Redact(request *Request, got *Answer) []byte
}

// Extras is a Source that has more to ask for when all that was due is stored, such as
// images. Nothing waits for that, and what goes wrong with it is a warning.
type Extras interface {
	Source
	// Extra returns the next such request, which is Spare; nil: none for now.
	Extra(kept json.RawMessage, now time.Time) (*Request, error)
}

// Refusal is a record that was refused.
type Refusal struct {
	Record int    // of the answer's, from 0
	Member string // that is wrong; empty: the record as a whole
	Reason string
}

// Plan is how a source is asked.
type Plan struct {
	Schedule Schedule
	Base     string                // where requests go; empty: the configuration must say it
	Second   string                // where those go that ask a second host of the upstream; empty: it has none
	Pace     time.Duration         // between two requests, at least
	MaxBytes int64                 // of an answer; 0: 16 MiB
	Retry    map[int]time.Duration // how long to wait after a status, where the answer does not say; of 0: after anything else
}

// Request is what to ask for, below the base of the plan.
type Request struct {
	Method  string      `json:"method,omitempty"` // empty: GET
	Path    string      `json:"path"`
	Query   url.Values  `json:"query,omitempty"`
	Header  http.Header `json:"-"`              // may hold credentials, so it is never kept
	Secret  url.Values  `json:"-"`              // the part of the query that holds credentials
	Asked   time.Time   `json:"asked,omitzero"` // when, for sources whose Parse needs it
	Body    []byte      `json:"body,omitempty"`
	Expect  Format      `json:"expect"`
	Also    []int       `json:"also,omitempty"`    // statuses that are answers, too, whatever their body
	Settled bool        `json:"settled,omitempty"` // the same answer as last time says nothing new: it is not parsed, and ends the run
	Blank   bool        `json:"blank,omitempty"`   // an answer that is empty or null is one, too
	Wants   []string    `json:"wants,omitempty"`   // headers of the answer that Parse needs
	Second  bool        `json:"second,omitempty"`  // it goes to the second host, without credentials
	// without an answer Parse gets the reason (Answer.Trouble), and decides whether the run goes on
	Spare bool `json:"spare,omitempty"`

	signsIn bool // its own credentials go with it, also to the second host

	Within   time.Duration `json:"within,omitempty"`    // that the answer must come; 0: 60 s
	MaxBytes int64         `json:"max_bytes,omitempty"` // of the answer; 0: those of the plan
}

// Format is what an answer must look like, whatever its content type says.
type Format string

// Formats.
const (
	JSON  Format = "JSON"
	XML   Format = "XML"
	ZIP   Format = "ZIP"
	PNG   Format = "PNG"
	Text  Format = "text"  // anything but HTML
	Bytes Format = "bytes" // anything
)

// Answer is what came, as it came.
type Answer struct {
	Status int       `json:"status"`
	At     time.Time `json:"at"`
	Body   []byte    `json:"-"`

	Header  map[string]string `json:"header,omitempty"`  // those that the request wants, by their names in small letters
	Trouble *Trouble          `json:"trouble,omitempty"` // why there is none, to a request that is Spare

	header http.Header // of the answer
}

// Result is what an answer means.
type Result struct {
	Records []Record
	Files   []File          // that are written before the records are stored
	Keep    json.RawMessage // for the next Ask and Parse
	More    bool            // whether to ask again at once
	Failed  error           // why the run ends here, though what the answer says is stored; nil: it does not
	Drift   []string        // how answers are other than before, though they can be read: the log says it
	Warning string          // what is wrong upstream, although the answer is stored: the status of the source says it, and the log
}

// Record is a line of ingest: a kind, and its members.
type Record struct {
	Kind   string
	Fields map[string]any
}

// File is what an answer has beside its records, such as an attachment.
type File struct {
	Path string // in a folder that the configuration names
	Body []byte
}
