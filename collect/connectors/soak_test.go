package connectors_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"piyasa/collect"
	"piyasa/collect/collecttest"
	"piyasa/collect/standin"
	"piyasa/test/fixture/need"
)

// Variables of the soak: for how long it runs weeks, and the seed of the only week to run.
const (
	durationVariable = "TORTURE"
	seedVariable     = "TORTURE_SEED"
)

// shortWeeks is how many weeks run without TORTURE.
const shortWeeks = 4

// Weeks of collecting, from upstreams that fail, by processes that are killed, into a store
// that fails: in the end the store has what the upstreams had, digit for digit, and nothing
// else at any time. As many weeks as TORTURE lasts, each with a seed of its own.
func TestSoak(t *testing.T) {
	quiet(t)
	var faults, processes int64
	defer func() {
		if faults == 0 || processes < 10 {
			t.Errorf("too little went wrong: %d faults, %d processes", faults, processes)
		}
	}()
	week := func(seed uint64) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			for i, of := range subjects {
				if i >= len(banks) && seed > 0 && seed < shortWeeks {
					continue // one such week is enough where all are short
				}
				var all string
				synctest.Test(t, func(t *testing.T) {
					s := newSoak(t, of(t), seed)
					all = s.run()
					faults, processes = faults+s.faults.Load(), processes+s.processes.Load()
				})
				collecttest.Ingest(t, istanbul(6, 12, 0), all)
			}
		})
	}
	if text := os.Getenv(seedVariable); text != "" {
		seed, err := strconv.ParseUint(text, 10, 64)
		need.NoError(t, err)
		week(seed)
		return
	}
	long, err := time.ParseDuration(os.Getenv(durationVariable))
	if err != nil {
		for seed := range uint64(shortWeeks) {
			week(seed)
		}
		return
	}
	for end := time.Now().Add(long); time.Now().Before(end) && !t.Failed(); {
		week(rand.Uint64())
	}
}

// subject is what a soak collects.
type subject interface {
	name() string
	// settings are those of the connector, for history from a day on.
	settings(from time.Time) map[string]any
	// missing returns what a store does not have that the upstream has, from a day to another one.
	missing(s *collecttest.Store, from, to time.Time) []string
	// wrong returns what is wrong with a record.
	wrong(l collecttest.Line) string
}

// accompanied is a subject that something goes on beside.
type accompanied interface {
	accompany(ctx context.Context, from time.Time)
}

// subjects make what is collected.
var subjects = append([]func(*testing.T) subject{
	func(*testing.T) subject { return banks[0] },
	func(*testing.T) subject { return banks[1] },
	newDisclosures,
}, mirrors()...)

// soak is a week of a subject.
type soak struct {
	*testing.T
	subject
	seed      uint64
	from      time.Time // the first day of history
	begin     time.Time // a Monday
	end       time.Time // the next Monday: no more faults
	last      time.Time // Tuesday evening
	store     *collecttest.Store
	network   *collecttest.Network
	faults    atomic.Int64
	processes atomic.Int64
}

func newSoak(t *testing.T, of subject, seed uint64) *soak {
	monday := istanbul(5, 12, 0).AddDate(0, 0, 7*int(seed%4))
	s := &soak{
		T: t, subject: of, seed: seed, from: monday.AddDate(0, 0, -14), begin: monday, end: monday.AddDate(0, 0, 7),
		last:  monday.AddDate(0, 0, 8).Add(21 * time.Hour),
		store: collecttest.NewStore(),
	}
	maker := standin.Makers[of.name()]
	if _, ok := of.(habit); ok {
		maker = standin.Habits
	}
	s.network = collecttest.NewNetwork(t, map[string]http.Handler{host: standin.NewFaulty(maker, time.Now, s.fault)})
	s.store.Fail = s.failure()
	return s
}

// chance returns random numbers for a purpose.
func (s *soak) chance(purpose uint64) *rand.Rand { return rand.New(rand.NewPCG(s.seed, purpose)) }

// fault chooses the fault of a request: one that lasts for hours, or one of this request.
func (s *soak) fault(request int) standin.Fault {
	const lasts = 3 * time.Hour
	if !time.Now().Before(s.end) {
		return standin.Healthy
	}
	fault := standin.Seeded(s.seed, 30, slices.DeleteFunc(slices.Clone(standin.Faults),
		func(f standin.Fault) bool { return f == standin.Behind })...)(request)
	if lasting := s.chance(uint64(time.Since(s.begin) / lasts)); lasting.IntN(4) == 0 {
		fault = standin.Faults[lasting.IntN(len(standin.Faults))]
	}
	if fault != standin.Healthy {
		s.faults.Add(1)
	}
	return fault
}

// failure returns how the store fails: now and then.
func (s *soak) failure() func() collecttest.Failure {
	chance := s.chance(1 << 32)
	return func() collecttest.Failure {
		if !time.Now().Before(s.end) {
			return collecttest.Works
		}
		switch chance.IntN(10) {
		case 0:
			return collecttest.Loses
		case 1:
			return collecttest.Denies
		}
		return collecttest.Works
	}
}

// run collects for the week, and returns everything that was emitted.
func (s *soak) run() string {
	until(s.begin)
	var running, beside sync.WaitGroup
	ctx, end := context.WithCancel(s.Context())
	defer end()
	if a, ok := s.subject.(accompanied); ok {
		beside.Go(func() { a.accompany(ctx, s.from) })
	}
	for machine := range uint64(2) {
		running.Go(func() { s.machine(s.chance(1<<33 + machine)) })
	}
	running.Wait()
	end()
	beside.Wait()
	if all := s.missing(s.store, s.from, s.last); len(all) > 0 {
		s.Errorf("%s: in the end there is missing %s", s.name(), strings.Join(all, "\n"))
	}
	lines := s.store.Lines()
	for _, l := range lines {
		if wrong := s.wrong(l); wrong != "" {
			s.Errorf("%s: %s %s", s.name(), wrong, l.Text)
		}
	}
	if lost := s.network.Lost(); len(lost) > 0 {
		s.Errorf("other hosts were asked: %v", lost)
	}
	s.Logf("%s: %d faults, %d processes, %d records", s.name(), s.faults.Load(), s.processes.Load(), len(lines))
	return s.store.All()
}

// machine runs one process after the other until the week is over: some are asked to stop,
// some are killed, at any moment.
func (s *soak) machine(chance *rand.Rand) {
	for time.Now().Before(s.last) {
		life := time.Duration(chance.Int64N(int64(12 * time.Hour)))
		if chance.IntN(3) == 0 {
			life = time.Duration(chance.Int64N(int64(time.Minute))) // in the middle of a run
		}
		if time.Now().Add(life).After(s.end) {
			life = time.Until(s.last)
		}
		process := s.store.Process()
		c := &collect.Collector{
			Config: source(s.T, s.name(), s.settings(s.from)), Store: process, Emit: process.Emit,
			Holder: fmt.Sprint("process ", s.processes.Add(1)), Agent: "piyasa/test", Now: time.Now, Transport: s.network,
		}
		ctx, cancel := context.WithCancel(s.Context())
		killed := chance.IntN(2) == 0
		end := time.AfterFunc(life, func() {
			if killed {
				process.Kill()
			}
			cancel()
		})
		c.Run(ctx)
		end.Stop()
		if time.Now().Before(s.end) {
			time.Sleep(time.Duration(chance.Int64N(int64(time.Hour))))
		}
	}
}
