package powercut_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"

	"piyasa/test/torture/powercut"
)

// seedVariable repeats the random choices of a run.
const seedVariable = "PIYASA_TORTURE_SEED"

// newSeed returns the seed of a test, and says it.
func newSeed(t *testing.T) uint64 {
	t.Helper()
	seed := rand.Uint64N(1_000_000_000)
	if text := os.Getenv(seedVariable); text != "" {
		var err error
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatalf("%s: %v", seedVariable, err)
		}
	}
	t.Logf("%s=%d repeats the random choices", seedVariable, seed)
	return seed
}

// longVariable is for how long a test goes on: a duration.
const longVariable = "TORTURE"

// rounds calls round so many times, or again and again for as long as TORTURE says,
// until the test has failed.
func rounds(t *testing.T, short int, round func()) {
	t.Helper()
	began, length := time.Now(), time.Duration(0)
	if text := os.Getenv(longVariable); text != "" {
		var err error
		if length, err = time.ParseDuration(text); err != nil {
			t.Fatalf("%s: %v", longVariable, err)
		}
	}
	n := 0
	for n < short || time.Since(began) < length {
		round()
		n++
		if t.Failed() {
			break
		}
	}
	t.Logf("%d rounds in %s", n, time.Since(began).Round(time.Second))
}

// mounted is a disk on its folder.
type mounted struct {
	*powercut.Disk
	folder string
	mount  *powercut.Mounted
}

// newMount mounts an empty disk. Where FUSE is missing, the test is skipped, and under
// CI it fails.
func newMount(t *testing.T, model powercut.Model) *mounted {
	t.Helper()
	if file, err := os.OpenFile("/dev/fuse", os.O_RDWR, 0); err != nil {
		missing := fmt.Sprintf("this test needs FUSE: %v", err)
		if os.Getenv("CI") != "" {
			t.Fatal(missing)
		}
		t.Skip(missing)
	} else {
		file.Close()
	}
	m := &mounted{Disk: powercut.NewDisk(model), folder: t.TempDir()}
	m.mountNow(t)
	t.Cleanup(func() { m.unmount(t) })
	return m
}

// unmount cuts the power, unless that has happened, and unmounts the disk.
func (m *mounted) unmount(t *testing.T) {
	t.Helper()
	m.Cut()
	if err := m.mount.Unmount(); err != nil {
		t.Error(err)
	}
}

func (m *mounted) mountNow(t *testing.T) {
	t.Helper()
	var err error
	if m.mount, err = powercut.Mount(m.Disk, m.folder); err != nil {
		t.Fatalf("mount: %v", err)
	}
}

// powerOn cuts the power, unless that has happened, and mounts what the disk then has.
func (m *mounted) powerOn(t *testing.T) {
	t.Helper()
	m.unmount(t)
	m.Disk = m.PowerOn()
	m.mountNow(t)
}
