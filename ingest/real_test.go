package ingest_test

import (
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"piyasa/db/dbtest"
	"piyasa/ingest"
	"piyasa/internal/value"
	"piyasa/test/fixture/need"
)

// realData returns the folder of real data; without one the test is skipped.
func realData(t *testing.T) string {
	t.Helper()
	folder := os.Getenv("PIYASA_REAL_DATA")
	if folder == "" {
		t.Skip("PIYASA_REAL_DATA names no folder")
	}
	return folder
}

// The real calendars are stored with every digit of their figures, and are
// unchanged when they are loaded again.
func TestRealCalendars(t *testing.T) {
	folder := realData(t)
	files, err := filepath.Glob(filepath.Join(folder, "*calendar-*.ndjson.gz"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no calendars in %s: %v", folder, err)
	}
	item := regexp.MustCompile(`"record":"calendar_item"`)
	figure := regexp.MustCompile(`"(actual|forecast|previous)":([^,}]+)`)
	dbtest.Each(t, func(t *testing.T, url string) {
		s, items, figures := open(t, url), 0, 0
		for _, name := range files {
			r := run(t, s, nil, name)
			again := run(t, s, nil, name)
			if r.err != nil || r.Rejected > 0 || r.Read == 0 || again.Unchanged != r.Read {
				t.Fatalf("%s: %v, %+v, again %+v", name, r.err, r.Counts, again.Counts)
			}
			for _, line := range unpacked(t, name) {
				if !item.MatchString(line) {
					continue
				}
				var key struct {
					EventID int    `json:"event_id"`
					Time    string `json:"time"`
				}
				need.NoError(t, json.Unmarshal([]byte(line), &key))
				at := value.MustInstant(key.Time)
				found, err := s.CalendarRecords(t.Context(), at, at, []int{key.EventID})
				if err != nil || len(found) != 1 {
					t.Fatalf("%s: %v, %v", line, found, err)
				}
				stored := map[string]string{"actual": string(found[0].Actual), "forecast": string(found[0].Forecast),
					"previous": string(found[0].Previous)}
				for _, m := range figure.FindAllStringSubmatch(line, -1) {
					if figures++; stored[m[1]] != m[2] {
						t.Errorf("%s: stored %v", line, stored)
					}
				}
				items++
			}
		}
		t.Logf("%d figures of %d items", figures, items)
	})
}

// The other real files about the economy, funds and offerings are stored whole.
func TestRealFunds(t *testing.T) {
	folder := realData(t)
	dbtest.Each(t, func(t *testing.T, url string) {
		s := open(t, url)
		for _, pattern := range []string{"*inflation*", "*indices-bist*", "*-funds*", "*-ipo*"} {
			files, err := filepath.Glob(filepath.Join(folder, pattern))
			if err != nil || len(files) == 0 {
				t.Fatalf("no %s in %s: %v", pattern, folder, err)
			}
			r := run(t, s, nil, files...)
			r.counts(t, ingest.Counts{Read: r.Read, Stored: r.Read})
			run(t, s, nil, files...).counts(t, ingest.Counts{Read: r.Read, Unchanged: r.Read})
		}
	})
}

// unpacked returns the lines of a packed file.
func unpacked(t *testing.T, name string) []string {
	t.Helper()
	file, err := os.Open(name)
	need.NoError(t, err)
	defer file.Close()
	r, err := gzip.NewReader(file)
	need.NoError(t, err)
	text, err := io.ReadAll(r)
	need.NoError(t, err)
	return lines(string(text))
}
