package stream_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"piyasa/account/access"
	"piyasa/db"
	"piyasa/db/dbtest"
	"piyasa/domain/kap"
	"piyasa/domain/market"
	"piyasa/internal/value"
	"piyasa/serve/stream"
	"piyasa/test/fixture/need"
)

// benchCommand returns a command of the clients, pinned if the caller wants it.
func benchCommand(name string) *exec.Cmd {
	if cpu := os.Getenv(loadCPU); cpu != "" {
		return exec.Command("taskset", "-c", cpu, name)
	}
	return exec.Command(name)
}

// broadcast is a server with clients in another process, all following everything.
type broadcast struct {
	store   *db.Store
	load    *load
	clients int
	next    int   // number of the next disclosure
	told    int64 // frames
}

func newBroadcast(b *testing.B, url string, clients int, offers string) *broadcast {
	b.Helper()
	store, err := db.Open(b.Context(), url)
	need.NoError(b, err)
	b.Cleanup(func() { _ = store.Close() })
	gate := access.NewGate(access.ShippedPlans())
	gate.Replace([]*access.Key{{ID: "k", Hash: access.Secret("secret").Hash(), Plan: "pro", Scopes: []access.Scope{access.KAP}}})
	disclosures := stream.NewDisclosures(store)
	tailer := stream.NewTailer(store, map[string]stream.Apply{db.FeedDisclosures: disclosures.Apply})
	ctx, stop := context.WithCancel(b.Context())
	b.Cleanup(stop)
	go store.Listen(ctx)
	go tailer.Run(ctx)
	<-tailer.CaughtUp()
	server := httptest.NewServer(stream.Handler(benchSockets(gate), disclosures.Channel()))
	b.Cleanup(server.Close)
	heads, err := store.Look(b.Context())
	need.NoError(b, err)
	return &broadcast{
		store: store, clients: clients, next: int(heads.Heads[db.FeedDisclosures]) + 1, // the database is there from the round before
		load: startLoad(b, strings.TrimPrefix(server.URL, "http://"), clients, `{"action":"subscribe","ids":["all"]}`, offers),
	}
}

// benchSockets returns sockets without limits.
func benchSockets(gate *access.Gate) *stream.Sockets {
	return &stream.Sockets{Gate: gate, Available: func() bool { return true }, Origin: func(*http.Request) bool { return true },
		Deflating: 1 << 20}
}

// tell stores n disclosures in one commit.
func (s *broadcast) tell(b *testing.B, n int) {
	batch := &db.Batch{}
	now := fmt.Sprint(time.Now().UnixNano())
	for range n {
		db.Put(batch, &kap.Record{Disclosure: kap.Disclosure{
			DisclosureIndex: s.next, Type: kap.ODA, Class: "ODA", Symbols: []string{"DMOST"}, FilerCodes: []string{"DMOST"},
			FilerTitle:  &now,
			PublishedAt: value.MustInstant("2026-03-18T11:45:00Z"),
			Subject:     &kap.Localized{TR: new("Özel Durum Açıklaması"), EN: new("Material Event Disclosure")},
		}}, new(db.Outcome))
		s.next++
	}
	need.NoError(b, s.store.Store(b.Context(), batch))
	s.told += int64(n * s.clients)
}

// saturate stores disclosures so that 256 are always on their way.
func (s *broadcast) saturate(b *testing.B, lasting time.Duration) (perSecond float64, all int64) {
	const outstanding, most = 256, 32
	began, first := time.Now(), s.told
	for time.Since(began) < lasting {
		s.tell(b, most)
		s.load.await(b, s.told-(outstanding-most)*int64(s.clients))
	}
	s.load.await(b, s.told)
	all = s.told - first
	return float64(all) / time.Since(began).Seconds(), all
}

// pace stores single disclosures at a rate of deliveries.
func (s *broadcast) pace(b *testing.B, perSecond int, lasting time.Duration) (median, slow float64) {
	s.load.since(b)
	again := time.NewTicker(time.Second * time.Duration(s.clients) / time.Duration(perSecond))
	defer again.Stop()
	for began := time.Now(); time.Since(began) < lasting; <-again.C {
		s.tell(b, 1)
	}
	s.load.await(b, s.told)
	return s.load.since(b)
}

// BenchmarkPublish stores disclosures that every client follows: as many as go, for the
// throughput, and single ones at 30,000 deliveries a second, for the way from commit to
// client. The clients are in another process: run it as
//
//	PIYASA_BENCH_LOAD_CPU=1 taskset -c 0 go test ./stream -run - -bench Publish -benchtime 1x
//
// for a server on one core and clients on another.
func BenchmarkPublish(b *testing.B) {
	dbtest.Each(b, func(b *testing.B, url string) {
		for _, clients := range []int{1000, 5000} {
			b.Run(fmt.Sprint(clients), func(b *testing.B) {
				before, beforeRSS := memory(), resident()
				s := newBroadcast(b, url, clients, "")
				b.ReportMetric((memory()-before)/float64(clients), "B/socket")
				b.ReportMetric((resident()-beforeRSS)/float64(clients), "RSS-B/socket")
				for b.Loop() {
					median, slow := s.pace(b, 30_000, 3*time.Second)
					b.ReportMetric(median, "ms-p50")
					b.ReportMetric(slow, "ms-p99")
					spent := cpu()
					perSecond, all := s.saturate(b, 3*time.Second)
					b.ReportMetric(perSecond, "deliveries/s")
					b.ReportMetric(float64(all)/(cpu()-spent).Seconds(), "deliveries/cpu-s")
				}
				b.ReportMetric(0, "ns/op")
			})
		}
	})
}

// BenchmarkCompression sends disclosures as BenchmarkPublish does, as many as go, to clients that offer
// permessage-deflate and to others.
func BenchmarkCompression(b *testing.B) {
	for _, offers := range []string{"", "permessage-deflate"} {
		b.Run("offers="+offers, func(b *testing.B) {
			s := newBroadcast(b, "sqlite:"+b.TempDir()+"/piyasa.db", 1000, offers)
			for b.Loop() {
				spent, before := cpu(), s.load.bytes.Load()
				_, all := s.saturate(b, 3*time.Second)
				b.ReportMetric(float64(all)/(cpu()-spent).Seconds(), "deliveries/cpu-s")
				b.ReportMetric(float64(s.load.bytes.Load()-before)/float64(all), "B/delivery")
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}

// BenchmarkQuotes sends 30 quotes at a time to 500 clients that follow them all: alone or in a batch,
// compressed or not.
func BenchmarkQuotes(b *testing.B) {
	const clients, each = 500, 30
	gate := access.NewGate(access.ShippedPlans())
	gate.Replace([]*access.Key{{ID: "k", Hash: access.Secret("secret").Hash(), Plan: "pro", Scopes: access.Scopes}})
	live := market.NewLive()
	var list []*market.Instrument
	var ids []string
	for n := range each {
		id := fmt.Sprintf("bist:S%03d", n)
		list = append(list, &market.Instrument{InstrumentID: market.ID(id), Symbol: id[5:], Market: market.BIST, AssetType: market.Stock,
			Currency: "TRY"})
		ids = append(ids, id)
	}
	live.PutCatalog(list, nil)
	now, turn := value.MustInstant("2026-03-18T07:00:00Z"), 0
	prices := stream.NewQuotes(&market.Service{Live: live, Now: func() value.Instant { return now }, FXMaxAge: time.Hour})
	tell := func() {
		now, turn = now.Add(time.Second), turn+1
		var all []*market.Observation
		for n, id := range ids {
			price := value.MustDecimal(fmt.Sprintf("%d.%02d", 100+n*7, turn%100))
			all = append(all, &market.Observation{InstrumentID: market.ID(id), AsOf: now, Last: price, Bid: price, Ask: price,
				Volume: value.MustDecimal(fmt.Sprint((turn + 1000) * (n + 1)))})
		}
		prices.Changed(live.PutQuotes(all))
	}
	server := httptest.NewServer(stream.Handler(benchSockets(gate), prices.Channel()))
	b.Cleanup(server.Close)
	for _, batch := range []bool{false, true} {
		for _, offers := range []string{"", "permessage-deflate"} {
			b.Run(fmt.Sprintf("batch=%v,offers=%s", batch, offers), func(b *testing.B) {
				tell()
				says := fmt.Sprintf(`{"action":"subscribe","batch":%v,"ids":["%s"]}`, batch, strings.Join(ids, `","`))
				l := startLoad(b, strings.TrimPrefix(server.URL, "http://"), clients, says, offers)
				round := int64(clients)
				if !batch {
					round *= each
				}
				l.await(b, round) // the current quotes
				told, spent, before := round, cpu(), l.bytes.Load()
				for b.Loop() {
					tell()
					told += round
					l.await(b, told)
				}
				quotes := float64(b.N) * clients * each
				b.ReportMetric((cpu()-spent).Seconds()*1e6/quotes, "cpu-µs/quote")
				b.ReportMetric(float64(l.bytes.Load()-before)/quotes, "B/quote")
			})
		}
	}
}

// BenchmarkIdle connects clients that hear nothing, for the memory that each takes. A limit of
// 20,000 open files suffices.
func BenchmarkIdle(b *testing.B) {
	for _, clients := range []int{5000, 19_000} {
		b.Run(fmt.Sprint(clients), func(b *testing.B) {
			before, beforeRSS := memory(), resident()
			for b.Loop() {
				newBroadcast(b, "sqlite:"+b.TempDir()+"/piyasa.db", clients, "")
			}
			b.ReportMetric((memory()-before)/float64(clients), "B/socket")
			b.ReportMetric((resident()-beforeRSS)/float64(clients), "RSS-B/socket")
			b.ReportMetric(float64(runtime.NumGoroutine())/float64(clients), "goroutines/socket")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// memory returns what the process holds on heap and stacks.
func memory() float64 {
	runtime.GC()
	runtime.GC() // pools are emptied by the second
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapInuse + m.StackInuse)
}

// resident returns the memory that the system counts for the process; 0: unknown.
func resident() float64 {
	text, _ := os.ReadFile("/proc/self/statm")
	if words := strings.Fields(string(text)); len(words) > 1 {
		pages, _ := strconv.ParseFloat(words[1], 64)
		return pages * float64(os.Getpagesize())
	}
	return 0
}

// cpu returns the time that the process has used.
func cpu() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
