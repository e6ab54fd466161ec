package world

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"piyasa/test/fixture/need"
)

// Gateway is a `piyasa serve` that can be started again and again, behind an address
// that stays the same.
type Gateway struct {
	Network *Proxy // between clients and the gateway
	Address string // of the process that runs, HOST:PORT, without the network in between

	w        *World
	program  string
	database string
	env      []string
	log      said
	process  *process
}

// NewGateway starts a gateway, with extra environment NAME=VALUE.
func (w *World) NewGateway(name, database string, env ...string) *Gateway {
	w.T.Helper()
	g := &Gateway{w: w, program: piyasa(w.T), database: database, env: env}
	g.log.onLine = w.notices("gateway " + name)
	showAtFailure(w.T, "gateway "+name, &g.log)
	g.launch()
	g.Network = NewProxy(w.T, g.Address)
	w.T.Cleanup(func() {
		if g.process != nil {
			g.end(syscall.SIGKILL)
		}
	})
	return g
}

// launches is how often a gateway may try to start: a busy machine may keep the database from
// answering within a short deadline, and what runs services starts them again.
const launches = 5

// launch starts the process and learns its address.
func (g *Gateway) launch() {
	g.w.T.Helper()
	for range launches {
		if g.launched() {
			return
		}
	}
	g.w.T.Fatalf("the gateway does not start\n%s", &g.log)
}

// launched starts the process once, and reports whether it says its address.
func (g *Gateway) launched() bool {
	g.w.T.Helper()
	cmd := exec.Command(g.program, "serve")
	cmd.Env = append(environment(g.w, g.database), g.env...)
	cmd.Stderr = &g.log
	lines, out, err := os.Pipe()
	need.NoError(g.w.T, err)
	defer lines.Close()
	cmd.Stdout = out
	g.process, err = startProcess(cmd, syscall.SIGKILL)
	_ = out.Close() // the child's copy stays
	need.NoError(g.w.T, err)
	need.NoError(g.w.T, lines.SetReadDeadline(time.Now().Add(deadline)))
	line, err := bufio.NewReader(lines).ReadString('\n')
	address, ok := strings.CutPrefix(strings.TrimSpace(line), "listening on http://")
	if !ok {
		if !strings.Contains(g.log.String(), "did not answer within") {
			g.w.T.Fatalf("the first line of the gateway is %q, %v\n%s", line, err, &g.log)
		}
		g.end(syscall.SIGKILL)
		return false
	}
	g.Address = address
	return true
}

// environment is what every piyasa of a world has in common.
func environment(w *World, database string) []string {
	return []string{"PATH=" + os.Getenv("PATH"), "HOME=" + w.folder, "PIYASA_LISTEN=127.0.0.1:0", "PIYASA_DATABASE=" + database}
}

// Kill kills the gateway.
func (g *Gateway) Kill() { g.end(syscall.SIGKILL) }

// Stop stops the gateway in order.
func (g *Gateway) Stop() { g.end(syscall.SIGTERM) }

func (g *Gateway) end(signal syscall.Signal) {
	g.process.signal(g.w.T, signal)
	select {
	case <-g.process.ended:
	case <-time.After(deadline):
		g.process.signal(g.w.T, syscall.SIGKILL)
		<-g.process.ended
	}
	g.process = nil
}

// Start starts the gateway again, with other extra environment if any is given.
func (g *Gateway) Start(env ...string) {
	g.w.T.Helper()
	if len(env) > 0 {
		g.env = env
	}
	g.launch()
	g.Network.Switch(g.Address)
}

// Replace stops the gateway in order and starts another version in its place.
func (g *Gateway) Replace(program string) {
	g.w.T.Helper()
	g.Stop()
	g.program = program
	g.Start()
}

// NewKey makes a key that may read disclosures.
func (w *World) NewKey(database string) string {
	w.T.Helper()
	_, secret := w.NewKeyOf(database, "enterprise", "kap")
	return secret
}

// NewKeyOf makes a key with a plan and scopes.
func (w *World) NewKeyOf(database, plan, scopes string) (id, secret string) {
	w.T.Helper()
	if path, ok := strings.CutPrefix(database, "sqlite:"); ok {
		if _, err := os.Stat(path); os.IsNotExist(err) {
			w.Piyasa(database, "ingest", os.DevNull) // keys are not made in a database that does not exist
		}
	}
	var key struct{ ID, Key string }
	if err := json.Unmarshal(w.Piyasa(database, "keys", "create", "--name", "torture", "--plan", plan, "--scopes", scopes, "--json"),
		&key); err != nil {
		w.T.Fatal(err)
	}
	return key.ID, key.Key
}

// Piyasa runs piyasa to its end, which must be a success, and returns its standard output.
func (w *World) Piyasa(database string, args ...string) []byte {
	w.T.Helper()
	return runPiyasa(w.T, environment(w, database), args...)
}

// runPiyasa runs piyasa to its end and returns its standard output.
func runPiyasa(t testing.TB, env []string, args ...string) []byte {
	t.Helper()
	var messages said
	cmd := exec.Command(piyasa(t), args...)
	cmd.Env, cmd.Stderr = append(env, "PIYASA_DATABASE_TIMEOUT=20s"), &messages // the machine is at work
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("piyasa %v: %v\n%s%s", args, err, out, &messages)
	}
	return out
}

// SQLite returns the address of a new SQLite file and its path.
func (w *World) SQLite() (url, path string) {
	path = filepath.Join(w.folder, "piyasa.db")
	return "sqlite:" + path, path
}
