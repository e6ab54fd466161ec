package command

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"io"
	"net"
	"time"

	"piyasa/ingest"
	"piyasa/internal/problem"
	"piyasa/serve/server"
)

// codeLife is how long the code for the first key is valid.
const codeLife = 15 * time.Minute

// firstRun allows the first key to be made in a browser: while there has never been a key, on a
// listener that only this machine can reach, and for a person at a terminal, since other output
// of a server is kept in journals. Nil: not allowed.
func firstRun(ctx context.Context, out io.Writer, v service, public net.Listener) (*server.FirstRun, error) {
	address, ok := public.Addr().(*net.TCPAddr)
	if !ok || !address.IP.IsLoopback() || !onTerminal(out) {
		return nil, nil
	}
	if keys, err := v.store.Keys(ctx); err != nil || len(keys) > 0 {
		return nil, err
	}
	code := rand.Text()
	return &server.FirstRun{
		Code: code[:4] + "-" + code[4:8], Until: time.Now().Add(codeLife), Create: v.store.CreateFirstKey,
		Ingest: v.ingestFirst,
	}, nil
}

// ingestFirst stores the lines that a page sends, like `piyasa ingest -`, and returns the
// summary.
func (v service) ingestFirst(ctx context.Context, file io.Reader) (any, error) {
	done := struct {
		*ingest.Summary
		Rejects firstRejects `json:"rejects"`
	}{Rejects: firstRejects{}}
	var err error
	done.Summary, err = ingest.Run(ctx, v.store, ingest.Options{
		Paths: []string{ingest.Stdin}, Stdin: file, Messages: io.Discard, Rejects: &done.Rejects, Now: v.settings.clock,
		RetryFor: collectRetry,
	})
	if err != nil {
		return nil, problem.New(problem.StoreUnavailable, "Storing stopped after %d lines; `piyasa ingest FILE` stores the "+
			"rest, or says why it cannot.", done.Read).Because(err)
	}
	return done, nil
}

// firstRejects are the rejected lines to show on the page.
type firstRejects []struct {
	Line   int     `json:"line"`
	Member *string `json:"field"`
	Reason string  `json:"reason"`
}

const maxFirstRejects = 5

// Write implements io.Writer.
func (f *firstRejects) Write(lines []byte) (int, error) {
	for line := range bytes.Lines(lines) {
		if len(*f) == maxFirstRejects {
			break
		}
		*f = append(*f, firstRejects{{}}...)
		if err := json.Unmarshal(line, &(*f)[len(*f)-1]); err != nil {
			return 0, err
		}
	}
	return len(lines), nil
}
