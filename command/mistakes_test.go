package command_test

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"piyasa/test/fixture/need"
)

// Commands refuse mistaken flags and arguments with a suggestion, before they create anything.
func TestMistakesMakeNothing(t *testing.T) {
	folder := t.TempDir()
	table, listed := filepath.Join(folder, "prices.csv"), filepath.Join(folder, "list.txt")
	for _, path := range []string{table, listed} {
		need.NoError(t, os.WriteFile(path, []byte("symbol;last\nTHYAO;305,20\n"), 0o600))
	}
	at := func(name string) string { return filepath.Join(folder, name) }
	for _, c := range []struct {
		database string
		args     []string
		status   int
		says     string
	}{
		{"mydb.sqlite", []string{"status"}, 2, `did you mean "sqlite:mydb.sqlite"?`},
		{"/srv/my.db", []string{"serve"}, 2, `did you mean "sqlite:/srv/my.db"?`},
		{"sqlite://my.db", []string{"ingest", "-"}, 2, `did you mean "sqlite:my.db"?`},
		{"sqlite3:my.db", []string{"keys", "list"}, 2, `did you mean "sqlite:my.db"?`},
		{"sqlite:", []string{"verify"}, 2, "must be sqlite:PATH"},
		{"mysql://ali:hunter2@db/x", []string{"migrate"}, 2, "must be sqlite:PATH or postgres://"},
		{"postgres://127.0.0.1:1/x", []string{"status", "--database-write", "replica.db"}, 2, "PIYASA_DATABASE_WRITE: must be"},
		{"sqlite:" + at("new.db"), []string{"ingest", at("nofile.ndjson")}, 1, "no such file"},
		{"sqlite:" + at("new.db"), []string{"ingest", "--errors", at("errors"), at("nofile.ndjson")}, 1, "no such file"},
		{"sqlite:" + at("new.db"), []string{"ingest", table}, 1, "connector files"},
		{"sqlite:" + at("new.db"), []string{"collect", at("nofile.json")}, 2, "no such file"},
		{"sqlite:" + at("new.db"), []string{"restore", at("nofile.db")}, 1, "no such file"},
		{"sqlite:" + at("new.db"), []string{"serve", "--listen", "8080"}, 2, "did you mean 127.0.0.1:8080"},
		{"sqlite:" + at("new.db"), []string{"serve", "--metrics-listen", "9090"}, 2, "did you mean 127.0.0.1:9090"},
		{"sqlite:" + at("new.db"), []string{"ingest", "--metrics-listen", "9091", "-"}, 2, "did you mean 127.0.0.1:9091"},
		{"sqlite:" + at("new.db"), []string{"demo", "--listen", "8080"}, 2, "did you mean 127.0.0.1:8080"},
	} {
		res := run(t, c.database, "", nil, c.args...)
		if strings.Contains(res.err, "another place") { // of what cannot be read
			t.Errorf("%v: %s", c.args, res.err)
		}
		if res.status != c.status || !strings.Contains(res.err, c.says) || strings.Contains(res.err, "hunter2") {
			t.Errorf("%s %v: status %d, %s", c.database, c.args, res.status, res.err)
		}
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) != 2 {
		t.Errorf("there are %v, %v", left, err)
	}
	if res := run(t, "sqlite:"+at("new.db"), "", nil, "ingest", listed); res.status != 3 || !strings.Contains(res.err, "connector files") {
		t.Errorf("a table under another name: %+v", res)
	}
	for _, scopes := range []string{"everything", "kab,quots:bist", "ALL"} {
		res := run(t, "sqlite:"+at("new.db"), "", nil, "keys", "create", "--name", "x", "--plan", "pro", "--scopes", scopes)
		if res.status != 2 || !strings.Contains(res.err, "--scopes must name at least one of quotes:bist, ") || res.stdout != "" {
			t.Errorf("scopes %s: %+v", scopes, res)
		}
	}
}

// A key that opens only what any key does is asked for by that word, without a warning.
func TestKeyOfNothing(t *testing.T) {
	url := "sqlite:" + t.TempDir() + "/piyasa.db"
	create(t, url)
	if res := run(t, url, "", nil, "keys", "create", "--name", "x", "--plan", "pro", "--scopes", "nothing", "--json"); res.status != 0 ||
		strings.Contains(res.err, "grants nothing") || !strings.Contains(res.stdout, `"scopes":["nothing"]`) {
		t.Errorf("%+v", res)
	}
}

// Where messages of ingest go to a file, too, each cause is reported some times, and then counted.
func TestMessagesAreSummarised(t *testing.T) {
	const bad = `{"record":"quote","instrument_id":"fx:USDTRY","as_of":"2026-03-18T07:00:00Z","last":"%d"}` + "\n"
	var input strings.Builder
	for i := range 2500 {
		fmt.Fprintf(&input, bad, -i-1)
	}
	input.WriteString(strings.Repeat("{broken\n", 30))
	for flag, lines := range map[string]int{"--explain": 2530, "--acks": 20 + 2 + 20} {
		res := run(t, "sqlite:"+filepath.Join(t.TempDir(), "piyasa.db"), input.String(), nil, "ingest", flag, "-")
		if n := len(regexp.MustCompile(`(?m)^-:[0-9]+: `).FindAllString(res.err, -1)); n != lines || res.status != 3 {
			t.Errorf("%s: %d messages, status %d: %.3000s", flag, n, res.status, res.err)
		}
		for _, more := range []string{"… and 2480 more: last: ", "… and 10 more: is not one valid JSON object"} {
			if strings.Contains(res.err, more) != (lines < 100) {
				t.Errorf("%s: %.3000s", flag, res.err)
			}
		}
	}
}

// The password of the page of keys is in a file that only its user can read, and not in what
// the server prints, which a journal keeps.
func TestPasswordOfTheKeysPage(t *testing.T) {
	folder := t.TempDir()
	cmd := exec.Command(binary, "serve", "--metrics-listen=127.0.0.1:0", "--keys-page")
	cmd.Env = environment(t, "sqlite:"+filepath.Join(t.TempDir(), "piyasa.db"), []string{"RUNTIME_DIRECTORY=" + folder})
	var failed bytes.Buffer
	cmd.Stderr = &failed
	out, err := cmd.StdoutPipe()
	need.NoError(t, err)
	need.NoError(t, cmd.Start())
	defer func() { _ = cmd.Process.Kill() }()
	said := bufio.NewReader(out)
	first, _ := said.ReadString('\n')
	second, _ := said.ReadString('\n')
	says := regexp.MustCompile(`^keys on (http://127\.0\.0\.1:[0-9]+/keys); (` + folder + `/keys-page-[0-9]+) has`)
	found := says.FindStringSubmatch(second)
	if found == nil || !strings.HasPrefix(first, "listening on ") {
		t.Fatalf("says %q, then %q\n%s", first, second, &failed)
	}
	info, err := os.Stat(found[2])
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("%v, %v", info, err)
	}
	text, err := os.ReadFile(found[2])
	need.NoError(t, err)
	answers := func(address string) string {
		out, _ := exec.Command("curl", "-so", os.DevNull, "-w", "%{http_code}", address).Output()
		return string(out)
	}
	if with, without := answers(strings.TrimSpace(string(text))), answers(found[1]); with != "200" || without != "401" {
		t.Errorf("answers %s and %s", with, without)
	}
	need.NoError(t, cmd.Process.Signal(syscall.SIGINT))
	_ = cmd.Wait()
	if _, err := os.Stat(found[2]); err == nil {
		t.Error("the file is left behind")
	}
}
