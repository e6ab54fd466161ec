// Package soak lets a gateway work for long, as others use it: ingest never ends, clients
// ask over REST and GraphQL, thousands follow disclosures and come and go, and the database
// restarts. In the end nothing has grown, and every frame is accounted for.
package soak

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"piyasa/test/torture/world"

	"piyasa/test/fixture/need"
)

// The environment of a soak. Without a duration it is the short form.
const (
	durationVariable = "SOAK"
	socketsVariable  = "SOAK_SOCKETS"
)

// form is how large a soak is.
type form struct {
	duration time.Duration
	sockets  int
	askers   int
	life     time.Duration // of a connection, on average
	outage   time.Duration // of the database
	every    time.Duration // between two disclosures
	sample   time.Duration
	bounds   []bound
}

func formOf(t *testing.T) form {
	t.Helper()
	f := form{duration: 24 * time.Second, sockets: 150, askers: 4, life: 6 * time.Second, outage: time.Second,
		every: 100 * time.Millisecond, sample: 250 * time.Millisecond, bounds: shortBounds}
	if text := os.Getenv(durationVariable); text != "" {
		var err error
		if f.duration, err = time.ParseDuration(text); err != nil {
			t.Fatalf("%s: %v", durationVariable, err)
		}
		f.sockets, f.askers, f.life, f.outage, f.every, f.sample, f.bounds = 2000, 8, time.Minute, 15*time.Second, 500*time.Millisecond,
			time.Second, longBounds
	}
	if text := os.Getenv(socketsVariable); text != "" {
		var err error
		if f.sockets, err = strconv.Atoi(text); err != nil {
			t.Fatalf("%s: %v", socketsVariable, err)
		}
	}
	return f
}

// soaked is the gateway with what its clients share.
type soaked struct {
	*world.World
	form
	seed             uint64
	address, private string // of the gateway
	client           *http.Client
	keys             map[*way]*key
	asking           *key

	away                   atomic.Bool // the database, or it has just been
	hangUps, cuts, answers atomic.Int64

	mu     sync.Mutex
	faults []string
}

// fault notes what should not be.
func (w *soaked) fault(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.faults = append(w.faults, fmt.Sprintf(format, args...))
}

// mayLack reports whether an answer may have a problem of a kind now.
func (w *soaked) mayLack(kind string) bool {
	switch kind {
	case "store-unavailable", "STORE_UNAVAILABLE":
		return w.away.Load()
	case "overloaded", "OVERLOADED": // a machine may have others to serve
		return true
	}
	return false
}

// Nothing grows, and what is metered is what was delivered and what was received, by
// followers who got everything once and in order, across their own hang-ups and a restart
// of the database.
func TestSoak(t *testing.T) {
	w := &soaked{World: world.New(t), form: formOf(t), keys: map[*way]*key{}, client: &http.Client{Timeout: patience}}
	w.seed = w.Random.Uint64()
	primary := w.NewPostgres("primary")
	url := primary.URL()
	for _, way := range ways {
		w.keys[way] = w.newKey(url, "enterprise", "kap")
	}
	w.asking = w.newKey(url, "internal", "all")
	writer, quotes := w.NewWriter(url), w.NewWriter(url)
	for _, pair := range []string{"USDTRY", "EURTRY"} {
		quotes.SendLine(fmt.Sprintf(`{"record":"instrument","instrument_id":"fx:%s","symbol":"%[1]s","name":"%[1]s","market":"fx","asset_type":"FX","currency":"TRY"}`, pair))
	}
	w.price(quotes, 0)
	quotes.Settle()
	writer.Write(10) // what askers ask for
	w.private = need.Address(t)
	gateway := w.NewGateway("gateway", url, "PIYASA_METRICS_LISTEN="+w.private)
	w.address = gateway.Address
	before := w.must()

	began := time.Now()
	ctx, stop := context.WithTimeout(t.Context(), w.duration)
	defer stop()
	var working, following, asking sync.WaitGroup
	working.Go(func() { w.feed(ctx, writer, quotes) })
	for n := range w.askers {
		a := &asker{world: w, name: fmt.Sprintf("asker %d", n), key: w.asking, random: rand.New(rand.NewPCG(w.seed, uint64(n))),
			client: w.client}
		asking.Go(func() { a.run(ctx, n%2 == 1) })
	}
	going, hangUp := context.WithCancel(t.Context())
	defer hangUp()
	followers := make([]*follower, w.sockets)
	for n := range followers {
		f := newFollower(w, n)
		followers[n] = f
		following.Go(func() { f.run(going) })
	}
	samples := make(chan []sample, 1)
	go func() { samples <- w.sampling(ctx, w.sample) }()

	select {
	case <-ctx.Done():
	case <-time.After(w.duration / 2):
		w.restart(primary)
	}
	<-ctx.Done()
	ended := time.Now()
	asking.Wait()
	working.Wait()
	writer.Settle()
	last := writer.Acknowledged()
	w.awaitAll(followers, last)
	during := w.must()
	hangUp()
	following.Wait()
	w.Wait("the gateway has let all streams go", func(context.Context) bool { return w.must()["piyasa_streams_open"] == 0 })
	after := w.must()
	gateway.Stop()
	writer.Stop()
	quotes.Stop()

	report, grown := judge(<-samples, began, ended, w.bounds)
	w.faults = append(w.faults, grown...)
	w.balance(url, after, followers, last)
	if stored := primary.Do("SELECT count(*) FROM disclosures"); stored != strconv.Itoa(last) {
		w.fault("%s disclosures are stored, and %d were acknowledged", stored, last)
	}
	for _, metric := range []string{goroutines, descriptors} {
		if after[metric] > before[metric]+40 { // idle connections of askers and of the database
			w.fault("%s: %.0f before anybody came, %.0f after everybody went", metric, before[metric], after[metric])
		}
	}
	if writer.GaveUp()+quotes.GaveUp() > 0 {
		w.fault("ingest gave up")
	}
	t.Logf("%s, %d followers, %.0f streams at the end, %d disclosures, %.0f delivered, %d hang-ups, %d cuts, %d answers; "+
		"medians of the quarters:%s", ended.Sub(began).Round(time.Second),
		w.sockets, during["piyasa_streams_open"], last, after["piyasa_disclosures_delivered_total"], w.hangUps.Load(), w.cuts.Load(),
		w.answers.Load(), report)
	slices.Sort(w.faults) // so that one sort does not hide the others
	w.faults = slices.Compact(w.faults)
	for n, f := range w.faults {
		if n == 20 {
			t.Errorf("and %d more", len(w.faults)-n)
			break
		}
		t.Error(f)
	}
}

func (w *soaked) newKey(url, plan, scopes string) *key {
	k := new(key)
	k.id, k.secret = w.NewKeyOf(url, plan, scopes)
	return k
}

// must returns the metrics as they are now.
func (w *soaked) must() map[string]float64 {
	w.T.Helper()
	all, err := w.metrics(context.Background())
	need.NoError(w.T, err)
	return all
}

// feed stores disclosures and prices until ctx ends.
func (w *soaked) feed(ctx context.Context, writer, quotes *world.Writer) {
	tick := time.NewTicker(w.every)
	defer tick.Stop()
	for n := 0; ; n++ {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		writer.Send(1)
		w.price(quotes, n)
	}
}

// price stores a price of each instrument, as of now.
func (w *soaked) price(quotes *world.Writer, n int) {
	for _, pair := range []string{"USDTRY", "EURTRY"} {
		quotes.SendLine(fmt.Sprintf(`{"record":"quote","instrument_id":"fx:%s","as_of":%q,"last":"41.%04d"}`,
			pair, time.Now().UTC().Format(time.RFC3339), n%10_000))
	}
}

// restart restarts the database while everything goes on.
func (w *soaked) restart(primary *world.Postgres) {
	w.T.Helper()
	w.away.Store(true)
	primary.Stop()
	time.Sleep(w.outage)
	primary.Start()
	w.Wait("the gateway is ready again", func(ctx context.Context) bool {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+w.private+"/readyz", nil)
		if err != nil {
			return false
		}
		answer, err := w.client.Do(r)
		if err != nil {
			return false
		}
		_ = answer.Body.Close()
		return answer.StatusCode == http.StatusOK
	})
	time.AfterFunc(5*time.Second, func() { w.away.Store(false) }) // a read that began before may still end
}

// awaitAll waits until every follower has got what concerns it.
func (w *soaked) awaitAll(followers []*follower, last int) {
	w.T.Helper()
	w.Wait("every follower has everything", func(context.Context) bool {
		return !slices.ContainsFunc(followers, func(f *follower) bool { return f.next(int(f.reached.Load())) <= last })
	})
}

// balance checks that what is metered is what was delivered and what was received.
func (w *soaked) balance(url string, metrics map[string]float64, followers []*follower, last int) {
	w.T.Helper()
	for _, f := range followers {
		want := 0
		for n := f.next(0); n <= last; n = f.next(n) {
			want++
		}
		if f.taken != want {
			w.fault("%s took %d of %d disclosures", f.name, f.taken, want)
		}
	}
	var lines []struct {
		Key, Operation string
		Units          int64
	}
	need.NoError(w.T, json.Unmarshal(w.Piyasa(url, "usage", "--by", "operation", "--format", "json"), &lines))
	metered := map[string]int64{} // by key, of disclosures; of the askers' key of everything
	for _, l := range lines {
		for _, way := range ways {
			if l.Key == w.keys[way].id && l.Operation == way.metered {
				metered[l.Key] += l.Units
			}
		}
		if l.Key == w.asking.id {
			metered[l.Key] += l.Units
		}
	}
	all := int64(0)
	for _, way := range ways {
		k := w.keys[way]
		if all += metered[k.id]; metered[k.id] != k.received.Load() {
			w.fault("%s: %d disclosures are metered, and %d were received", way.name, metered[k.id], k.received.Load())
		}
	}
	if delivered := int64(metrics["piyasa_disclosures_delivered_total"]); delivered != all {
		w.fault("%d disclosures were delivered, and %d are metered", delivered, all)
	}
	if said := w.asking.units.Load(); metered[w.asking.id] != said {
		w.fault("answers said that they cost %d units, and %d are metered", said, metered[w.asking.id])
	}
}
