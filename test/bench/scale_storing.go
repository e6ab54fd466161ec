package main

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync/atomic"
	"syscall"

	natsserver "github.com/nats-io/nats-server/v2/server"

	"piyasa/test/bench/dataset"
	"piyasa/test/bench/machine"
)

// storing measures what a stored bar and a stored disclosure take, on both stores.
func (s *scale) storing(ctx context.Context) error {
	size := dataset.Size{Times: 1}
	for _, store := range growthStores {
		r := *s.own
		r.closers = nil
		if store == "sqlite" {
			defer r.close()
			if err := r.prepareEmpty(store); err != nil {
				return err
			}
			if err := r.ingest(ctx, size.WriteSeed); err != nil {
				return err
			}
		}
		for _, what := range []struct {
			name  string
			write func(string) error
		}{{"disclosure", size.WriteAdded}, {"bar", size.WriteAddedBars}} {
			path := filepath.Join(r.folder, what.name)
			if err := what.write(path); err != nil {
				return err
			}
			before, err := r.stored(ctx)
			if err != nil {
				return err
			}
			took, postgres, _, err := s.took(ctx, &r, "ingest", path)
			if err != nil {
				return err
			}
			after, err := r.stored(ctx)
			if err != nil {
				return err
			}
			s.costs[what.name+"_disk_"+store] = float64(after-before) / dataset.Added
			if store == "postgres" {
				s.costs[what.name+"_input"], s.costs[what.name+"_postgres"] = took/dataset.Added, postgres/dataset.Added
			}
		}
	}
	s.own.next = max(dataset.Disclosures, size.Disclosures()+dataset.Added)
	return nil
}

// took runs a command of piyasa, and returns how many microseconds of the processor it took,
// how many Postgres did, and its most bytes of memory.
func (s *scale) took(ctx context.Context, r *rig, words ...string) (own, postgres, memory float64, err error) {
	before, err := machine.Read(s.own.master)
	if err != nil {
		return 0, 0, 0, err
	}
	command, output := r.command(ctx, words...)
	if err := command.Run(); err != nil {
		return 0, 0, 0, fmt.Errorf("piyasa %s: %w\n%s", words[0], err, output)
	}
	after, err := machine.Read(s.own.master)
	state := command.ProcessState
	if usage, known := state.SysUsage().(*syscall.Rusage); known {
		memory = float64(usage.Maxrss) * 1024
	}
	own, postgres = (state.UserTime()+state.SystemTime()).Seconds()*1e6, (after.Of[s.own.master]-before.Of[s.own.master]).Seconds()*1e6
	return own, postgres, memory, err
}

// sinks measures what delivering a disclosure takes.
func (s *scale) sinks(ctx context.Context) error {
	var posts atomic.Int64
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		posts.Add(1)
	}))
	defer receiver.Close()
	nats, err := natsserver.NewServer(&natsserver.Options{Host: "127.0.0.1", Port: natsserver.RANDOM_PORT, NoSigs: true, NoLog: true,
		JetStream: true, StoreDir: filepath.Join(s.own.folder, "nats")})
	if err != nil {
		return err
	}
	os.Setenv("BENCH_SECRET", "whsec_"+base64.StdEncoding.EncodeToString(make([]byte, 32)))
	nats.Start()
	defer nats.Shutdown()
	if !nats.ReadyForConnections(startTime) {
		return errors.New("NATS is not ready")
	}
	for name, settings := range map[string]string{
		"folder":  fmt.Sprintf(`"folder": %q`, filepath.Join(s.own.folder, "lake")),
		"webhook": fmt.Sprintf(`"url": %q, "secret": {"env": "BENCH_SECRET"}, "from": "start", "allow_private": true`, receiver.URL),
		"nats":    fmt.Sprintf(`"servers": ["nats://%s"], "create": true`, nats.Addr()),
	} {
		path := filepath.Join(s.own.folder, name+".json")
		text := fmt.Sprintf(`{"sinks": {"%s": {"to": "%s", "kinds": ["disclosure"], %s}}}`, name, name, settings)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			return err
		}
		took, _, memory, err := s.took(ctx, s.own, "deliver", "--once", path)
		if err != nil {
			return err
		}
		s.costs["sink_"+name] = took / float64(dataset.SeedDisclosures)
		s.costs["sink_memory"] = max(s.costs["sink_memory"], memory/1e6)
	}
	if got := posts.Load(); got < int64(dataset.SeedDisclosures) {
		return fmt.Errorf("%d of %d disclosures came to the webhook", got, dataset.SeedDisclosures)
	}
	return nil
}
