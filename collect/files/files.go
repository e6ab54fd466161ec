// Package files reads files that other programs put into a folder: CSV, TSV, or lines of
// JSON. A mapping says which columns are which members of which record.
package files

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"piyasa/collect"
)

// source is a folder. Files are taken in the order of their names, and a large one comes in
// several answers.
type source struct {
	settings
	mapping mapping

	mu     sync.Mutex
	open   *reader                // of the file that was read last; nil: none
	passed map[identity]bool      // in a rehearsal: what would have been moved; else nil
	noted  noted                  // the refused rows that were written down last
	ahead  map[identity]time.Time // files of a clock that was fast: when each was seen first
}

// Folders below the watched one, for files that are done with.
const (
	doneFolder   = "done"
	failedFolder = "failed"
)

// New returns the source of a configuration.
func New(text json.RawMessage) (collect.Source, error) {
	s, err := readSettings(text)
	if err != nil {
		return nil, err
	}
	m, err := newMapping(s)
	return &source{settings: s, mapping: m}, err
}

// Plan implements collect.Source.
func (*source) Plan() collect.Plan {
	return collect.Plan{Schedule: collect.Schedule{Every: 10 * time.Second}}
}

// identity tells versions of a file apart.
type identity struct {
	File     string `json:"file"`
	Size     int64  `json:"size"`
	Modified int64  `json:"modified"` // nanoseconds since 1970
}

// kept is how far the files have been read.
type kept struct {
	Reading *identity `json:"reading,omitempty"` // a file of which Rows rows are stored
	Rows    int       `json:"rows,omitempty"`
	Done    *identity `json:"done,omitempty"`   // stored as a whole, and perhaps not moved yet
	Failed  *identity `json:"failed,omitempty"` // cannot be read
}

// Ask implements collect.Source.
func (s *source) Ask(text json.RawMessage, _ time.Time) (*collect.Request, error) {
	if len(text) == 0 {
		text = []byte("{}")
	}
	var k kept
	if err := json.Unmarshal(text, &k); err != nil {
		return nil, err
	}
	return &collect.Request{Path: "next", Body: text, Expect: collect.JSON, Also: []int{http.StatusNotFound}}, nil
}

// chunk is an answer: some rows of a file.
type chunk struct {
	identity
	First  int        `json:"first"` // number of the first row, from 0
	Header []string   `json:"header,omitempty"`
	Rows   [][]string `json:"rows"`
	Ends   bool       `json:"ends"`             // they are the last
	Failed string     `json:"failed,omitempty"` // why it cannot be read any further
}

// Fetch implements collect.Fetcher: the next rows of the file that was begun, or of the next
// one. Status 404: there is none.
func (s *source) Fetch(_ context.Context, asked *collect.Request) (*collect.Answer, error) {
	var k kept
	if err := json.Unmarshal(asked.Body, &k); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.passed != nil {
		for _, id := range []*identity{k.Done, k.Failed} {
			if id != nil {
				s.passed[*id] = true
			}
		}
	} else if k.Done != nil {
		if now, err := s.identify(k.Done.File); err == nil && *now == *k.Done {
			if err := s.move(*k.Done, doneFolder); err != nil { // it was stored, and the collector ended
				return nil, err
			}
		}
	}
	next, err := s.next()
	if err != nil || next == nil {
		return &collect.Answer{Status: http.StatusNotFound}, err
	}
	from := 0
	if k.Reading != nil && *k.Reading == *next {
		from = k.Rows
	}
	c, err := s.read(*next, from)
	if err != nil {
		return nil, err
	}
	body, err := json.Marshal(c)
	return &collect.Answer{Status: http.StatusOK, Body: body}, err
}

// Rehearse implements collect.Rehearsal: files stay where they are.
func (s *source) Rehearse() { s.passed = map[identity]bool{} }

// next returns the next file that is complete; nil: none.
func (s *source) next() (*identity, error) {
	entries, err := os.ReadDir(s.Folder) // by name
	if err != nil {
		return nil, &collect.Trouble{What: "the folder cannot be read", Err: err}
	}
	for _, e := range entries {
		if ok, _ := filepath.Match(s.Pattern, strings.TrimSuffix(e.Name(), ".gz")); !ok || !e.Type().IsRegular() {
			continue
		}
		id, err := s.identify(e.Name())
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, &collect.Trouble{What: "the file cannot be read", Err: err}
		}
		if s.passed[*id] {
			continue
		}
		if s.settled(*id) {
			return id, nil
		}
	}
	return nil, nil
}

// settled reports whether a file has been left alone. One of the future tells only by not
// changing any more.
func (s *source) settled(id identity) bool {
	age := time.Since(time.Unix(0, id.Modified))
	if age >= 0 {
		return age >= s.settle
	}
	if s.ahead == nil || len(s.ahead) > mostAhead {
		s.ahead = map[identity]time.Time{}
	}
	if _, ok := s.ahead[id]; !ok {
		s.ahead[id] = time.Now()
	}
	return time.Since(s.ahead[id]) >= s.settle
}

// mostAhead is how many files of the future are remembered.
const mostAhead = 1000

func (s *source) identify(name string) (*identity, error) {
	info, err := os.Lstat(filepath.Join(s.Folder, name))
	if err != nil {
		return nil, err
	}
	return &identity{name, info.Size(), info.ModTime().UnixNano()}, nil
}

// Parse implements collect.Source.
func (s *source) Parse(_ json.RawMessage, _ *collect.Request, got *collect.Answer) (*collect.Result, error) {
	if got.Status == http.StatusNotFound {
		return &collect.Result{Keep: json.RawMessage("{}")}, nil
	}
	var c chunk
	if err := json.Unmarshal(got.Body, &c); err != nil {
		return nil, err
	}
	k := kept{Reading: &c.identity, Rows: c.First + len(c.Rows)}
	if c.Ends {
		k = kept{Done: &c.identity}
	}
	if c.Failed != "" {
		k = kept{Failed: &c.identity}
	}
	text, err := json.Marshal(k)
	return &collect.Result{Records: s.mapping.records(c), Keep: text, More: true}, err
}

// Finish implements collect.Finisher: it moves a file that is done with.
func (s *source) Finish(_ *collect.Request, got *collect.Answer) error {
	if got.Status == http.StatusNotFound {
		return nil
	}
	var c chunk
	if err := json.Unmarshal(got.Body, &c); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case c.Failed != "":
		s.close()
		if err := os.MkdirAll(filepath.Join(s.Folder, failedFolder), 0o700); err != nil {
			return err
		}
		why := filepath.Join(s.Folder, failedFolder, c.File+".error.txt")
		if err := errors.Join(os.WriteFile(why, []byte(c.Failed+"\n"), 0o600), s.move(c.identity, failedFolder)); err != nil {
			return err
		}
		return &collect.Trouble{What: fmt.Sprintf("%s: %s; the file is in %s now", c.File, c.Failed, failedFolder)}
	case c.Ends:
		s.close()
		return s.move(c.identity, doneFolder)
	}
	return nil
}

func (s *source) close() {
	if s.open != nil {
		s.open.close()
		s.open = nil
	}
}
