package command_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"piyasa/db/dbtest"
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
	for _, command := range []string{"backup", "restore"} {
		if res := run(t, "postgres://ali:hunter2@127.0.0.1:1/x", "", nil, command, filepath.Join(folder, "other.db")); res.status != 1 ||
			!strings.Contains(res.err, "docs/operating.md") || strings.Contains(res.err, "hunter2") {
			t.Errorf("%+v", res)
		}
	}
}
