package command_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"piyasa/db"
	"piyasa/db/dbtest"
	"piyasa/test/fixture/need"
)

// binary is the piyasa that the tests run, and serving the one that serves for long, which
// looks for races when the tests do: its start takes long, which short commands pay each time.
var binary, serving string

func TestMain(m *testing.M) {
	folder, err := os.MkdirTemp("", "piyasa-command-")
	if err != nil {
		panic(err)
	}
	build := func(path string, flags ...string) string {
		if out, err := exec.Command("go", append(append([]string{"build"}, flags...), "-o", path,
			"piyasa")...).CombinedOutput(); err != nil {
			fmt.Fprintf(os.Stderr, "build piyasa: %v\n%s", err, out)
			os.Exit(1)
		}
		return path
	}
	binary = build(filepath.Join(folder, "piyasa"), "-ldflags=-w")
	if serving = binary; len(raceFlags) > 0 {
		serving = build(filepath.Join(folder, "race", "piyasa"), append(raceFlags, "-ldflags=-w")...)
	}
	status := dbtest.Main(m)
	_ = os.RemoveAll(folder)
	os.Exit(status)
}

// result is what a finished command left behind.
type result struct {
	status      int
	stdout, err string
}

// run runs piyasa to its end on the database, with extra environment NAME=VALUE.
func run(t *testing.T, database, stdin string, env []string, args ...string) result {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), binary, args...)
	cmd.Env = environment(t, database, env)
	cmd.Stdin = strings.NewReader(stdin)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); err != nil && !ok {
		t.Fatalf("piyasa %v: %v", args, err)
	} else if ok && exit.ExitCode() < 0 {
		t.Fatalf("piyasa %v: %v", args, err)
	}
	return result{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}

func environment(t testing.TB, database string, more []string) []string {
	env := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "PIYASA_NOW=2026-03-18T12:00:00Z", "PIYASA_LISTEN=127.0.0.1:0",
		"PIYASA_DATABASE_TIMEOUT=20s"} // other tests use the machine, too
	if database != "" {
		env = append(env, "PIYASA_DATABASE="+database)
	}
	return append(env, more...)
}

// service is a running `piyasa serve`.
type service struct {
	t      *testing.T
	cmd    *exec.Cmd
	base   string
	stderr *need.Said
}

// deadline bounds every wait.
const deadline = time.Minute

var listening = regexp.MustCompile(`^listening on (https?://[^\s/]+|unix:\S+)$`)

// start starts a server and waits for its first line.
func start(t *testing.T, database string, env ...string) *service {
	t.Helper()
	return startVersion(t, serving, database, env...)
}

// startVersion does what start does, with another version of piyasa.
func startVersion(t *testing.T, program, database string, env ...string) *service {
	t.Helper()
	s := &service{t: t, cmd: exec.Command(program, "serve"), stderr: new(need.Said)}
	s.cmd.Env = environment(t, database, env)
	s.cmd.Stderr = s.stderr
	stdout, err := s.cmd.StdoutPipe()
	need.NoError(t, err)
	need.NoError(t, s.cmd.Start())
	t.Cleanup(func() {
		_ = s.cmd.Process.Kill()
		if t.Failed() {
			t.Logf("it said\n%s", s.stderr)
		}
	})
	line, err := bufio.NewReader(stdout).ReadString('\n')
	m := listening.FindStringSubmatch(strings.TrimSpace(line))
	if err != nil || m == nil {
		_ = s.cmd.Wait()
		t.Fatalf("the first line is %q, %v\n%s", line, err, s.stderr)
	}
	s.base = m[1]
	return s
}

// runDemo starts a demo until the test ends, and returns what it prints.
func runDemo(t *testing.T, flags ...string) io.Reader {
	t.Helper()
	demo := exec.CommandContext(t.Context(), binary, append([]string{"demo"}, flags...)...)
	demo.Env = environment(t, "", nil)
	stdout, err := demo.StdoutPipe()
	need.NoError(t, err)
	need.NoError(t, demo.Start())
	t.Cleanup(func() {
		_ = demo.Process.Signal(os.Interrupt)
		_ = demo.Wait()
	})
	return stdout
}

// startDemo starts a demo and returns its address.
func startDemo(t *testing.T) (base string) {
	t.Helper()
	line, err := bufio.NewReader(runDemo(t)).ReadString('\n')
	m := listening.FindStringSubmatch(strings.TrimSpace(line))
	if err != nil || m == nil {
		t.Fatalf("the first line is %q, %v", line, err)
	}
	return m[1]
}

// stop sends a signal and returns the exit status.
func (s *service) stop(signal os.Signal) int {
	s.t.Helper()
	need.NoError(s.t, s.cmd.Process.Signal(signal))
	done := time.AfterFunc(deadline, func() { _ = s.cmd.Process.Kill() })
	defer done.Stop()
	_ = s.cmd.Wait()
	return s.cmd.ProcessState.ExitCode()
}

// get asks for a path and returns the status and the JSON body.
func (s *service) get(path, key string) (int, map[string]any) {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), "GET", s.base+path, nil)
	need.NoError(s.t, err)
	r.Header.Set("X-API-Key", key)
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		s.t.Fatalf("%v\n%s", err, s.stderr)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	need.NoError(s.t, err)
	var body map[string]any
	if err := json.Unmarshal(text, &body); err != nil {
		s.t.Fatalf("%s: %v: %s", path, err, text)
	}
	return res.StatusCode, body
}

// eventually asks until ok, at most within the given time.
func (s *service) eventually(within time.Duration, what string, ok func() bool) {
	s.t.Helper()
	need.Eventually(s.t, within, ok, what, "\n", s.stderr)
}

// create makes the file of an SQLite database if it is missing: only serve and ingest do.
func create(t *testing.T, database string) {
	t.Helper()
	if db.Missing(database) {
		if _, err := db.Migrate(t.Context(), database); err != nil {
			t.Fatal(err)
		}
	}
}

// newKey creates a key and returns its secret and id.
func newKey(t *testing.T, database string, args ...string) (secret, id string) {
	t.Helper()
	create(t, database)
	args = append([]string{"keys", "create", "--name", "test", "--plan", "enterprise", "--json"}, args...)
	res := run(t, database, "", nil, args...)
	var key struct{ ID, Key string }
	if err := json.Unmarshal([]byte(res.stdout), &key); err != nil || res.status != 0 {
		t.Fatalf("%v: %d %s %s", args, res.status, res.stdout, res.err)
	}
	return key.Key, key.ID
}

// query sends a GraphQL document and returns the text of the answer.
func (s *service) query(document, key string) string {
	s.t.Helper()
	body, err := json.Marshal(map[string]string{"query": document})
	need.NoError(s.t, err)
	r, err := http.NewRequestWithContext(s.t.Context(), "POST", s.base+"/graphql", bytes.NewReader(body))
	need.NoError(s.t, err)
	r.Header.Set("X-API-Key", key)
	r.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		s.t.Fatalf("%v\n%s", err, s.stderr)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	need.NoError(s.t, err)
	return string(text)
}
