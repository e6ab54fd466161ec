package document

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
)

// List is an immutable list of documents, for a server that runs no others. Files.List makes
// it.
type List struct {
	version string
	byID    map[string]listed
	texts   map[string]bool
}

// listed is a document under one of its ids.
type listed struct{ text, file string }

// Version returns a text that differs for lists of different files, across servers.
func (l *List) Version() string { return l.version }

// Len returns the number of documents.
func (l *List) Len() int { return len(l.texts) }

// Named returns the text of the document with an id.
func (l *List) Named(id string) (text string, ok bool) {
	d, ok := l.byID[id]
	return d.text, ok
}

// Has reports whether a text is that of a document, byte for byte.
func (l *List) Has(text string) bool { return l.texts[text] }

// Limits of a list.
const (
	MaxFiles       = 1_000    // files in the folder
	MaxFolderBytes = 16 << 20 // bytes of all files
	MaxListed      = 10_000   // documents
	maxIDBytes     = 256
	maxFaults      = 20 // mistakes that are reported
)

// sha256Prefix begins the ids that the GraphQL-over-HTTP proposal derives from a text.
const sha256Prefix = "sha256:"

// sumOf returns the SHA-256 of a text in lower-case hexadecimal digits.
func sumOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// List returns the list of the documents in the files: each under the ids in its file, its
// SHA-256 in hexadecimal digits, and the same after "sha256:". r must accept every document.
// The error names the file, the id and the reason of each mistake, up to 20.
func (f *Files) List(r *Reader) (*List, error) {
	l := &List{version: f.version, byID: map[string]listed{}, texts: map[string]bool{}}
	var faults []error
	for _, file := range f.files {
		entries, err := file.entries()
		if err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", file.name, err))
		}
		for _, e := range entries {
			if err := l.add(e, file.name, r); err != nil {
				faults = append(faults, fmt.Errorf("%s: %q: %w", file.name, short(e.id), err))
			}
			if len(l.texts) > MaxListed {
				return nil, fmt.Errorf("the folder has more than %d documents", MaxListed)
			}
			if len(faults) > maxFaults {
				return nil, errors.Join(append(faults[:maxFaults], errors.New("there are more mistakes"))...)
			}
		}
	}
	if len(faults) == 0 && len(l.texts) == 0 {
		faults = append(faults, errors.New("the files have no documents, so nothing would run"))
	}
	if len(faults) > 0 {
		return nil, errors.Join(faults...)
	}
	return l, nil
}

// entry is a document as a file lists it.
type entry struct{ id, text string }

// add lists a document.
func (l *List) add(e entry, file string, r *Reader) error {
	if e.id == "" || len(e.id) > maxIDBytes {
		return fmt.Errorf("an id must have 1 to %d bytes", maxIDBytes)
	}
	sum := sumOf(e.text)
	if stated, ok := strings.CutPrefix(e.id, sha256Prefix); ok && stated != sum {
		return fmt.Errorf("the SHA-256 of the document is %s", sum)
	}
	ids := []string{e.id, sum, sha256Prefix + sum}
	for _, id := range ids {
		if other, known := l.byID[id]; known && other.text != e.text {
			return fmt.Errorf("%q is the id of another document, in %s", id, other.file)
		}
	}
	if !l.texts[e.text] {
		if _, errs := r.Read(e.text); len(errs) > 0 {
			where := ""
			if at := errs[0].Locations; len(at) > 0 {
				where = fmt.Sprintf(" (line %d, column %d)", at[0].Line, at[0].Column)
			}
			return errors.New(errs[0].Message + where)
		}
		l.texts[e.text] = true
	}
	for _, id := range ids {
		if _, known := l.byID[id]; !known {
			l.byID[id] = listed{e.text, file}
		}
	}
	return nil
}

// short returns an id, shortened for log messages.
func short(id string) string { return id[:min(len(id), maxIDBytes)] }
