package command_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"piyasa/test/fixture/need"
)

// Every command has a page, which a strict reader of pages accepts.
func TestManual(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "man1")
	res := run(t, "", "", nil, "man", "--folder", folder)
	pages := strings.Fields(res.stdout)
	if res.status != 0 || len(pages) < 20 {
		t.Fatalf("%+v", res)
	}
	out, err := exec.Command("mandoc", append([]string{"-T", "lint", "-W", "warning"}, pages...)...).CombinedOutput()
	for line := range strings.Lines(string(out)) {
		if !strings.Contains(line, "missing date") { // a page of the same version is always the same
			t.Errorf("mandoc: %v %s", err, line)
		}
	}
	text, err := os.ReadFile(filepath.Join(folder, "piyasa-keys-create.1"))
	if one := run(t, "", "", nil, "man", "keys", "create"); err != nil || one.stdout != string(text) ||
		!strings.Contains(one.stdout, `calendar:read  economic calendar`) {
		t.Errorf("%v %+v", err, one)
	}
	for _, args := range [][]string{{"man", "nope"}, {"man", "--folder", folder, "serve"}} {
		if res := run(t, "", "", nil, args...); res.status != 2 {
			t.Errorf("%v: %+v", args, res)
		}
	}
}

// Each shell completes a command, a flag with a value behind it, and one with a colon.
func TestCompletion(t *testing.T) {
	for shell, script := range map[string]string{
		"bash": `source /usr/share/bash-completion/bash_completion; source <(piyasa completion bash)
compopt() { :; }
ask() { COMP_LINE="piyasa $*"; COMP_LINE=${COMP_LINE// = /=}; COMP_LINE=${COMP_LINE// : /:}; COMP_POINT=${#COMP_LINE}; COMP_WORDS=(piyasa "$@"); COMP_CWORD=$#; __start_piyasa; printf '%s\n' "${COMPREPLY[@]}"; }
ask keys cr; ask --log-format = j; ask keys create --scopes fx,quotes : b`,
		"zsh": `compdef() { }; _describe() { print -l -- ${completions//\\:/:} }
source <(piyasa completion zsh)
ask() { words=(piyasa "$@"); CURRENT=$#words; _piyasa }
ask keys cr; ask --log-format=j; ask keys create --scopes fx,quotes:b`,
		"fish": `piyasa completion fish | source
complete -C "piyasa keys cr"; complete -C "piyasa --log-format=j"; complete -C "piyasa keys create --scopes fx,quotes:b"`,
	} {
		t.Run(shell, func(t *testing.T) {
			cmd := exec.CommandContext(t.Context(), shell, "-c", script)
			cmd.Env = append(environment(t, "", nil), "PATH="+filepath.Dir(binary)+":"+os.Getenv("PATH"))
			var failed bytes.Buffer
			cmd.Stderr = &failed
			out, err := cmd.Output()
			if err != nil {
				t.Fatalf("%v %s", err, failed.String())
			}
			for _, want := range []string{"create", "json", "quotes:bist"} {
				if shell == "bash" && want == "quotes:bist" {
					want = "bist"
				}
				if !strings.Contains(string(out), want) {
					t.Errorf("%s is not offered: %s %s", want, out, failed.String())
				}
			}
		})
	}
	if res := run(t, "", "", nil, "completion", "csh"); res.status != 2 || !strings.Contains(res.err, "fish") {
		t.Errorf("%+v", res)
	}
}

// A command that reads or repairs does not make a database: a mistake in its path would
// look like a loss of everything.
func TestMissingDatabase(t *testing.T) {
	path := filepath.Join(t.TempDir(), "nope", "piyasa.db")
	sources := filepath.Join(t.TempDir(), "sources.json")
	need.NoError(t, os.WriteFile(sources, []byte(`{"sources": {"fx": {"connector": "tcmb"}}}`), 0o600))
	for _, args := range [][]string{
		{"keys", "list"}, {"keys", "create", "--name", "n", "--plan", "pro", "--scopes", "all"}, {"keys", "revoke", "x"},
		{"keys", "rotate", "x"},
		{"usage"}, {"verify"}, {"backup", path + "-copy"}, {"migrate"}, {"collect", "--once", sources},
	} {
		res := run(t, "sqlite:"+path, "", nil, args...)
		if res.status != 1 || !strings.Contains(res.err, "sqlite:"+path) || !strings.Contains(res.err, "does not exist") ||
			!strings.Contains(res.err, "piyasa ingest") {
			t.Errorf("%v: %+v", args, res)
		}
		if _, err := os.Stat(filepath.Dir(path)); err == nil {
			t.Fatalf("%v made something", args)
		}
	}
	if res := run(t, "sqlite:"+path, "", nil, "ingest", "-"); res.status != 0 || !strings.Contains(res.err, "creating the database") {
		t.Errorf("%+v", res)
	}
	if res := run(t, "sqlite:"+path, "", nil, "keys", "list"); res.status != 0 || res.err != "database: sqlite:"+path+"\n" {
		t.Errorf("%+v", res)
	}
	if res := run(t, "postgres://u:hunter2@127.0.0.1:1,127.0.0.2:2/x?sslmode=disable", "", nil, "keys", "list"); res.status != 1 ||
		!strings.Contains(res.err, "database: postgres://u@127.0.0.1:1,127.0.0.2:2/x\n") {
		t.Errorf("%+v", res)
	}
}
