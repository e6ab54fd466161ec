package command_test

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// The commands that the demonstration prints collect from its stand-ins.
func TestDemoWithUpstreams(t *testing.T) {
	demo := exec.CommandContext(t.Context(), binary, "demo", "--upstreams")
	demo.Env = environment(t, "", nil)
	stdout, err := demo.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := demo.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = demo.Process.Signal(os.Interrupt)
		_ = demo.Wait()
	})
	command := regexp.MustCompile(`^(Check|Collect|Print) +(.*?)piyasa ((?:collect|serve) .*)$`)
	said := map[string][]string{} // by name: what is to be in the environment, and the arguments
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
		if res.status != 0 || !strings.Contains(res.stdout+res.err, "tcmb") || name == "Print" && !strings.Contains(res.stdout, `"instrument_id":"fx:USDTRY"`) {
			t.Errorf("%s: %+v", name, res)
		}
	}
}
