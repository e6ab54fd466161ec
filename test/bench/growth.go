package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"piyasa/db/dbtest"
	"piyasa/test/bench/dataset"
	"piyasa/test/bench/load"
	"piyasa/test/bench/machine"
)

// growth measures piyasa alone while more and more is stored.
type growth struct {
	*bench
	stores []string
	sizes  []dataset.Size
	verify bool
	grown  []grown
	year   bool // whether a year of snapshots is measured, too
	years  []yearly
}

// grown is what was measured of one size on one store.
type grown struct {
	store    string
	size     dataset.Size
	stored   int64             // bytes of the database
	filled   time.Duration     // how long filling took
	started  time.Duration     // from starting to the first answer
	resident int64             // bytes of the server's memory at the end
	works    map[string]sample // one after the other
	mixed    sample            // all of them at once
	ingested map[string]float64
}

// How many connections ask all works at once, and how many times as long as one work they
// warm up, a minute by default: what is measured is a server that has been asked for every
// chart and whose database has read from the disk what is often asked for.
const (
	mixedClients = 32
	mixedWarm    = 30
)

// growthStores are the kinds of databases.
var growthStores = []string{"sqlite", "postgres"}

// newGrowth reads a list of how many times the data is multiplied.
func newGrowth(b *bench, times, stores string, verify bool) (*growth, error) {
	g := &growth{bench: b, verify: verify}
	for _, text := range strings.Split(times, ",") {
		if text == "year" {
			g.year = true
			continue
		}
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			return nil, fmt.Errorf("-grow takes whole numbers from 1 on, such as 1,10,100, and year; not %q", text)
		}
		g.sizes = append(g.sizes, dataset.Size{Times: n})
	}
	for _, s := range growthStores {
		if stores == "" || strings.Contains(","+stores+",", ","+s+",") {
			g.stores = append(g.stores, s)
		}
	}
	if len(g.stores) == 0 {
		return nil, fmt.Errorf("-stores takes %s; not %q", strings.Join(growthStores, ","), stores)
	}
	return g, nil
}

func (g *growth) run(ctx context.Context) error {
	if err := machine.StayOn(g.rig.loadCore); err != nil {
		return err
	}
	for _, store := range g.stores {
		for _, size := range g.sizes {
			one, err := g.measure(ctx, store, size)
			if err != nil {
				return fmt.Errorf("%d times on %s: %w", size.Times, store, err)
			}
			g.grown = append(g.grown, one)
		}
		if g.year {
			if err := g.measureYears(ctx, store); err != nil {
				return fmt.Errorf("a year on %s: %w", store, err)
			}
		}
	}
	return nil
}

// measure fills a database of its own and asks a server of it.
func (g *growth) measure(ctx context.Context, store string, size dataset.Size) (m grown, err error) {
	m = grown{store: store, size: size, works: map[string]sample{}, ingested: map[string]float64{}}
	r := *g.rig
	defer r.close()
	if err := r.prepareEmpty(store); err != nil {
		return m, err
	}
	began := time.Now()
	if err := r.ingest(ctx, size.WriteSeed); err != nil {
		return m, err
	}
	if r.key, err = r.makeKey(ctx); err != nil {
		return m, err
	}
	if err := size.Grow(ctx, r.own, say); err != nil {
		return m, err
	}
	if store == "postgres" {
		if err := dataset.Vacuum(ctx, r.own); err != nil {
			return m, err
		}
	}
	m.filled = time.Since(began)
	say("%s × %d: %d disclosures and %d bars stored in %.0f s", store, size.Times, size.Disclosures(), size.Bars(), m.filled.Seconds())
	if g.verify {
		output, err := r.run(ctx, "verify")
		if err != nil {
			return m, fmt.Errorf("%w\n%s", err, output)
		}
	}
	if m.stored, err = r.stored(ctx); err != nil {
		return m, err
	}
	return m, g.ask(ctx, &r, &m)
}

// prepareEmpty makes an empty database.
func (r *rig) prepareEmpty(store string) (err error) {
	if r.folder, err = os.MkdirTemp("", "piyasa-bench-"); err != nil {
		return err
	}
	r.later(func() { os.RemoveAll(r.folder) })
	if store == "sqlite" {
		r.own = "sqlite:" + filepath.Join(r.folder, "data", "piyasa.db")
		return os.Mkdir(filepath.Join(r.folder, "data"), 0o700)
	}
	if err := r.startPostgres(); err != nil {
		return err
	}
	r.own, _, err = dbtest.NewDatabase(r.postgres)
	return err
}

// stored returns the bytes of the database.
func (r *rig) stored(ctx context.Context) (size int64, err error) {
	if strings.HasPrefix(r.own, "sqlite:") {
		err = filepath.WalkDir(filepath.Join(r.folder, "data"), func(_ string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			info, err := entry.Info()
			if err == nil {
				size += info.Size()
			}
			return err
		})
		return size, err
	}
	connection, err := pgx.Connect(ctx, r.own)
	if err != nil {
		return 0, err
	}
	defer connection.Close(ctx)
	return size, connection.QueryRow(ctx, "SELECT pg_database_size(current_database())").Scan(&size)
}

// ask measures every work alone, all of them at once, and input meanwhile. Alone, works
// that ask for bars read them from the database each time; later, the server keeps them in
// memory, as it does by default.
func (g *growth) ask(ctx context.Context, r *rig, m *grown) error {
	works := growthWorks(m.size)
	own := *g.bench
	own.rig = r
	reading := piyasaOf(servers())
	reading.start = func(ctx context.Context, r *rig) (*process, error) {
		return r.start(ctx, append(r.clock(r.own), "PIYASA_HISTORY_CACHE=0"), r.piyasa, "serve", "--listen=127.0.0.1:0")
	}
	if _, err := own.firstAnswer(ctx, reading, works[0]); err != nil {
		return err
	}
	defer reading.process.stop()
	requests := map[string][]load.Request{}
	var all []load.Request
	for _, w := range works {
		asks, err := w.asks(ctx, reading)
		if err != nil {
			return err
		}
		for _, a := range asks {
			requests[w.name] = append(requests[w.name], load.Request{Raw: reading.raw(a), Want: -2})
		}
		all = append(all, requests[w.name][:min(len(asks), mixed)]...)
		if err := g.undisturbed(func() (err error) {
			m.works[w.name], err = g.answers(reading, requests[w.name], 1, g.warm)
			return err
		}); err != nil {
			return fmt.Errorf("%s: %w", w.name, err)
		}
		say("%-7s × %-4d %-16s %8.3f ms  p99 %8.3f ms",
			m.store, m.size.Times, w.name, milliseconds(m.works[w.name].median), milliseconds(m.works[w.name].p99))
	}
	reading.process.stop()
	s := piyasaOf(servers())
	var err error
	if m.started, err = own.firstAnswer(ctx, s, works[0]); err != nil {
		return err
	}
	defer s.process.stop()
	rand.New(rand.NewPCG(5, 6)).Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	if err := g.undisturbed(func() (err error) {
		m.mixed, err = g.answers(s, all, mixedClients, mixedWarm*g.warm)
		return err
	}); err != nil {
		return fmt.Errorf("all at once: %w", err)
	}
	say("%-7s × %-4d %-16s %8.3f ms  p99 %8.3f ms  %.0f a second", m.store, m.size.Times, "all at once", milliseconds(m.mixed.median),
		milliseconds(m.mixed.p99), m.mixed.perSecond)
	for _, added := range []struct {
		name  string
		write func(string) error
	}{{"disclosures", m.size.WriteAdded}, {"bars", m.size.WriteAddedBars}} {
		if m.ingested[added.name], err = r.timeInput(ctx, added.write); err != nil {
			return err
		}
		say("%-7s × %-4d %-16s %8.0f a second", m.store, m.size.Times, "new "+added.name, m.ingested[added.name])
	}
	m.resident, err = machine.Resident(s.process.id())
	return err
}

// firstAnswer starts a server and returns how long its first answer took to come.
func (b *bench) firstAnswer(ctx context.Context, s *server, w work) (time.Duration, error) {
	began := time.Now()
	if err := s.launch(ctx, b.rig); err != nil {
		return 0, err
	}
	asks, err := w.asks(ctx, s)
	if err != nil {
		return 0, err
	}
	_, err = s.answer(ctx, asks[0])
	return time.Since(began), err
}

// answers keeps a server busy with requests whose answers differ. If nothing is answered
// in time, it takes four times as long, as a machine that is busy may need.
func (g *growth) answers(s *server, requests []load.Request, connections int, warm time.Duration) (sample, error) {
	for seconds := g.seconds; ; seconds *= 4 {
		result, err := load.HTTP(s.process.address, requests, connections, warm, seconds, func() error { return nil })
		if err == nil && result.Requests == 0 && seconds < time.Minute {
			continue
		}
		if err == nil && result.Requests == 0 {
			err = errors.New("nothing was answered")
		}
		return sample{perSecond: result.PerSecond(), median: result.Quantile(0.5), p99: result.Quantile(0.99)}, err
	}
}

// timeInput returns how many lines of a file are stored in a second.
func (r *rig) timeInput(ctx context.Context, write func(path string) error) (float64, error) {
	path := filepath.Join(r.folder, "added.ndjson")
	if err := write(path); err != nil {
		return 0, err
	}
	file, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	lines := 0
	for scanner := bufio.NewScanner(file); scanner.Scan(); {
		lines++
	}
	began := time.Now()
	_, err = r.run(ctx, "ingest", path)
	return float64(lines) / time.Since(began).Seconds(), err
}
