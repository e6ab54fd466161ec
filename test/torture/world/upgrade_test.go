package world

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"piyasa/test/fixture/need"
)

// newer builds a piyasa with one more migration, which changes a table that everybody uses
// and builds an index of it.
func newer(w *World) (program string) {
	w.T.Helper()
	root, err := filepath.Abs("../../..")
	need.NoError(w.T, err)
	replace := map[string]string{}
	for name, text := range map[string]string{
		"9998_newer.up.sql": "ALTER TABLE disclosures ADD COLUMN newer TEXT;\n--bun:split\nCREATE TABLE newer (n " +
			"BIGINT PRIMARY KEY);\n",
		"9999_newer_index.up.sql": "CREATE INDEX {{.Beside}} disclosures_newer ON disclosures (newer);\n",
	} {
		path := filepath.Join(w.folder, name)
		need.NoError(w.T, os.WriteFile(path, []byte(text), 0o600))
		replace[filepath.Join(root, "db/migrations", name)] = path
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	need.NoError(w.T, err)
	list := filepath.Join(w.folder, "overlay.json")
	need.NoError(w.T, os.WriteFile(list, overlay, 0o600))
	program = filepath.Join(w.folder, "newer")
	build := exec.Command("go", "build", "-overlay", list, "-o", program, ".")
	build.Dir = root
	if said, err := build.CombinedOutput(); err != nil {
		w.T.Fatalf("building a newer piyasa: %v\n%s", err, said)
	}
	return program
}

// load asks those gateways that say that they are ready, all the time.
type load struct {
	gateways []*Gateway
	ready    []atomic.Bool
	turn     atomic.Int64
	asked    atomic.Int64
	failed   func(string, ...any)
	running  sync.WaitGroup
	stop     context.CancelFunc
}

func (w *World) ask(key string, gateways ...*Gateway) *load {
	ctx, stop := context.WithCancel(w.T.Context())
	l := &load{gateways: gateways, ready: make([]atomic.Bool, len(gateways)), failed: w.T.Errorf, stop: stop}
	for i, g := range gateways {
		l.running.Go(func() { l.follow(ctx, i, "http://"+g.Network.Address+"/readyz") })
	}
	for range 4 {
		l.running.Go(func() { l.ask(ctx, key) })
	}
	w.Wait("all gateways are ready", func(context.Context) bool { return l.allReady() })
	return l
}

func (l *load) allReady() bool {
	for i := range l.ready {
		if !l.ready[i].Load() {
			return false
		}
	}
	return true
}

// follow learns whether a gateway is ready, as a balancer does.
func (l *load) follow(ctx context.Context, i int, address string) {
	look := time.NewTicker(20 * time.Millisecond)
	defer look.Stop()
	client := &http.Client{Timeout: time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	for ctx.Err() == nil {
		res, err := client.Get(address)
		if err == nil {
			_ = res.Body.Close()
		}
		l.ready[i].Store(err == nil && res.StatusCode == http.StatusOK)
		<-look.C
	}
}

func (l *load) ask(ctx context.Context, key string) {
	client := &http.Client{Timeout: deadline}
	pace := time.NewTicker(10 * time.Millisecond)
	defer pace.Stop()
	for ; ctx.Err() == nil; <-pace.C {
		i := int(l.turn.Add(1)) % len(l.gateways)
		if !l.ready[i].Load() {
			continue
		}
		// The client's library does not send a POST again when a connection ends.
		r, err := http.NewRequest(http.MethodPost, "http://"+l.gateways[i].Network.Address+"/graphql",
			strings.NewReader(`{"query": "{ disclosures(limit: 5) { items { disclosureIndex type } } }"}`))
		if err != nil {
			l.failed("%v", err)
			return
		}
		r.GetBody = nil
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("X-API-Key", key)
		res, err := client.Do(r)
		if err != nil {
			l.failed("a request failed: %v", err)
			continue
		}
		text, err := io.ReadAll(res.Body)
		_ = res.Body.Close()
		if err != nil || res.StatusCode != http.StatusOK || strings.Contains(string(text), `"errors"`) {
			l.failed("a request failed: %d %s %v", res.StatusCode, text, err)
		}
		l.asked.Add(1)
	}
}

// Gateways are replaced by those of a newer version, which migrates the database, one after
// the other: no request fails, and nothing is lost on streams. Meanwhile both versions serve
// and the older ingest stores. The older version does not start again.
func TestRollingUpgrade(t *testing.T) {
	t.Parallel()
	w := New(t)
	program := newer(w)
	primary := w.NewPostgres("primary")
	url := primary.URL()
	key := w.NewKey(url)
	_, unlimited := w.NewKeyOf(url, "internal", "kap") // gateways that start later know it
	writer := w.NewWriter(url)
	one, two := w.NewGateway("one", url, "PIYASA_LAME_DUCK=2s"), w.NewGateway("two", url, "PIYASA_LAME_DUCK=2s")
	w.NewClients(key, one, two)
	writer.Write(50)
	w.AwaitAll(50)
	load := w.ask(unlimited, one, two)

	w.Fault("the first gateway is replaced by a newer version")
	before := load.asked.Load()
	one.Replace(program)
	w.Wait("both versions serve", func(context.Context) bool { return load.allReady() })
	writer.Write(50)
	w.AwaitAll(100)

	old := exec.Command(piyasa(t), "keys", "list")
	old.Env = environment(w, url)
	if said, err := old.CombinedOutput(); err == nil ||
		!strings.Contains(string(said), "a newer version of piyasa has updated the database (migration 9998)") {
		t.Errorf("the older version, started again: %v %s", err, said)
	}

	w.Fault("the second gateway is replaced, too")
	two.Replace(program)
	w.Wait("both serve again", func(context.Context) bool { return load.allReady() })
	writer.Write(30)
	w.AwaitAll(130)
	load.stop()
	load.running.Wait()
	if asked := load.asked.Load(); asked < before+100 {
		t.Errorf("only %d requests", asked-before)
	} else {
		t.Log(fmt.Sprint(asked, " requests"))
	}
	w.Finish(url)
}
