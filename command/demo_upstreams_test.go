package command_test

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
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
	command := regexp.MustCompile(`^(Check|Collect|Print) +(.*?)piyasa (collect .*)$`)
	said := map[string][]string{} // by name: what is to be in the environment, and the arguments
	for lines := bufio.NewScanner(stdout); len(said) < 3 && lines.Scan(); {
		if m := command.FindStringSubmatch(lines.Text()); m != nil {
			said[m[1]] = m[2:]
		}
	}
	if len(said) < 3 {
		t.Fatalf("%v", said)
	}
	database := "sqlite:" + filepath.Join(t.TempDir(), "collected.db")
	for _, name := range []string{"Check", "Collect", "Print"} {
		arguments := strings.Fields(strings.ReplaceAll(said[name][1], "sqlite:collected.db", database))
		if name == "Collect" {
			arguments = append(arguments, "--once")
		}
		res := run(t, database, "", strings.Fields(said[name][0]), arguments...)
		if res.status != 0 || !strings.Contains(res.stdout+res.err, "tcmb") || name == "Print" && !strings.Contains(res.stdout, `"instrument_id":"fx:USDTRY"`) {
			t.Errorf("%s: %+v", name, res)
		}
	}
}
