package main

import (
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"piyasa/test/bench/dataset"
	"piyasa/test/fixture/need"
)

// smallBench measures for moments, with little data.
func smallBench(t *testing.T) *bench {
	t.Setenv("BENCH_DATA", "small") // for the peers; this process has read it already
	dataset.Stocks, dataset.Disclosures, dataset.SeedDisclosures = 120, 36_000, 2_000
	b := newBench()
	b.rig.peers, b.rig.piyasa = "peers", filepath.Join(t.TempDir(), "piyasa")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", b.rig.piyasa, ".")
	build.Dir = "../.."
	if said, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	b.rig.serverCore, b.rig.loadCore = 0, min(1, runtime.NumCPU()-1)
	b.rounds, b.outstanding, b.force = 1, 16, true
	b.warm, b.seconds, b.paced, b.settle = 20*time.Millisecond, 100*time.Millisecond, 100*time.Millisecond, 10*time.Millisecond
	return b
}

// Light requests are answered beside heavy ones, at every rate.
func TestOverload(t *testing.T) {
	o := &overload{bench: smallBench(t)}
	o.seconds = 3 * time.Second // in which a busy machine gives a heavy answer, too
	need.NoError(t, o.run(t.Context()))
	for _, w := range append(o.rows, o.normal) {
		if len(w.light) == 0 || w.times > 0 && w.heavy == 0 {
			t.Errorf("%+v", w)
		}
	}
	if report := o.report(); strings.Count(report, "MiB") != len(offeredTimes) {
		t.Errorf("reported:\n%s", report)
	}
}

// TestGrowth lets piyasa verify what is grown, and asks for it.
func TestGrowth(t *testing.T) {
	g, err := newGrowth(smallBench(t), "1", "", true)
	need.NoError(t, err)
	need.NoError(t, g.run(t.Context()))
	if len(g.grown) != 2 {
		t.Fatalf("%d stores", len(g.grown))
	}
	for _, m := range g.grown {
		for _, w := range growthWorks(m.size) {
			if m.works[w.name].median <= 0 {
				t.Errorf("%s on %s: %+v", w.name, m.store, m.works[w.name])
			}
		}
		if m.mixed.perSecond <= 0 || m.ingested["bars"] <= 0 || m.ingested["disclosures"] <= 0 || m.resident <= 0 || m.stored <= 0 {
			t.Errorf("%+v", m)
		}
	}
	if report := g.report(); !strings.Contains(report, "| disclosures | 20,000 |") || strings.Count(report, "## ") != 2 {
		t.Errorf("reported:\n%s", report)
	}
	for _, wrong := range []string{"", "0", "x", "1,,2"} {
		if _, err := newGrowth(newBench(), wrong, "", false); err == nil {
			t.Errorf("-grow %q is taken", wrong)
		}
	}
	if _, err := newGrowth(newBench(), "1", "oracle", false); err == nil {
		t.Error("-stores oracle is taken")
	}
}

// TestEverythingInGo runs the whole comparison for moments, but for the peers that
// npm would have to install.
func TestEverythingInGo(t *testing.T) {
	b := smallBench(t)
	b.clients = []int{40}
	need.NoError(t, b.choose("", "piyasa,constant,constant-headers,handwritten,handwritten-memory,centrifuge,nats,loop"))
	need.NoError(t, b.run(t.Context()))
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
	for _, s := range []string{piyasaName, "centrifuge", "nats", "loop"} {
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
