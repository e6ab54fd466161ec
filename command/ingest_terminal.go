package command

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"time"

	"piyasa/ingest"
)

// mostMessages is how many messages with one cause are shown, mostCauses how many causes are
// told apart.
const mostMessages, mostCauses = 20, 100

// progressInterval is how often the line on the terminal is redrawn.
const progressInterval = 100 * time.Millisecond

// ingestMessages shows the progress of an ingest: the first messages of each cause and, on a
// terminal, one line that is redrawn below them.
type ingestMessages struct {
	out   io.Writer
	began time.Time
	all   bool // show all messages, not only the first

	mu     sync.Mutex
	drawn  time.Time
	counts map[string]int // messages by cause
	causes []string       // in the order of their first message
}

// draw draws the line.
func (t *ingestMessages) draw(read int, file string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if time.Since(t.drawn) < progressInterval {
		return
	}
	t.drawn = time.Now()
	fmt.Fprintf(t.out, "\r\033[K%d lines, %.0f a second", read, float64(read)/time.Since(t.began).Seconds())
	if file != ingest.Stdin {
		fmt.Fprintf(t.out, ", %q", filepath.Base(file))
	}
}

// placeOfLine matches the place of a line in a message.
var placeOfLine = regexp.MustCompile(`^.*?:[0-9]+: `)

// valuesIn matches the parts that differ between messages of one cause.
var valuesIn = regexp.MustCompile(`[0-9][^\s,;]*|"[^"]*"`)

// causeOf returns the part of a message that is the same for every line with the mistake,
// without the place and the values.
func causeOf(message string) string {
	cause, _, _ := strings.Cut(placeOfLine.ReplaceAllString(strings.TrimSpace(message), ""), "; got")
	return valuesIn.ReplaceAllString(cause, "…")
}

// Write implements io.Writer: it shows a message unless its cause already had many. It also
// shows those with a round number, for an ingest that never ends.
func (t *ingestMessages) Write(message []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	cause := causeOf(string(message))
	if _, known := t.counts[cause]; !known && len(t.causes) == mostCauses {
		cause = "of other causes"
	}
	if t.counts[cause]++; t.counts[cause] == 1 {
		t.causes = append(t.causes, cause)
	}
	n := t.counts[cause]
	if n > mostMessages && !t.all {
		if n%1000 != 0 {
			return len(message), nil
		}
		message = fmt.Appendf(bytes.TrimSpace(message), " (and %d before)\n", n-1)
	}
	t.erase()
	return t.out.Write(message)
}

func (t *ingestMessages) erase() {
	if !t.drawn.IsZero() {
		fmt.Fprint(t.out, "\r\033[K")
		t.drawn = time.Time{}
	}
}

// finish removes the line, and prints how many messages were not shown.
func (t *ingestMessages) finish() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.erase()
	hidden := false
	for _, cause := range t.causes {
		if more := t.counts[cause] - mostMessages; more > 0 && !t.all {
			hidden = true
			fmt.Fprintf(t.out, "… and %d more: %s\n", more, cause)
		}
	}
	if hidden {
		fmt.Fprintln(t.out, "--explain shows all messages, --errors FILE keeps what was rejected")
	}
}

// openErrors opens a file for rejected lines, at its end. The file must be new, empty or such a
// file already, and must not be an input of this or a later run of the same command.
func openErrors(path string, inputs []string, stdin io.Reader) (*os.File, error) {
	_, missing := os.Lstat(path)
	file, err := os.OpenFile(path, os.O_RDWR|os.O_APPEND|os.O_CREATE|syscall.O_NONBLOCK, 0o600)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err == nil && info.Mode().IsRegular() {
		if err = isInput(path, info, inputs, stdin); err == nil {
			err = hasErrors(file)
		}
	}
	if err != nil {
		err = errors.Join(err, file.Close())
		if missing != nil {
			err = errors.Join(err, os.Remove(path))
		}
		return nil, err
	}
	return file, nil
}

func isInput(path string, info os.FileInfo, inputs []string, stdin io.Reader) error {
	for _, input := range inputs {
		if input == ingest.Stdin {
			if f, ok := stdin.(*os.File); ok {
				if in, err := f.Stat(); err == nil && os.SameFile(in, info) {
					return fmt.Errorf("%s is standard input", path)
				}
			}
			continue
		}
		in, err := os.Stat(input)
		if err != nil {
			continue // the run will report it
		}
		if os.SameFile(in, info) {
			return fmt.Errorf("%s is an input", path)
		}
		if !in.IsDir() {
			continue
		}
		folder, err := os.Stat(filepath.Dir(path))
		if err == nil && os.SameFile(in, folder) && ingest.Reads(filepath.Base(path)) {
			return fmt.Errorf("%s is in the folder that is ingested, where it would be an input: choose another place or end of its name",
				path)
		}
		entries, _ := os.ReadDir(input)
		for _, e := range entries {
			if one, err := os.Stat(filepath.Join(input, e.Name())); err == nil && os.SameFile(one, info) {
				return fmt.Errorf("%s is an input", path)
			}
		}
	}
	return nil
}

// hasErrors returns an error if a file has other content than rejected lines.
func hasErrors(file *os.File) error {
	line, err := bufio.NewReader(io.LimitReader(file, 64<<20)).ReadBytes('\n')
	if len(line) == 0 && errors.Is(err, io.EOF) {
		return nil
	}
	var reject struct{ File, Line, Reason, Input any }
	if err := json.Unmarshal(line, &reject); err != nil || reject.File == nil || reject.Line == nil || reject.Reason == nil ||
		reject.Input == nil {
		return fmt.Errorf("%s has something else than rejected lines, and nothing is overwritten", file.Name())
	}
	return nil
}
