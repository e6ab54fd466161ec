package machine

import (
	"os"
	"os/exec"
	"testing"
	"time"

	"piyasa/test/fixture/need"
)

func TestReadProcess(t *testing.T) {
	p, err := readProcess([]byte("42 (a) b (c) S 7 1 1 0 -1 4194560 1 2 3 4 150 50 20 5 20 0 1 0 9 10 11 12\n"))
	if want := (process{42, 7, 2 * time.Second, 250 * time.Millisecond}); err != nil || p != want {
		t.Errorf("%+v, %v instead of %+v", p, err, want)
	}
	for _, wrong := range []string{"", "42", "42 (x", "42 (x) S 7", "x (x) S 7 1 1 0 -1 4194560 1 2 3 4 150 50 20 5 20 0"} {
		if _, err := readProcess([]byte(wrong)); err == nil {
			t.Errorf("%q is taken", wrong)
		}
	}
}

func TestBusy(t *testing.T) {
	took, err := busy([]byte("cpu  100 10 20 90000 5000 1 2 3 50 60\ncpu0 1 1 1 1 1 1 1 1 1 1\n"))
	if err != nil || took != 1330*time.Millisecond {
		t.Errorf("%s, %v", took, err)
	}
	for _, wrong := range []string{"", "cpu0 1 2 3 4 5 6 7 8", "cpu 1 2 3", "cpu a b c d e f g h i"} {
		if _, err := busy([]byte(wrong)); err == nil {
			t.Errorf("%q is taken", wrong)
		}
	}
}

// TestWhoTookTheTime burns time in a child and expects it among ours, not among
// that of others, also after the child has ended.
func TestWhoTookTheTime(t *testing.T) {
	burn := exec.Command("sh", "-c", "while :; do :; done")
	before, err := Read()
	need.NoError(t, err)
	need.NoError(t, burn.Start())
	id := burn.Process.Pid
	defer burn.Process.Kill()
	for deadline := time.Now().Add(20 * time.Second); ; {
		after, err := Read(id)
		need.NoError(t, err)
		if after.Of[id] >= 200*time.Millisecond {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("the child took %s", after.Of[id])
		}
		time.Sleep(10 * time.Millisecond)
	}
	burn.Process.Kill()
	burn.Wait()
	after, err := Read()
	need.NoError(t, err)
	if ours := after.Ours - before.Ours; ours < 200*time.Millisecond {
		t.Errorf("a child that has ended leaves %s", ours)
	}
	if parent, err := Parent(os.Getpid()); err != nil || parent != os.Getppid() {
		t.Errorf("the parent is %d, %v instead of %d", parent, err, os.Getppid())
	}
	if resident, err := Resident(os.Getpid()); err != nil || resident < 1<<20 {
		t.Errorf("%d bytes, %v", resident, err)
	}
}

func TestShares(t *testing.T) {
	at := time.Now()
	before := Usage{At: at, Everyone: 10 * time.Second, Ours: 4 * time.Second, Of: map[int]time.Duration{1: time.Second}}
	after := Usage{At: at.Add(2 * time.Second), Everyone: 13 * time.Second, Ours: 6 * time.Second,
		Of: map[int]time.Duration{1: 2 * time.Second}}
	if others, took := before.Others(after), before.Took(after, 1); others != 0.5 || took != 0.5 {
		t.Errorf("others %g, took %g", others, took)
	}
	after.Everyone = 11 * time.Second // ticks are coarse
	if others := before.Others(after); others != 0 {
		t.Errorf("others took %g", others)
	}
}
