package deliver_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"piyasa/serve/deliver"
	"piyasa/test/fixture"
	"piyasa/test/fixture/need"
)

// What is wrong with settings, servers and streams is said.
func TestNATSCheck(t *testing.T) {
	t.Parallel()
	for settings, want := range map[string]string{
		`"servers": []`:                        `"servers" must list`,
		`"servers": ["http://a"]`:              `"servers" must be addresses such as`,
		`"servers": ["nats://me:secret@a"]`:    `without credentials`,
		`"subjects": "a.>"`:                    `"subjects" must be words`,
		`"subjects": "a..b"`:                   `"subjects" must be words`,
		`"stream": "a b"`:                      `"stream" must be at most 100`,
		`"replicas": 9`:                        `"replicas" must be from 1 to 5`,
		`"max_age": "1m"`:                      `"max_age" must be a duration from 1h`,
		`"max_bytes": -1`:                      `"max_bytes" must not be negative`,
		`"user": "me"`:                         `state one of "token", "user" with "password"`,
		`"token": {"env": "NO_SUCH_VARIABLE"}`: `NO_SUCH_VARIABLE`,
		`"nkey": "/nowhere"`:                   `"nkey": `,
		`"speed": 1`:                           `"speed" is unknown`,
	} {
		if !strings.HasPrefix(settings, `"servers"`) {
			settings += `, "servers": ["nats://a"]`
		}
		_, err := deliver.ReadConfig([]byte(`{"sinks": {"bus": {"to": "nats", ` + settings + `}}}`))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", settings, err, want)
		}
	}
	n := startNATS(t, func(o *server.Options) { o.Authorization = "a token" })
	token := filepath.Join(t.TempDir(), "token")
	w := newWorld(t, n.ClientURL())
	check := func(want string, changes ...string) {
		t.Helper()
		sink := w.sink
		w.sink = strings.NewReplacer(changes...).Replace(sink)
		err := w.deliverer(w.store).Check(t.Context())[0].Err
		if fmt.Sprint(err) != want && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %s", w.sink, err, want)
		}
		w.sink = sink
	}
	check("Authorization Violation")
	writeFile(t, token, "a token")
	w.sink = strings.Replace(w.sink, `"nats",`, fmt.Sprintf(`"nats", "token": {"file": %q},`, token), 1)
	check("<nil>")
	check("there is no stream PIYASA: create it with `nats stream add PIYASA --subjects 'piyasa.>' --storage file --replicas 1 "+
		"--retention limits --discard old --max-age 48h --max-bytes 1000000 --defaults`", `"create": true`,
		`"max_age": "48h", "max_bytes": 1000000`)
	w.soon(w.store)
	check("<nil>", `"create": true,`, "")
	check("must be of the sink alone: its subjects other.>", `"create": true`, `"subjects": "other"`)
	w.put(w.disclosure())
	w.soon(w.store)
	other := newWorld(t, n.ClientURL())
	other.sink = w.sink
	config, err := deliver.ReadConfig([]byte(`{"sinks": {"other": ` + w.sink + `}}`))
	need.NoError(t, err)
	defer config.Close()
	d := deliver.Deliverer{Config: config, Log: other.store, Holder: "other", Now: time.Now}
	want := `messages of the sink "bus"; each sink needs a stream of its own`
	if err := d.Once(t.Context())[0].Err; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("another sink: %v", err)
	}
}

// The documentation's server, rights, sink and command suit each other.
func TestNATSDocs(t *testing.T) {
	t.Setenv("NATS_PASSWORD", "one")
	t.Setenv("NATS_ADMIN_PASSWORD", "two")
	page, err := os.ReadFile("../../docs/deliver.md")
	need.NoError(t, err)
	_, section, _ := strings.Cut(string(page), "\n## NATS JetStream\n")
	block := func(language string) string {
		_, rest, _ := strings.Cut(section, "```"+language+"\n")
		text, _, _ := strings.Cut(rest, "```")
		return text
	}
	file := filepath.Join(t.TempDir(), "nats.conf")
	writeFile(t, file, block("conf"))
	n := startNATS(t, func(o *server.Options) {
		own := *o
		*o = server.Options{}
		need.NoError(t, o.ProcessConfigFile(file))
		o.Host, o.Port, o.StoreDir, o.NoLog, o.NoSigs = own.Host, own.Port, own.StoreDir, true, true
	})
	w := newWorld(t)
	var config struct{ Sinks map[string]json.RawMessage }
	need.NoError(t, json.Unmarshal([]byte(block("json")), &config))
	w.sink = strings.Replace(string(config.Sinks["bus"]), "nats://127.0.0.1:4222", n.ClientURL(), 1)
	if err := w.once(w.store); err == nil || !strings.Contains(err.Error(), "`"+strings.TrimSpace(block("text"))+"`") {
		t.Errorf("it says how to create the stream: %v", err)
	}
	w.put(w.disclosure("A"))
	w.sink = strings.Replace(w.sink, `"nats",`, `"nats", "create": true,`, 1)
	w.soon(w.store)
	w.soon(failing{w.store, rand.New(rand.NewPCG(1, 1)), false})
	w.check(consume(t, strings.Replace(n.ClientURL(), "nats://", "nats://admin:two@", 1), stream))
}

// A cluster that loses a node, and the leader of the stream, loses nothing and gets nothing twice.
func TestNATSCluster(t *testing.T) {
	if testing.Short() {
		t.Skip("elections take seconds")
	}
	t.Parallel()
	nodes := cluster(t)
	w, chance := newWorld(t, nodes[0].ClientURL(), nodes[1].ClientURL(), nodes[2].ClientURL()), rand.New(rand.NewPCG(7, 8))
	w.soon(w.store)
	ctx, stop := context.WithCancel(t.Context())
	var writing sync.WaitGroup
	d := w.deliverer(w.store)
	delivered := make(chan struct{})
	go func() {
		defer close(delivered)
		for ctx.Err() == nil {
			if o := d.Once(t.Context()); o[0].Err != nil {
				time.Sleep(50 * time.Millisecond)
			}
		}
	}()
	written := make(chan struct{})
	writing.Go(func() {
		for ctx.Err() == nil {
			w.some(chance)
			select {
			case written <- struct{}{}:
			default:
			}
			time.Sleep(10 * time.Millisecond)
		}
	})
	for _, leader := range []bool{true, false} {
		for range 20 {
			<-written
		}
		at := slices.IndexFunc(nodes, func(n *natsServer) bool { return n.JetStreamIsStreamLeader("$G", stream) == leader })
		if at < 0 {
			t.Fatal("there is no such node")
		}
		nodes[at].stop()
		for range 20 {
			<-written
		}
		fixture.Eventually(t, "a leader", func() bool {
			return slices.ContainsFunc(nodes, func(n *natsServer) bool { return n.Running() && n.JetStreamIsStreamLeader("$G", stream) })
		})
		nodes[at].start(t)
		fixture.Eventually(t, "the node again", func() bool { return nodes[at].JetStreamIsCurrent() })
	}
	stop()
	writing.Wait()
	<-delivered
	w.soon(w.store)
	w.check(consume(t, nodes[0].ClientURL(), stream))
}

func BenchmarkNATS(b *testing.B) {
	n := startNATS(b, nil)
	w := newWorld(b, n.ClientURL())
	const bars = 50_000
	var records []any
	for i := range bars {
		records = append(records, bar(fmt.Sprint("S", i%100), i/100, 1))
	}
	w.put(records...)
	for b.Loop() {
		b.StopTimer()
		n.stop()
		n.options.StoreDir = b.TempDir()
		n.start(b)
		log := unclaimed{w.store, new(atomic.Pointer[json.RawMessage])}
		b.StartTimer()
		need.NoError(b, w.once(log))
	}
	b.ReportMetric(float64(bars*b.N)/b.Elapsed().Seconds(), "messages/s")
}
