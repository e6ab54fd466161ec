package world

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"

	"piyasa/test/fixture/need"
	"piyasa/test/torture/history"
)

// binaryVariable names a piyasa to break instead of building the one of this
// repository.
const binaryVariable = "TORTURE_PIYASA"

var binary struct {
	once sync.Once
	path string
	err  error
}

// piyasa returns the program, built once per process.
func piyasa(t testing.TB) string {
	t.Helper()
	binary.once.Do(func() {
		if binary.path = os.Getenv(binaryVariable); binary.path != "" {
			return
		}
		_, file, _, _ := runtime.Caller(0)
		binary.path = filepath.Join(filepath.Dir(file), "../../../out/torture/piyasa") // bin/piyasa may be in use
		build := exec.Command("go", "build", "-o", binary.path, ".")
		build.Dir = filepath.Join(filepath.Dir(file), "../../..")
		if output, err := build.CombinedOutput(); err != nil {
			binary.err = fmt.Errorf("%w\n%s", err, output)
		}
	})
	if binary.err != nil {
		t.Fatalf("building piyasa: %v", binary.err)
	}
	return binary.path
}

// starter starts processes on a thread that lives as long as this process does: the
// signal that ends a child with its parent comes when the parent's thread ends.
var starter = sync.OnceValue(func() chan<- func() {
	work := make(chan func())
	go func() {
		runtime.LockOSThread()
		for f := range work {
			f()
		}
	}()
	return work
})

// process is a child that ends with this process at the latest.
type process struct {
	*exec.Cmd
	ended chan struct{}
}

// startProcess starts a command; it receives last if this process dies.
func startProcess(cmd *exec.Cmd, last syscall.Signal) (*process, error) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Pdeathsig = last
	cmd.SysProcAttr.Setpgid = true // Ctrl-C is for the tests, which end it
	started := make(chan error)
	starter() <- func() { started <- cmd.Start() }
	if err := <-started; err != nil {
		return nil, err
	}
	p := &process{cmd, make(chan struct{})}
	go func() {
		_ = cmd.Wait() // its status does not matter; its output does
		close(p.ended)
	}()
	return p, nil
}

// signal sends a signal, unless the process has ended.
func (p *process) signal(t testing.TB, signal syscall.Signal) {
	t.Helper()
	if err := p.Process.Signal(signal); err != nil && !errors.Is(err, os.ErrProcessDone) {
		t.Fatal(err)
	}
}

// said is what a process has written, for the log of a test that fails.
type said struct {
	need.Said
	onLine func(line string) // may be nil

	mu   sync.Mutex
	line []byte // the last one, while it is incomplete
}

// Write keeps the end of what was written.
func (s *said) Write(p []byte) (int, error) {
	_, _ = s.Said.Write(p) // it has no errors
	if s.onLine == nil {
		return len(p), nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.line = append(s.line, p...)
	for {
		line, rest, complete := bytes.Cut(s.line, []byte("\n"))
		if !complete {
			return len(p), nil
		}
		s.onLine(string(line))
		s.line = bytes.Clone(rest)
	}
}

// showAtFailure logs what a process said if the test fails.
func showAtFailure(t testing.TB, name string, s *said) {
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("%s said:\n%s", name, s)
		}
	})
}

// notices returns a log of a piyasa that records its messages about losses.
func (w *World) notices(actor string) func(string) {
	return func(line string) {
		if strings.Contains(line, "the store may have gone back") || strings.Contains(line, "the store went back") {
			w.Recorder.Record(history.Entry{Kind: history.Notice, Actor: actor, Text: line})
		}
	}
}
