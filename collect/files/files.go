// Package files reads files that other programs put into a folder: CSV, TSV, Parquet, or lines
// of JSON. A mapping says which columns become which members of which record.
package files

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"piyasa/collect"
)

// source is a folder. Files are read in the order of their names; a large file comes in several
// answers.
type source struct {
	settings
	mapping mapping

	mu      sync.Mutex
	open    *reader           // of the last file read; nil: none
	passed  map[identity]bool // in a rehearsal: the files that would have been moved; else nil
	noted   noted             // the rejected rows that were last written down
	looks   map[identity]look // of the existing files
	waiting []string          // incomplete files, with the reason
}

// Subfolders of the watched folder for files that are complete.
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

// identity identifies a version of a file.
type identity struct {
	File     string `json:"file"`
	Size     int64  `json:"size"`
	Modified int64  `json:"modified"` // nanoseconds since 1970
}

// kept is how far the files have been read.
type kept struct {
	Reading *identity `json:"reading,omitempty"` // a file with Rows rows stored
	Rows    int       `json:"rows,omitempty"`
	Done    *identity `json:"done,omitempty"`   // completely stored, and perhaps not moved yet
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
	Ends   bool       `json:"ends"`             // whether they are the last rows
	Failed string     `json:"failed,omitempty"` // why the rest cannot be read
}

// Fetch implements collect.Fetcher: it returns the next rows of the current file, or of the
// next one. Status 404: there is none.
func (s *source) Fetch(ctx context.Context, request *collect.Request) (*collect.Answer, error) {
	var k kept
	if err := json.Unmarshal(request.Body, &k); err != nil {
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
		if s.unchanged(*k.Done) {
			if err := s.move(*k.Done, doneFolder); err != nil { // it was stored, but the collector ended before it moved the file
				return nil, err
			}
		}
	}
	next, err := s.look(ctx)
	if err != nil {
		return nil, err
	}
	if next == nil {
		body, err := json.Marshal(s.waiting)
		return &collect.Answer{Status: http.StatusNotFound, Body: body}, err
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

// unchanged reports whether a file still has this identity.
func (s *source) unchanged(id identity) bool {
	info, err := os.Lstat(filepath.Join(s.Folder, id.File))
	return err == nil && identityOf(id.File, info) == id
}

// identityOf returns the identity of a file of the watched folder.
func identityOf(name string, info fs.FileInfo) identity {
	return identity{name, info.Size(), info.ModTime().UnixNano()}
}

// Parse implements collect.Source.
func (s *source) Parse(_ json.RawMessage, _ *collect.Request, got *collect.Answer) (*collect.Result, error) {
	if got.Status == http.StatusNotFound {
		var waiting []string
		var err error
		if len(got.Body) > 0 { // an older version kept answers without a body
			err = json.Unmarshal(got.Body, &waiting)
		}
		return &collect.Result{Keep: json.RawMessage("{}"), Warning: strings.Join(waiting, "\n")}, err
	}
	var c chunk
	if err := json.Unmarshal(got.Body, &c); err != nil {
		return nil, err
	}
	k := kept{Reading: &c.identity, Rows: c.First + len(c.Rows)}
	if c.Ends {
		k = kept{Done: &c.identity}
	}
	result := &collect.Result{Records: s.mapping.records(c), More: true}
	if c.Failed != "" {
		k = kept{Failed: &c.identity}
		result.Warning = fmt.Sprintf("%s: %s; the file goes to %s", c.File, c.Failed, failedFolder)
	}
	var err error
	result.Keep, err = json.Marshal(k)
	return result, err
}

// Finish implements collect.Finisher: it moves a completed file.
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
		return errors.Join(os.WriteFile(why, []byte(c.Failed+"\n"), 0o600), s.move(c.identity, failedFolder))
	case c.Ends && !s.unchanged(c.identity):
		s.close() // the changed file is read again
	case c.Ends:
		s.close()
		return s.move(c.identity, doneFolder)
	}
	return nil
}

func (s *source) close() {
	if s.open != nil {
		_ = s.open.disk.Close()
		s.open = nil
	}
}
