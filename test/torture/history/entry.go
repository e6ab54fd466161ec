// Package history records what writers, clients and faults did, and checks it.
//
// A history is a text of JSON objects, one per line, in the order in which they
// happened. Every participant records what it saw itself: a writer what
// was acknowledged, a client what it requested and received, the one that breaks things
// what it broke; at the end comes the content of the store. [Check] reads nothing
// else, and knows nothing of the program that it judges.
package history

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Kind says what an entry tells.
type Kind string

// The kinds of entries.
const (
	// Promise says what the configuration guarantees; Text is Durable.
	Promise Kind = "promise"
	// Fault is something that was broken, or mended; Text says what.
	Fault Kind = "fault"
	// Acknowledged tells that Numbers were stored, as the writer was told.
	Acknowledged Kind = "acknowledged"
	// Notice is a loss that was stated to operators: in a log or a metric.
	Notice Kind = "notice"

	// Connect is a client's request for Topics after the position After; without
	// one it asks for what is stored from now on.
	Connect Kind = "connect"
	// Subscribed is the server's consent.
	Subscribed Kind = "subscribed"
	// Event is a row that a client received.
	Event Kind = "event"
	// ReplayDone ends what was stored before the subscription. If it is Truncated,
	// rows are missing after it.
	ReplayDone Kind = "replay_done"
	// Gap says that something is missing or taken back: a frame, an error or a
	// refusal. The client goes on after Position, if one is stated.
	Gap Kind = "gap"
	// Close ends a connection.
	Close Kind = "close"

	// Row is a row that the store holds at the end.
	Row Kind = "row"
)

var kinds = []Kind{Promise, Fault, Acknowledged, Notice, Connect, Subscribed, Event, ReplayDone, Gap, Close, Row}

// Durable is the promise that nothing acknowledged or delivered is ever lost.
const Durable = "durable"

// What a client resumes by.
const (
	BySeq    = "seq"    // the position in the log
	ByNumber = "number" // the number that the source gave the row
)

// Entry is a line of a history.
type Entry struct {
	At         time.Time `json:"at"`
	Kind       Kind      `json:"kind"`
	Actor      string    `json:"actor,omitempty"`      // who wrote it
	Connection int       `json:"connection,omitempty"` // of a client, from 1
	Transport  string    `json:"transport,omitempty"`
	By         string    `json:"by,omitempty"` // what After counts
	Topics     []string  `json:"topics,omitempty"`
	After      *Position `json:"after,omitempty"`
	Number     int       `json:"number,omitempty"` // of a row, by its source
	Numbers    []int     `json:"numbers,omitempty"`
	Position   *Position `json:"position,omitempty"` // of a row in the log, if it is known
	Replay     bool      `json:"replay,omitempty"`
	Truncated  bool      `json:"truncated,omitempty"`
	Text       string    `json:"text,omitempty"`
}

// ofConnection reports whether an entry belongs to a client's connection.
func (e *Entry) ofConnection() bool {
	return slices.Contains([]Kind{Connect, Subscribed, Event, ReplayDone, Gap, Close}, e.Kind)
}

// validate checks that an entry has what its kind needs.
func (e *Entry) validate() error {
	switch {
	case !slices.Contains(kinds, e.Kind):
		return fmt.Errorf("kind %q is none of %v", e.Kind, kinds)
	case e.ofConnection() && (e.Actor == "" || e.Connection < 1):
		return fmt.Errorf("%s needs an actor and a connection from 1", e.Kind)
	case e.Kind == Connect && e.By != BySeq && e.By != ByNumber:
		return fmt.Errorf("connect resumes by %q, which is neither %s nor %s", e.By, BySeq, ByNumber)
	case e.Kind == Connect && len(e.Topics) == 0:
		return errors.New("connect needs topics")
	case (e.Kind == Event || e.Kind == Row) && e.Number < 1:
		return fmt.Errorf("%s needs a number from 1", e.Kind)
	case e.Kind == Row && e.Position == nil:
		return errors.New("row needs a position")
	case e.Kind == Promise && e.Text != Durable:
		return fmt.Errorf("the promise %q is not known", e.Text)
	}
	return nil
}

// Position is a place in the log, or among the numbers of the source, which have no
// epoch.
type Position struct {
	Epoch string
	Seq   int64
}

// String writes EPOCH:SEQ, or SEQ where there is no epoch.
func (p Position) String() string {
	seq := strconv.FormatInt(p.Seq, 10)
	if p.Epoch == "" {
		return seq
	}
	return p.Epoch + ":" + seq
}

// ParsePosition reads what String writes.
func ParsePosition(text string) (p Position, err error) {
	seq := text
	if i := strings.LastIndexByte(text, ':'); i >= 0 {
		p.Epoch, seq = text[:i], text[i+1:]
		if p.Epoch == "" {
			return Position{}, fmt.Errorf("position %q has an empty epoch", text)
		}
	}
	if p.Seq, err = strconv.ParseInt(seq, 10, 64); err != nil || p.Seq < 0 {
		return Position{}, fmt.Errorf("position %q does not end in a number from 0", text)
	}
	return p, nil
}

// MarshalText writes a position as String does.
func (p Position) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// UnmarshalText reads a position as ParsePosition does.
func (p *Position) UnmarshalText(text []byte) (err error) {
	*p, err = ParsePosition(string(text))
	return err
}
