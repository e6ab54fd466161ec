package ingest_test

import (
	"io"
	"strings"
	"testing"
	"time"

	"piyasa/db/dbtest"
	"piyasa/domain/market"
	"piyasa/ingest"
)

// BenchmarkIngestQuotes stores days of a polled source: 30 stocks with 300
// observations each, all of them new.
func BenchmarkIngestQuotes(b *testing.B) {
	const symbols, moments = 30, 300
	dbtest.Each(b, func(b *testing.B, url string) {
		s, day := open(b, url), market.MustInstant("2026-03-18T07:00:00Z")
		b.SetBytes(int64(len(dayOf(symbols, moments, day))))
		for b.Loop() {
			b.StopTimer()
			text := dayOf(symbols, moments, day)
			day = day.Add(24 * time.Hour)
			b.StartTimer()
			summary, err := ingest.Run(b.Context(), s, ingest.Options{Paths: []string{ingest.Stdin}, Stdin: strings.NewReader(text), Messages: io.Discard})
			if err != nil || summary.Stored != symbols*moments {
				b.Fatalf("%+v, %v", summary.Counts, err)
			}
		}
		b.ReportMetric(float64(symbols*moments*b.N)/b.Elapsed().Seconds(), "quotes/s")
	})
}

// dayOf is a day's observations in the order of time.
func dayOf(symbols, moments int, from market.Instant) string {
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
	text := dayOf(symbols, moments, market.MustInstant("2026-03-18T07:00:00Z"))
	dbtest.Each(b, func(b *testing.B, url string) {
		s := open(b, url)
		run(b, s, strings.NewReader(text)).counts(b, ingest.Counts{Read: symbols * moments, Stored: symbols * moments})
		for b.Loop() {
			run(b, s, strings.NewReader(text))
		}
		b.ReportMetric(float64(symbols*moments*b.N)/b.Elapsed().Seconds(), "quotes/s")
	})
}

// BenchmarkDecode reads and checks the line of a quote.
func BenchmarkDecode(b *testing.B) {
	line, d := []byte(strings.TrimSpace(fullQuote(1, market.MustInstant(t1), 7))), ingest.NewDecoder()
	b.SetBytes(int64(len(line)))
	b.ReportAllocs()
	for b.Loop() {
		if _, _, fault := d.Decode(line); fault != nil {
			b.Fatal(fault.Reason)
		}
	}
}
