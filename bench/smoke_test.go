package main

import (
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"piyasa/bench/dataset"
)

// TestEverythingInGo runs the whole comparison for moments, but for the peers that
// npm would have to install.
func TestEverythingInGo(t *testing.T) {
	t.Setenv("BENCH_DATA", "small") // for the peers; this process has read it already
	dataset.Stocks, dataset.Disclosures = 120, 36_000
	b := newBench()
	b.rig.peers, b.rig.piyasa = "peers", filepath.Join(t.TempDir(), "piyasa")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", b.rig.piyasa, ".")
	build.Dir = ".."
	if said, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	b.rig.serverCore, b.rig.loadCore = 0, min(1, runtime.NumCPU()-1)
	b.rounds, b.outstanding, b.force = 1, 16, true
	b.warm, b.seconds, b.paced, b.settle = 20*time.Millisecond, 100*time.Millisecond, 100*time.Millisecond, 10*time.Millisecond
	b.clients = []int{40}
	if err := b.choose("", "piyasa,constant,constant-headers,handwritten,handwritten-memory,centrifuge,nats"); err != nil {
		t.Fatal(err)
	}
	if err := b.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	report := b.report()
	for _, w := range b.works {
		servers := []string{piyasaName, "constant"}
		if w.api == restAPI {
			servers = append(servers, "constant-headers", "handwritten", "handwritten-memory")
		}
		for _, s := range servers {
			if m := b.results.requests[pair{w.name, s}]; len(m) != 1 || m[0].perSecond <= 0 {
				t.Errorf("%s of %s: %+v", w.name, s, m)
			}
		}
		if !strings.Contains(report, "## "+w.name+":") {
			t.Errorf("%s is not in the report", w.name)
		}
	}
	for _, s := range []string{piyasaName, "centrifuge", "nats"} {
		if m := b.results.streams[pair{deliveries(40), s}]; len(m) != 1 || m[0].perSecond <= 0 || m[0].paced <= 0 {
			t.Errorf("deliveries of %s: %+v", s, m)
		}
	}
	for _, s := range []string{piyasaName, "centrifuge"} {
		if all := b.results.replays[s]; len(all) != replays {
			t.Errorf("%d replays of %s", len(all), s)
		}
	}
	for _, s := range []string{piyasaName, "handwritten", "handwritten-memory"} {
		if all := b.results.starts[s]; len(all) != 1 || all[0] <= 0 {
			t.Errorf("starts of %s: %v", s, all)
		}
	}
	for _, heading := range []string{"## Ratios", "## W5", "## A replay", "## Cold start", "## The servers"} {
		if strings.Count(report, heading) != 1 {
			t.Errorf("%d times %q in the report", strings.Count(report, heading), heading)
		}
	}
}
