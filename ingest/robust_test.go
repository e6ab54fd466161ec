package ingest_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"piyasa/db/dbtest"
	"piyasa/ingest"
)

// 1: trailing text after the object is accepted.
func TestTextAfterTheObject(t *testing.T) {
	const q = `{"record":"quote","instrument_id":"bist:A","as_of":"2026-03-18T11:45:00Z","last":"1"}`
	refuse(t, []refusal{
		{"a word", q + ` garbage`, "", "something follows"},
		{"a brace", q + `}`, "", "something follows"},
		{"a comma", q + `,`, "", "something follows"},
		{"a comma and an object", q + `,` + q, "", "something follows"},
		{"the start of an object", q + `{"record":"quo`, "", "something follows"},
		{"a NUL", q + "\x00", "", "something follows"},
	})
}

// 2: one line that the decoder accepts and a store cannot hold ends the whole run, every time.
func TestLinesThatNoStoreHolds(t *testing.T) {
	key := randomText(9000)
	good := quote("GOOD", t1, "1")
	for name, line := range map[string]string{
		"NUL in text":           `{"record":"sector","code":"x","name":"a\u0000b","members":[]}`,
		"NUL in a quote":        `{"record":"quote","instrument_id":"bist:A","as_of":"` + t1 + `","currency":"T\u0000"}`,
		"NUL in a member":       `{"record":"index","code":"x","name":"x","verified":true,"synced_at":"` + t1 + `","members":[{"symbol":"A\u0000B"}]}`,
		"a delay over 31 bits":  `{"record":"instrument","instrument_id":"bist:A","symbol":"A","name":"x","market":"bist","asset_type":"STOCK","currency":"TRY","delay":2147483648}`,
		"a negative delay":      `{"record":"instrument","instrument_id":"bist:A","symbol":"A","name":"x","market":"bist","asset_type":"STOCK","currency":"TRY","delay":-1}`,
		"another over 31 bits":  `{"record":"quote","instrument_id":"bist:A","as_of":"` + t1 + `","data_delay_seconds":2147483648}`,
		"an instant of year 0":  `{"record":"quote","instrument_id":"bist:A","as_of":"0000-03-18T11:45:00Z"}`,
		"a date of year 0":      `{"record":"trading_day","market":"bist","date":"0000-01-01"}`,
		"a key of 9000 letters": `{"record":"sector","code":"` + key + `","name":"x","members":[]}`,
	} {
		t.Run(name, func(t *testing.T) {
			dbtest.Each(t, func(t *testing.T, url string) {
				s := open(t, url)
				run(t, s, strings.NewReader(good+line+"\n")).counts(t, ingest.Counts{Read: 2, Stored: 1, Rejected: 1})
				if lasts(t, s)["GOOD"] != "1" {
					t.Error("the good line beside it is not stored")
				}
			})
		})
	}
}

func randomText(n int) string {
	b, x := make([]byte, n), uint32(7)
	for i := range b {
		x = x*1664525 + 1013904223
		b[i] = "abcdefghijklmnopqrstuvwxyz0123456789"[(x>>16)%36]
	}
	return string(b)
}

// 3: two backslashes before u0000 in a member of a list: bun rewrites it.
func TestBackslashesInLists(t *testing.T) {
	line := `{"record":"index","code":"X","name":"x","verified":true,"synced_at":"` + t1 + `","members":[{"symbol":"A","sector":"a\\\\u0000b"}]}`
	dbtest.Each(t, func(t *testing.T, url string) {
		s := open(t, url)
		run(t, s, strings.NewReader(line)).counts(t, ingest.Counts{Read: 1, Stored: 1})
		run(t, s, strings.NewReader(line)).counts(t, ingest.Counts{Read: 1, Unchanged: 1})
	})
}

// 4: the name of an unknown member is repeated whole and raw.
func TestUnknownMemberNamesAreShort(t *testing.T) {
	for _, name := range []string{strings.Repeat("x", 10_000), `a\nfile:9: last: forged`, `a\u001b[31m`} {
		r := run(t, openFile(t), strings.NewReader(`{"record":"quote","`+name+`":1}`))
		if len(r.messages) > 800 || strings.Count(r.messages, "\n") != 1 || strings.Contains(r.messages, "\x1b") {
			t.Errorf("told %.900q", r.messages)
		}
	}
}

// 5: a cancelled run can end without an error and with lines left out.
func TestCancelledRunIsAnError(t *testing.T) {
	s := openFile(t)
	for i := range 100 {
		ctx, cancel := context.WithCancel(t.Context())
		in, out := io.Pipe()
		said := make(chan struct{})
		go func() {
			defer close(said)
			_, _ = io.WriteString(out, quote("FIRST", t1, fmt.Sprint(i)))
			<-ctx.Done()
			_, _ = io.WriteString(out, quote("SECOND", t1, fmt.Sprint(i)))
			_ = out.Close()
		}()
		summary, err := ingest.Run(ctx, s, ingest.Options{Now: ingest.LateClock, Paths: []string{ingest.Stdin}, Stdin: in, Messages: io.Discard, Progress: func(int) {
			cancel() // and while the writer is busy here, the reader gives up the second line
			<-said
		}})
		if err == nil && summary.Read < 2 {
			t.Fatalf("run %d ended without an error after %d of 2 lines", i, summary.Read)
		} else if err != nil && !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
	}
}

// 6: an archive that is broken at its very start ends the run; one broken later does not.
func TestArchiveBrokenAtItsStart(t *testing.T) {
	for _, content := range []string{"", "no archive"} {
		r := run(t, openFile(t), strings.NewReader(quote("NEXT", t1, "1")), write(t, t.TempDir(), "a.ndjson.gz", content), ingest.Stdin)
		r.counts(t, ingest.Counts{Read: 2, Stored: 1, Rejected: 1})
	}
}

// 7: when the run is cancelled, what was read by then is stored.
func TestCancelStoresWhatWasRead(t *testing.T) {
	s := openFile(t)
	for round := range 50 {
		r := start(t, s)
		for i := range 20 {
			r.say(t, quote(fmt.Sprintf("R%d.%d", round, i), t1, "1")) // returns when it was read
		}
		r.cancel()
		_ = r.Close()
		r.wait(t)
		stored := 0
		for symbol := range lasts(t, s) {
			if strings.HasPrefix(symbol, fmt.Sprintf("R%d.", round)) {
				stored++
			}
		}
		if stored != 20 || r.summary.Stored != 20 || !errors.Is(r.err, context.Canceled) {
			t.Fatalf("round %d: %d of 20 lines are stored, %d were counted, %v", round, stored, r.summary.Stored, r.err)
		}
	}
}
