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
)

func say(format string, values ...any) { fmt.Fprintf(os.Stderr, format+"\n", values...) }

func main() {
	log.SetFlags(0)
	b := newBench()
	var worksList, serverList, report, grow, stores string
	var verify, overloaded, scaled bool
	var seconds, warm float64
	flag.StringVar(&worksList, "works", "", "what to measure, by the beginning of names: W1,W3-rest,W5-1000,replay,start (default: all)")
	flag.StringVar(&serverList, "servers", "", "servers to measure (default: all)")
	flag.StringVar(&b.rig.piyasa, "piyasa", "../../bin/piyasa", "the program piyasa, which \"make build\" makes")
	flag.StringVar(&b.rig.peers, "peers", "peers", "the folder peers/ of this module")
	flag.IntVar(&b.rounds, "rounds", 3, "how often everything is measured, in turns")
	flag.Float64Var(&seconds, "seconds", 5, "seconds of each measurement")
	flag.Float64Var(&warm, "warm", 2, "seconds before each measurement")
	flag.IntVar(&b.connections, "connections", 0, "connections (default: each work's own)")
	flag.IntVar(&b.outstanding, "outstanding", 512, "disclosures on their way to clients when deliveries are saturated")
	flag.IntVar(&b.rig.serverCore, "server-core", 0, "the core of servers and Postgres")
	flag.IntVar(&b.rig.loadCore, "load-core", 1, "the core of the side that asks")
	flag.StringVar(&report, "report", "", "write a report in Markdown to this file")
	flag.StringVar(&grow, "grow", "",
		"instead of comparing servers, measure piyasa with so many times 200,000 disclosures and a million bars: 1,10,100; "+
			"and a year of snapshots: year")
	flag.BoolVar(&overloaded, "overload", false,
		"instead of comparing servers, offer piyasa more heavy requests than it can answer, beside light ones")
	flag.BoolVar(&scaled, "scale", false,
		"instead of comparing servers, measure what each part of piyasa costs, and up to 40 gateways on one Postgres")
	flag.StringVar(&stores, "stores", "", "of -grow: sqlite,postgres (default: both)")
	flag.BoolVar(&verify, "verify", false, "of -grow: let piyasa verify each database")
	flag.BoolVar(&b.force, "force", os.Getenv("BENCH_FORCE") != "",
		"measure though others use the machine; the report says so ($BENCH_FORCE)")
	flag.Parse()
	b.seconds, b.warm = time.Duration(seconds*float64(time.Second)), time.Duration(warm*float64(time.Second))
	if err := b.choose(worksList, serverList); err != nil {
		log.Fatal(err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	var measured interface {
		run(context.Context) error
		report() string
	} = b
	if grow != "" {
		g, err := newGrowth(b, grow, stores, verify)
		if err != nil {
			log.Fatal(err)
		}
		measured = g
	}
	if overloaded {
		measured = &overload{bench: b}
	}
	if scaled {
		measured = &scale{bench: b, path: report, sizes: wholeScale}
	}
	err := measured.run(ctx)
	if err == nil && report != "" {
		err = os.WriteFile(report, []byte(measured.report()), 0o644)
	}
	if err != nil {
		log.Print(err)
		stop()
		os.Exit(1)
	}
}

// choose decides what is measured.
func (b *bench) choose(worksList, serverList string) error {
	var unknown []string
	pick := func(list string, known []string, matches func(name, wanted string) bool) map[string]bool {
		wanted := strings.FieldsFunc(list, func(c rune) bool { return c == ',' })
		picked := map[string]bool{}
		for _, name := range known {
			picked[name] = list == "" || slices.ContainsFunc(wanted, func(w string) bool { return matches(name, w) })
		}
		for _, w := range wanted {
			if !slices.ContainsFunc(known, func(name string) bool { return matches(name, w) }) {
				unknown = append(unknown, fmt.Sprintf("%s (known: %s)", w, strings.Join(known, " ")))
			}
		}
		return picked
	}
	var names []string
	for _, w := range works() {
		names = append(names, w.name)
	}
	for _, n := range b.clients {
		names = append(names, deliveries(n))
	}
	isWork := pick(worksList, append(names, "replay", "start"), strings.HasPrefix)
	names = nil
	for _, s := range servers() {
		names = append(names, s.name)
	}
	for _, s := range streamers() {
		names = append(names, s.name)
	}
	isServer := pick(serverList, names, func(name, wanted string) bool { return name == wanted })
	b.works = slices.DeleteFunc(works(), func(w work) bool { return !isWork[w.name] })
	b.clients = slices.DeleteFunc(b.clients, func(n int) bool { return !isWork[deliveries(n)] })
	b.replays, b.starts = isWork["replay"], isWork["start"]
	b.servers = slices.DeleteFunc(servers(), func(s *server) bool { return !isServer[s.name] })
	b.streamers = slices.DeleteFunc(streamers(), func(s streamer) bool { return !isServer[s.name] })
	if len(unknown) > 0 {
		return fmt.Errorf("unknown: %s", strings.Join(unknown, "; "))
	}
	return nil
}
