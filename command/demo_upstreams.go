package command

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"piyasa/collect/standin"
	"piyasa/internal/value"
	"piyasa/serve/server"
)

// upstreams are stand-ins of upstreams, served beside the demonstration on their own listener,
// because what they serve is not piyasa's.
type upstreams struct {
	*group
	file   string   // the configuration that collects from them
	config []byte   // in it
	env    []string // the environment that it needs
}

// serveUpstreams serves the stand-ins on a clock until they are stopped, and writes a
// configuration that collects from them to a folder. faults of 100 answers are wrong, chosen by
// seed. There is a JSON API for each of habits.
func serveUpstreams(ctx context.Context, folder string, clock value.Clock, faults int, seed uint64, habits []string) (*upstreams, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen for the upstreams: %w", err)
	}
	now := func() time.Time { return clock().Time() }
	mux := http.NewServeMux()
	sources := map[string]map[string]any{}
	u := &upstreams{file: filepath.Join(folder, "sources.json")}
	base := "http://" + listener.Addr().String()
	chance := rand.New(rand.NewPCG(seed, 0))
	faulty := func(maker standin.Maker) http.Handler {
		return standin.NewFaulty(maker, now, standin.Seeded(chance.Uint64(), faults, standin.Faults...))
	}
	for _, name := range slices.Sorted(maps.Keys(standin.Makers)) {
		path := "/upstreams/" + name + "/"
		mux.Handle(path, http.StripPrefix(strings.TrimSuffix(path, "/"), faulty(standin.Makers[name])))
		connector, example, err := standin.ExampleOf(name, now())
		if err != nil {
			return nil, err
		}
		if sources[name], err = u.source(connector, example); err != nil {
			return nil, fmt.Errorf("the example of %s: %w", name, err)
		}
		sources[name]["base"] = base + path
	}
	for _, habit := range habits {
		name := "json-" + habit
		mux.Handle("/upstreams/"+name+"/", http.StripPrefix("/upstreams/"+name, faulty(standin.Habits)))
		example := standin.HabitExample(habit, base+"/upstreams/"+name, now().AddDate(0, 0, -10))
		if sources[name], err = u.source("json", example); err != nil {
			return nil, fmt.Errorf("the example of %s: %w", habit, err)
		}
	}
	slices.Sort(u.env)
	u.env = slices.Compact(u.env)
	if u.config, err = json.MarshalIndent(map[string]any{"sources": sources}, "", "  "); err != nil {
		return nil, err
	}
	if err := os.WriteFile(u.file, append(u.config, '\n'), 0o600); err != nil {
		return nil, err
	}
	u.group = newGroup(ctx)
	u.start("upstreams", func(ctx context.Context) error {
		return answer(ctx, server.NewPrivateHTTP(mux), server.PrivateListener(listener), ending{})
	})
	return u, nil
}

// source returns the settings of an example, and records the credentials that it needs.
func (u *upstreams) source(connector string, example standin.Example) (map[string]any, error) {
	settings := map[string]any{}
	if example.Settings != "" {
		if err := json.Unmarshal([]byte(example.Settings), &settings); err != nil {
			return nil, err
		}
	}
	for variable, secret := range example.Env {
		u.env = append(u.env, variable+"="+secret)
	}
	settings["connector"], settings["pace"] = connector, "10ms"
	return settings, nil
}

// print prints how to collect from them.
func (u *upstreams) print(s streams, now string) {
	env := u.env
	if now != "" {
		env = append([]string{"PIYASA_NOW=" + now}, env...)
	}
	fmt.Fprintf(s.out, `
Stand-ins of upstreams are served, too, with data that they make up. This file collects from them:

%s

Check     %[2]spiyasa collect check %[3]s
Collect   %[2]spiyasa serve --listen 127.0.0.1:0 --database sqlite:collected.db --collect %[3]s
Print     %[2]spiyasa collect --dry-run %[3]s
`, u.config, strings.Join(append(env, ""), " "), u.file)
}
