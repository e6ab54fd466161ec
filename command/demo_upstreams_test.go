package command_test

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"piyasa/test/fixture/need"
)

// demoUpstreams starts a demonstration with stand-ins of upstreams, and returns what it says
// of how to collect from them by name: what is to be in the environment, and the arguments.
func demoUpstreams(t *testing.T, flags ...string) map[string][]string {
	t.Helper()
	stdout := runDemo(t, append([]string{"--upstreams"}, flags...)...)
	command := regexp.MustCompile(`^(Check|Collect|Print) +(.*?)piyasa ((?:collect|serve) .*)$`)
	said := map[string][]string{}
	read := make(chan struct{})
	go func() {
		defer close(read)
		for lines := bufio.NewScanner(stdout); len(said) < 3 && lines.Scan(); {
			if m := command.FindStringSubmatch(lines.Text()); m != nil {
				said[m[1]] = m[2:]
			}
		}
	}()
	select {
	case <-read:
	case <-time.After(time.Minute):
		t.Fatal("the demonstration does not print three commands")
	}
	if len(said) < 3 {
		t.Fatalf("%v", said)
	}
	return said
}

// The commands that the demonstration prints collect from its stand-ins: of the connectors, of the templates,
// and of APIs with habits.
func TestDemoWithUpstreams(t *testing.T) {
	t.Parallel()
	said := demoUpstreams(t, "--habits", "cursor,detail,oauth2")
	database := "sqlite:" + filepath.Join(t.TempDir(), "collected.db")
	for _, name := range []string{"Check", "Collect", "Print"} {
		arguments := strings.Fields(strings.ReplaceAll(said[name][1], "sqlite:collected.db", database))
		if name == "Collect" { // what it prints serves, too; here it ends when all is collected
			file := arguments[len(arguments)-1]
			if arguments[0] != "serve" || arguments[len(arguments)-2] != "--collect" {
				t.Fatalf("%v", arguments)
			}
			if res := run(t, database, "", nil, "ingest", "-"); res.status != 0 {
				t.Fatalf("%+v", res)
			}
			arguments = []string{"collect", file, "--once", "--database", database}
		}
		res := run(t, database, "", strings.Fields(said[name][0]), arguments...)
		if res.status != 0 || name == "Print" && !strings.Contains(res.stdout, `"instrument_id":"fx:USDTRY"`) {
			t.Errorf("%s: %+v", name, res)
		}
		for _, source := range []string{"tcmb", "tefas", "fred-indices", "json-cursor", "json-detail", "json-oauth2"} {
			if !strings.Contains(res.stdout+res.err, source+": ") {
				t.Errorf("%s says nothing of %s: %+v", name, source, res)
			}
		}
	}
}

// Stand-ins with faults answer otherwise than without them.
func TestDemoWithFaults(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ flags, says string }{
		{"--faults 101 --upstreams", "101 is not a number from 0 to 100"},
		{"--faults 5", "add --upstreams"},
		{"--habits all", "add --upstreams"},
		{"--upstreams --habits sleeps", "there are all, basic, cursor,"},
	} {
		if res := run(t, "", "", nil, append([]string{"demo"}, strings.Fields(c.flags)...)...); res.status == 0 ||
			!strings.Contains(res.err, c.says) {
			t.Errorf("%s: %+v", c.flags, res)
		}
	}
	arguments := strings.Fields(demoUpstreams(t, "--faults", "100")["Print"][1])
	text, err := os.ReadFile(arguments[len(arguments)-1])
	need.NoError(t, err)
	var config struct {
		Sources map[string]struct{ Base string }
	}
	need.NoError(t, json.Unmarshal(text, &config))
	client := http.Client{Timeout: 200 * time.Millisecond}
	wrong := 0
	for range 20 {
		res, err := client.Get(config.Sources["tcmb"].Base + "today.xml")
		if err != nil {
			wrong++
			continue
		}
		if body, err := io.ReadAll(res.Body); err != nil || res.StatusCode != http.StatusOK || !strings.HasPrefix(string(body), "<?xml") {
			wrong++
		}
		_ = res.Body.Close()
	}
	if wrong == 0 {
		t.Error("nothing is wrong with 20 answers")
	}
}
