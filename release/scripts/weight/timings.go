package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	compiled = "out/compile.json" // a compilation that compile measured
	tested   = "out/test.txt"     // the output of go test in the last make test
)

// compilation is the time that a build without any cache took.
type compilation struct {
	Wall      float64            `json:"wall"`      // seconds
	Processor map[string]float64 `json:"processor"` // seconds by module; the standard library is "std"
}

// compile builds bin/piyasa without any cache, and records the time of each module.
func compile() error {
	folder, err := os.MkdirTemp("", "piyasa-weight-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	graph := filepath.Join(folder, "graph.json")
	build := exec.Command("go", "build", "-debug-actiongraph", graph, "-o", filepath.Join(folder, "piyasa"), ".")
	build.Env = append(os.Environ(), "GOCACHE="+filepath.Join(folder, "cache"))
	build.Stderr = os.Stderr
	start := time.Now()
	if err := build.Run(); err != nil {
		return fmt.Errorf("go build: %w", err)
	}
	c := compilation{Wall: time.Since(start).Seconds(), Processor: map[string]float64{}}
	text, err := os.ReadFile(graph)
	if err != nil {
		return err
	}
	var actions []struct {
		Package         string
		CmdUser, CmdSys time.Duration
	}
	if err := json.Unmarshal(text, &actions); err != nil {
		return err
	}
	modules, err := modulesOfPackages()
	if err != nil {
		return err
	}
	for _, a := range actions {
		c.Processor[cmp.Or(modules[a.Package], "std")] += (a.CmdUser + a.CmdSys).Seconds()
	}
	if text, err = json.MarshalIndent(c, "", "\t"); err != nil {
		return err
	}
	if err := os.MkdirAll("out", 0o755); err != nil {
		return err
	}
	return os.WriteFile(compiled, text, 0o644)
}

// modulesOfPackages returns the module of each package in bin/piyasa; the standard library has none.
func modulesOfPackages() (map[string]string, error) {
	out, err := exec.Command("go", "list", "-deps", "-f", "{{.ImportPath}} {{with .Module}}{{.Path}}{{end}}", ".").Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	modules := map[string]string{}
	for line := range strings.Lines(string(out)) {
		if name, module, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
			modules[name] = module
		}
	}
	return modules, nil
}

// slowest describes the last recorded compilation and tests.
func slowest() (string, error) {
	var out strings.Builder
	text, err := os.ReadFile(compiled)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		out.WriteString("\nseconds of compiling: make weight COMPILE=1 measures them\n")
	case err != nil:
		return "", err
	default:
		var c compilation
		if err := json.Unmarshal(text, &c); err != nil {
			return "", fmt.Errorf("%s: %w", compiled, err)
		}
		all := 0.0
		for _, seconds := range c.Processor {
			all += seconds
		}
		fmt.Fprintf(&out, "\nseconds of compiling everything: %.0f, of the processor %.0f\n", c.Wall, all)
		list(&out, c.Processor, 12)
	}
	text, err = os.ReadFile(tested)
	if errors.Is(err, fs.ErrNotExist) {
		out.WriteString("\nseconds of each test package: make test records them\n")
		return out.String(), nil
	}
	if err != nil {
		return "", err
	}
	packages, all := secondsOfTests(string(text)), 0.0
	for _, seconds := range packages {
		all += seconds
	}
	fmt.Fprintf(&out, "\nseconds of %d test packages that were not cached, some at the same time: %.0f\n", len(packages), all)
	list(&out, packages, len(packages))
	return out.String(), nil
}

var ended = regexp.MustCompile(`(?m)^(?:ok  |FAIL)\t(\S+)\t([0-9.]+)s`)

// secondsOfTests returns the seconds of each package in the output of go test, summed if it ran
// twice.
func secondsOfTests(text string) map[string]float64 {
	out := map[string]float64{}
	for _, m := range ended.FindAllStringSubmatch(text, -1) {
		seconds, _ := strconv.ParseFloat(m[2], 64) // it matched
		out[m[1]] += seconds
	}
	return out
}

// list writes the n largest, one per line.
func list(out *strings.Builder, seconds map[string]float64, n int) {
	names := slices.SortedFunc(maps.Keys(seconds), func(a, b string) int {
		return cmp.Or(cmp.Compare(seconds[b], seconds[a]), cmp.Compare(a, b))
	})
	for _, name := range names[:min(n, len(names))] {
		fmt.Fprintf(out, "  %6.1f  %s\n", seconds[name], name)
	}
}
