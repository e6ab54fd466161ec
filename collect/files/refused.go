package files

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"

	"piyasa/collect"
)

// noted is how many rejected rows of a file have been written down.
type noted struct {
	identity
	first, next int   // rows of the last noted answer: the first, and the one after the last
	begin, end  int64 // where its notes in the file begin and end
}

// Refused implements collect.Finisher: it writes down the rejected rows. The rows of an answer
// may come again, after a crash or if the store did not accept them.
func (s *source) Refused(_ *collect.Request, got *collect.Answer, refused []collect.Refusal) error {
	if got.Status == http.StatusNotFound {
		return nil
	}
	var c chunk
	if err := json.Unmarshal(got.Body, &c); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	name := s.notesOf(c.identity)
	if _, err := os.Lstat(name); len(refused) == 0 && errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	return errors.Join(s.note(f, c, refused), f.Close(), syncFolder(filepath.Dir(name)))
}

// notesOf returns the path of a file's rejected rows while it is read.
func (s *source) notesOf(id identity) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %d %d", id.File, id.Size, id.Modified))
	return filepath.Join(s.Folder, doneFolder, ".refused-"+hex.EncodeToString(sum[:8]))
}

// note writes the rejected rows of an answer over earlier notes of the same answer.
func (s *source) note(f *os.File, c chunk, refused []collect.Refusal) error {
	n := noted{identity: c.identity, first: c.First, next: c.First + len(c.Rows)}
	switch {
	case s.noted.identity == c.identity && s.noted.first == c.First:
		n.begin = s.noted.begin
	case s.noted.identity == c.identity && s.noted.next == c.First:
		n.begin = s.noted.end
	default:
		n.begin = before(f, c.First)
	}
	if err := f.Truncate(n.begin); err != nil {
		return err
	}
	if _, err := f.Seek(n.begin, io.SeekStart); err != nil {
		return err
	}
	out := bufio.NewWriter(f)
	lines := json.NewEncoder(out)
	lines.SetEscapeHTML(false)
	for _, r := range refused {
		if row := r.Record / s.mapping.each(); row < len(c.Rows) { // otherwise it is the source's state
			if err := lines.Encode(map[string]any{"row": c.First + row + 1, "member": r.Member, "reason": r.Reason,
				"input": c.Rows[row]}); err != nil {
				return err
			}
		}
	}
	err := errors.Join(out.Flush(), f.Sync())
	if err == nil {
		n.end, err = f.Seek(0, io.SeekCurrent)
	}
	if err == nil {
		s.noted = n
	}
	return err
}

// before returns where the lines of the first rows end. A partial line comes from a crash.
func before(f *os.File, rows int) (end int64) {
	in := bufio.NewReader(f)
	for {
		line, err := in.ReadBytes('\n')
		var r struct{ Row int }
		if err != nil || json.Unmarshal(line, &r) != nil || r.Row > rows {
			return end
		}
		end += int64(len(line))
	}
}

// syncFolder makes names in a folder durable.
func syncFolder(folder string) error {
	f, err := os.Open(folder)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// move moves a file, and its rejected rows, to a subfolder, under a name that is free there.
func (s *source) move(id identity, to string) error {
	folder := filepath.Join(s.Folder, to)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	from, notes, free := filepath.Join(s.Folder, id.File), s.notesOf(id), filepath.Join(folder, id.File)
	for n := 2; ; n++ {
		if _, err := os.Lstat(free); errors.Is(err, os.ErrNotExist) {
			// The notes go first: after a crash between the two, the file's name is still free.
			err := link(notes, free+".refused.ndjson")
			if err == nil || errors.Is(err, os.ErrNotExist) {
				if err := s.remember(taken{id, filepath.Join(to, filepath.Base(free))}); err != nil {
					return wrapped(err)
				}
				err = link(from, free) // unlike Rename, it replaces nothing
			}
			if err == nil && s.Marker != "" {
				err = os.Remove(from + s.Marker)
			}
			if !errors.Is(err, os.ErrExist) {
				return wrapped(errors.Join(err, syncFolder(folder)))
			}
		}
		free = filepath.Join(folder, fmt.Sprintf("%s.%d", id.File, n))
	}
}

// link gives a file another name, if that is free or already the file's own.
func link(from, to string) error {
	err := os.Link(from, to)
	if errors.Is(err, os.ErrExist) && same(from, to) {
		err = nil
	}
	if err != nil {
		return err
	}
	return os.Remove(from)
}

func same(a, b string) bool {
	one, err := os.Lstat(a)
	other, wrong := os.Lstat(b)
	return err == nil && wrong == nil && os.SameFile(one, other)
}

func wrapped(err error) error {
	if err == nil {
		return nil
	}
	return &collect.Trouble{What: "the file cannot be moved", Err: err}
}
