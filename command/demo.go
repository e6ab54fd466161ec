package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/term"

	"piyasa/collect/standin"
	"piyasa/db"
	"piyasa/demo"
	"piyasa/internal/content"
	"piyasa/internal/value"
	"piyasa/serve/server"
)

type demoCommand struct {
	serving
	Upstreams bool     `help:"Serve stand-ins of upstreams, too, and print a file of sources that collects from them."`
	Faults    int      `help:"Of how many of 100 answers of the stand-ins something is wrong: they are slow, cut, refused, pages, of another day, and so on; default: 0." placeholder:"N"`
	Seed      uint64   `help:"Which answers those are; default: another choice each time, which is printed." placeholder:"N"`
	Habits    []string `help:"Serve a JSON API for each of these habits, too: ways in which upstreams page, limit, sign in and end. all, or some of ${habits}." placeholder:"NAME,…"`
}

// feedInterval is the time between trades of the simulated feed.
const feedInterval = time.Second

// Run serves the demonstration until ctx ends, and deletes its data.
func (c *demoCommand) Run(ctx context.Context, s streams, in invocation) (err error) {
	if c.Origins == "" { // so that pages under development can send requests
		c.Origins = server.LocalOrigins
	}
	if c.Faults < 0 || c.Faults > 100 {
		return fmt.Errorf("--faults: %d is not a number from 0 to 100", c.Faults)
	}
	if (c.Faults > 0 || len(c.Habits) > 0) && !c.Upstreams {
		return errors.New("--faults, --habits: only stand-ins have them; add --upstreams")
	}
	if slices.Equal(c.Habits, []string{"all"}) {
		c.Habits = standin.HabitNames()
	}
	for _, name := range c.Habits {
		if !slices.Contains(standin.HabitNames(), name) {
			return fmt.Errorf("--habits: there is no %q; there are all, %s", name, strings.Join(standin.HabitNames(), ", "))
		}
	}
	if c.Seed == 0 {
		c.Seed = rand.Uint64()
	}
	settings, err := c.check()
	if err != nil {
		return err
	}
	if err := tryAddresses(settings.addresses()...); err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "piyasa-demo-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	if c.Files == "" {
		if settings.files, err = documents(filepath.Join(folder, "documents")); err != nil {
			return err
		}
	}
	store, simulation, err := prepare(ctx, s, folder, settings.clock)
	if err != nil {
		if ctx.Err() != nil {
			return nil // stopped before it began
		}
		return err
	}
	defer store.Close()
	started := func(baseURL string) { printDemo(s, baseURL) }
	if c.Upstreams {
		stand, err := serveUpstreams(ctx, folder, settings.clock, c.Faults, c.Seed, c.Habits)
		if err != nil {
			return err
		}
		defer func() { _ = stand.stop() }()
		started = func(baseURL string) {
			printDemo(s, baseURL)
			stand.print(s, c.Now)
			if c.Faults > 0 {
				fmt.Fprintf(s.out, "The same faults come again with --seed %d.\n", c.Seed)
			}
		}
	}

	return serve(ctx, s, service{
		store: store, settings: settings, version: in.version,
		pages: demo.Pages(), samples: demo.Samples,
		feed: func(ctx context.Context) error {
			ticker := time.NewTicker(feedInterval)
			defer ticker.Stop()
			fmt.Fprintln(s.err, "started the simulated feed")
			return simulation.Feed(ctx, store, ticker.C, s.err)
		},
		started: started,
	})
}

// prepare makes a database with the key and the synthetic data.
func prepare(ctx context.Context, s streams, folder string, clock value.Clock) (*db.Store, *demo.Simulation, error) {
	fmt.Fprintln(s.err, "creating a temporary database")
	store, err := db.Open(ctx, "sqlite:"+filepath.Join(folder, "piyasa.db"))
	if err != nil {
		return nil, nil, fmt.Errorf("open the database: %w", err)
	}
	if err := store.CreateKey(ctx, demo.Key(clock())); err != nil {
		return nil, nil, errors.Join(fmt.Errorf("store the key: %w", err), store.Close())
	}
	simulation := demo.New(clock)
	summary, err := simulation.Load(ctx, store, s.err)
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("store the synthetic data: %w", err), store.Close())
	}
	fmt.Fprintf(s.err, "stored %d synthetic records\n", summary.Stored)
	return store, simulation, nil
}

// documents returns a store of the documents in the synthetic data.
func documents(folder string) (*content.Store, error) {
	if err := demo.WriteDocuments(folder); err != nil {
		return nil, fmt.Errorf("write the documents: %w", err)
	}
	return content.Open(folder)
}

// printDemo prints the addresses of the demonstration.
func printDemo(s streams, baseURL string) {
	fmt.Fprintf(s.out, `
All data is synthetic: companies, coins and prices are invented by piyasa.

Key       %[2]s
GraphiQL  %[1]s/graphiql
Docs      %[1]s/docs
Try       curl -H 'X-API-Key: %[2]s' '%[1]s/v1/quotes/%[3]s?currency=USD'

Ctrl-C ends the demonstration.
`, baseURL, demo.Secret, demo.Sample)
}

// welcome prints the addresses of a server for a person, as the demonstration does.
func welcome(s streams, baseURL string) {
	fmt.Fprintf(s.out, `
Key       piyasa keys create --name NAME --plan pro --scopes all
GraphiQL  %[1]s/graphiql
Docs      %[1]s/docs
Try       curl -H "X-API-Key: $KEY" '%[1]s/v1/quotes/%[2]s'

Ctrl-C ends the server.
`, baseURL, demo.Sample)
}

// onTerminal reports whether a writer is a terminal.
func onTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
