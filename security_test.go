package main

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"piyasa/test/fixture/need"
)

// The threat model names tests that exist.
func TestThreatModelNamesTestsThatExist(t *testing.T) {
	text, err := os.ReadFile("docs/security.md")
	need.NoError(t, err)
	named := regexp.MustCompile("`([a-z/]+)\\.((?:Test|Fuzz)\\w+)`").FindAllStringSubmatch(string(text), -1)
	for _, name := range named {
		files, err := filepath.Glob(name[1] + "/*_test.go")
		need.NoError(t, err)
		found := false
		for _, file := range files {
			code, err := os.ReadFile(file)
			need.NoError(t, err)
			found = found || regexp.MustCompile(`(?m)^func `+name[2]+`\(`).Match(code)
		}
		if !found {
			t.Errorf("docs/security.md names %s.%s, which does not exist", name[1], name[2])
		}
	}
	if all := regexp.MustCompile(`\b(?:Test|Fuzz)[A-Z]\w+`).FindAllString(string(text), -1); len(all) != len(named) || len(named) < 50 {
		t.Errorf("%d tests are named, of which %d say their package", len(all), len(named))
	}
}
