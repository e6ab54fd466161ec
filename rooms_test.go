package main

import (
	"os"
	"os/exec"
	"testing"
)

func TestPictureOfRoomsIsCurrent(t *testing.T) {
	if _, err := os.Stat("docs/architecture.md"); err != nil { // so that a cached result does not outlive a change of the page
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), "go", "run", "./scripts/rooms", "-check").CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}
