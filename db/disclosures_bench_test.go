package db_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"piyasa/db"
	"piyasa/db/dbtest"
	"piyasa/domain/kap"
	"piyasa/internal/value"
	"piyasa/test/fixture/need"
)

// manyDisclosures fills a store: 500 codes take turns, each of a company that
// every other of its disclosures states, six types, one a minute.
func manyDisclosures(b testing.TB, s *db.Store, n int) {
	b.Helper()
	types := []kap.Type{kap.FR, kap.ODA, kap.DG, kap.DUY, kap.CA, kap.FON}
	first := value.MustInstant("2025-01-01T00:00:00Z")
	for from := 0; from < n; from += 8000 {
		batch := &db.Batch{}
		for i := from; i < min(n, from+8000); i++ {
			code, filer := fmt.Sprintf("S%03d", i%500), (*string)(nil)
			if i/500%2 == 0 {
				filer = new("K" + code)
			}
			db.Put(batch, &kap.Record{Disclosure: kap.Disclosure{
				DisclosureIndex: i + 1, Type: types[i%len(types)], Class: "ODA", Symbols: []string{code}, FilerCodes: []string{code},
				CompanyID:   filer,
				PublishedAt: first.Add(time.Duration(i) * time.Minute),
			}}, new(db.Outcome))
		}
		need.NoError(b, s.Store(b.Context(), batch))
	}
}

// BenchmarkDisclosurePage reads a page of 25 among 200,000 disclosures.
func BenchmarkDisclosurePage(b *testing.B) {
	dbtest.Each(b, func(b *testing.B, url string) {
		s := open(b, url)
		manyDisclosures(b, s, 200_000)
		oda, after := kap.ODA, &kap.Place{EffectiveAt: value.MustInstant("2025-03-01T00:00:00Z"), DisclosureIndex: 84_961}
		for name, q := range map[string]kap.Query{
			"newest":            {Limit: 26},
			"symbol":            {Limit: 26, Of: reach("S007")},
			"symbol-and-type":   {Limit: 26, Of: reach("S007"), Type: &oda},
			"symbol-later-page": {Limit: 26, Of: reach("S007"), After: after},
			"company":           {Limit: 26, Of: companyReach("S007")},
			"twenty-companies":  {Limit: 26, Of: companyReach(codes(20)...)},
			"twenty-symbols":    {Limit: 26, Of: reach(codes(20)...)},
			"type":              {Limit: 26, Type: &oda},
		} {
			b.Run(name, func(b *testing.B) {
				for b.Loop() {
					if found, err := s.Disclosures(b.Context(), q); err != nil || len(found) != 26 {
						b.Fatalf("%d, %v", len(found), err)
					}
				}
			})
		}
	})
}

// BenchmarkNewestDisclosures reads the newest 20 of each of 100 companies, which
// have one code or three, among 200,000 disclosures.
func BenchmarkNewestDisclosures(b *testing.B) {
	dbtest.Each(b, func(b *testing.B, url string) {
		s := open(b, url)
		manyDisclosures(b, s, 200_000)
		for name, each := range map[string]int{"one-code": 1, "three-codes": 3} {
			of := slices.Collect(slices.Chunk(under(codes(100*each)...), each))
			b.Run(name, func(b *testing.B) {
				for b.Loop() {
					if found, err := s.NewestDisclosures(b.Context(), of, 20); err != nil || len(found[99]) != 20 {
						b.Fatalf("%d, %v", len(found), err)
					}
				}
			})
		}
	})
}

func codes(n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprintf("S%03d", i*7%500)
	}
	return out
}

// BenchmarkReplay reads the oldest thousand of a code and of everything.
func BenchmarkReplay(b *testing.B) {
	dbtest.Each(b, func(b *testing.B, url string) {
		s := open(b, url)
		manyDisclosures(b, s, 200_000)
		for name, r := range map[string]kap.Replay{
			"all":     {Of: kap.Selection{All: true}, After: 198_000, UpToSeq: 200_000, Limit: 1000},
			"by-seq":  {Of: kap.Selection{All: true}, BySeq: true, After: 198_000, UpToSeq: 200_000, Limit: 1000},
			"symbols": {Of: kap.Selection{Codes: codes(10)}, After: 0, UpToSeq: 200_000, Limit: 1000},
		} {
			b.Run(name, func(b *testing.B) {
				for b.Loop() {
					if found, err := s.Replay(b.Context(), r); err != nil || len(found) != 1000 {
						b.Fatalf("%d, %v", len(found), err)
					}
				}
			})
		}
	})
}

// BenchmarkConnections reads the same pages for many clients at once, through
// more and fewer connections to Postgres.
func BenchmarkConnections(b *testing.B) {
	url := dbtest.PostgresURL(b)
	manyDisclosures(b, open(b, url), 20_000)
	for _, connections := range []int{4, 8, 16, 32} {
		for _, clients := range []int{4, 16, 64} {
			b.Run(fmt.Sprintf("connections=%d/clients=%d", connections, clients), func(b *testing.B) {
				s, err := db.Open(b.Context(), url, db.Connections(connections))
				need.NoError(b, err)
				defer s.Close()
				asked, took, all := make(chan struct{}), make(chan time.Duration, 1<<20), sync.WaitGroup{}
				for range clients {
					all.Go(func() {
						for range asked {
							began := time.Now()
							if _, err := s.Disclosures(b.Context(), kap.Query{Limit: 26}); err != nil {
								b.Error(err)
							}
							took <- time.Since(began)
						}
					})
				}
				for b.Loop() {
					asked <- struct{}{}
				}
				close(asked)
				all.Wait()
				close(took)
				var times []time.Duration
				for t := range took {
					times = append(times, t)
				}
				slices.Sort(times)
				b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "reads/s")
				b.ReportMetric(float64(times[len(times)*99/100].Microseconds())/1000, "p99-ms")
			})
		}
	}
}
