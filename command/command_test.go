package command_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"piyasa/db/dbtest"
	"piyasa/test/fixture/need"
)

const (
	instrument = `{"record":"instrument","instrument_id":"bist:DMOST","symbol":"DMOST","name":"Demo Otomotiv","market":"bist","asset_type":"STOCK","currency":"TRY"}` + "\n"
	first      = `{"record":"quote","instrument_id":"bist:DMOST","as_of":"2026-03-18T11:45:00Z","last":"305.20"}` + "\n"
	second     = `{"record":"quote","instrument_id":"bist:DMOST","as_of":"2026-03-18T11:50:00Z","last":"306"}` + "\n"
)

func TestExitStatus(t *testing.T) {
	t.Parallel()
	db := "sqlite:" + filepath.Join(t.TempDir(), "piyasa.db")
	empty := t.TempDir()
	plans := filepath.Join(empty, "plans.json")
	need.NoError(t, os.WriteFile(plans, []byte(`{"basic": {"bucket": 0}}`), 0o600))
	create(t, db)
	documents := t.TempDir()
	for name, text := range map[string]string{"a.json": `{"one": "{ nope }"}`, "b.graphql": "{"} {
		need.NoError(t, os.WriteFile(filepath.Join(documents, name), []byte(text), 0o600))
	}
	for name, c := range map[string]struct {
		args    []string
		env     []string
		status  int
		mention []string // in what it prints
	}{
		"unknown command": {args: []string{"sreve"}, status: 2, mention: []string{"sreve", `did you mean "serve"?`, `"piyasa --help"`}},
		"unknown flag": {args: []string{"ingest", "--erors", "x", "-"}, status: 2,
			mention: []string{"--erors", `did you mean "--errors"?`, `"piyasa ingest --help"`}},
		"ingest of nothing": {args: []string{"ingest"}, status: 2, mention: []string{"path"}},
		"help": {args: []string{"--help"}, status: 0,
			mention: []string{"serve", "ingest", "keys", "demo", "migrate", "version"}},
		"nothing": {status: 0, mention: []string{"Usage: piyasa <command>", "serve", "ingest"}},
		"help as a command": {args: []string{"help", "keys", "create"}, status: 0,
			mention: []string{"Usage: piyasa keys create", "--plan", "enterprise   1200 requests at once",
				"calendar:read  economic calendar"}},
		"version as a flag":    {args: []string{"--version"}, status: 0, mention: []string{"piyasa dev"}},
		"version of a command": {args: []string{"keys", "create", "--version"}, status: 0, mention: []string{"piyasa dev"}},
		"help for no command":  {args: []string{"help", "sreve"}, status: 2, mention: []string{`did you mean "serve"?`}},
		"version":              {args: []string{"version"}, status: 0, mention: []string{"piyasa dev"}},
		"no such file": {args: []string{"ingest", filepath.Join(empty, "nope.ndjson")}, status: 1,
			mention: []string{"nope.ndjson"}},
		"no records":    {args: []string{"ingest", empty}, status: 1, mention: []string{".ndjson"}},
		"refused lines": {args: []string{"ingest", "-"}, status: 3, mention: []string{"-:1: record: "}},
		"bad database": {args: []string{"serve"}, env: []string{"PIYASA_DATABASE=mysql://x"}, status: 2,
			mention: []string{"sqlite:PATH", "postgres://"}},
		"database away": {args: []string{"ingest", "-"},
			env: []string{"PIYASA_DATABASE=postgres://u:hunter2@127.0.0.1:1/x", "PIYASA_DATABASE_WAIT=0"}, status: 1,
			mention: []string{"database"}},
		"every mistake": {
			args: []string{"serve"}, status: 2,
			env:     []string{"PIYASA_NOW=yesterday", "PIYASA_BASE_URL=example", "PIYASA_FX_MAX_AGE=soon", "PIYASA_PLANS=" + plans},
			mention: []string{"PIYASA_NOW", "PIYASA_BASE_URL", "PIYASA_FX_MAX_AGE", "PIYASA_PLANS"},
		},
		"documents with mistakes": {args: []string{"serve", "--documents", documents}, status: 2,
			mention: []string{"PIYASA_DOCUMENTS", `a.json: "one": Cannot query field "nope"`, "b.graphql"}},
		"no such log": {args: []string{"version"}, env: []string{"PIYASA_LOG_FORMAT=xml", "PIYASA_LOG_LEVEL=loud"}, status: 2,
			mention: []string{`PIYASA_LOG_FORMAT: must be text or json; got "xml"`,
				`PIYASA_LOG_LEVEL: must be debug, info, warn or error; got "loud"`}},
		"no such access log": {args: []string{"serve"}, env: []string{"PIYASA_ACCESS_LOG=some"}, status: 2,
			mention: []string{"PIYASA_ACCESS_LOG", "true", "false"}},
		"no such documents": {args: []string{"serve", "--documents", filepath.Join(empty, "nope")}, status: 2,
			mention: []string{"PIYASA_DOCUMENTS", "no such file"}},
		"every mistake about connections": {
			args: []string{"serve", "--trusted-proxies", "10.0.0.1/8"}, status: 2,
			env: []string{"PIYASA_MAX_CONNECTIONS=2000000000", "PIYASA_MAX_CONNECTIONS_PER_ADDRESS=-1", "PIYASA_MAX_STREAMS=0",
				"PIYASA_MAX_STREAMS_PER_ADDRESS=some", "PIYASA_LAME_DUCK=1h"},
			mention: []string{"PIYASA_MAX_CONNECTIONS:", "PIYASA_MAX_CONNECTIONS_PER_ADDRESS", "PIYASA_MAX_STREAMS:",
				"PIYASA_MAX_STREAMS_PER_ADDRESS", "PIYASA_LAME_DUCK", "10m", "did you mean 10.0.0.0/8"},
		},
		"more connections than files": {args: []string{"serve", "--max-connections", "1000000000"}, status: 2,
			mention: []string{"PIYASA_MAX_CONNECTIONS: must be at most", "ulimit -n"}},
		"unknown plan": {args: []string{"keys", "create", "--name", "n", "--plan", "gold", "--scopes", "all"}, status: 2,
			mention: []string{"basic, enterprise, internal, pro, test"}},
		"no scopes": {args: []string{"keys", "create", "--name", "n", "--plan", "pro", "--scopes", ","}, status: 2,
			mention: []string{"quotes:bist"}},
		"unknown key": {args: []string{"keys", "revoke", "key_nope"}, status: 1, mention: []string{"key_nope"}},
	} {
		t.Run(name, func(t *testing.T) {
			res := run(t, db, `{"record":"nope"}`+"\n", c.env, c.args...)
			said := res.stdout + res.err
			if res.status != c.status {
				t.Errorf("status %d, want %d: %s", res.status, c.status, said)
			}
			for _, word := range c.mention {
				if !strings.Contains(said, word) {
					t.Errorf("says nothing of %q: %s", word, said)
				}
			}
			if strings.Contains(said, "hunter2") {
				t.Errorf("a password is shown: %s", said)
			}
		})
	}
}

// The default database is a file in the user's data folder.
func TestDefaultDatabase(t *testing.T) {
	data := t.TempDir()
	if res := run(t, "", "", []string{"XDG_DATA_HOME=" + data}, "ingest", "-"); res.status != 0 ||
		!strings.Contains(res.err, "creating the database") {
		t.Fatalf("%+v", res)
	}
	if _, err := os.Stat(filepath.Join(data, "piyasa", "piyasa.db")); err != nil {
		t.Error(err)
	}
	if res := run(t, "", "", []string{"XDG_DATA_HOME=" + data}, "migrate"); res.stdout != "nothing to apply\n" {
		t.Errorf("%+v", res)
	}
}

// What another process stores is served within a second, over a restart too.
func TestServeSeesOtherProcesses(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, database string) {
		s := start(t, database)
		if status, body := s.get("/readyz", ""); status != 200 || !strings.Contains(body["reason"].(string), "ingest") {
			t.Errorf("without data: %d %v", status, body)
		}
		secret, id := newKey(t, database, "--scopes", "quotes:bist")
		s.eventually(time.Second, "a new key is obeyed", func() bool {
			status, _ := s.get("/v1/markets/bist/status", secret)
			return status == 200
		})
		if res := run(t, database, first+instrument, nil, "ingest", "-"); res.status != 0 {
			t.Fatalf("%+v", res)
		}
		last := func(want string) func() bool {
			return func() bool {
				_, body := s.get("/v1/quotes/bist:DMOST", secret)
				return body["last"] == want
			}
		}
		s.eventually(time.Second, "a quote of another process is served", last("305.20"))
		if status, body := s.get("/readyz", ""); status != 200 || strings.Contains(fmt.Sprint(body["reason"]), "nothing is stored") {
			t.Errorf("readyz %d %v", status, body)
		}
		res := run(t, database, second+"{broken\n", nil, "ingest", "--json", "-")
		var summary struct {
			Stored, Rejected, Read int
			Kinds                  map[string]map[string]int
		}
		if err := json.Unmarshal([]byte(res.stdout), &summary); err != nil || res.status != 3 || summary.Stored != 1 ||
			summary.Rejected != 1 || summary.Kinds["quote"]["stored"] != 1 {
			t.Errorf("%+v %v", res, err)
		}
		s.eventually(time.Second, "a newer quote is served", last("306"))

		if status := s.stop(os.Interrupt); status != 0 {
			t.Errorf("exit status %d\n%s", status, s.stderr)
		}
		s = start(t, database)
		s.eventually(deadline, "data and keys survive a restart", last("306"))

		if res := run(t, database, "", nil, "keys", "revoke", id); res.status != 0 {
			t.Fatalf("%+v", res)
		}
		s.eventually(time.Second, "a revoked key is refused", func() bool {
			status, _ := s.get("/v1/markets/bist/status", secret)
			return status == 401
		})
	})
}

// Acknowledgements have standard output for themselves.
func TestAcknowledgements(t *testing.T) {
	db := "sqlite:" + filepath.Join(t.TempDir(), "piyasa.db")
	res := run(t, db, first+"{broken\n"+second, nil, "ingest", "--acks", "--json", "-")
	acks := strings.Split(strings.TrimSpace(res.stdout), "\n")
	if res.status != 3 || acks[len(acks)-1] != `{"lines":3}` || !strings.Contains(res.err, `"stored":2`) {
		t.Errorf("%+v", res)
	}
	for _, line := range acks {
		if !strings.HasPrefix(line, `{"lines":`) {
			t.Errorf("standard output has %s", line)
		}
	}
}

func TestKeysCommand(t *testing.T) {
	db := "sqlite:" + filepath.Join(t.TempDir(), "piyasa.db")
	secret, id := newKey(t, db, "--scopes", "history,quotes:bist,nonsense", "--test")
	if !regexp.MustCompile(`^piyasa_test_[0-9A-Za-z]{40}$`).MatchString(secret) {
		t.Errorf("key %q", secret)
	}
	res := run(t, db, "", nil, "keys", "rotate", id, "--json")
	var rotated struct {
		ID, Key string
		Scopes  []string
		Test    bool
	}
	if err := json.Unmarshal([]byte(res.stdout), &rotated); err != nil || rotated.ID != id || rotated.Key == secret ||
		strings.Join(rotated.Scopes, " ") != "history nonsense quotes:bist" || !rotated.Test {
		t.Errorf("%+v %v", res, err)
	}
	s := start(t, db)
	s.eventually(time.Second, "the new secret works", func() bool {
		status, _ := s.get("/v1/markets/bist/status", rotated.Key)
		return status == 200
	})
	if status, _ := s.get("/v1/markets/bist/status", secret); status != 401 {
		t.Errorf("the old secret still works: %d", status)
	}
	list := run(t, db, "", nil, "keys", "list")
	if !strings.Contains(list.stdout, id) || strings.Contains(list.stdout, rotated.Key) {
		t.Errorf("%s", list.stdout)
	}
	human := run(t, db, "", nil, "keys", "create", "--name", "n", "--plan", "pro", "--scopes", "all")
	if !strings.HasPrefix(human.stdout, "piyasa_live_") || !strings.Contains(human.stdout, "only time") {
		t.Errorf("%s", human.stdout)
	}
}

func TestServeRefusesABusyAddress(t *testing.T) {
	db := "sqlite:" + filepath.Join(t.TempDir(), "piyasa.db")
	s := start(t, db)
	res := run(t, db, "", []string{"PIYASA_LISTEN=" + strings.TrimPrefix(s.base, "http://")}, "serve")
	if res.status != 1 || !strings.Contains(res.err, "address already in use") || !strings.Contains(res.err, "--listen or PIYASA_LISTEN") {
		t.Errorf("%+v", res)
	}
	// It is tried before a database is created, filled or waited for.
	fresh := filepath.Join(t.TempDir(), "fresh.db")
	for _, c := range [][]string{{"serve"}, {"demo"},
		{"serve", "--listen", "127.0.0.1:0", "--metrics-listen", strings.TrimPrefix(s.base, "http://")},
		{"ingest", "--metrics-listen", strings.TrimPrefix(s.base, "http://"), "-"}} {
		res := run(t, "sqlite:"+fresh, "", []string{"PIYASA_LISTEN=" + strings.TrimPrefix(s.base, "http://")}, c...)
		if _, err := os.Stat(fresh); err == nil || res.status != 1 || !strings.Contains(res.err, "address already in use") ||
			strings.Contains(res.err, "creating") {
			t.Errorf("%v: %+v", c, res)
		}
	}
}
