package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"piyasa/db/dbtest"
	"piyasa/test/bench/dataset"
	"piyasa/test/bench/machine"
	"piyasa/test/fixture/need"
)

// rig is what all servers share: the cores, Postgres, and the data set.
type rig struct {
	serverCore, loadCore int

	folder   string   // of this run
	peers    string   // where this module's programs of peers/ are
	piyasa   string   // the program
	postgres string   // URL of the cluster
	master   int      // process of Postgres that started the others
	own      string   // URL of piyasa's database
	tables   string   // URL of the other servers' database
	streams  string   // URL of a copy of piyasa's database for what is published
	next     int      // of the data set's disclosures: the next that is published there
	key      string   // of piyasa
	settings []string // of Postgres, beside those of tests
	closers  []func()
}

func (r *rig) close() {
	for i := len(r.closers) - 1; i >= 0; i-- {
		r.closers[i]()
	}
}

func (r *rig) later(f func()) { r.closers = append(r.closers, f) }

// prepare starts Postgres and stores the data set in both databases.
func (r *rig) prepare(ctx context.Context) (err error) {
	if r.folder, err = os.MkdirTemp("", "piyasa-bench-"); err != nil {
		return err
	}
	r.later(func() { os.RemoveAll(r.folder) })
	if err := r.startPostgres(); err != nil {
		return err
	}
	if err := os.Mkdir(r.preparedFolder(), 0o700); err != nil {
		return err
	}
	for _, database := range []*string{&r.own, &r.tables} {
		url, _, err := dbtest.NewDatabase(r.postgres) // gone with the cluster
		if err != nil {
			return err
		}
		*database = url
	}
	if r.master, err = postmaster(ctx, r.postgres); err != nil {
		return err
	}
	say("making and ingesting the data set")
	if err := r.ingest(ctx, dataset.WriteRecords); err != nil {
		return err
	}
	if r.key, err = r.makeKey(ctx); err != nil {
		return err
	}
	if err := dataset.Vacuum(ctx, r.own); err != nil {
		return err
	}
	r.next = dataset.Disclosures
	r.streams, err = copyDatabase(ctx, r.postgres, r.own)
	return err
}

// startPostgres starts a cluster on the server's core.
func (r *rig) startPostgres() error {
	return machine.On(r.serverCore, r.loadCore, func() error {
		url, stop, err := dbtest.StartPostgres(r.settings...)
		if err == nil {
			r.postgres = url
			r.later(stop)
		}
		return err
	})
}

// postmaster finds the process that started the one that answers.
func postmaster(ctx context.Context, url string) (int, error) {
	connection, err := pgx.Connect(ctx, url)
	if err != nil {
		return 0, err
	}
	defer connection.Close(ctx)
	var backend int
	if err := connection.QueryRow(ctx, "SELECT pg_backend_pid()").Scan(&backend); err != nil {
		return 0, err
	}
	return machine.Parent(backend)
}

// copyDatabase copies a database to which nothing is connected.
func copyDatabase(ctx context.Context, cluster, original string) (string, error) {
	from, err := url.Parse(original)
	if err != nil {
		return "", err
	}
	connection, err := pgx.Connect(ctx, cluster)
	if err != nil {
		return "", err
	}
	defer connection.Close(ctx)
	name := strings.TrimPrefix(from.Path, "/")
	from.Path += "_streams"
	_, err = connection.Exec(ctx, "CREATE DATABASE "+name+"_streams TEMPLATE "+name)
	return from.String(), err
}

// clock is the environment in which piyasa's time starts where the data set ends.
func (r *rig) clock(database string) []string {
	return []string{"PIYASA_NOW=" + dataset.Now.Format(time.RFC3339), "PIYASA_DATABASE=" + database, "PIYASA_PLANS=" + r.plans()}
}

func (r *rig) plans() string { return filepath.Join(r.folder, "plans.json") }

// run runs a command of piyasa to its end and returns its output.
func (r *rig) run(ctx context.Context, words ...string) ([]byte, error) {
	command, output := r.command(ctx, words...)
	out, err := command.Output()
	if err != nil {
		err = fmt.Errorf("piyasa %s: %w\n%s", words[0], err, output)
	}
	return out, err
}

// command is one of piyasa, and what it says beside its output.
func (r *rig) command(ctx context.Context, words ...string) (*exec.Cmd, *need.Said) {
	command, output := exec.CommandContext(ctx, r.piyasa, words...), &need.Said{}
	command.Env = append(os.Environ(), r.clock(r.own)...)
	command.Stderr = output
	return command, output
}

// ingest stores the records that write writes into a folder.
func (r *rig) ingest(ctx context.Context, write func(folder string) error) error {
	const unlimited = `{"bench": {"bucket": 1000000000, "refill_per_second": 1000000000, "work": null}}`
	if err := os.WriteFile(r.plans(), []byte(unlimited), 0o600); err != nil {
		return err
	}
	records := filepath.Join(r.folder, "records")
	if err := os.Mkdir(records, 0o700); err != nil {
		return err
	}
	if err := write(records); err != nil {
		return err
	}
	began := time.Now()
	if _, err := r.run(ctx, "ingest", "--history", records); err != nil {
		return err
	}
	say("ingested in %.1f s", time.Since(began).Seconds())
	return os.RemoveAll(records)
}

func (r *rig) makeKey(ctx context.Context) (string, error) {
	out, err := r.run(ctx, "keys", "create", "--name=bench", "--plan=bench", "--scopes=all", "--json")
	if err != nil {
		return "", err
	}
	var made struct{ Key string }
	if err := json.Unmarshal(out, &made); err != nil {
		return "", err
	}
	if made.Key == "" {
		return "", errors.New("piyasa keys create printed no key: " + strings.TrimSpace(string(out)))
	}
	return made.Key, nil
}

// fillPeers stores what piyasa computed, and everything else, for the others.
func (r *rig) fillPeers(ctx context.Context, from *server) error {
	say("filling the tables of the others")
	var all []dataset.Valuation
	for first := 0; first < dataset.Stocks; first += 100 {
		var ids []string
		for n := first; n < min(first+100, dataset.Stocks); n++ {
			ids = append(ids, dataset.Stock(n).ID)
		}
		body, err := from.answer(ctx, graphQL(`query($ids: [ID!]!) { watchlist(ids: $ids) { instrumentId valuation {
			marketCap { value } peRatio { value } pbRatio { value } netDebt { value } ev { value } } } }`, vars{"ids": ids}))
		if err != nil {
			return err
		}
		type figure struct{ Value string }
		var read struct {
			Data struct {
				Watchlist []struct {
					InstrumentID string
					Valuation    struct{ MarketCap, PeRatio, PbRatio, NetDebt, Ev figure }
				}
			}
		}
		if err := json.Unmarshal(body, &read); err != nil {
			return err
		}
		for _, in := range read.Data.Watchlist {
			v := in.Valuation
			if v.Ev.Value == "" {
				return fmt.Errorf("%s has no valuation: %.300s", in.InstrumentID, body)
			}
			all = append(all, dataset.Valuation{InstrumentID: in.InstrumentID, MarketCap: v.MarketCap.Value, PERatio: v.PeRatio.Value,
				PBRatio: v.PbRatio.Value, NetDebt: v.NetDebt.Value, EV: v.Ev.Value})
		}
	}
	return dataset.FillPeers(ctx, r.tables, all)
}

// built returns a program of peers/, made once for this run.
func (r *rig) built(ctx context.Context, name string) (string, error) {
	program := filepath.Join(r.folder, name)
	if _, err := os.Stat(program); err == nil {
		return program, nil
	}
	command := exec.CommandContext(ctx, "go", "build", "-o", program, ".")
	command.Dir = filepath.Join(r.peers, name)
	if output, err := command.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building %s: %w\n%s", name, err, output)
	}
	return program, nil
}

func (r *rig) preparedFolder() string { return filepath.Join(r.folder, "prepared") }

// keep keeps what piyasa answers to the first request of a work, for the servers that
// answer with prepared bytes.
func (r *rig) keep(ctx context.Context, w work, piyasa *server, answers *prepared) error {
	asks, err := piyasa.requests(ctx, w)
	if err != nil {
		return err
	}
	header, _, err := piyasa.response(ctx, asks[0])
	if err != nil {
		return err
	}
	var lines strings.Builder
	if err := header.WriteSubset(&lines, map[string]bool{"Date": true, "Content-Length": true, "Content-Type": true}); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(r.preparedFolder(), w.name+".headers"), []byte(lines.String()), 0o600); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(r.preparedFolder(), w.name), answers.bodies[0], 0o600)
}
