package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"piyasa/test/fixture/need"
)

func TestPictureOfRoomsIsCurrent(t *testing.T) {
	if _, err := os.Stat("docs/architecture.md"); err != nil { // so that a cached result does not outlive a change of the page
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), "go", "run", "./release/scripts/rooms", "-check").CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}

// The pages that lead through the code name files that exist.
func TestPagesNameFilesThatExist(t *testing.T) {
	pages, err := filepath.Glob("docs/decisions/*.md")
	need.NoError(t, err)
	named := regexp.MustCompile("`([a-z]+)(/[a-z_/*]*(?:\\.[a-z]+)?)`")
	count := 0
	for _, page := range append(pages, "docs/architecture.md", "docs/glossary.md", "CONTRIBUTING.md") {
		text, err := os.ReadFile(page)
		need.NoError(t, err)
		for _, name := range named.FindAllSubmatch(text, -1) {
			folder, file := string(name[1]), string(name[1])+string(name[2])
			if _, err := os.Stat(folder); err != nil {
				continue // math/big, and the like
			}
			count++
			if found, err := filepath.Glob(file); err != nil || found == nil {
				t.Errorf("%s names %s, which does not exist", page, file)
			}
		}
	}
	if count < 50 {
		t.Errorf("found only %d names of files", count)
	}
}
