package powercut_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"piyasa/test/torture/powercut"
)

// faults are what a disk can do to a writer, apart from losing power.
var faults = []struct {
	name  string
	begin func(*powercut.Disk, *rand.Rand)
	end   func(*powercut.Disk)
	says  []string // one of these in small letters, SQLite's words or Postgres'

	passes bool // it happens once
}{{
	"the disk is full",
	func(d *powercut.Disk, random *rand.Rand) { d.LimitRoom(random.Int64N(200_000)) },
	(*powercut.Disk).UnlimitRoom,
	[]string{"disk is full", "no space left on device"}, false,
}, {
	"the disk is read-only",
	func(d *powercut.Disk, _ *rand.Rand) { d.SetReadOnly(true) },
	func(d *powercut.Disk) { d.SetReadOnly(false) },
	[]string{"disk i/o error", "readonly database", "read-only file system"}, false,
}, {
	"a sync fails",
	func(d *powercut.Disk, _ *rand.Rand) { d.FailSync(func() {}) },
	func(*powercut.Disk) {},
	[]string{"disk i/o error", "input/output error"}, true,
}}

// A disk that fails a writer costs nothing that was acknowledged, the writer says what
// is wrong, the gateway goes on answering, and when the disk works again, so does
// ingesting: also what a later power cut leaves is whole.
func TestFaultsBelowSQLite(t *testing.T) {
	for _, fault := range faults {
		t.Run(fault.name, func(t *testing.T) {
			random := rand.New(rand.NewPCG(newSeed(t), 1))
			rounds(t, 1, func() {
				w, disk := &writer{random: random}, newMount(t, powercut.Model{Seed: random.Uint64()})
				url := "sqlite:" + disk.sqliteFile()
				w.store(t, url, 50)
				g := newGateway(t, url, createKey(t, url))
				g.answers(t, w.acked)
				for range 3 {
					i := w.start(t, url)
					if !w.write(t, i, w.tried+1+random.IntN(500), nil) {
						t.Fatalf("the ingester ended and said: %s", i.said)
					}
					fault.begin(disk.Disk, random)
					for try := 1; w.write(t, i, w.tried+2_000, nil); try++ {
						if try == 10 {
							t.Fatal("the disk did not fail")
						}
						if fault.passes { // and may have met the gateway, which stores what its key uses
							fault.begin(disk.Disk, random)
						}
					}
					w.kill(i)
					saysOneOf(t, i.said.String(), fault.says)
					g.answers(t, w.acked)
					w.checkSQLite(t, disk)
					fault.end(disk.Disk)
					w.store(t, url, 10)
					g.answers(t, w.acked)
				}
				if said := g.said.String(); strings.Contains(said, "following the database failed") {
					t.Errorf("the gateway said: %s", said)
				}
				g.kill()
				disk.powerOn(t)
				w.checkSQLite(t, disk)
				w.store(t, url, 10)
				disk.unmount(t)
			})
		})
	}
}

// The same below Postgres, which may end, and is then started again.
func TestFaultsBelowPostgres(t *testing.T) {
	random := rand.New(rand.NewPCG(newSeed(t), 1))
	rounds(t, 1, func() {
		disk := newMount(t, powercut.Model{Seed: random.Uint64()})
		w, c := &writer{random: random}, newCluster(t, disk)
		c.mustStart(t)
		for _, n := range random.Perm(len(faults)) {
			fault := faults[n]
			i := w.start(t, c.url())
			if !w.write(t, i, w.tried+1+random.IntN(500), nil) {
				t.Fatalf("the ingester ended and said: %s", i.said)
			}
			fault.begin(disk.Disk, random)
			if w.write(t, i, w.tried+20_000, nil) {
				t.Fatalf("%s, and the ingester went on", fault.name)
			}
			w.kill(i)
			saysOneOf(t, i.said.String()+c.heardNow(t), fault.says)
			fault.end(disk.Disk)
			c.kill()
			c.mustStart(t)
			c.check(t, w)
		}
		w.store(t, c.url(), 10)
		c.powerOn(t)
		c.mustStart(t)
		c.check(t, w)
		c.kill()
		disk.unmount(t)
	})
}

// saysOneOf checks that what was said has one of some words.
func saysOneOf(t *testing.T, said string, words []string) {
	t.Helper()
	if !slices.ContainsFunc(words, func(words string) bool { return strings.Contains(strings.ToLower(said), words) }) {
		t.Errorf("it was said: %s", tail(said))
	}
}

// A writer that is killed right after a sync has failed leaves rows that others see
// and that the disk lost. What is acknowledged after them survives a power cut.
func TestKilledAfterAFailedSync(t *testing.T) {
	random := rand.New(rand.NewPCG(newSeed(t), 1))
	rounds(t, 6, func() {
		w, disk := &writer{random: random}, newMount(t, powercut.Model{Seed: random.Uint64()})
		url := "sqlite:" + disk.sqliteFile()
		i := w.start(t, url)
		if !w.write(t, i, w.tried+50, nil) {
			t.Fatalf("the ingester ended and said: %s", i.said)
		}
		disk.FailSync(func() { _ = i.command.Process.Kill() })
		w.write(t, i, w.tried+300, nil)
		w.kill(i)
		for range 3 { // processes that are killed, too: one that ends writes all rows to the file
			i := w.start(t, url)
			if !w.write(t, i, w.tried+20, nil) {
				t.Fatalf("the ingester ended and said: %s", i.said)
			}
			w.kill(i)
		}
		disk.powerOn(t)
		w.checkSQLite(t, disk)
		disk.unmount(t)
	})
}
