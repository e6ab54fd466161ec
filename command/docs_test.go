package command_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"piyasa/collect/standin"
	"piyasa/test/fixture/need"
)

var block = regexp.MustCompile("(?s)```(\\w+)\n(.*?)```")

// guides are the pages whose every command is run, in order and in a folder of its own.
var guides = []string{"README.md", "docs/start.md", "docs/concepts.md", "docs/guide-dashboard.md", "docs/guide-quant.md",
	"docs/guide-rest.md", "docs/guide-operator.md"}

// notRun are parts of commands of the guides that need what no test has.
var notRun = []string{
	"make run", "make test", // the first block of the README: this is what runs it
	"sources.json",     // TestREADMECollects runs it
	"sudo ",            // installed packages have users of their own, which their tests have
	"bin/piyasa serve", // so is the block that feeds it; guide-operator.md has the same commands
	"claude mcp add",   // a client of somebody else's
	"podman run",       // the image has its own tests
}

// In other pages, the commands that ask the demonstration are run, and code of clients; what else they say to piyasa is
// understood.
var (
	asking = regexp.MustCompile(`(?m)^curl .*http://127\.0\.0\.1:8080/`)
	saying = regexp.MustCompile(`(?m)(?:^|[| ])piyasa ([^|#<>\n]+)`)
)

// around is what code of clients finds around it, by a part of it: a key, and an end, which pages leave to their readers.
var around = map[string]string{
	"from 'graphql-ws'": `const key = process.env.KEY, print = console.log;
let printed = 0;
console.log = (...values) => { print(JSON.stringify(values)); if (++printed === 2) process.exit(); };
`,
	// The first stream breaks off as soon as it has a position.
	"new EventSource": `import { EventSource as Source } from 'eventsource';
const server = 'http://127.0.0.1:8080', ask = globalThis.fetch;
globalThis.fetch = (address, options) => address === '/my-backend/stream-token' ? ask(server + '/v1/stream-token', { headers: { 'X-API-Key': process.env.KEY } }) : ask(address, options);
let opened = 0;
globalThis.EventSource = class extends Source {
  static CLOSED = Source.CLOSED;
  constructor(path) {
    super(server + path);
    console.log(JSON.parse(new URLSearchParams(path.split('?')[1]).get('variables')).after);
    if (++opened === 2) process.exit();
    this.addEventListener('next', () => setTimeout(() => { this.close(); this.dispatchEvent(new Event('error')); }));
  }
};
`,
}

// expected is what such code prints.
var expected = map[string]string{
	"from 'graphql-ws'": `"last":"[\d.]+"`,
	"new EventSource":   `^null\n\w+:\d+\n$`,
	"groupby":           `(?s)bist:DMOST .*crypto:900001 `,
}

// refused is in answers that say what is wrong with a request.
var refused = regexp.MustCompile(`"errors": ?\[|/problems/[a-z-]+"`)

// What the documentation tells readers to run works, and gives answers of the shape that it shows.
func TestCommandsOfDocs(t *testing.T) {
	base := startDemo(t)
	pages, err := filepath.Glob("../docs/*.md")
	need.NoError(t, err)
	ran := 0
	for _, page := range append(pages, "../README.md") {
		name := strings.TrimPrefix(page, "../")
		t.Run(name, func(t *testing.T) {
			t.Parallel() // they wait for the demonstration, and for processes to start
			text, err := os.ReadFile(page)
			need.NoError(t, err)
			r := &reader{t: t, folder: t.TempDir(), base: base, env: environment(t, "", []string{"KEY=" + demoKey})}
			r.env = append(r.env, "PATH="+filepath.Dir(binary)+":"+os.Getenv("PATH"))
			r.read(slices.Contains(guides, name), string(text))
		})
		ran++
	}
	if ran < 15 {
		t.Errorf("found only %d pages", ran)
	}
}

// demoKey is the demonstration's.
const demoKey = "piyasa_live_demoDEMOdemoDEMOdemoDEMOdemoDEMOdemoDEMO"

// firstLine starts a server and returns the address that its first line says.
func firstLine(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	stdout, err := cmd.StdoutPipe()
	need.NoError(t, err)
	need.NoError(t, cmd.Start())
	line, err := bufio.NewReader(stdout).ReadString('\n')
	m := listening.FindStringSubmatch(strings.TrimSpace(line))
	if err != nil || m == nil {
		t.Fatalf("the first line is %q, %v", line, err)
	}
	return m[1]
}

// reader does what a page says. What a block exports, later ones have.
type reader struct {
	t      *testing.T
	folder string
	base   string
	env    []string
}

// read runs the blocks of a page: all, or those that ask the demonstration and those of clients.
func (r *reader) read(all bool, text string) {
	blocks := block.FindAllStringSubmatchIndex(text, -1)
	for i, b := range blocks {
		language, code := text[b[2]:b[3]], text[b[4]:b[5]]
		if slices.ContainsFunc(notRun, func(part string) bool { return strings.Contains(code, part) }) {
			continue
		}
		var out []byte
		switch language {
		case "sh":
			if !all && !asking.MatchString(code) {
				r.understood(code)
				continue
			}
			if strings.TrimSpace(code) == "piyasa serve" {
				r.serve()
				continue
			}
			out = r.run("bash", "-c", "set -euo pipefail; [ ! -f .exported ] || . ./.exported; "+
				strings.NewReplacer("curl -N ", "curl -sSN --max-time 2 ", "curl ", "curl -sS --max-time 20 ").Replace(code)+
				"\nexport -p > .exported")
		case "python":
			python := "python3"
			if strings.Contains(code, "pandas\n") {
				python = "/usr/bin/python3" // Debian's has the package
				lacks(r.t, "pandas is missing: make setup installs it", python, "-c", "import pandas")
			}
			out = r.run(python, "-c", code)
		case "js":
			for part, before := range around {
				if strings.Contains(code, part) {
					code = before + code
					r.packages()
				}
			}
			r.write("page.mjs", code)
			out = r.run("node", "--experimental-websocket", "page.mjs")
		case "graphql":
			r.write("document.graphql", code)
			out = r.run("bash", "-c", "piyasa cost document.graphql")
		case "toml":
			r.write("piyasa.toml", code)
			r.serve("--config=piyasa.toml", "--listen=127.0.0.1:0", "--database=sqlite:settings.db")
			continue
		default:
			continue
		}
		for part, pattern := range expected {
			if strings.Contains(code, part) && !regexp.MustCompile(pattern).Match(out) {
				r.t.Errorf("%s\nprints %s", code, out)
			}
		}
		shows := i+1 < len(blocks) && text[blocks[i+1][2]:blocks[i+1][3]] == "json" && strings.TrimSpace(text[b[1]:blocks[i+1][0]]) == ""
		if refused.Match(out) && !(shows && refused.MatchString(text[blocks[i+1][4]:blocks[i+1][5]])) {
			r.t.Errorf("%s\nis refused: %s", code, out) // curl ends with 0 all the same
		}
		if !shows {
			continue
		}
		shown := text[blocks[i+1][4]:blocks[i+1][5]]
		if want, got := shape(r.t, []byte(shown)), shape(r.t, out); got != want {
			r.t.Errorf("%s\ngives %s: %s\nnot %s", code, got, out, want)
		}
	}
}

// understood fails where piyasa has no such command, or the command no such flag.
func (r *reader) understood(code string) {
	for _, m := range saying.FindAllStringSubmatch(strings.ReplaceAll(code, "\\\n", " "), -1) {
		if out := r.run("bash", "-c", "piyasa "+m[1]+" --help"); !bytes.HasPrefix(out, []byte("Usage: piyasa ")) {
			r.t.Errorf("piyasa %s --help says %s", m[1], out)
		}
	}
}

// packages lets code find the npm packages of docs/clients.
func (r *reader) packages() {
	from, err := filepath.Abs("../docs/clients/javascript/node_modules")
	need.NoError(r.t, err)
	lacks(r.t, "docs/clients/javascript/node_modules is missing: make test installs it",
		"test", "-e", filepath.Join(from, ".package-lock.json"))
	if err := os.Symlink(from, filepath.Join(r.folder, "node_modules")); err != nil && !errors.Is(err, fs.ErrExist) {
		r.t.Fatal(err)
	}
}

// run runs a program in the reader's folder, with the address of the server in place of the
// one that pages show.
func (r *reader) run(program string, args ...string) []byte {
	r.t.Helper()
	for i := range args {
		args[i] = r.here(args[i])
	}
	cmd := exec.CommandContext(r.t.Context(), program, args...)
	cmd.Dir, cmd.Env = r.folder, r.env
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if cut, ok := errors.AsType[*exec.ExitError](err); ok && cut.ExitCode() == 28 && len(out) > 0 &&
		strings.Contains(strings.Join(args, " "), "curl -sSN") {
		return out // a stream does not end by itself
	}
	if err != nil {
		r.t.Errorf("%v\n%s\n%s\n%s", err, strings.Join(args, " "), out, &stderr)
	}
	return out
}

func (r *reader) here(code string) string {
	return strings.NewReplacer("http://127.0.0.1:8080", r.base, "ws://127.0.0.1:8080",
		strings.Replace(r.base, "http", "ws", 1)).Replace(code)
}

func (r *reader) write(name, code string) {
	need.NoError(r.t, os.WriteFile(filepath.Join(r.folder, name), []byte(r.here(code)), 0o600))
}

// serve starts the server that the page starts, which later blocks ask.
func (r *reader) serve(flags ...string) {
	cmd := exec.CommandContext(r.t.Context(), "bash", "-c", "[ ! -f .exported ] || . ./.exported; exec piyasa serve "+
		strings.Join(flags, " "))
	cmd.Dir, cmd.Env = r.folder, r.env
	r.base = firstLine(r.t, cmd)
	r.t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		_ = cmd.Wait()
	})
}

// Every form of the reference asks for something that the demonstration has, and the code of
// a page says the same in each language.
func TestReferenceInTheDemo(t *testing.T) {
	t.Parallel()
	base := startDemo(t)
	get := func(path string, header ...string) (int, string) {
		t.Helper()
		request, err := http.NewRequestWithContext(t.Context(), "GET", base+path, nil)
		need.NoError(t, err)
		for i := 0; i < len(header); i += 2 {
			request.Header.Set(header[i], header[i+1])
		}
		answer, err := http.DefaultClient.Do(request)
		need.NoError(t, err)
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		need.NoError(t, err)
		return answer.StatusCode, string(text)
	}
	_, list := get("/docs/rest/README.md")
	asked := 0
	curl := regexp.MustCompile("```sh\ncurl (?:-o answer |-H \"X-API-Key: \\$KEY\" )*'" + base + "([^']*)'\n```")
	links := regexp.MustCompile(`\]\((\w+\.md)\)`).FindAllStringSubmatch(list, -1)
	least := 50
	if testing.Short() {
		links, least = links[:len(links)/3], 10
	}
	for _, link := range links {
		_, page := get("/docs/rest/" + link[1])
		m := curl.FindStringSubmatch(page)
		if m == nil || strings.Contains(page, "signature") || strings.Contains(page, "| 200 | `text/html`") { // no form
			continue
		}
		asked++
		status, answer := get(m[1], "X-API-Key", demoKey)
		if status != 200 && link[1] != "newsItem.md" { // the demonstration has no news
			t.Errorf("%s: %s: %d %.300s", link[1], m[1], status, answer)
		}
	}
	if asked < least {
		t.Errorf("asked only %d times", asked)
	}
	for _, name := range []string{"rest/quote.md", "rest/graphQL.md", "sockets/prices.md"} {
		_, page := get("/docs/" + name)
		r := &reader{t: t, folder: t.TempDir(), base: base,
			env: append(environment(t, "", []string{"KEY=" + demoKey}), "GOCACHE="+goCache(t), "GOFLAGS="+os.Getenv("GOFLAGS"))}
		said := 0
		for _, b := range block.FindAllStringSubmatch(page, 5) {
			var out []byte
			switch language, code := b[1], b[2]; {
			case language == "sh":
				out = r.run("bash", "-euc", code)
			case language == "python" && strings.Contains(code, "websockets"):
				code = strings.Replace(code, "async for message in socket:\n            print(message)",
					"for _ in range(5):\n            print(await socket.recv())", 1)
				out = r.run("/usr/bin/python3", "-c", code) // Debian's has the package
			case language == "python":
				out = r.run("python3", "-c", code)
			case language == "js":
				if strings.Contains(code, "WebSocket") {
					code += "let got = 0;\nsocket.addEventListener('message', () => ++got === 5 && process.exit());\n"
				}
				r.write("page.mjs", code)
				out = r.run("node", "--experimental-websocket", "page.mjs")
			case language == "go":
				if strings.Contains(code, "websocket") {
					r.module()
					code = strings.Replace(code, "\tfor {\n\t\t_, message", "\tfor range 5 {\n\t\t_, message", 1)
				}
				r.write("main.go", code)
				out = r.run("go", "run", "main.go")
			default:
				continue
			}
			if said++; !strings.Contains(string(out), "bist:DM") {
				t.Errorf("%s in %s says %s", b[1], name, out)
			}
		}
		if said != map[string]int{"sockets/prices.md": 3}[name] && said != 4 {
			t.Errorf("%s has %d examples", name, said)
		}
	}
}

// module makes the folder a module that has the modules of piyasa.
func (r *reader) module() {
	for _, name := range []string{"go.mod", "go.sum"} {
		text, err := os.ReadFile(filepath.Join("..", name))
		need.NoError(r.t, err)
		r.write(name, string(text))
	}
}

// goCache is where compiled packages are; the tests' programs have a home of their own.
func goCache(t *testing.T) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "env", "GOCACHE").Output()
	need.NoError(t, err)
	return strings.TrimSpace(string(out))
}

// The configuration of the README collects what it says, from stand-ins of the upstreams.
func TestREADMECollects(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("../README.md")
	need.NoError(t, err)
	var script string
	for _, b := range block.FindAllStringSubmatch(string(readme), -1) {
		if strings.Contains(b[2], "sources.json") {
			script = b[2]
		}
	}
	now := time.Date(2026, 3, 18, 15, 0, 0, 0, time.UTC)
	for _, name := range []string{"tcmb", "ecb", "evds"} {
		upstream := httptest.NewServer(standin.Makers[name](func() time.Time { return now }))
		t.Cleanup(upstream.Close)
		script = strings.Replace(script, `"connector": "`+name+`"`, `"connector": "`+name+`", "pace": "1ms", "base": "`+
			upstream.URL+`/"`, 1)
	}
	script = strings.NewReplacer("your-key", standin.EVDSKey, "bin/piyasa", binary, "serve --collect", "ingest - </dev/null && "+binary+
		" collect --once", "mine/tea.csv", "mine/tea.csv && touch -d yesterday mine/tea.csv").Replace(script)
	database := "sqlite:" + filepath.Join(t.TempDir(), "readme.db")
	work := exec.CommandContext(t.Context(), "bash", "-euc", script)
	work.Dir, work.Env = t.TempDir(), environment(t, database, []string{"PIYASA_NOW=" + now.Format(time.RFC3339)})
	out, err := work.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, name := range []string{"lira", "euro", "prices", "mine"} {
		if !strings.Contains(string(out), name+": ok; the first answer") ||
			!regexp.MustCompile(name+`: \d+ answers?, [1-9]\d* records?, 0 refused`).Match(out) {
			t.Errorf("%s is not collected:\n%s", name, out)
		}
	}
	secret, _ := newKey(t, database, "--scopes", "all")
	s := start(t, database, "PIYASA_NOW="+now.Format(time.RFC3339))
	for path, want := range map[string]string{"/v1/quotes/fx:USDTRY": "current", "/v1/eod/cmdty:TEA?from=2026-03-16": "31.75",
		"/v1/sources": "lira"} {
		if status, body := s.get(path, secret); status != 200 || want != "current" && !strings.Contains(fmt.Sprint(body), want) {
			t.Errorf("%s: %d %v", path, status, body)
		}
	}
}

// shape is JSON without its values.
func shape(t *testing.T, text []byte) string {
	t.Helper()
	var v any
	if err := json.NewDecoder(bytes.NewReader(text)).Decode(&v); err != nil {
		t.Fatalf("not JSON: %v: %s", err, text)
	}
	var walk func(any) string
	walk = func(v any) string {
		switch v := v.(type) {
		case map[string]any:
			var members []string
			for name, value := range v {
				members = append(members, name+":"+walk(value))
			}
			slices.Sort(members)
			return fmt.Sprint(members)
		case []any:
			var elements []string
			for _, e := range v {
				elements = append(elements, walk(e))
			}
			return fmt.Sprint(elements)
		}
		return fmt.Sprintf("%T", v)
	}
	return walk(v)
}
