package command_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"piyasa/db/dbtest"
	"piyasa/test/fixture/need"
)

// Servers, ingest and keys work with the roles of docs/postgres-roles.sql, and none does
// the work of another.
func TestCommandsAsTheirRoles(t *testing.T) {
	t.Parallel()
	roles := dbtest.WithRoles(t, "../docs/postgres-roles.sql", func(owner string) {
		if res := run(t, owner, "", nil, "migrate"); res.status != 0 {
			t.Fatal(res)
		}
	})
	key, id := newKey(t, roles.Keys, "--scopes", "all")
	old := strings.Replace(first, "2026-03-18", "2026-02-02", 1)
	if res := run(t, roles.Ingest, instrument+old+first, nil, "ingest", "-"); res.status != 0 {
		t.Fatal(res)
	}
	for name, url := range map[string]string{"gateway": roles.Gateway, "keys": roles.Keys} {
		if res := run(t, url, first, nil, "ingest", "-"); res.status != 1 || !strings.Contains(res.err, "permission denied") {
			t.Errorf("ingest as %s: %+v", name, res)
		}
	}
	for name, url := range map[string]string{"gateway": roles.Gateway, "ingest": roles.Ingest} {
		for _, command := range [][]string{{"create", "--name", "x", "--plan", "pro", "--scopes", "all"}, {"revoke", id}, {"rotate", id}} {
			if res := run(t, url, "", nil, append([]string{"keys"}, command...)...); res.status != 1 ||
				!strings.Contains(res.err, "permission denied") {
				t.Errorf("keys %s as %s: %+v", command[0], name, res)
			}
		}
	}

	s := start(t, roles.Gateway)
	for _, path := range []string{"/v1/quotes/bist:DMOST", "/v1/kap-feed/disclosures", "/v1/usage", "/v1/markets/bist/status", "/readyz"} {
		if status, body := s.get(path, key); status != 200 {
			t.Errorf("%s: %d %v", path, status, body)
		}
	}
	if said := s.query(`{ quote(id: "bist:DMOST") { last } }`, key); !strings.Contains(said, `"305.20"`) {
		t.Error(said)
	}
	ws, heard := s.listens(key)
	if heard["close"] != nil {
		t.Fatal(heard)
	}
	s.says(ws, `{"action":"subscribe","ids":["symbol:DMOST"]}`)
	disclosure := `{"record":"disclosure","disclosure_index":1,"type":"ODA","class":"ODA","symbols":["DMOST"],"filer_codes":["DMOST"],"published_at":"2026-03-18T10:00:00Z"}` + "\n"
	if res := run(t, roles.Ingest, disclosure, nil, "ingest", "-"); res.status != 0 {
		t.Fatal(res)
	}
	for n := 0; !strings.Contains(fmt.Sprint(heard), "disclosure_index:1"); n++ {
		if heard = s.says(ws, ""); n > 10 || heard["close"] != nil {
			t.Fatalf("heard %v", heard)
		}
	}

	s.eventually(deadline, "the units that the server counted", func() bool {
		var sums []struct{ Units int64 }
		res := run(t, roles.Keys, "", nil, "usage", "--month", "2026-03", "--key", id, "--format", "json")
		if err := json.Unmarshal([]byte(res.stdout), &sums); err != nil || res.status != 0 {
			t.Fatal(res, err)
		}
		return len(sums) == 1 && sums[0].Units > 3
	})
	if res := run(t, roles.Keys, "", nil, "keys", "revoke", id); res.status != 0 {
		t.Fatal(res)
	}
	s.eventually(deadline, "the revoked key is refused", func() bool {
		status, _ := s.get("/v1/quotes/bist:DMOST", key)
		return status == 401
	})
	if status := s.stop(os.Interrupt); status != 0 {
		t.Errorf("exit status %d", status)
	}
	if said := s.stderr.String(); strings.Count(said, "permission denied") != 1 ||
		!strings.Contains(said, "leaves deleting expired observations to others") {
		t.Errorf("said: %s", said)
	}

	raw := dbtest.Raw(t, roles.Admin)
	kept := func() (n int) {
		t.Helper()
		need.NoError(t, raw.QueryRow("SELECT count(*) FROM observations WHERE as_of < '2026-03-01'").Scan(&n))
		return n
	}
	if kept() != 1 {
		t.Fatalf("%d observations have expired", kept())
	}
	place, file := t.TempDir(), filepath.Join(t.TempDir(), "deliver.json")
	need.NoError(t, os.WriteFile(file, fmt.Appendf(nil, `{"backup": {"to": "folder", "folder": %q}}`, place), 0o600))
	if res := run(t, roles.Keeper, "", nil, "deliver", "--once", file); res.status != 0 {
		t.Errorf("a backup: %+v", res)
	}
	keeper := start(t, roles.Keeper)
	keeper.eventually(deadline, "expired observations are deleted", func() bool { return kept() == 0 })
	keeper.stop(os.Interrupt)
}
