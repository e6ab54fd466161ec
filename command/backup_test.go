package command_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"piyasa/db/dbtest"
	"piyasa/test/fixture/need"
)

// A backup of a running server, its check and its return; a running server is refused,
// and what would be lost needs consent.
func TestBackupVerifyRestore(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	database, backup := "sqlite:"+filepath.Join(folder, "piyasa.db"), filepath.Join(folder, "backup.db")
	expect := func(status int, says string, args ...string) {
		t.Helper()
		if res := run(t, database, first+instrument, nil, args...); res.status != status || !strings.Contains(res.stdout+res.err, says) {
			t.Fatalf("%v: %+v, want status %d and %q", args, res, status, says)
		}
	}
	expect(0, "", "ingest", "-")
	s := start(t, database)
	expect(0, backup, "backup", backup)
	expect(1, "exists", "backup", backup)
	expect(0, "findings: 0", "verify")
	expect(0, "findings: 0", "verify", "--database", "sqlite:"+backup)
	if res := run(t, database, second, nil, "ingest", "-"); res.status != 0 {
		t.Fatalf("%+v", res)
	}
	expect(1, "a process has the database open", "restore", backup)
	if status := s.stop(os.Interrupt); status != 0 {
		t.Fatalf("exit status %d", status)
	}
	expect(1, "quotes: 1 of 2 changes", "restore", backup)
	expect(0, "begins", "restore", "--yes", backup)
	secret, _ := newKey(t, database, "--scopes", "quotes:bist")
	s = start(t, database)
	if status, body := s.get("/v1/quotes/bist:DMOST", secret); status != 200 || body["last"] != "305.20" {
		t.Errorf("%d %v", status, body)
	}
	if _, err := dbtest.Raw(t, database).Exec("UPDATE heads SET seq = 0 WHERE feed = 'quotes'"); err != nil {
		t.Fatal(err)
	}
	res := run(t, database, "", nil, "verify", "--json")
	line, _, _ := strings.Cut(res.stdout, "\n")
	var finding struct{ Check, Subject, Problem string }
	if err := json.Unmarshal([]byte(line), &finding); err != nil || res.status != 1 || finding.Check != "numbers" || finding.Problem == "" {
		t.Errorf("%+v, %v", res, err)
	}
	for command, says := range map[string]string{"backup": "pg_dump", "restore": "docs/operating.md"} {
		if res := run(t, "postgres://ali:hunter2@127.0.0.1:1/x", "", nil, command, filepath.Join(folder, "other.db")); res.status != 1 ||
			!strings.Contains(res.err, says) || strings.Contains(res.err, "hunter2") {
			t.Errorf("%+v", res)
		}
	}
}

// After a restore, a search finds what the backup has, and nothing that was stored later.
func TestSearchesComeBackWithABackup(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	database, backup := "sqlite:"+filepath.Join(folder, "piyasa.db"), filepath.Join(folder, "backup.db")
	expect := func(input string, args ...string) {
		t.Helper()
		if res := run(t, database, input, nil, args...); res.status != 0 {
			t.Fatalf("%v: %+v", args, res)
		}
	}
	notice := func(n int, subject string) string {
		return fmt.Sprintf(`{"record":"disclosure","disclosure_index":%d,"type":"ODA","class":"ODA","symbols":["DMOST"],"filer_codes":[],`+
			`"subject":{"tr":%q}}`+"\n", n, subject)
	}
	expect(notice(1, "Temettü ödenmesi"), "ingest", "-")
	secret, _ := newKey(t, database, "--scopes", "kap")
	expect("", "backup", backup)
	expect(notice(2, "Temettünün ertelenmesi"), "ingest", "-")
	found := func() (numbers []any) {
		t.Helper()
		s := start(t, database)
		defer s.stop(os.Interrupt)
		status, body := s.get("/v1/kap-feed/disclosures?q=temett%C3%BC", secret)
		if status != 200 {
			t.Fatalf("%d %v", status, body)
		}
		for _, item := range body["items"].([]any) {
			numbers = append(numbers, item.(map[string]any)["disclosure_index"])
		}
		return numbers
	}
	if got := fmt.Sprint(found()); got != "[2 1]" {
		t.Errorf("found before %s", got)
	}
	expect("", "restore", "--yes", backup)
	if got := fmt.Sprint(found()); got != "[1]" {
		t.Errorf("found afterwards %s", got)
	}
}

// `deliver` reports each backup, and status and doctor report its age afterwards.
func TestBackupsAreReported(t *testing.T) {
	t.Parallel()
	database, _ := healthy(t)
	place := t.TempDir()
	file := filepath.Join(t.TempDir(), "deliver.json")
	write := func(folder, schedule string) {
		t.Helper()
		text := fmt.Sprintf(`{"backup": {"to": "folder", "folder": %q, "schedule": %s}}`, folder, schedule)
		need.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	}
	expect := func(status int, says string, args ...string) {
		t.Helper()
		if res := run(t, database, "", nil, args...); res.status != status || !strings.Contains(res.stdout+res.err, says) {
			t.Fatalf("%v: %+v, want status %d and %q", args, res, status, says)
		}
	}
	found := func() (of []diagnosis) {
		of = diagnose(t, doctor(t), "PIYASA_DATABASE="+database)
		return slices.DeleteFunc(of, func(one diagnosis) bool { return one.Check != "backups" })
	}
	expect(0, "none are made by schedule", "status")
	if of := found(); len(of) > 0 {
		t.Errorf("of none: %+v", of)
	}
	write(filepath.Join(place, "missing"), `{"every": "5m"}`)
	expect(1, "no such file", "deliver", "check", file)
	expect(1, "no such file", "deliver", "--once", file)
	finds(t, found(), "warning", "backups", "no such file")
	expect(0, "none was made yet", "status")
	write(place, `{"every": "24h"}`)
	expect(0, "backups by schedule: ok", "deliver", "check", file)
	expect(0, ", verified", "deliver", "--once", file)
	expect(0, "none is due", "deliver", "--once", file)
	expect(0, "1 kept, the next one is due at", "status")
	expect(0, "", "deliver", "--dry-run", file)
	if of := found(); len(of) > 0 {
		t.Errorf("of a new one: %+v", of)
	}
	names, err := filepath.Glob(filepath.Join(place, "piyasa-*.backup"))
	if err != nil || len(names) != 1 {
		t.Fatal(names, err)
	}
	need.NoError(t, os.Remove(names[0]))
	finds(t, found(), "error", "backups", place+" has no "+filepath.Base(names[0]))
	expect(0, ", verified", "deliver", "--once", file)
	if of := found(); len(of) > 0 {
		t.Errorf("of another one: %+v", of)
	}
	damaged(t, database, `UPDATE sinks SET state = json_set(state, '$.due', '2026-01-01T00:00:00Z') WHERE name = 'backups by schedule'`)
	finds(t, found(), "error", "backups", "due since 2026-01-01")
	if names, err = filepath.Glob(filepath.Join(place, "piyasa-*.backup")); err != nil || len(names) != 1 {
		t.Fatal(names, err)
	}
	expect(0, "findings: 0", "verify", "--database", "sqlite:"+names[0])
	expect(0, "begins", "restore", "--yes", names[0])
}
