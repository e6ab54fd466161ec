package ingest

import (
	"encoding/json"
	"fmt"
	"io"
)

// acknowledgements tracks how far the input is complete: up to a place, every line is committed
// or rejected.
type acknowledgements struct {
	out     io.Writer    // receives them; nil: none are wanted
	several bool         // whether the input has several files, which must be named
	taken   int          // lines taken, from all files
	files   []unfinished // files that are not complete, in order
}

// unfinished is a file with lines that were taken and are not all complete.
type unfinished struct {
	file       string
	first      int // the order of its first line
	last, done int // line numbers
}

// acknowledgement tells an adapter up to which line it need not send lines again.
type acknowledgement struct {
	File  string `json:"file,omitempty"`
	Lines int    `json:"lines"`
}

// take records that a line is on its way to the store.
func (a *acknowledgements) take(l *line) {
	l.order = a.taken
	a.taken++
	if n := len(a.files); n == 0 || l.number <= a.files[n-1].last || l.file != a.files[n-1].file {
		a.files = append(a.files, unfinished{file: l.file, first: l.order})
	}
	a.files[len(a.files)-1].last = l.number
}

// place returns the last line up to which all are complete, in the form of messages.
func (a *acknowledgements) place() string {
	if len(a.files) == 0 {
		return "the start"
	}
	return fmt.Sprintf("%s:%d", a.files[0].file, a.files[0].done)
}

// acknowledge reports how far the input is complete, if that has changed. waiting is the first
// line taken that is not complete, or nil.
func (a *acknowledgements) acknowledge(waiting *line) error {
	for i := range a.files {
		f, done := &a.files[i], a.files[i].last
		behind := waiting != nil && (i+1 == len(a.files) || waiting.order < a.files[i+1].first)
		if behind {
			done = max(waiting.number-1, f.done)
		}
		if err := a.say(f, done); err != nil {
			return err
		}
		if behind {
			a.files = a.files[i:]
			return nil
		}
	}
	a.files = a.files[max(0, len(a.files)-1):] // the last file may continue
	return nil
}

func (a *acknowledgements) say(f *unfinished, done int) error {
	if done == f.done {
		return nil
	}
	f.done = done
	if a.out == nil {
		return nil
	}
	message := acknowledgement{Lines: done}
	if a.several {
		message.File = f.file
	}
	if err := json.NewEncoder(a.out).Encode(message); err != nil {
		return fmt.Errorf("acknowledge lines: %w", err)
	}
	return nil
}
