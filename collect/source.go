// Package collect asks upstreams for data on their schedules, and turns their answers into
// records for ingest.
//
// A Source makes requests and reads answers; both are pure functions of the state kept from
// earlier answers. The package does the rest: one collector for each source at a time, polite
// requests, raw answers that can be parsed again, and a state that is stored after the records
// of its answer, so that a crash loses nothing.
package collect

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"time"
)

// Source knows one upstream: what to ask it, when, and how to read its answers.
type Source interface {
	// Plan returns when and how to ask, unless the configuration says otherwise.
	Plan() Plan
	// Ask returns the next request, given the last kept state; nil: nothing until the next time
	// of the plan.
	Ask(kept json.RawMessage, now time.Time) (*Request, error)
	// Parse returns the meaning of an answer. It must not use a clock or the network. An error
	// means that the answer does not have a known form: nothing of it is stored.
	Parse(kept json.RawMessage, request *Request, got *Answer) (*Result, error)
}

// Login is a Source whose requests carry a credential from the upstream, such as a token. The
// credential stays in memory: no store, folder or log has it.
type Login interface {
	Source
	// Login returns the request for the credential; nil: requests carry only what Ask gives
	// them.
	Login() *Request
	// Credential reads the answer to that request: the headers for requests, and until when
	// they are valid; zero: until Expired is true.
	Credential(got *Answer) (header http.Header, until time.Time, err error)
	// Expired reports whether an answer says that the credential has expired. Then a new one is
	// asked for, and the request is repeated once.
	Expired(got *Answer) bool
}

// Fetcher is a Source that does not use HTTP. It has no base.
type Fetcher interface {
	Source
	// Fetch returns the answer to a request. The error is a *Trouble, or that of ctx.
	Fetch(ctx context.Context, request *Request) (*Answer, error)
}

// Based is a Source that must know its base, for example to recognize links that leave it.
type Based interface {
	Source
	// At is called once, before any request.
	At(base string)
}

// Finisher is a Source that is notified of the outcome of an answer.
type Finisher interface {
	Source
	// Refused is called before the commit, perhaps several times, with the records that are not
	// stored. What it writes must be durable when it returns: the state moves on, and a crash
	// may follow at once. An error undoes the commit.
	Refused(request *Request, got *Answer, refused []Refusal) error
	// Finish is called after the commit; a crash may prevent the call.
	Finish(request *Request, got *Answer) error
}

// Rehearsal is a Source whose requests change something upstream unless Rehearse was called.
type Rehearsal interface {
	Source
	// Rehearse is called before a run that must change nothing. Refused and Finish are then
	// never called.
	Rehearse()
}

// Discreet is a Source whose answers may have content that must not be kept.
type Discreet interface {
	Source
	// Redact returns the part of an answer that may be kept, from which Parse makes the same
	// records; nil: nothing may be kept.
	Redact(request *Request, got *Answer) []byte
}

// Extras is a Source with more to ask for once everything due is stored, such as images.
// Nothing waits for them, and their errors are only warnings.
type Extras interface {
	Source
	// Extra returns the next such request, which must be Spare; nil: none for now.
	Extra(kept json.RawMessage, now time.Time) (*Request, error)
}

// Refusal is a rejected record.
type Refusal struct {
	Record int    // number of the record in the answer, from 0
	Member string // the wrong member; empty: the record as a whole
	Reason string
}

// Plan is how a source is asked.
type Plan struct {
	Schedule Schedule
	Base     string                // where requests go; empty: the configuration must state it
	Second   string                // where requests to a second host of the upstream go; empty: it has none
	Pace     time.Duration         // least time between two requests
	MaxBytes int64                 // of an answer; 0: 16 MiB
	Retry    map[int]time.Duration // pauses by status, if the answer states none; key 0: after any other trouble
}

// Request is what to ask for, at a path below the base of the plan.
type Request struct {
	Method  string      `json:"method,omitempty"` // empty: GET
	Path    string      `json:"path"`
	Query   url.Values  `json:"query,omitempty"`
	Header  http.Header `json:"-"`              // may hold credentials, so it is never kept
	Secret  url.Values  `json:"-"`              // the part of the query that holds credentials
	Asked   time.Time   `json:"asked,omitzero"` // when, for sources whose Parse needs it
	Body    []byte      `json:"body,omitempty"`
	Expect  Format      `json:"expect"`
	Also    []int       `json:"also,omitempty"`    // further statuses that count as answers, with any body
	Settled bool        `json:"settled,omitempty"` // an unchanged answer says nothing new: it is not parsed, and ends the run
	Blank   bool        `json:"blank,omitempty"`   // an empty or null answer is valid
	Wants   []string    `json:"wants,omitempty"`   // headers of the answer that Parse needs
	Second  bool        `json:"second,omitempty"`  // it goes to the second host, without credentials
	// if there is no answer, Parse gets the reason (Answer.Trouble) and decides whether the run
	// continues
	Spare bool `json:"spare,omitempty"`

	signsIn bool // it has its own credentials, also for the second host

	Within   time.Duration `json:"within,omitempty"`    // timeout of the answer; 0: 60 s
	MaxBytes int64         `json:"max_bytes,omitempty"` // of the answer; 0: that of the plan
}

// Format is the form that an answer must have, whatever its content type.
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

// Answer is what the upstream sent, unchanged.
type Answer struct {
	Status int       `json:"status"`
	At     time.Time `json:"at"`
	Body   []byte    `json:"-"`

	Header  map[string]string `json:"header,omitempty"`  // the headers in Wants, by lower-case name
	Trouble *Trouble          `json:"trouble,omitempty"` // why there is no answer, for a Spare request

	header http.Header // of the answer
}

// Result is the meaning of an answer.
type Result struct {
	Records []Record
	Files   []File          // to write before the records are stored
	Keep    json.RawMessage // for the next Ask and Parse
	More    bool            // ask again at once
	Failed  error           // why the run ends here, though the records are stored; nil: it continues
	Drift   []string        // changes in the form of answers that can still be read; logged
	Warning string          // a fault of the upstream, though the answer is stored; shown in the source's status and logged
}

// Record is a line of ingest: a kind, and its members.
type Record struct {
	Kind   string
	Fields map[string]any
}

// File is a file of an answer beside its records, such as an attachment.
type File struct {
	Path string // in a folder that the configuration names
	Body []byte
}
