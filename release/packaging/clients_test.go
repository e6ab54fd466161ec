package main

import (
	"archive/zip"
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"
)

func TestVersionsOfClients(t *testing.T) {
	for version, want := range map[string]versions{
		"1.2.3":                       {"1.2.3", "1.2.3", "v1.2.3"},
		"0.1.0-dev+066709a":           {"0.1.0.dev0+066709a", "0.1.0-dev+066709a", "v0.1.0-dev.g066709a"},
		"0.1.0-dev+066709a.dirty":     {"0.1.0.dev0+066709a.dirty", "0.1.0-dev+066709a.dirty", "v0.1.0-dev.g066709a.dirty"},
		"1.2.4-0.dev.7+g066709a":      {"1.2.4.dev7+g066709a", "1.2.4-0.dev.7+g066709a", "v1.2.4-0.dev.7.g066709a"},
		"2.0.0-rc.1":                  {"2.0.0rc1", "2.0.0-rc.1", "v2.0.0-rc.1"},
		"2.0.0-beta.2.dev.3+gabcdef1": {"2.0.0b2.dev3+gabcdef1", "2.0.0-beta.2.dev.3+gabcdef1", "v2.0.0-beta.2.dev.3.gabcdef1"},
	} {
		if got, err := versionsOf(version); err != nil || got != want {
			t.Errorf("%s is %+v %v, want %+v", version, got, err, want)
		}
	}
	for _, version := range []string{"1.2", "1.2.3-next.1", "v1.2.3", "1.2.3-rc"} {
		if got, err := versionsOf(version); err == nil {
			t.Errorf("%s is %+v", version, got)
		}
	}
}

// demo starts the program that is released, and returns what an example needs to ask it.
func demo(t *testing.T) (env []string) {
	t.Helper()
	folder := t.TempDir()
	output(t, "dpkg-deb", "--extract", one(t, runtime.GOARCH+".deb"), folder)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	t.Cleanup(cancel)
	server := exec.CommandContext(ctx, folder+"/usr/bin/piyasa", "demo", "--listen=127.0.0.1:0", "--metrics-listen=127.0.0.1:0")
	server.Env = append(os.Environ(), "HOME="+folder, "TMPDIR="+folder)
	stdout, err := server.StdoutPipe()
	if err == nil {
		err = server.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cancel(); _ = server.Wait() })
	said := regexp.MustCompile(`(?:listening on |Key +)(\S+)`)
	for lines := bufio.NewScanner(stdout); len(env) < 2 && lines.Scan(); {
		if m := said.FindStringSubmatch(lines.Text()); m != nil {
			env = append(env, []string{"PIYASA_URL=", "PIYASA_KEY="}[len(env)]+m[1])
		}
	}
	if len(env) < 2 {
		t.Fatalf("the demo only says %q", env)
	}
	return append(os.Environ(), env...)
}

// place is where a client is installed: a folder with nothing else.
type place struct {
	*testing.T
	folder string
	env    []string
}

func (p place) try(argv ...string) (string, error) {
	p.Helper()
	ctx, cancel := context.WithTimeout(p.Context(), 3*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = p.folder, p.env
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func (p place) run(argv ...string) string {
	p.Helper()
	out, err := p.try(argv...)
	if err != nil {
		p.Fatalf("%q: %v\n%s", argv, err, out)
	}
	return out
}

func (p place) write(name string, text []byte) {
	p.Helper()
	if err := os.WriteFile(filepath.Join(p.folder, name), text, 0o644); err != nil {
		p.Fatal(err)
	}
}

// example runs the example of a client.
func (p place) example(argv ...string) {
	p.Helper()
	want := `^bist:DMOST [\d.]+ TRY\nfx:USDTRY [\d.]+ TRY\nnot-found .*bist:NOPE.*\ninvalid-parameter no topics: nope\n`
	for i := range 30 {
		want += fmt.Sprintf(`%d [A-Z]+\n`, 1_500_001+i)
	}
	if out := p.run(append(argv, "bist:DMOST", "fx:USDTRY")...); !regexp.MustCompile(want + "$").MatchString(out) {
		p.Errorf("it prints\n%s", out)
	}
}

// refused fails unless a checker of types finds what is wrong.
func (p place) refused(wrong string, argv ...string) {
	p.Helper()
	if out, err := p.try(argv...); err == nil || !strings.Contains(out, wrong) {
		p.Errorf("%q: %v\n%s", argv, err, out)
	}
}

// Each package installs without a network where nothing else is, brings its types, and its example runs against the demo.
func TestClients(t *testing.T) {
	env := demo(t)
	of, err := versionsOf(made.version)
	if err != nil {
		t.Fatal(err)
	}
	clients, err := filepath.Abs("../../docs/clients")
	if err != nil {
		t.Fatal(err)
	}
	install := func(name string, install func(p place)) {
		t.Run(name, func(t *testing.T) { install(place{t, t.TempDir(), env}) })
	}
	const python = "/usr/bin/python3" // which has the packages of the system
	for name, flags := range map[string][]string{
		"-py3-none-any.whl":         {},
		"-" + of.python + ".tar.gz": {"--system-site-packages"}, // to build it takes setuptools
	} {
		install("piyasa"+name, func(p place) {
			p.run(append([]string{python, "-m", "venv", "env"}, flags...)...)
			p.run("env/bin/pip", "install", "--no-index", "--no-build-isolation", one(t, name))
			if out := p.run("env/bin/pip", "show", "piyasa"); !strings.Contains(out, "Version: "+of.python+"\n") ||
				!strings.Contains(out, "Requires: \n") {
				p.Error(out)
			}
			p.write("example.py", mustRead(t, clients+"/python/example.py"))
			p.example("env/bin/python", "example.py")
			mypy := []string{"mypy", "--strict", "--cache-dir=/dev/null", "--python-executable=env/bin/python"}
			p.run(append(mypy, "example.py", clients+"/python/piyasa.py")...)
			p.write("wrong.py", []byte("import piyasa\npiyasa.Piyasa('', '').quotes(1)\n"))
			p.refused("incompatible type", append(mypy, "wrong.py")...)
		})
	}
	install("npm", func(p place) {
		p.run("npm", "init", "--yes")
		p.run("npm", "install", "--offline", "--no-audit", "--no-fund", one(t, ".tgz"))
		version, _, _ := strings.Cut(of.npm, "+")
		if out := p.run("npm", "ls", "--all"); strings.Count(out, "@") != 2 || !strings.Contains(out, "piyasa@"+version) {
			p.Error(out)
		}
		p.write("example.mjs", mustRead(t, clients+"/javascript/example.mjs"))
		p.example("node", "example.mjs")
		modules := clients + "/javascript/node_modules/"
		tsc := []string{"node", modules + "typescript/bin/tsc", "--noEmit", "--strict", "--checkJs", "--target", "es2022",
			"--module", "nodenext", "--typeRoots", modules + "@types", "--types", "node"}
		p.run(append(tsc, "example.mjs")...)
		p.write("wrong.mts", []byte("import { Piyasa } from 'piyasa';\nawait new Piyasa('', '').quotes(1);\n"))
		p.refused("not assignable", append(tsc, "wrong.mts")...)
	})
	install("Go", func(p place) {
		served, err := zip.OpenReader(one(t, "_goproxy.zip"))
		if err != nil {
			p.Fatal(err)
		}
		defer served.Close()
		if err := os.CopyFS(p.folder+"/goproxy", served); err != nil {
			p.Fatal(err)
		}
		p.env = append(env, "GOPROXY=file://"+p.folder+"/goproxy", "GONOSUMDB=example.org/piyasa", "GOMODCACHE="+p.folder+"/modules",
			"GOFLAGS=-modcacherw", "GOTOOLCHAIN=local")
		p.run("go", "mod", "init", "example.org/user")
		p.run("go", "get", "example.org/piyasa@"+of.module)
		p.run("go", "mod", "verify")
		p.example("go", "run", "example.org/piyasa/example")
	})
}
