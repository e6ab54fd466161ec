// Package world builds small worlds to break: real clusters of Postgres or a SQLite
// file, gateways, writers and clients as processes and connections of their own, with
// networks in between. It knows piyasa only from outside. What happens is recorded as
// a [history.Entry] each, and judged at the end.
package world

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"piyasa/test/fixture/need"
	"piyasa/test/torture/history"
)

// deadline bounds every wait for something that must happen. A gateway on a busy machine may stay
// for 30 s on a standby that is behind, once it has left one.
const deadline = 50 * time.Second

// seedVariable names a seed to use again.
const seedVariable = "TORTURE_SEED"

// World is where one history happens.
type World struct {
	T        testing.TB
	Random   *rand.Rand // for the test's own goroutine
	Recorder *history.Recorder

	seed    uint64
	folder  string
	file    *os.File
	clients []*Client
	writer  *Writer
}

// New returns an empty world with the seed of [Seed].
func New(t testing.TB) *World {
	t.Helper()
	return newWorld(t, Seed(t))
}

// newWorld returns an empty world. Its seed is in the log of the test; its history is
// kept if the test finds violations.
func newWorld(t testing.TB, seed uint64) *World {
	t.Helper()
	folder := newFolder(t)
	file, err := os.Create(filepath.Join(folder, "history.ndjson"))
	need.NoError(t, err)
	t.Cleanup(func() { _ = file.Close() })
	t.Logf("%s=%d", seedVariable, seed)
	return &World{T: t, Random: rand.New(rand.NewPCG(seed, 0)), Recorder: history.NewRecorder(file), seed: seed, folder: folder, file: file}
}

// Seed returns the seed that the environment names, or a new one.
func Seed(t testing.TB) uint64 {
	t.Helper()
	text := os.Getenv(seedVariable)
	if text == "" {
		return rand.Uint64() >> 1 // leaves room to count
	}
	seed, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatalf("%s: %v", seedVariable, err)
	}
	return seed
}

// newFolder returns a folder that every user can enter, because Postgres runs as a
// user of its own.
func newFolder(t testing.TB) string {
	t.Helper()
	folder, err := os.MkdirTemp("/tmp", "piyasa-torture-") // the path of a socket has at most 103 bytes
	need.NoError(t, err)
	need.NoError(t, os.Chmod(folder, 0o755))
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	return folder
}

// Fault records what is broken or mended next.
func (w *World) Fault(what string) {
	w.T.Log(what)
	w.Recorder.Record(history.Entry{Kind: history.Fault, Text: what})
}

// Wait waits until ok, and fails the test if that takes longer than [deadline].
func (w *World) Wait(what string, ok func(context.Context) bool) {
	w.T.Helper()
	if !w.wait(deadline, ok) {
		w.T.Fatalf("not within %s: %s", deadline, what)
	}
}

// wait asks again and again until ok or the time is over.
func (w *World) wait(within time.Duration, ok func(context.Context) bool) bool {
	ctx, cancel := context.WithTimeout(w.T.Context(), within)
	defer cancel()
	retry := time.NewTicker(20 * time.Millisecond)
	defer retry.Stop()
	for !ok(ctx) {
		select {
		case <-ctx.Done():
			return false
		case <-retry.C:
		}
	}
	return true
}

// Finish stores a last row that concerns every client, waits until it has reached them
// all, records what the store at url holds, and fails the test with every violation of
// the history, or if ingest gave up.
func (w *World) Finish(url string) {
	w.T.Helper()
	for _, v := range w.Judge(url) {
		w.T.Error(v)
	}
	if n := w.writer.GaveUp(); n > 0 {
		w.T.Errorf("ingest ended %d times because of a database that was away", n)
	}
}

// Judge does what Finish does, and returns the violations.
func (w *World) Judge(url string) []history.Violation {
	w.T.Helper()
	last := w.writer.WriteLast()
	w.writer.Stop()
	missing := func(c *Client) bool { return !c.Has(last) }
	w.wait(deadline, func(context.Context) bool { return !slices.ContainsFunc(w.clients, missing) })
	for _, c := range w.clients {
		if missing(c) {
			w.T.Logf("%s has not received the last row, number %d", c.Name, last) // the checker says what else
		}
		c.Stop()
	}
	w.recordStore(url)
	need.NoError(w.T, w.Recorder.Err())
	text, err := os.ReadFile(w.file.Name())
	need.NoError(w.T, err)
	entries, err := history.Read(strings.NewReader(string(text)))
	need.NoError(w.T, err)
	violations := history.Check(entries)
	w.T.Logf("%d entries of history, %d violations", len(entries), len(violations))
	if len(violations) > 0 {
		w.keep(text)
	}
	return violations
}

// keep leaves a history behind for the investigation of a failure.
func (w *World) keep(text []byte) {
	path := filepath.Join(os.TempDir(), "piyasa-history-"+strconv.FormatUint(w.seed, 10)+".ndjson")
	if err := os.WriteFile(path, text, 0o644); err != nil {
		w.T.Log(err)
		return
	}
	w.T.Logf("the history is in %s", path)
}
