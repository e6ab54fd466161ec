package files

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"piyasa/collect"
)

// look is what was last seen of a file.
type look struct {
	fs.FileInfo
	since time.Time // when it was first seen in this state
}

// next returns the next complete file; nil: none. wait is the time until a recently changed
// file may be complete; 0: there is none.
func (s *source) next() (next *identity, wait time.Duration, err error) {
	if err := s.returned(); err != nil {
		return nil, 0, err
	}
	entries, err := os.ReadDir(s.Folder) // by name
	if err != nil {
		return nil, 0, &collect.Trouble{What: "the folder cannot be read", Err: err}
	}
	looks := map[identity]look{}
	defer func() { s.looks = looks }()
	s.waiting = nil
	for _, e := range entries {
		if ok, _ := filepath.Match(s.Pattern, strings.TrimSuffix(e.Name(), ".gz")); !ok || !e.Type().IsRegular() {
			continue
		}
		info, err := os.Lstat(filepath.Join(s.Folder, e.Name()))
		if err != nil {
			continue // deleted
		}
		id := identityOf(e.Name(), info)
		if s.passed[id] {
			continue
		}
		now := look{info, time.Now()}
		if before, ok := s.looks[id]; ok && os.SameFile(before.FileInfo, info) {
			now.since = before.since
		}
		looks[id] = now
		if next != nil {
			continue
		}
		left := s.settle - time.Since(now.since)
		switch why := s.incomplete(id, left); {
		case why == "":
			next = &id
		case left > 0 && (wait == 0 || left < wait):
			wait = left
		case left <= 0:
			s.waiting = append(s.waiting, fmt.Sprintf("%s: %s", id.File, why))
		}
	}
	return next, wait, nil
}

// incomplete returns why a file is not read yet; empty: it is complete.
func (s *source) incomplete(id identity, left time.Duration) string {
	complete, err := s.whole(id)
	switch {
	case err != nil:
		return err.Error()
	case s.Marker != "":
		if _, err := os.Lstat(filepath.Join(s.Folder, id.File+s.Marker)); err != nil {
			return "it waits for " + id.File + s.Marker
		}
	case left > 0:
		return "it has changed"
	case !complete:
		return `its last line has no end, so somebody may still be writing it; end the line, or set "marker"`
	}
	return ""
}

// mostLast is how much of a file's end is read to find its last line of JSON.
const mostLast = mostRow + 1

// whole reports whether the last line of a file is complete: it has a line end, or is a JSON
// object. Compressed files and Parquet have their own end marks.
func (s *source) whole(id identity) (bool, error) {
	f, err := os.Open(filepath.Join(s.Folder, id.File))
	if err != nil {
		return false, err
	}
	defer f.Close()
	if id.Size == 0 || s.Format == "parquet" || strings.HasSuffix(id.File, ".gz") {
		return true, nil
	}
	from := max(0, id.Size-mostLast)
	last := make([]byte, id.Size-from)
	if _, err := f.ReadAt(last, from); err != nil {
		return false, err
	}
	text := strings.Trim(string(last), "\x00") // of UTF-16
	if strings.HasSuffix(text, "\n") || strings.HasSuffix(text, "\r") || strings.TrimSpace(text) == "" {
		return true, nil
	}
	return s.Format == "ndjson" && checkLine(text[strings.LastIndex(text, "\n")+1:]) == nil, nil
}

// look returns the next complete file, and waits once if a file has recently changed.
func (s *source) look(ctx context.Context) (*identity, error) {
	next, wait, err := s.next()
	if next != nil || err != nil || wait == 0 {
		return next, err
	}
	over := time.NewTimer(wait)
	defer over.Stop()
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-over.C:
		next, _, err = s.next()
		return next, err
	}
}

// takenFile lists the moved files, so that one that grows afterwards is read again.
const takenFile = ".taken"

// mostTaken is how many files it lists.
const mostTaken = 1000

// taken is a moved file.
type taken struct {
	identity
	As string `json:"as"` // its path now, below the watched folder
}

// remember records a file before it is moved.
func (s *source) remember(t taken) error {
	all, err := s.readTaken()
	if err != nil {
		return err
	}
	all = append(slices.DeleteFunc(all, func(o taken) bool { return o.As == t.As }), t)
	return s.writeTaken(all[max(0, len(all)-mostTaken):])
}

func (s *source) readTaken() (all []taken, err error) {
	f, err := os.Open(filepath.Join(s.Folder, doneFolder, takenFile))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, &collect.Trouble{What: "what was read before cannot be told", Err: err}
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var t taken
		if json.Unmarshal(lines.Bytes(), &t) == nil { // a partial line comes from a crash
			all = append(all, t)
		}
	}
	return all, nil
}

func (s *source) writeTaken(all []taken) error {
	var text []byte
	for _, t := range all {
		line, err := json.Marshal(t)
		if err != nil {
			return err
		}
		text = append(append(text, line...), '\n')
	}
	folder := filepath.Join(s.Folder, doneFolder)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	part := filepath.Join(folder, takenFile+".part")
	return errors.Join(os.WriteFile(part, text, 0o600), os.Rename(part, filepath.Join(folder, takenFile)))
}

// returned moves files back that have changed since they were moved, if their name is free.
func (s *source) returned() error {
	if s.passed != nil {
		return nil
	}
	all, err := s.readTaken()
	if err != nil {
		return err
	}
	left := slices.DeleteFunc(slices.Clone(all), func(t taken) bool {
		info, err := os.Lstat(filepath.Join(s.Folder, t.As))
		if err != nil || !info.Mode().IsRegular() {
			return true
		}
		if identityOf(t.File, info) == t.identity {
			return false
		}
		return link(filepath.Join(s.Folder, t.As), filepath.Join(s.Folder, t.File)) == nil
	})
	if len(left) == len(all) {
		return nil
	}
	return s.writeTaken(left)
}
