package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"
	"time"
)

// api is what a server speaks.
type api string

const (
	graphQLAPI api = "GraphQL"
	restAPI    api = "REST"
)

// server is one of those that are compared.
type server struct {
	name string
	apis []api
	// start runs it; it is asked at the address of the process.
	start func(ctx context.Context, r *rig) (*process, error)
	// own makes the requests of works that this server states in its own way; nil
	// for those that it does not know.
	own func(work) func(context.Context, *server) ([]ask, error)
	// same compares an answer with piyasa's; nil: by names and values.
	same func(answer, piyasas []byte) error

	header  http.Header
	process *process
}

// requests returns the requests of a work to this server, or none where it does
// not speak the work's API.
func (s *server) requests(ctx context.Context, w work) ([]ask, error) {
	if s.own != nil {
		if asks := s.own(w); asks != nil {
			return asks(ctx, s)
		}
		return nil, nil
	}
	if !slices.Contains(s.apis, w.api) {
		return nil, nil
	}
	return w.asks(ctx, s)
}

const piyasaName = "piyasa"

// servers lists all of them; piyasa is what the others are compared with.
func servers() []*server {
	js := func(script string) func(context.Context, *rig) (*process, error) {
		return func(ctx context.Context, r *rig) (*process, error) {
			folder := filepath.Join(r.peers, "js")
			return r.start(ctx, []string{"DATABASE_URL=" + r.tables, "NODE_ENV=production"},
				filepath.Join(folder, "node_modules/.bin/node"), filepath.Join(folder, script))
		}
	}
	handwritten := func(words ...string) func(context.Context, *rig) (*process, error) {
		return func(ctx context.Context, r *rig) (*process, error) {
			program, err := r.built(ctx, "handwritten")
			if err != nil {
				return nil, err
			}
			return r.start(ctx, []string{"DATABASE_URL=" + r.tables}, program, words...)
		}
	}
	constant := func(words ...string) func(context.Context, *rig) (*process, error) {
		return func(ctx context.Context, r *rig) (*process, error) {
			program, err := r.built(ctx, "constant")
			if err != nil {
				return nil, err
			}
			return r.start(ctx, nil, program, append(words, r.preparedFolder())...)
		}
	}
	kept := func(w work) func(context.Context, *server) ([]ask, error) {
		return func(context.Context, *server) ([]ask, error) { return []ask{get("/" + w.name)}, nil }
	}
	keptREST := func(w work) func(context.Context, *server) ([]ask, error) {
		if w.api != restAPI {
			return nil
		}
		return kept(w)
	}
	return []*server{
		{
			name: piyasaName, apis: []api{graphQLAPI, restAPI},
			start: func(ctx context.Context, r *rig) (*process, error) {
				return r.start(ctx, r.clock(r.own), r.piyasa, "serve", "--listen=127.0.0.1:0")
			},
		},
		{name: "constant", own: kept, start: constant()},
		{name: "constant-headers", own: keptREST, start: constant("-headers")},
		{name: "handwritten", apis: []api{restAPI}, start: handwritten()},
		{name: "handwritten-memory", apis: []api{restAPI}, start: handwritten("-memory")},
		{name: "mercurius", apis: []api{graphQLAPI}, start: js("mercurius.mjs")},
		{name: "yoga", apis: []api{graphQLAPI}, start: js("yoga.mjs")},
		{name: "postgraphile", apis: []api{graphQLAPI}, start: js("postgraphile.mjs"), own: askPostGraphile, same: sameValues},
	}
}

// launch starts the server and waits until it answers.
func (s *server) launch(ctx context.Context, r *rig) (err error) {
	if s.name == piyasaName {
		s.header = http.Header{"X-Api-Key": {r.key}}
	}
	if s.process, err = s.start(ctx, r); err != nil {
		return err
	}
	r.later(s.process.stop)
	return nil
}

// ask is a request to any of the servers.
type ask struct {
	method, path string
	body         []byte // of JSON
}

// raw returns the request as it is sent to the server.
func (s *server) raw(a ask) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s %s HTTP/1.1\r\nHost: %s\r\nAccept: application/json\r\n", a.method, a.path, s.process.address)
	for name, values := range s.header {
		fmt.Fprintf(&b, "%s: %s\r\n", name, values[0])
	}
	if a.body != nil {
		b.WriteString("Content-Type: application/json\r\nContent-Length: " + strconv.Itoa(len(a.body)) + "\r\n")
	}
	b.WriteString("\r\n")
	b.Write(a.body)
	return b.Bytes()
}

var asking = http.Client{Timeout: 30 * time.Second, Transport: &http.Transport{DisableCompression: true}}

// answer asks once and returns the body.
func (s *server) answer(ctx context.Context, a ask) ([]byte, error) {
	_, body, err := s.response(ctx, a)
	return body, err
}

// response asks once and returns the header and the body.
func (s *server) response(ctx context.Context, a ask) (http.Header, []byte, error) {
	request, err := http.NewRequestWithContext(ctx, a.method, "http://"+s.process.address.String()+a.path, bytes.NewReader(a.body))
	if err != nil {
		return nil, nil, err
	}
	request.Header.Set("Accept", "application/json")
	for name, values := range s.header {
		request.Header[name] = values
	}
	if a.body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	response, err := asking.Do(request)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", s.name, err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s answered %s to %s %s: %.500s", s.name, response.Status, a.method, a.path, body)
	}
	return response.Header, body, err
}
