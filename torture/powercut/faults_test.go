package powercut_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"piyasa/torture/powercut"
)

// faults are what a disk can do to a writer, apart from losing power.
var faults = []struct {
	name  string
	begin func(*powercut.Disk, *rand.Rand)
	end   func(*powercut.Disk)
	says  []string // one of these, SQLite's words or Postgres'
}{{
	"the disk is full",
	func(d *powercut.Disk, random *rand.Rand) { d.LimitRoom(random.Int64N(200_000)) },
	(*powercut.Disk).UnlimitRoom,
	[]string{"disk is full", "No space left on device"},
}, {
	"the disk is read-only",
	func(d *powercut.Disk, _ *rand.Rand) { d.SetReadOnly(true) },
	func(d *powercut.Disk) { d.SetReadOnly(false) },
	[]string{"disk I/O error", "readonly database", "Read-only file system"},
}, {
	"a sync fails",
	func(d *powercut.Disk, _ *rand.Rand) { d.FailSyncs(1) },
	func(*powercut.Disk) {},
	[]string{"disk I/O error"},
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
				store := func(lines int) {
					t.Helper()
					i := w.start(t, url)
					if !w.write(t, i, w.tried+lines, nil) {
						t.Fatalf("the ingester ended and said: %s", i.said)
					}
					w.end(t, i)
				}
				store(50)
				g := newGateway(t, url, createKey(t, url))
				g.answers(t, w.acked)
				for range 3 {
					i := w.start(t, url)
					if !w.write(t, i, w.tried+1+random.IntN(500), nil) {
						t.Fatalf("the ingester ended and said: %s", i.said)
					}
					fault.begin(disk.Disk, random)
					if w.write(t, i, math.MaxInt, nil) {
						t.Fatal("the disk did not fail")
					}
					w.kill(i)
					w.says(t, i, fault.says)
					g.answers(t, w.acked)
					w.checkSQLite(t, disk)
					fault.end(disk.Disk)
					store(10)
					g.answers(t, w.acked)
				}
				g.kill()
				disk.powerOn(t)
				w.checkSQLite(t, disk)
				store(10)
				disk.unmount(t)
			})
		})
	}
}

// says checks that an ingester said what was wrong.
func (w *writer) says(t *testing.T, i *ingester, oneOf []string) {
	t.Helper()
	for _, words := range oneOf {
		if strings.Contains(i.said.String(), words) {
			return
		}
	}
	t.Errorf("the ingester said: %s", i.said)
}
