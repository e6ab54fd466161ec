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
	force         bool
}

func say(format string, values ...any) { fmt.Fprintf(os.Stderr, format+"\n", values...) }

func main() {
	log.SetFlags(0)
	b := &bench{rig: &rig{}}
	var worksList, serverList string
	var seconds, warm float64
	flag.StringVar(&worksList, "works", "", "works to measure, by the beginning of their names: W1,W3-rest (default: all)")
	flag.StringVar(&serverList, "servers", "", "servers to measure (default: all)")
	flag.StringVar(&b.rig.piyasa, "piyasa", "", "the program piyasa (default: built from this repository)")
	flag.StringVar(&b.rig.peers, "peers", "peers", "the folder peers/ of this module")
	flag.IntVar(&b.rounds, "rounds", 3, "how often everything is measured, in turns")
	flag.Float64Var(&seconds, "seconds", 5, "seconds of each measurement")
	flag.Float64Var(&warm, "warm", 2, "seconds before each measurement")
	flag.IntVar(&b.connections, "connections", 0, "connections (default: each work's own)")
	flag.IntVar(&b.rig.serverCore, "server-core", 0, "the core of servers and Postgres")
	flag.IntVar(&b.rig.loadCore, "load-core", 1, "the core of the side that asks")
	flag.BoolVar(&b.force, "force", os.Getenv("BENCH_FORCE") != "", "measure though others use the machine; the report says so ($BENCH_FORCE)")
	flag.Parse()
	b.seconds, b.warm = time.Duration(seconds*float64(time.Second)), time.Duration(warm*float64(time.Second))
	b.works, b.servers = chosen(works(), worksList, func(w work, name string) bool { return strings.HasPrefix(w.name, name) }),
		chosen(servers(), serverList, func(s *server, name string) bool { return s.name == name })
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if err := b.run(ctx); err != nil {
		log.Print(err)
		stop()
		os.Exit(1)
	}
}

// chosen returns those that a list names; an empty list names all.
func chosen[T any](all []T, list string, is func(T, string) bool) []T {
	if list == "" {
		return all
	}
	return slices.DeleteFunc(all, func(t T) bool {
		return !slices.ContainsFunc(strings.Split(list, ","), func(name string) bool { return is(t, name) })
	})
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
	reference := &server{}
	for _, s := range servers() {
		if s.name == piyasaName {
			reference = s
		}
	}
	if err := reference.launch(ctx, r); err != nil {
		return err
	}
	if err := r.fillPeers(ctx, reference); err != nil {
		return err
	}
	say("comparing the answers")
	type pair struct{ work, server string }
	ready := map[pair]*prepared{}
	for _, w := range b.works {
		answers, err := prepare(ctx, w, reference, nil)
		if err != nil {
			return err
		}
		ready[pair{w.name, piyasaName}] = answers
		if err := r.keep(w, answers); err != nil {
			return err
		}
	}
	for i, s := range b.servers {
		if s.name == piyasaName {
			b.servers[i] = reference
			continue
		}
		if err := s.launch(ctx, r); err != nil {
			return err
		}
		for _, w := range b.works {
			if ready[pair{w.name, s.name}], err = prepare(ctx, w, s, ready[pair{w.name, piyasaName}]); err != nil {
				return err
			}
		}
	}
	for round := range b.rounds {
		for _, w := range b.works {
			for _, s := range b.servers {
				p := ready[pair{w.name, s.name}]
				if p == nil {
					continue
				}
				m, err := b.measure(w, s, p)
				if err != nil {
					return err
				}
				fmt.Printf("round %d  %-13s %-12s %9.0f/s  %8.0f per processor second  median %7.2f ms  p99 %7.2f ms  server %3.0f %%  Postgres %3.0f %%  load %3.0f %%  others %3.0f %%  %d bytes\n",
					round+1, w.name, s.name, m.perSecond, m.perProcessor(), m.median.Seconds()*1000, m.p99.Seconds()*1000, m.server*100, m.db*100, m.asking*100, m.others*100, m.bytes)
				if ctx.Err() != nil {
					return ctx.Err()
				}
			}
		}
	}
	return nil
}
