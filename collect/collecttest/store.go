package collecttest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"piyasa/collect"
)

// Store is a store in memory, which several processes may use.
type Store struct {
	Fail   func() Failure               // of what is emitted; nil: none
	Refuse func(l Line) (reason string) // why a record is refused; empty: it is not. nil: none is

	mu      sync.Mutex
	holders map[string]lease
	states  map[string]row
	lines   []Line
	kept    map[string]Line // by what they are of
}

// Failure is how a store fails.
type Failure int

// Failures.
const (
	Works  Failure = iota
	Loses          // nothing is stored
	Denies         // everything is stored, and it says that it is not
)

// Line is a record as it was emitted.
type Line struct {
	At     time.Time
	Text   string
	Kind   string
	Fields map[string]any
}

// Get returns the text of a member; empty: it has none.
func (l Line) Get(member string) string {
	text, _ := l.Fields[member].(string)
	return text
}

type lease struct {
	holder string
	until  time.Time
}

type row struct {
	state json.RawMessage
	asOf  string
}

// NewStore returns a store with nothing in it.
func NewStore() *Store {
	return &Store{holders: map[string]lease{}, states: map[string]row{}, kept: map[string]Line{}}
}

// errStore is what a store that fails says.
var errStore = errors.New("the store fails")

// ClaimSource implements collect.Store.
func (s *Store) ClaimSource(_ context.Context, source, holder string, long time.Duration) (json.RawMessage, bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if has := s.holders[source]; has.holder != "" && has.holder != holder && !has.until.Before(time.Now()) {
		return nil, false, nil
	}
	s.holders[source] = lease{holder, time.Now().Add(long)}
	return s.states[source].state, true, nil
}

// ReleaseSource implements collect.Store.
func (s *Store) ReleaseSource(_ context.Context, source, holder string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.holders[source].holder == holder {
		delete(s.holders, source)
	}
	return nil
}

// Emit is a collect.Emit. All lines are stored but those that are refused, or none.
func (s *Store) Emit(_ context.Context, text []byte, before func([]collect.Refusal) error) ([]collect.Refusal, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	fails := Works
	if s.Fail != nil {
		fails = s.Fail()
	}
	if fails == Loses {
		return nil, errStore
	}
	var accepted []Line
	var refused []collect.Refusal
	n := 0
	for line := range strings.Lines(string(text)) {
		l := Line{At: time.Now(), Text: line}
		in := json.NewDecoder(bytes.NewReader([]byte(line)))
		in.UseNumber()
		if err := in.Decode(&l.Fields); err != nil {
			return nil, err
		}
		l.Kind = l.Get("record")
		reason := ""
		if s.Refuse != nil {
			reason = s.Refuse(l)
		}
		if reason == "" {
			accepted = append(accepted, l)
		} else {
			refused = append(refused, collect.Refusal{Record: n, Member: "close", Reason: reason})
		}
		n++
	}
	if err := before(refused); err != nil {
		return nil, err
	}
	for _, l := range accepted {
		s.store(l)
	}
	if fails == Denies {
		return nil, errStore
	}
	return refused, nil
}

// Back returns a store that has what this one had when it had so many lines, as after a
// restore.
func (s *Store) Back(lines int) *Store {
	s.mu.Lock()
	defer s.mu.Unlock()
	older := NewStore()
	for _, l := range s.lines[:lines] {
		older.store(l)
	}
	return older
}

// store keeps a line; an older state does not replace a newer one.
func (s *Store) store(l Line) {
	s.lines = append(s.lines, l)
	switch l.Kind {
	case "state":
		if has := s.states[l.Get("source")]; l.Get("as_of") >= has.asOf {
			state, _ := json.Marshal(l.Fields["state"]) // it has just been read
			s.states[l.Get("source")] = row{state, l.Get("as_of")}
		}
	case "bar":
		s.kept[fmt.Sprint("bar ", l.Get("instrument_id"), " ", l.Get("resolution"), " ", l.Get("t"))] = l
	case "quote":
		if has, ok := s.kept["quote "+l.Get("instrument_id")]; !ok || l.Get("as_of") >= has.Get("as_of") {
			s.kept["quote "+l.Get("instrument_id")] = l
		}
	}
}

// Lines returns the records of all kinds but those of the collector itself, in the order in
// which they were emitted.
func (s *Store) Lines() (all []Line) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, l := range s.lines {
		if l.Kind != "state" && l.Kind != "source_status" {
			all = append(all, l)
		}
	}
	return all
}

// State returns the state of a source.
func (s *Store) State(source string) json.RawMessage {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.states[source].state
}

// All returns the text of all lines.
func (s *Store) All() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var b strings.Builder
	for _, l := range s.lines {
		b.WriteString(l.Text)
	}
	return b.String()
}

// Bar returns the stored bar of an instrument at a moment.
func (s *Store) Bar(instrument, resolution string, t time.Time) (Line, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l, ok := s.kept[fmt.Sprint("bar ", instrument, " ", resolution, " ", t.UTC().Format(time.RFC3339))]
	return l, ok
}

// Quote returns the newest quote of an instrument.
func (s *Store) Quote(instrument string) (Line, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l, ok := s.kept["quote "+instrument]
	return l, ok
}

// Process is a process that uses a store, until it is killed.
type Process struct {
	store *Store
	mu    sync.Mutex
	dead  bool
}

// Process returns a process that uses the store.
func (s *Store) Process() *Process { return &Process{store: s} }

// Kill ends what the process can do, in the middle of whatever it does.
func (p *Process) Kill() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.dead = true
}

// errKilled ends a run whose process is gone.
var errKilled = errors.New("the process was killed")

func (p *Process) killed() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.dead
}

// ClaimSource implements collect.Store.
func (p *Process) ClaimSource(ctx context.Context, source, holder string, lease time.Duration) (json.RawMessage, bool, error) {
	if p.killed() {
		return nil, false, errKilled
	}
	return p.store.ClaimSource(ctx, source, holder, lease)
}

// ReleaseSource implements collect.Store.
func (p *Process) ReleaseSource(ctx context.Context, source, holder string) error {
	if p.killed() {
		return errKilled
	}
	return p.store.ReleaseSource(ctx, source, holder)
}

// Emit is a collect.Emit.
func (p *Process) Emit(ctx context.Context, lines []byte, before func([]collect.Refusal) error) ([]collect.Refusal, error) {
	if p.killed() {
		return nil, errKilled
	}
	return p.store.Emit(ctx, lines, before)
}
