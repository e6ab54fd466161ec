package ingest_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"piyasa/db/dbtest"
	"piyasa/domain/market"
	"piyasa/ingest"
	"piyasa/internal/value"
	"piyasa/test/fixture/need"
)

// pieces returns a day of observations, each moment told once, newest piece first:
// almost all of them come late.
func pieces(symbols, moments int) []string {
	var told []string
	for moment := range moments {
		var piece strings.Builder
		for i := range symbols {
			piece.WriteString(fullQuote(i, value.MustInstant("2026-03-18T07:00:00Z").Add(time.Duration(moment)*time.Minute), moment))
		}
		told = append(told, piece.String())
	}
	slices.Reverse(told)
	return told
}

// bars returns the rows of the table of bars at url.
func bars(t *testing.T, url string) map[string]string {
	t.Helper()
	rows, err := dbtest.Raw(t, url).QueryContext(t.Context(), "SELECT instrument_id, resolution, t, open, close, volume FROM bars")
	need.NoError(t, err)
	defer rows.Close()
	all := map[string]string{}
	for rows.Next() {
		var b market.Bar
		need.NoError(t, rows.Scan(&b.InstrumentID, &b.Resolution, &b.T, &b.Open, &b.Close, &b.Volume))
		all[fmt.Sprintf("%s %s %s", b.InstrumentID, b.Resolution, b.T)] = fmt.Sprintf("%s %s %s", b.Open, b.Close, b.Volume)
	}
	need.NoError(t, rows.Err())
	return all
}

// Two processes that feed the same instruments at once, one of them killed on
// the way and run again, record the bars of one clean run.
func TestFeedersTogetherRecordTheSameBars(t *testing.T) {
	const symbols, moments = 10, 240
	var halves [2][]string
	told := pieces(symbols, moments)
	for i, piece := range told {
		halves[i%2] = append(halves[i%2], piece)
	}
	slices.Reverse(told)
	cleanURL := "sqlite:" + filepath.Join(t.TempDir(), "clean.db")
	if r := run(t, open(t, cleanURL), strings.NewReader(strings.Join(told, ""))); r.err != nil || r.Rejected > 0 {
		t.Fatalf("%+v, %v", r.Counts, r.err)
	}
	want := bars(t, cleanURL)
	if len(want) != symbols*moments/5 {
		t.Fatalf("%d bars of %d moments of %d stocks", len(want), moments, symbols)
	}
	dbtest.Each(t, func(t *testing.T, url string) {
		s := open(t, url)
		var said bytes.Buffer
		other := exec.Command(os.Args[0], ingest.Stdin)
		other.Env, other.Stderr = append(os.Environ(), childVariable+"="+url), &said
		in, err := other.StdinPipe()
		need.NoError(t, err)
		need.NoError(t, other.Start())
		go func() {
			defer in.Close()
			for _, piece := range halves[0] {
				_, _ = io.WriteString(in, piece)
				<-time.After(4 * time.Millisecond)
			}
		}()
		again := strings.Join(halves[1], "")
		killed(t, url, again, 2, 5*time.Millisecond)
		if r := run(t, s, strings.NewReader(again)); r.err != nil || r.Rejected > 0 {
			t.Errorf("run again: %+v, %v", r.Counts, r.err)
		}
		if err := other.Wait(); err != nil {
			t.Fatalf("the other: %v, %s", err, said.String())
		}
		got := bars(t, url)
		for at, bar := range want {
			if got[at] != bar {
				t.Errorf("%s is %q, want %q", at, got[at], bar)
			}
		}
		if len(got) != len(want) {
			t.Errorf("%d bars, want %d", len(got), len(want))
		}
	})
}

// Whatever moment a line states, it stops neither the lines beside it nor those
// that come later.
func TestMomentsAtTheEndsOfTheCalendar(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		s, n := open(t, url), 0
		for _, market := range []string{"bist", "fx", "crypto", "index", "us"} {
			for _, asOf := range []string{"0001-01-01T00:00:00.001Z", "0001-01-01T12:00:00Z", "9999-12-31T20:59:59Z",
				"9999-12-31T21:00:00Z", "9999-12-31T23:59:59.999Z"} {
				n++
				line := func(asOf, last string) string {
					return fmt.Sprintf(`{"record":"quote","instrument_id":"%s:%d","as_of":"%s","last":"%s"}`+"\n", market, n, asOf, last)
				}
				beside := fmt.Sprintf("BESIDE%d", n)
				for _, text := range []string{line(asOf, "1") + quote(beside, t1, "1"), line(t1, "2") + line(asOf, "2") +
					quote(beside, t2, "2")} {
					if r := run(t, s, strings.NewReader(text)); r.err != nil {
						t.Errorf("%s at %s: %v", market, asOf, r.err)
					}
				}
				if got := len(kept(t, s, beside)); got != 2 {
					t.Errorf("%s at %s: of 2 lines beside it %d are stored", market, asOf, got)
				}
			}
		}
	})
}
