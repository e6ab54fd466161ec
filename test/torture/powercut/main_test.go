package powercut_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"piyasa/db"
	"piyasa/ingest"
)

// childVariable makes the test binary an ingester of standard input, into the
// database that it names.
const childVariable = "PIYASA_TORTURE_INGEST"

// piyasa is the path of the built program.
var piyasa string

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	if url := os.Getenv(childVariable); url != "" {
		return ingestAsChild(url)
	}
	folder, err := os.MkdirTemp("", "piyasa-powercut-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(folder)
	piyasa = filepath.Join(folder, "piyasa")
	build := exec.Command("go", "build", "-o", piyasa, ".")
	build.Dir = "../../.."
	if said, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build piyasa: %v\n%s", err, said)
		return 1
	}
	return m.Run()
}

// ingestAsChild prints {"lines":N} when the first N lines are stored.
func ingestAsChild(url string) int {
	s, err := db.Open(context.Background(), url)
	if err == nil {
		defer s.Close()
		_, err = ingest.Run(context.Background(), s, ingest.Options{
			Paths: []string{ingest.Stdin}, Stdin: os.Stdin, Messages: os.Stderr,
			Progress: func(read int, _ string) { fmt.Printf("{\"lines\":%d}\n", read) },
		})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}
