package command_test

import (
	"bufio"
	"crypto/x509"
	"encoding/json"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"piyasa/db/dbtest"
	"piyasa/test/fixture"
	"piyasa/test/fixture/need"
)

// diagnosis is what doctor prints of one check.
type diagnosis struct{ Level, Check, Seen, Means, Mend string }

// diagnose runs doctor and returns what is not ok; its status says whether that is anything.
func diagnose(t *testing.T, cmd *exec.Cmd, env ...string) (found []diagnosis) {
	t.Helper()
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir()}, env...)
	var failed need.Said
	cmd.Stderr = &failed
	out, _ := cmd.Output()
	for lines := bufio.NewScanner(strings.NewReader(string(out))); lines.Scan(); {
		var one diagnosis
		if err := json.Unmarshal(lines.Bytes(), &one); err != nil {
			t.Fatalf("%s: %v", lines.Text(), err)
		}
		if one.Level != "ok" {
			if found = append(found, one); one.Means == "" || one.Mend == "" {
				t.Errorf("says neither what it means nor what mends it: %+v", one)
			}
		}
	}
	if status := cmd.ProcessState.ExitCode(); status != map[bool]int{true: 1, false: 0}[len(found) > 0] || len(out) == 0 {
		t.Errorf("status %d with %v\n%s%s", status, found, out, &failed)
	}
	return found
}

func doctor(t *testing.T, args ...string) *exec.Cmd {
	return exec.CommandContext(t.Context(), binary, append([]string{"doctor", "--json"}, args...)...)
}

// ofTheMachine reports whether a finding is of the disk of the machine, which may be full.
func ofTheMachine(one diagnosis) bool { return one.Check == "disk" }

// finds checks that a finding has a level and a check and says something.
func finds(t *testing.T, found []diagnosis, level, check, says string) {
	t.Helper()
	for _, one := range found {
		if one.Level == level && one.Check == check && strings.Contains(one.Seen+" "+one.Mend, says) {
			return
		}
	}
	t.Errorf("no %s of %s says %q: %+v", level, check, says, found)
}

// healthy returns an SQLite database with a quote in a folder that only we can read.
func healthy(t *testing.T) (database, path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "piyasa.db")
	database = "sqlite:" + path
	if res := run(t, database, instrument+first, nil, "ingest", "-"); res.status != 0 {
		t.Fatalf("%+v", res)
	}
	return database, path
}

func damaged(t *testing.T, database string, statements ...string) {
	t.Helper()
	raw := dbtest.Raw(t, database)
	defer raw.Close()
	for _, statement := range statements {
		if _, err := raw.Exec(statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
}

// What is well has no finding; what is broken has the one that says so.
func TestDoctor(t *testing.T) {
	t.Parallel()
	database, _ := healthy(t)
	if found := slices.DeleteFunc(diagnose(t, doctor(t), "PIYASA_DATABASE="+database), ofTheMachine); len(found) > 0 {
		t.Errorf("of what is well: %+v", found)
	}
	open, err := os.MkdirTemp("", "piyasa-open-")
	need.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(open) })
	need.NoError(t, os.Chmod(open, 0o755))
	// Nor does piyasa make a database that others can read, wherever it is.
	own := "sqlite:" + filepath.Join(open, "piyasa.db")
	if res := run(t, own, instrument+first, nil, "ingest", "-"); res.status != 0 {
		t.Fatalf("%+v", res)
	}
	if found := slices.DeleteFunc(diagnose(t, doctor(t), "PIYASA_DATABASE="+own), ofTheMachine); len(found) > 0 {
		t.Errorf("of a new database: %+v", found)
	}
	settings := filepath.Join(open, "piyasa.toml")
	write := func(name, text string) string {
		t.Helper()
		path := filepath.Join(t.TempDir(), name)
		need.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	need.NoError(t, os.WriteFile(settings, []byte("max_streams = 5\n"), 0o644))
	soon, soonKey := certify(t, t.TempDir(), "api.example.com", 1, time.Now().Add(72*time.Hour), x509.NewCertPool())
	_, otherKey := certify(t, t.TempDir(), "api.example.com", 2, time.Now().Add(2000*time.Hour), x509.NewCertPool())
	later, laterKey := certifyFrom(t, t.TempDir(), "api.example.com", 3, time.Now().Add(24*time.Hour), time.Now().Add(2000*time.Hour),
		x509.NewCertPool())
	for name, c := range map[string]struct {
		env                []string
		args               []string
		level, check, says string
	}{
		"name of a setting": {[]string{"PIYASA_CONFIG=" + write("p.toml", "listn = \"x\"\n")}, nil, "error", "settings",
			`did you mean "listen"`},
		"name of a variable": {[]string{"PIYASA_LISTN=x"}, nil, "error", "settings", "PIYASA_LISTN is no setting"},
		"value of a setting": {[]string{"PIYASA_MAX_LAG=soon"}, nil, "error", "settings", "PIYASA_MAX_LAG"},
		"plans": {[]string{"PIYASA_PLANS=" + write("plans.json", `{"gold": {}}`)}, nil, "error", "settings",
			"PIYASA_PLANS"},
		"another time":       {[]string{"PIYASA_NOW=2026-03-18T12:00:00Z"}, nil, "warning", "clock", "PIYASA_NOW"},
		"file that all read": {[]string{"PIYASA_CONFIG=" + settings}, nil, "warning", "files", "chmod o= " + settings},
		"missing database": {nil, []string{"--database=sqlite:" + filepath.Join(t.TempDir(), "x.db")}, "warning", "database",
			"does not exist"},
		"file of sources": {[]string{"PIYASA_COLLECT=" + write("s.json", "{")}, nil, "error", "sources", "collect check"},
		"upstream": {[]string{"PIYASA_COLLECT=" +
			write("s.json", `{"sources": {"lira": {"connector": "tcmb", "base": "http://127.0.0.1:1"}}}`)}, nil, "error",
			"sources", "lira"},
		"certificate ends soon": {[]string{"PIYASA_TLS_CERT=" + soon, "PIYASA_TLS_KEY=" + soonKey}, nil, "warning",
			"certificates", "ends on"},
		"not yet valid": {[]string{"PIYASA_TLS_CERT=" + later, "PIYASA_TLS_KEY=" + laterKey}, nil, "error", "certificates",
			"begins on"},
		"folder that all read": {[]string{"PIYASA_ACME_DOMAINS=api.example.com", "PIYASA_ACME_FOLDER=" + open}, nil, "warning", "files",
			"chmod 700 " + open},
		"another's key": {[]string{"PIYASA_TLS_CERT=" + soon, "PIYASA_TLS_KEY=" + otherKey}, nil, "error", "certificates",
			"private key"},
		"another name": {[]string{"PIYASA_TLS_CERT=" + soon, "PIYASA_TLS_KEY=" + soonKey, "PIYASA_BASE_URL=https://www.example.com"},
			nil, "error", "certificates", "no certificate is for www.example.com"},
		"Postgres is away": {nil, []string{"--database=postgres://127.0.0.1:1/piyasa"}, "error", "database", "cannot be used"},
	} {
		t.Run(name, func(t *testing.T) {
			finds(t, diagnose(t, doctor(t, c.args...), append(c.env, "PIYASA_DATABASE="+database)...), c.level, c.check, c.says)
		})
	}
	t.Run("few files", func(t *testing.T) {
		finds(t, diagnose(t, exec.Command("sh", "-c", "ulimit -n 512; exec "+binary+" doctor --json"), "PIYASA_DATABASE="+database),
			"warning", "limits", "512 open files")
	})
	t.Run("least", func(t *testing.T) {
		if found := diagnose(t, doctor(t, "--least=warning"), "PIYASA_DATABASE="+database,
			"PIYASA_NOW=2026-03-18T12:00:00Z"); len(slices.DeleteFunc(found, ofTheMachine)) != 1 {
			t.Errorf("%+v", found)
		}
		if res := run(t, database, "", nil, "doctor", "--least=error"); !strings.Contains(res.stdout, " disk ") &&
			(res.status != 0 || res.stdout != "") {
			t.Errorf("%+v", res)
		}
	})
	if res := run(t, database, "", nil, "doctor"); res.status != 1 || !strings.Contains(res.stdout, "mend:  unset PIYASA_NOW") {
		t.Errorf("%+v", res)
	}
}

// Broken files of SQLite are recognized.
func TestDoctorOnSQLite(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		level, check, says string
		broken             func(t *testing.T, database, path string)
	}{
		"older schema": {"error", "database", "piyasa migrate", func(t *testing.T, database, _ string) {
			damaged(t, database, "DELETE FROM bun_migrations WHERE name = (SELECT max(name) FROM bun_migrations)")
		}},
		"newer schema": {"error", "database", "9999", func(t *testing.T, database, _ string) {
			damaged(t, database, "INSERT INTO bun_migrations (name, group_id) VALUES ('9999', 99)")
		}},
		"index": {"error", "indexes", "CREATE INDEX quotes_seq ON quotes (seq)", func(t *testing.T, database, _ string) {
			damaged(t, database, "DROP INDEX quotes_seq")
		}},
		"journal": {"warning", "database", "journal mode", func(t *testing.T, database, _ string) {
			damaged(t, database, "PRAGMA journal_mode = DELETE")
		}},
		"large log": {"warning", "database", "write-ahead log has 1024 MiB", func(t *testing.T, _, path string) {
			need.NoError(t, os.WriteFile(path+"-wal", nil, 0o600))
			if err := os.Truncate(path+"-wal", 1<<30+1); err != nil { // a hole, which takes no room
				t.Fatal(err)
			}
		}},
		"damage": {"error", "database", "piyasa restore", func(t *testing.T, _, path string) {
			file, err := os.OpenFile(path, os.O_RDWR, 0)
			need.NoError(t, err)
			defer file.Close()
			info, err := file.Stat()
			if err == nil {
				_, err = file.WriteAt([]byte(strings.Repeat("damage", 8000)), info.Size()/2)
			}
			need.NoError(t, err)
		}},
		"no content": {"warning", "database", "is empty", func(t *testing.T, _, path string) {
			for _, name := range []string{path, path + "-wal"} {
				if err := os.Truncate(name, 0); err != nil && !os.IsNotExist(err) {
					t.Fatal(err)
				}
			}
		}},
		"clock": {"error", "clock", "2099-01-01", func(t *testing.T, database, _ string) {
			line := strings.Replace(first, `"as_of":"2026-03-18T11:45:00Z"`, `"as_of":"2099-01-01T11:45:00Z"`, 1)
			if res := run(t, database, line, []string{"PIYASA_NOW=2099-01-01T12:00:00Z"}, "ingest", "-"); res.status != 0 || line == first {
				t.Fatalf("%+v", res)
			}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			database, path := healthy(t)
			c.broken(t, database, path)
			finds(t, diagnose(t, doctor(t), "PIYASA_DATABASE="+database), c.level, c.check, c.says)
		})
	}
	// A file system that holds 8 MiB, of which so many KiB are left.
	for left, level := range map[string]string{"500": "warning", "40": "error"} {
		t.Run("disk with "+left+" KiB", func(t *testing.T) {
			_, path := healthy(t)
			found := diagnose(t, exec.CommandContext(t.Context(), "unshare", "--user", "--map-root-user", "--mount", "sh", "-ec", `
mkdir "$1/small"
mount -t tmpfs -o size=8m,mode=700 tmpfs "$1/small"
cp "$1/piyasa.db" "$1/small"
free=$(df -k --output=avail "$1/small" | tail -1)
dd if=/dev/zero of="$1/small/full" bs=1024 count=$((free - $2)) 2>/dev/null
exec "$3" doctor --json --database="sqlite:$1/small/piyasa.db"`, "sh", filepath.Dir(path), left, binary))
			finds(t, found, level, "disk", "MiB of 8 MiB are free")
		})
	}
	t.Run("not ours", func(t *testing.T) {
		database, path := healthy(t)
		for at := filepath.Dir(path); len(at) > len(os.TempDir()); at = filepath.Dir(at) {
			need.NoError(t, os.Chmod(at, 0o755))
		}
		need.NoError(t, os.Chmod(path, 0o444))
		cmd := doctor(t)
		if os.Geteuid() == 0 { // whom no permission stops
			account, err := dbtest.ServerAccount()
			need.NoError(t, err)
			need.NoError(t, os.Chmod(filepath.Dir(binary), 0o755))
			cmd.SysProcAttr, cmd.Dir = &syscall.SysProcAttr{Credential: account}, "/"
		}
		found := diagnose(t, cmd, "PIYASA_DATABASE="+database)
		finds(t, found, "error", "database", "cannot write")
		finds(t, found, "warning", "files", path)
	})
}

// Settings of a cluster and of a database that harm are recognized, on one that is made for
// speed; one that is durable has none.
func TestDoctorOnPostgres(t *testing.T) {
	t.Parallel()
	database := dbtest.PostgresURL(t)
	finds(t, diagnose(t, doctor(t), "PIYASA_DATABASE="+database), "error", "database", "no schema of piyasa")
	create(t, database)
	if res := run(t, database, "", nil, "migrate"); res.status != 0 {
		t.Fatalf("%+v", res)
	}
	name := database[strings.LastIndex(database, "/")+1 : strings.LastIndex(database, "?")]
	damaged(t, database, "ALTER DATABASE "+name+" SET enable_indexscan = off",
		"UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'quotes_seq'::regclass",
		"DROP INDEX instruments_seq", "ALTER TABLE observations SET (autovacuum_enabled = off)",
		// nothing mends what follows
		"ALTER TABLE bars SET (autovacuum_analyze_threshold = 1000000000)",
		"ALTER TABLE index_bars SET (autovacuum_vacuum_threshold = 1000000000)",
		"UPDATE pg_database SET datcollversion = 'older' WHERE datname = current_database()",
		"INSERT INTO bars (instrument_id, resolution, t, recorded) SELECT 'bist:A' || n, '1d', now(), false FROM "+
			"generate_series(1, 60000) AS n",
		"INSERT INTO index_bars (code, date, close) SELECT 'A' || n, current_date, 1 FROM generate_series(1, 60000) AS n",
		"DELETE FROM index_bars", "SELECT pg_stat_force_next_flush()")
	fixture.Eventually(t, "the deleted rows are counted", func() bool {
		var dead int
		err := dbtest.Raw(t, database).QueryRow("SELECT n_dead_tup FROM pg_stat_user_tables WHERE relname = 'index_bars'").Scan(&dead)
		return err == nil && dead == 60000
	})
	found := diagnose(t, doctor(t), "PIYASA_DATABASE="+database, "PIYASA_DATABASE_CONNECTIONS=500")
	for _, want := range []diagnosis{
		{Level: "error", Check: "database", Seen: "fsync is off"}, {Level: "error", Check: "database", Seen: "full_page_writes is off"},
		{Level: "warning", Check: "indexes", Seen: "enable_indexscan is off"},
		{Level: "error", Check: "indexes", Seen: "REINDEX INDEX CONCURRENTLY quotes_seq"},
		{Level: "error", Check: "indexes", Seen: "CREATE INDEX CONCURRENTLY instruments_seq ON instruments (seq)"},
		{Level: "warning", Check: "database", Seen: "autovacuum leaves out the table observations"},
		{Level: "error", Check: "database", Seen: `version "older" of the collation`},
		{Level: "error", Check: "limits", Seen: "1 servers may open 509 connections"},
		{Level: "warning", Check: "indexes", Seen: "the table bars has 60000 rows and no statistics"},
		{Level: "warning", Check: "database", Seen: "the table index_bars has 60000 dead rows"},
	} {
		finds(t, found, want.Level, want.Check, want.Seen)
	}

	// Functions that hide those of Postgres play an old server that does not vacuum, and a clock
	// that is ahead.
	damaged(t, database, "ALTER DATABASE "+name+" SET search_path = public, pg_catalog",
		"CREATE FUNCTION public.current_setting(name text) RETURNS text LANGUAGE sql AS $$ SELECT CASE name WHEN "+
			"'server_version_num' THEN "+
			"'120004' WHEN 'autovacuum' THEN 'off' WHEN 'track_counts' THEN 'off' ELSE pg_catalog.current_setting(name) END $$",
		"CREATE FUNCTION public.clock_timestamp() RETURNS timestamptz LANGUAGE sql AS $$ SELECT pg_catalog.clock_timestamp() + "+
			"interval '90 seconds' $$")
	found = diagnose(t, doctor(t), "PIYASA_DATABASE="+database)
	finds(t, found, "error", "database", "Postgres is ")
	finds(t, found, "error", "database", "autovacuum is off")
	finds(t, found, "error", "database", "track_counts is off")
	finds(t, found, "error", "clock", "the clock of the database is 1m30")

	pair := dbtest.StartPair(t, true)
	for _, statement := range []string{"ALTER SYSTEM SET fsync = on", "SELECT pg_reload_conf()"} {
		pair.Primary.Do(statement)
	}
	pair.Primary.Wait("SELECT current_setting('fsync') = 'on'")
	if res := run(t, pair.Primary.URL, "", nil, "migrate"); res.status != 0 {
		t.Fatalf("%+v", res)
	}
	if found := diagnose(t, doctor(t), "PIYASA_DATABASE="+pair.Primary.URL); len(found) > 0 {
		t.Errorf("of what is well: %+v", found)
	}
	finds(t, diagnose(t, doctor(t), "PIYASA_DATABASE="+pair.Standby.URL), "error", "database", "no host of the address accepts writes")
	pair.Primary.Do("CREATE DATABASE ascii ENCODING 'SQL_ASCII' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0")
	finds(t, diagnose(t, doctor(t), "PIYASA_DATABASE="+ofDatabase(t, pair.Primary.URL, "ascii")), "error", "database",
		"the encoding of the database is SQL_ASCII")
	pair.Primary.Do("ALTER SYSTEM SET synchronous_commit = local")
	pair.Primary.Do("UPDATE pg_database SET datfrozenxid = ((pg_current_xact_id()::text::bigint + 3200000000) % " +
		"4294967296)::text::xid WHERE " +
		"datname = current_database()")
	pair.Primary.Do("SELECT pg_reload_conf()")
	pair.Primary.Wait("SELECT current_setting('synchronous_commit') = 'local'")
	found = diagnose(t, doctor(t), "PIYASA_DATABASE="+pair.Primary.URL)
	finds(t, found, "warning", "database", "synchronous_commit is local")
	finds(t, found, "error", "database", "transactions old")
	pair.Standby.Stop()
	finds(t, diagnose(t, doctor(t), "PIYASA_DATABASE="+pair.Primary.URL), "error", "database", "no synchronous standby is connected")
}

// ofDatabase returns the address of another database of the same server.
func ofDatabase(t *testing.T, address, name string) string {
	t.Helper()
	u, err := url.Parse(address)
	need.NoError(t, err)
	u.Path = "/" + name
	return u.String()
}
