package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"piyasa/test/bench/machine"
)

type bench struct {
	rig           *rig
	works         []work
	servers       []*server
	rounds        int
	seconds, warm time.Duration
	connections   int           // 0: each work's own
	outstanding   int           // events on their way to clients, when saturated
	paced         time.Duration // of deliveries at a steady rate
	settle        time.Duration // between connecting and reading how much memory is taken
	force         bool

	streamers       []streamer
	clients         []int // of streamers, by turns
	replays, starts bool

	ready   map[pair]*prepared
	results results
	others  float64 // the most that others used of a core during a measurement
	version versions
}

func newBench() *bench {
	return &bench{rig: &rig{}, clients: []int{1_000, 5_000}, paced: 10 * time.Second, settle: 5 * time.Second, results: results{
		requests: map[pair][]sample{}, streams: map[pair][]delivered{}, replays: map[string][]time.Duration{},
		starts: map[string][]time.Duration{},
	}}
}

// deliveries names the work of delivering to so many clients.
func deliveries(clients int) string { return fmt.Sprintf("W5-%d", clients) }

// pair names what a measurement is of.
type pair struct{ work, server string }

// results are all measurements, in the order of the rounds.
type results struct {
	requests map[pair][]sample
	streams  map[pair][]delivered
	replays  map[string][]time.Duration
	starts   map[string][]time.Duration
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
	if b.version, err = r.versions(ctx); err != nil {
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
		if err := b.rig.keep(ctx, w, reference, answers); err != nil {
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
