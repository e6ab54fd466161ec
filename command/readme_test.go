package command_test

import (
	"bytes"
	"encoding/json"
	"fmt"
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
)

var block = regexp.MustCompile("(?s)```(\\w+)\n(.*?)```")

// The commands of the README give answers of the shape that it shows.
func TestREADME(t *testing.T) {
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	base := startDemo(t)

	asked := 0
	blocks := block.FindAllStringSubmatch(string(readme), -1)
	for i, b := range blocks {
		if b[1] != "json" {
			continue
		}
		asked++
		script := blocks[i-1][2]
		if !strings.Contains(script, "KEY=") {
			script = "KEY=" + regexp.MustCompile(`piyasa_live_\w+`).FindString(string(readme)) + "\n" + script
		}
		script = strings.ReplaceAll(script, "http://127.0.0.1:8080", base)
		out, err := exec.CommandContext(t.Context(), "bash", "-euc", strings.ReplaceAll(script, "curl ", "curl -sS ")).CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		if want, got := shape(t, []byte(b[2])), shape(t, out); got != want {
			t.Errorf("the README shows %s\n%s\ngives %s: %s", want, script, got, out)
		}
	}
	if asked == 0 {
		t.Error("the README shows no answer")
	}
}

// The configuration of the README collects what it says, from stand-ins of the upstreams.
func TestREADMECollects(t *testing.T) {
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
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
		script = strings.Replace(script, `"connector": "`+name+`"`, `"connector": "`+name+`", "pace": "1ms", "base": "`+upstream.URL+`/"`, 1)
	}
	script = strings.NewReplacer("your-key", standin.EVDSKey, "bin/piyasa", binary, "serve --collect", "collect --once", "mine/tea.csv", "mine/tea.csv && touch -d yesterday mine/tea.csv").Replace(script)
	database := "sqlite:" + filepath.Join(t.TempDir(), "readme.db")
	work := exec.CommandContext(t.Context(), "bash", "-euc", script)
	work.Dir, work.Env = t.TempDir(), environment(t, database, []string{"PIYASA_NOW=" + now.Format(time.RFC3339)})
	out, err := work.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, name := range []string{"lira", "euro", "prices", "mine"} {
		if !strings.Contains(string(out), name+": ok; the first answer") || !regexp.MustCompile(name+`: \d+ answers, [1-9]\d* records, 0 refused`).Match(out) {
			t.Errorf("%s is not collected:\n%s", name, out)
		}
	}
	secret, _ := newKey(t, database, "--scopes", "all")
	s := start(t, database, "PIYASA_NOW="+now.Format(time.RFC3339))
	for path, want := range map[string]string{"/v1/quotes/fx:USDTRY": "current", "/v1/eod/cmdty:TEA?from=2026-03-16": "31.75", "/v1/sources": "lira"} {
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
