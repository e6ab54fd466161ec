package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"piyasa/test/fixture/need"
)

func TestLayout(t *testing.T) {
	root, err := exec.Command("git", "rev-parse", "--show-toplevel").Output()
	if err != nil {
		if os.Getenv("CI") != "" { // where nothing may be left out
			t.Fatal(err)
		}
		t.Skip("this is no checkout: ", err)
	}
	t.Chdir(strings.TrimSpace(string(root)))
	list, err := exec.Command("git", "ls-files", "*.go").Output()
	need.NoError(t, err)
	for name := range strings.Lines(string(list)) {
		name = strings.TrimSpace(name)
		text, err := os.ReadFile(name)
		if err != nil || generated.Match(text[:min(len(text), 500)]) {
			continue
		}
		for _, n := range longLines(text) {
			t.Errorf("%s:%d has more than %d characters", name, n, longestLine)
		}
		for _, n := range oddComments(text) {
			t.Errorf("%s:%d has a comment in words that readers stumble over: %s", name, n, unidiomatic)
		}
		lines, err := crowdedLiterals(text)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, n := range lines {
			t.Errorf("%s:%d has more than %d members of a literal", name, n, mostMembers)
		}
	}
}

func TestLongLines(t *testing.T) {
	long := strings.Repeat("x", longestLine)
	for text, want := range map[string]int{
		"package p\n// " + long + "\n":                 1,
		"package p\nvar s = \"" + long + "\"\n":        1,
		"package p\nvar s = `a\n" + long + "y\n`\n":    0,
		"package p\nvar s = `" + long + "y` + \"\"\n":  0,
		"package p\n// " + long[:longestLine-3] + "\n": 0,
	} {
		if got := longLines([]byte(text)); len(got) != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func TestOddComments(t *testing.T) {
	for text, want := range map[string]int{
		"package p // which is told to whoever asks\n": 1, "package p // read anew\n": 1,
		"package p // which is reported again\n": 0, "package p\nvar s = \"it is told\"\n": 0,
	} {
		if got := oddComments([]byte(text)); len(got) != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}

func TestCrowdedLiterals(t *testing.T) {
	for text, want := range map[string]int{
		"{a: 1, b: 1, c: 1, d: 1, e: 1, f: 1, g: 1, h: 1}":                 1,
		"{a: 1, b: 1, c: 1, d: 1, e: 1, f: 1, g: 1,\nh: 1}":                0,
		"{1, 2, 3, 4, 5, 6, 7, 8}":                                         0,
		`{"a": 1, "b": 1, "c": 1, "d": 1, "e": 1, "f": 1, "g": 1, "h": 1}`: 0,
	} {
		got, err := crowdedLiterals([]byte("package p\nvar x = T" + text + "\n"))
		if err != nil || len(got) != want {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
}
