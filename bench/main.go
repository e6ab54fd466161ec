// Command bench measures piyasa and its peers side by side: one data set, one core
// for the server and its database, one for the side that asks, in turns.
//
//	cd bench && go run . -works W2 -servers piyasa,mercurius -seconds 5
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"piyasa/bench/machine"
)

type bench struct {
	rig           *rig
	works         []work
	servers       []*server
	rounds        int
	seconds, warm time.Duration
	connections   int // 0: each work's own
	outstanding   int // events on their way to clients, when saturated
	force         bool

	streamers       []streamer
	clients         []int // of streamers, by turns
	replays, starts bool

	ready   map[pair]*prepared
	results results
}

// pair names what a measurement is of.
type pair struct{ work, server string }

// results are all measurements, in the order of the rounds.
type results struct {
	requests map[pair][]sample
	streams  map[pair][]delivered
	replays  map[string][]time.Duration
	starts   map[string][]time.Duration
}

func say(format string, values ...any) { fmt.Fprintf(os.Stderr, format+"\n", values...) }

func main() {
	log.SetFlags(0)
	b := &bench{rig: &rig{}, results: results{
		requests: map[pair][]sample{}, streams: map[pair][]delivered{}, replays: map[string][]time.Duration{}, starts: map[string][]time.Duration{},
	}}
	var worksList, serverList string
	var seconds, warm float64
	flag.StringVar(&worksList, "works", "", "what to measure, by the beginning of names: W1,W3-rest,W5-1000,replay,start (default: all)")
	flag.StringVar(&serverList, "servers", "", "servers to measure (default: all)")
	flag.StringVar(&b.rig.piyasa, "piyasa", "", "the program piyasa (default: built from this repository)")
	flag.StringVar(&b.rig.peers, "peers", "peers", "the folder peers/ of this module")
	flag.IntVar(&b.rounds, "rounds", 3, "how often everything is measured, in turns")
	flag.Float64Var(&seconds, "seconds", 5, "seconds of each measurement")
	flag.Float64Var(&warm, "warm", 2, "seconds before each measurement")
	flag.IntVar(&b.connections, "connections", 0, "connections (default: each work's own)")
	flag.IntVar(&b.outstanding, "outstanding", 128, "disclosures on their way to clients when deliveries are saturated")
	flag.IntVar(&b.rig.serverCore, "server-core", 0, "the core of servers and Postgres")
	flag.IntVar(&b.rig.loadCore, "load-core", 1, "the core of the side that asks")
	flag.BoolVar(&b.force, "force", os.Getenv("BENCH_FORCE") != "", "measure though others use the machine; the report says so ($BENCH_FORCE)")
	flag.Parse()
	b.seconds, b.warm = time.Duration(seconds*float64(time.Second)), time.Duration(warm*float64(time.Second))
	b.choose(worksList, serverList)
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if err := b.run(ctx); err != nil {
		log.Print(err)
		stop()
		os.Exit(1)
	}
}

// choose decides what is measured.
func (b *bench) choose(worksList, serverList string) {
	begins := func(name string) func(string) bool {
		return func(beginning string) bool { return strings.HasPrefix(name, beginning) }
	}
	b.works = chosen(works(), worksList, func(w work) func(string) bool { return begins(w.name) })
	b.clients = chosen([]int{1_000, 5_000}, worksList, func(n int) func(string) bool { return begins(fmt.Sprintf("W5-%d", n)) })
	b.replays = len(chosen([]string{"replay"}, worksList, begins)) > 0
	b.starts = len(chosen([]string{"start"}, worksList, begins)) > 0
	is := func(name string) func(string) bool { return func(wanted string) bool { return name == wanted } }
	b.servers = chosen(servers(), serverList, func(s *server) func(string) bool { return is(s.name) })
	b.streamers = chosen(streamers(), serverList, func(s streamer) func(string) bool { return is(s.name) })
}

// chosen returns those that a list names; an empty list names all.
func chosen[T any](all []T, list string, matches func(T) func(string) bool) []T {
	if list == "" {
		return all
	}
	return slices.DeleteFunc(all, func(t T) bool { return !slices.ContainsFunc(strings.Split(list, ","), matches(t)) })
}

func (b *bench) run(ctx context.Context) (err error) {
	r := b.rig
	defer r.close()
	if err := machine.StayOn(r.loadCore); err != nil {
		return err
	}
	if err := r.prepare(ctx); err != nil {
		return err
	}
	reference := piyasaOf(servers())
	if err := reference.launch(ctx, r); err != nil {
		return err
	}
	if err := r.fillPeers(ctx, reference); err != nil {
		return err
	}
	if err := b.launchAll(ctx, reference); err != nil {
		return err
	}
	for round := range b.rounds {
		for _, measure := range []func(context.Context, int) error{b.roundOfRequests, b.roundOfStreams, b.roundOfReplays, b.roundOfStarts} {
			if err := measure(ctx, round+1); err != nil {
				return err
			}
		}
	}
	return nil
}

func piyasaOf(all []*server) *server {
	return all[slices.IndexFunc(all, func(s *server) bool { return s.name == piyasaName })]
}

// launchAll starts the servers and compares their answers with piyasa's.
func (b *bench) launchAll(ctx context.Context, reference *server) error {
	say("comparing the answers")
	b.ready = map[pair]*prepared{}
	for _, w := range b.works {
		answers, err := prepare(ctx, w, reference, nil)
		if err != nil {
			return err
		}
		b.ready[pair{w.name, piyasaName}] = answers
		if err := b.rig.keep(w, answers); err != nil {
			return err
		}
	}
	for i, s := range b.servers {
		if s.name == piyasaName {
			b.servers[i] = reference
			continue
		}
		if err := s.launch(ctx, b.rig); err != nil {
			return err
		}
		for _, w := range b.works {
			answers, err := prepare(ctx, w, s, b.ready[pair{w.name, piyasaName}])
			if err != nil {
				return err
			}
			b.ready[pair{w.name, s.name}] = answers
		}
	}
	return nil
}

func (b *bench) roundOfRequests(ctx context.Context, round int) error {
	for _, w := range b.works {
		for _, s := range b.servers {
			p := b.ready[pair{w.name, s.name}]
			if p == nil {
				continue
			}
			m, err := b.measure(w, s, p)
			if err != nil {
				return err
			}
			b.results.requests[pair{w.name, s.name}] = append(b.results.requests[pair{w.name, s.name}], m)
			fmt.Printf("round %d  %-13s %-18s %9.0f/s  %8.0f per processor second  median %7.2f ms  p99 %7.2f ms  %s  %d bytes\n",
				round, w.name, s.name, m.perSecond, m.perProcessor(), milliseconds(m.median), milliseconds(m.p99), m.use, m.bytes)
			if ctx.Err() != nil {
				return ctx.Err()
			}
		}
	}
	return nil
}

func (b *bench) roundOfStreams(ctx context.Context, round int) error {
	for _, clients := range b.clients {
		name := fmt.Sprintf("W5-%d", clients)
		for _, s := range b.streamers {
			m, err := b.deliver(ctx, s, clients)
			if err != nil {
				return err
			}
			b.results.streams[pair{name, s.name}] = append(b.results.streams[pair{name, s.name}], m)
			fmt.Printf("round %d  %-13s %-18s %9.0f/s  %8.0f per processor second  at %d/s: median %7.2f ms  p99 %7.2f ms  %6.1f KiB a socket  %s\n",
				round, name, s.name, m.perSecond, m.perSecond/(m.use.server+m.use.postgres), pacedRate, milliseconds(m.pacedMedian), milliseconds(m.paced), m.perSocket/1024, m.use)
			if ctx.Err() != nil {
				return ctx.Err()
			}
		}
	}
	return nil
}

func (b *bench) roundOfReplays(ctx context.Context, round int) error {
	if !b.replays {
		return nil
	}
	for _, s := range b.streamers {
		all, err := b.replay(ctx, s)
		if err != nil || all == nil {
			return err
		}
		b.results.replays[s.name] = append(b.results.replays[s.name], all...)
		fmt.Printf("round %d  %-13s %-18s median %7.2f ms\n", round, "replay", s.name, middle(inMilliseconds(all)))
	}
	return nil
}

func (b *bench) roundOfStarts(ctx context.Context, round int) error {
	if !b.starts {
		return nil
	}
	for _, s := range b.servers {
		at := slices.IndexFunc(works(), func(w work) bool { return slices.Contains(s.apis, w.api) })
		if at < 0 {
			continue // it has no data to get ready
		}
		w := works()[at]
		took, err := b.coldStart(ctx, s, w)
		if err != nil {
			return err
		}
		b.results.starts[s.name] = append(b.results.starts[s.name], took)
		fmt.Printf("round %d  %-13s %-18s %7.1f ms\n", round, "start", s.name, milliseconds(took))
	}
	return nil
}
