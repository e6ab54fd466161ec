package command_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"piyasa/demo"
	"piyasa/test/fixture/need"
)

// examples runs the examples of docs/clients against a demo.
type examples struct {
	folder, base string
}

// run runs a program in a folder of docs/clients and returns what it printed.
func (e examples) run(t *testing.T, folder string, env []string, argv ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 4*deadline)
	defer cancel()
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir = filepath.Join(e.folder, folder)
	cmd.Env = slices.Concat(os.Environ(), []string{"PIYASA_URL=" + e.base, "PIYASA_KEY=" + string(demo.Secret),
		"PYTHONDONTWRITEBYTECODE=1"}, env)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v: %v\n%s%s", argv, err, &stdout, &stderr)
	}
	return stdout.String()
}

// get asks the demo for JSON.
func (e examples) get(t *testing.T, path string, into any) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), "GET", e.base+path, nil)
	need.NoError(t, err)
	r.Header.Set("X-API-Key", string(demo.Secret))
	res, err := http.DefaultClient.Do(r)
	need.NoError(t, err)
	defer res.Body.Close()
	if err := json.NewDecoder(res.Body).Decode(into); err != nil || res.StatusCode != 200 {
		t.Fatalf("%s: %d %v", path, res.StatusCode, err)
	}
}

// decoded returns lines of JSON.
func decoded[T any](t *testing.T, text string) (all []T) {
	t.Helper()
	for d := json.NewDecoder(strings.NewReader(text)); ; {
		var one T
		if err := d.Decode(&one); err == io.EOF {
			return all
		} else if err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		all = append(all, one)
	}
}

// lacks skips a test of what is not installed, or fails where nothing may be left out.
func lacks(t *testing.T, what string, argv ...string) {
	t.Helper()
	if exec.CommandContext(t.Context(), argv[0], argv[1:]...).Run() == nil {
		return
	}
	if os.Getenv("CI") != "" {
		t.Fatal(what)
	}
	t.Skip(what)
}

var exact = regexp.MustCompile(`^-?\d+(\.\d+)?$`)

// The examples of docs/clients run, and say what the API says.
func TestClientExamples(t *testing.T) {
	t.Parallel()
	folder, err := filepath.Abs("../docs/clients")
	need.NoError(t, err)
	e := examples{folder, startDemo(t)}
	t.Run("JavaScript", func(t *testing.T) {
		lacks(t, "docs/clients/javascript/node_modules is missing: make test installs it",
			"test", "-e", filepath.Join(folder, "javascript/node_modules/.package-lock.json"))
		testJavaScript(t, e)
	})
	t.Run("Python", func(t *testing.T) { testPython(t, e) })
	t.Run("Python bulk", func(t *testing.T) { testPythonBulk(t, e) })
	for language, argv := range map[string][]string{
		"python": {"python3", "example.py"}, "javascript": {"node", "example.mjs"}, "go/piyasa": {"go", "run", "./example"},
	} {
		t.Run(language, func(t *testing.T) { testExample(t, e, language, argv) })
	}
	t.Run("spreadsheets", func(t *testing.T) { testSpreadsheets(t, e) })
}

func testJavaScript(t *testing.T, e examples) {
	node := func(arguments ...string) string {
		t.Helper()
		return e.run(t, "javascript", nil, append([]string{"node"}, arguments...)...)
	}
	type instrument struct{ InstrumentID, Name string }
	apollo := decoded[struct {
		Watchlist []struct {
			instrument
			Quote struct{ Last string }
		}
		Cached      instrument
		Disclosures []int
		End         string
	}](t, node("apollo.mjs"))[0]
	var known struct {
		Name string `json:"name"`
	}
	e.get(t, "/v1/instruments/bist:DMOST", &known)
	if got := apollo.Watchlist; len(got) != 2 || got[0].Name != known.Name || !exact.MatchString(got[1].Quote.Last) ||
		apollo.Cached != got[0].instrument {
		t.Errorf("Apollo Client has %+v", apollo)
	}
	urql := decoded[struct {
		Quote struct{ Last, Currency, FxRate string }
	}](t, node("urql.mjs"))[0].Quote
	if urql.Currency != "TRY" || !exact.MatchString(urql.Last) || !exact.MatchString(urql.FxRate) {
		t.Errorf("urql has %+v", urql)
	}
	quotes := decoded[struct{ InstrumentID, Last string }](t, node("graphql-ws.mjs"))
	if len(quotes) != 3 || slices.ContainsFunc(quotes, func(q struct{ InstrumentID, Last string }) bool {
		return !exact.MatchString(q.Last)
	}) {
		t.Errorf("graphql-ws has %v", quotes)
	}
	events := decoded[struct{ DisclosureIndex int }](t, node("eventsource.mjs"))
	var page struct {
		Items []struct {
			Index int `json:"disclosure_index"`
		} `json:"items"`
	}
	e.get(t, "/v1/kap-feed/disclosures?symbol=DMOST&order=asc&limit=10", &page)
	if len(page.Items) < 2 {
		t.Fatalf("the API has %v", page)
	}
	for i, d := range page.Items {
		if i >= len(events) || events[i].DisclosureIndex != d.Index {
			t.Fatalf("EventSource has %v, the API %v", events, page)
		}
		if i >= len(apollo.Disclosures) || apollo.Disclosures[i] != d.Index {
			t.Fatalf("Apollo Client has %v, the API %v", apollo.Disclosures, page)
		}
	}
	if len(apollo.Disclosures) < len(events) || !strings.Contains(apollo.End, ":") {
		t.Errorf("Apollo Client has %d disclosures up to %q, EventSource %d", len(apollo.Disclosures), apollo.End, len(events))
	}
	defer os.RemoveAll(filepath.Join(e.folder, "javascript/generated"))
	node("codegen.mjs")
	modules := filepath.Join(e.folder, "javascript/node_modules")
	node(filepath.Join(modules, "openapi-typescript/bin/cli.js"), e.base+"/openapi.json", "-o", "generated/openapi.ts")
	tsc := filepath.Join(modules, "typescript/bin/tsc")
	node(tsc)
	node(tsc, "--allowJs", "--checkJs", "--strict", "--declaration", "--emitDeclarationOnly", "--target", "es2022", "--module", "nodenext",
		"--types", "node", "--outDir", "generated", "piyasa.mjs")
	e.run(t, "javascript", nil, "diff", "generated/piyasa.d.mts", "piyasa.d.mts")
	typed := decoded[struct{ Pe, Last, Currency string }](t, node("generated/typed.js"))[0]
	if !exact.MatchString(typed.Pe) || !exact.MatchString(typed.Last) || typed.Currency != "USD" {
		t.Errorf("typed.ts has %+v", typed)
	}
}

const pythonChecks = `
import json, sys
from piyasa import Piyasa, PiyasaError
url, key = sys.argv[1:]
market = Piyasa(url, key)
quotes = market.quotes("bist:DMOST", "bist:DMBNK", currency="USD")
eod = market.eod("bist:DMOST", start="2026-03-01")
bars = market.candles("bist:DMOST", start="2026-03-01")
lines = market.financials("bist:DMOST", limit=2)
notices = market.disclosures(limit=20, type="ODA")
try:
    market.graphql("query ($id: ID!) { quote(id: $id) { last } }", id="bist:NOPE")
    refused = None
except PiyasaError as error:
    refused = error.kind
out = {
    "types": sorted({type(q["last"]).__name__ + type(q["as_of"]).__name__ for q in quotes}), "refused": refused,
    "close": str(eod[-1]["close"]), "bar": str(bars[-1]["close"]), "assets": str(next(l["value"] for l in lines if l["code"] == "1BL")),
    "notices": [n["disclosure_index"] for n in notices],
}
print(json.dumps(out))
`

// testExample runs the example of a client's package, whose connections all break off in the middle of an event.
func testExample(t *testing.T, e examples, folder string, argv []string) {
	lacks(t, "there is no "+argv[0], "which", argv[0])
	cut, connections := cutting(t, e.base, 4_000)
	out := e.run(t, folder, []string{"PIYASA_URL=" + cut}, append(argv, "bist:DMOST", "fx:USDTRY")...)
	want := `^bist:DMOST [\d.]+ TRY\nfx:USDTRY [\d.]+ TRY\nnot-found .*bist:NOPE.*\ninvalid-parameter no topics: nope\n`
	for i := range 30 {
		want += fmt.Sprintf(`%d [A-Z]+\n`, 1_500_001+i)
	}
	if !regexp.MustCompile(want+"$").MatchString(out) || connections.Load() < 4 {
		t.Errorf("over %d connections it prints\n%s", connections.Load(), out)
	}
}

// cutting returns the address of a proxy that breaks off each answer after some bytes, and counts them.
func cutting(t *testing.T, base string, after int64) (address string, answers *atomic.Int64) {
	t.Helper()
	upstream, err := url.Parse(base)
	need.NoError(t, err)
	connections := new(atomic.Int64)
	proxy := httputil.NewSingleHostReverseProxy(upstream)
	proxy.FlushInterval = -1
	proxy.ErrorLog = log.New(io.Discard, "", 0)
	proxy.ModifyResponse = func(res *http.Response) error {
		connections.Add(1)
		res.Body = struct {
			io.Reader
			io.Closer
		}{io.LimitReader(res.Body, after), res.Body}
		return nil
	}
	cut := httptest.NewServer(proxy)
	t.Cleanup(cut.Close)
	return cut.URL, connections
}

const pythonBulk = `
import sys
from piyasa import Piyasa
path, position = Piyasa(sys.argv[1], sys.argv[2]).bulk("bar", sys.argv[3], end="2025-12-31", market="bist", format="csv")
print(path.name, path.stat().st_size, position)
`

// testPythonBulk downloads a file over connections that all break off.
func testPythonBulk(t *testing.T, e examples) {
	lacks(t, "there is no python3", "python3", "--version")
	r, err := http.NewRequestWithContext(t.Context(), "GET", e.base+"/v1/bulk/bar?market=bist&format=csv&to=2025-12-31", nil)
	need.NoError(t, err)
	r.Header.Set("X-API-Key", string(demo.Secret))
	res, err := http.DefaultClient.Do(r)
	need.NoError(t, err)
	defer res.Body.Close()
	whole, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != 200 {
		t.Fatalf("%d %v", res.StatusCode, err)
	}
	base, connections := cutting(t, e.base, int64(len(whole)/6))
	folder := t.TempDir()
	out := e.run(t, "python", nil, "python3", "-c", pythonBulk, base, string(demo.Secret), folder)
	want := fmt.Sprintf(`^bar_bist_1d__2025-12-31\.csv %d [0-9a-z]+:\d+\n$`, len(whole))
	got, err := os.ReadFile(filepath.Join(folder, "bar_bist_1d__2025-12-31.csv"))
	left, _ := os.ReadDir(folder)
	if err != nil || !bytes.Equal(got, whole) || !regexp.MustCompile(want).MatchString(out) || connections.Load() < 6 || len(left) != 1 {
		t.Errorf("over %d connections, %d of %d bytes, %v: %s", connections.Load(), len(got), len(whole), err, out)
	}
}

func testPython(t *testing.T, e examples) {
	lacks(t, "there is no python3", "python3", "--version")
	got := decoded[struct {
		Types                       []string
		Refused, Close, Bar, Assets string
		Notices                     []int
	}](t, e.run(t, "python", nil, "python3", "-c", pythonChecks, e.base, string(demo.Secret)))[0]
	var eod struct{ Records []struct{ Close string } }
	e.get(t, "/v1/eod/bist:DMOST?from=2026-03-01", &eod)
	var filed struct {
		Periods []struct {
			Items map[string]struct{ Value string }
		}
	}
	e.get(t, "/v1/stocks/bist:DMOST/financials?limit=2", &filed)
	newest := eod.Records[len(eod.Records)-1].Close
	if fmt.Sprint(got.Types) != "[Decimaldatetime]" || got.Refused != "not-found" || got.Close != newest || got.Bar != newest ||
		got.Assets != filed.Periods[0].Items["1BL"].Value || len(got.Notices) != 20 {
		t.Errorf("%+v\nthe API has %s and %s", got, newest, filed.Periods[0].Items["1BL"].Value)
	}
	t.Run("frames", func(t *testing.T) {
		python := "/usr/bin/python3" // the one that python3-pandas is for
		lacks(t, "there is no python3 with pandas: Debian's python3-pandas", python, "-c", "import pandas")
		const cells = `
import json
cells, scope = json.load(open("piyasa.ipynb"))["cells"], {}
for i, cell in enumerate(cells):
    if cell["cell_type"] == "code":
        exec(compile("".join(cell["source"]), f"cell {i}", "exec"), scope)
assert scope["problem"] == "unsupported-currency", scope["problem"]
assert scope["ebitda"] == {"value": None, "nullReason": "bank_or_insurer_template"}, scope["ebitda"]
assert len(scope["frame"]) == len(scope["history"]) and scope["frame"]["close"].iloc[-1] == scope["last"]["close"]
assert len(scope["notices"]) == 5 and len(scope["assets"]) == 3
`
		if out := e.run(t, "python", nil, python, "-c", cells); !strings.Contains(out, newest) {
			t.Errorf("the notebook prints %s", out)
		}
	})
}

// Google's and Microsoft's programs are not here: what Apps Script has is stood in for, and
// what Power Query would ask is asked.
func testSpreadsheets(t *testing.T, e examples) {
	const sheet = `
const { execFileSync } = require('node:child_process');
const vm = require('node:vm');
const scope = {
  PropertiesService: { getScriptProperties: () => ({ getProperty: name => process.env[name] }) },
  UrlFetchApp: { fetch(url, { headers }) {
    const out = execFileSync('curl', ['-s', '-w', '\n%{http_code}', ...Object.entries(headers).flatMap(([name, value]) => ['-H', name + ': ' + value]), url], { encoding: 'utf8' });
    const end = out.lastIndexOf('\n');
    return { getContentText: () => out.slice(0, end), getResponseCode: () => Number(out.slice(end + 1)) };
  } },
  Utilities: { parseCsv: text => text.trim().split('\n').map(line => line.split(',')) },
};
vm.runInNewContext(require('node:fs').readFileSync('piyasa.gs', 'utf8') + ';this.cells = PIYASA("/v1/eod/bist:DMOST?from=2026-03-16&to=2026-03-17"); try { PIYASA("/v1/eod/bist:NOPE") } catch (e) { this.wrong = e.message }', scope);
console.log(JSON.stringify({ cells: scope.cells, wrong: scope.wrong }));
`
	lacks(t, "there is no node", "node", "--version")
	got := decoded[struct {
		Cells [][]string
		Wrong string
	}](t, e.run(t, "spreadsheet", nil, "node", "-e", sheet))[0]
	if len(got.Cells) != 3 || got.Cells[0][1] != "date" || got.Cells[2][1] != "2026-03-17" || !strings.Contains(got.Wrong, "bist:NOPE") {
		t.Errorf("the sheet has %+v", got)
	}

	query, err := os.ReadFile(filepath.Join(e.folder, "spreadsheet/piyasa.pq"))
	need.NoError(t, err)
	one := func(pattern string) []string {
		t.Helper()
		m := regexp.MustCompile(pattern).FindSubmatch(query)
		if m == nil {
			t.Fatalf("piyasa.pq has no %s", pattern)
		}
		return []string{string(m[1]), string(m[len(m)-1])}
	}
	parameters := url.Values{}
	for _, p := range regexp.MustCompile(`(\w+) = "([^"]*)"`).FindAllStringSubmatch(one(`Query = \[(.*)\]`)[0], -1) {
		parameters.Set(p[1], p[2])
	}
	header := one(`Headers = \[#"([^"]+)" = "([^"]+)"\]`)
	r, err := http.NewRequestWithContext(t.Context(), "GET", e.base+"/"+one(`RelativePath = "(.*)"`)[0]+"?"+parameters.Encode(), nil)
	need.NoError(t, err)
	r.Header.Set(header[0], header[1])
	client := http.Client{Timeout: 30 * time.Second}
	res, err := client.Do(r)
	need.NoError(t, err)
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != 200 || !strings.HasPrefix(string(text), "instrument_id,date,open") {
		t.Errorf("Power Query gets %d %v %.200s", res.StatusCode, err, text)
	}
}
