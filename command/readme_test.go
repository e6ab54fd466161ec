package command_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var block = regexp.MustCompile("(?s)```(\\w+)\n(.*?)```")

// The commands of the README give answers of the shape that it shows.
func TestREADME(t *testing.T) {
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	demo := exec.CommandContext(t.Context(), binary, "demo")
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
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	base := listening.FindStringSubmatch(strings.TrimSpace(line))[1]

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
