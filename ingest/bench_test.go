package ingest_test

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"piyasa/db/dbtest"
	"piyasa/ingest"
	"piyasa/internal/value"
	"piyasa/test/fixture/need"
)

// BenchmarkIngestQuotes stores days of a polled source: 30 stocks with 300
// observations each, all of them new.
func BenchmarkIngestQuotes(b *testing.B) {
	const symbols, moments = 30, 300
	dbtest.Each(b, func(b *testing.B, url string) {
		s, day := open(b, url), value.MustInstant("2026-03-18T07:00:00Z")
		b.SetBytes(int64(len(dayOf(symbols, moments, day))))
		for b.Loop() {
			b.StopTimer()
			text := dayOf(symbols, moments, day)
			day = day.Add(24 * time.Hour)
			b.StartTimer()
			summary, err := ingest.Run(b.Context(), s, ingest.Options{Now: ingest.LateClock, Paths: []string{ingest.Stdin},
				Stdin: strings.NewReader(text), Messages: io.Discard})
			if err != nil || summary.Stored != symbols*moments {
				b.Fatalf("%+v, %v", summary.Counts, err)
			}
		}
		b.ReportMetric(float64(symbols*moments*b.N)/b.Elapsed().Seconds(), "quotes/s")
	})
}

// BenchmarkIngestLine sends single lines on an open input, a moment after the one before
// is acknowledged, and reports how long the acknowledgement took.
func BenchmarkIngestLine(b *testing.B) {
	dbtest.Each(b, func(b *testing.B, url string) {
		s, at := open(b, url), value.MustInstant("2026-03-18T07:00:00Z")
		in, feed := io.Pipe()
		acks, out := io.Pipe()
		ended := make(chan error)
		go func() {
			_, err := ingest.Run(b.Context(), s, ingest.Options{Now: ingest.LateClock, Paths: []string{ingest.Stdin}, Stdin: in,
				Messages: io.Discard, Acks: out})
			_ = out.Close()
			ended <- err
		}()
		said, waited := bufio.NewScanner(acks), time.Duration(0)
		for n := 0; b.Loop(); n++ {
			time.Sleep(30 * time.Millisecond)
			sent := time.Now()
			_, _ = io.WriteString(feed, fullQuote(1, at.Add(time.Duration(n)*time.Second), n))
			if !said.Scan() {
				b.Fatal("the input has ended")
			}
			waited += time.Since(sent)
		}
		b.ReportMetric(waited.Seconds()*1000/float64(b.N), "ms/line")
		_ = feed.Close()
		need.NoError(b, <-ended)
	})
}

// dayOf returns a day's observations in the order of time.
func dayOf(symbols, moments int, from value.Instant) string {
	var out strings.Builder
	for moment := range moments {
		for i := range symbols {
			out.WriteString(fullQuote(i, from.Add(time.Duration(moment)*time.Minute), moment))
		}
	}
	return out.String()
}

// BenchmarkIngestAgain ingests what is there already, as a repeated run does.
func BenchmarkIngestAgain(b *testing.B) {
	const symbols, moments = 30, 300
	text := dayOf(symbols, moments, value.MustInstant("2026-03-18T07:00:00Z"))
	dbtest.Each(b, func(b *testing.B, url string) {
		s := open(b, url)
		run(b, s, strings.NewReader(text)).counts(b, ingest.Counts{Read: symbols * moments, Stored: symbols * moments})
		for b.Loop() {
			run(b, s, strings.NewReader(text))
		}
		b.ReportMetric(float64(symbols*moments*b.N)/b.Elapsed().Seconds(), "quotes/s")
	})
}

// BenchmarkIngestBars stores years of daily bars, all of them new.
func BenchmarkIngestBars(b *testing.B) {
	const symbols, days = 20, 1000
	dbtest.Each(b, func(b *testing.B, url string) {
		s, first := open(b, url), time.Date(1900, 1, 1, 21, 0, 0, 0, time.UTC)
		for b.Loop() {
			b.StopTimer()
			var text strings.Builder
			for i := range symbols {
				for day := range days {
					fmt.Fprintf(&text, `{"record":"bar","instrument_id":"bist:S%02d","resolution":"1d","t":"%s","high":"%d.7767804","low":"1.7524618","close":"1.7525","turnover":"12232225"}`+"\n",
						i, first.AddDate(0, 0, day).Format(time.RFC3339), day)
				}
			}
			first = first.AddDate(0, 0, days)
			b.StartTimer()
			summary, err := ingest.Run(b.Context(), s, ingest.Options{Now: ingest.LateClock, Paths: []string{ingest.Stdin},
				Stdin: strings.NewReader(text.String()), Messages: io.Discard})
			if err != nil || summary.Stored != symbols*days {
				b.Fatalf("%+v, %v", summary.Counts, err)
			}
		}
		b.ReportMetric(float64(symbols*days*b.N)/b.Elapsed().Seconds(), "bars/s")
	})
}

// BenchmarkDecode reads and checks the line of a quote.
func BenchmarkDecode(b *testing.B) {
	line, d := []byte(strings.TrimSpace(fullQuote(1, value.MustInstant(t1), 7))), ingest.NewDecoder()
	b.SetBytes(int64(len(line)))
	b.ReportAllocs()
	for b.Loop() {
		if _, _, fault := d.Decode(line); fault != nil {
			b.Fatal(fault.Must)
		}
	}
}
