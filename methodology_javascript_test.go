package main

import (
	"bytes"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// The figures of examples, computed by other programs in another language.
func TestExamplesInJavaScript(t *testing.T) {
	if _, err := exec.LookPath("node"); err != nil {
		if os.Getenv("CI") != "" { // where nothing may be left out
			t.Fatal("there is no node")
		}
		t.Skip("there is no node")
	}
	all := func(example) bool { return true }
	moves := func(e example) bool {
		dated := func(p pair) bool { return strings.Contains(p.name, " to ") }
		return e.get("timeframe", "") == "ttm" && slices.ContainsFunc(e.inputs, dated)
	}
	for _, c := range []struct {
		program, kind string
		some          func(example) bool
		least         int
	}{
		{"rates", "rates", all, 15}, {"adjusted", "adjusted", all, 7}, {"restatement", "restatement", all, 6},
		{"transition", "statements", moves, 8},
	} {
		t.Run(c.program, func(t *testing.T) {
			var wanted []string
			for _, e := range examples(t) {
				if e.kind == c.kind && c.some(e) {
					for _, p := range e.want {
						wanted = append(wanted, p.name+": "+p.text)
					}
				}
			}
			cmd := exec.CommandContext(t.Context(), "node", "test/methodology/"+c.program+".mjs", "docs/methodology.md")
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			out, err := cmd.Output()
			if err != nil {
				t.Fatalf("%v\n%s", err, &stderr)
			}
			if got := strings.TrimSpace(string(out)); len(wanted) < c.least || got != strings.Join(wanted, "\n") {
				t.Errorf("%s\nwant\n%s", got, strings.Join(wanted, "\n"))
			}
		})
	}
}
