package files

import (
	"fmt"
	"strings"
	"time"
)

// letters are the elements of time formats and of layouts of package time, longer ones first.
var letters = []struct{ ours, theirs string }{
	{"yyyy", "2006"}, {"MM", "01"}, {"dd", "02"}, {"HH", "15"}, {"mm", "04"}, {"ss", "05"}, {"SSS", "000"},
	{"yy", "06"}, {"M", "1"}, {"d", "2"}, {"XXX", "Z07:00"},
}

// layoutOf returns the layout of package time for a format such as dd.MM.yyyy HH:mm.
func layoutOf(format string) (string, error) {
	var layout strings.Builder
next:
	for rest := format; rest != ""; {
		for _, l := range letters {
			if after, ok := strings.CutPrefix(rest, l.ours); ok {
				layout.WriteString(l.theirs)
				rest = after
				continue next
			}
		}
		if c := rest[0]; c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' && c != 'T' {
			return "", fmt.Errorf("must be made of yyyy, yy, MM, M, dd, d, HH, mm, ss, SSS, XXX, T, blanks and marks, such as "+
				"\"dd.MM.yyyy HH:mm\"; got %q", format)
		}
		layout.WriteByte(rest[0])
		rest = rest[1:]
	}
	return layout.String(), nil
}

// moment returns a cell as a moment in the form of records. An invalid cell stays, and ingest
// rejects it.
func (s settings) moment(cell string) string {
	if t, ok := s.parse(cell); ok {
		return t.UTC().Format("2006-01-02T15:04:05.999999999Z")
	}
	return cell
}

// day does the same for a day.
func (s settings) day(cell string) string {
	if t, ok := s.parse(cell); ok {
		return t.In(s.zone).Format(time.DateOnly)
	}
	return cell
}

// parse reads a time in the configured format. Times in Parquet have a type instead.
func (s settings) parse(cell string) (time.Time, bool) {
	layouts := []string{s.layout}
	if s.Format == "parquet" {
		layouts = []string{time.RFC3339Nano, time.DateOnly, s.layout}
	}
	for _, layout := range layouts {
		if t, err := time.ParseInLocation(layout, cell, s.zone); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}
