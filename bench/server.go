package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strconv"
	"time"
)

// api is what a server speaks.
type api string

const (
	graphQLAPI  api = "GraphQL"
	restAPI     api = "REST"
	preparedAPI api = "prepared" // the bytes of piyasa's answers
)

// server is one of those that are compared.
type server struct {
	name string
	what string // for the report
	apis []api
	// start runs it; it is asked at the address of the process.
	start func(ctx context.Context, r *rig) (*process, error)

	header  http.Header
	process *process
}

func (s *server) speaks(a api) bool {
	for _, own := range s.apis {
		if own == a {
			return true
		}
	}
	return false
}

const piyasaName = "piyasa"

// servers lists all of them; piyasa is what the others are compared with.
func servers() []*server {
	js := func(script string) func(context.Context, *rig) (*process, error) {
		return func(ctx context.Context, r *rig) (*process, error) {
			folder := filepath.Join(r.peers, "js")
			return r.start(ctx, []string{"DATABASE_URL=" + r.tables, "NODE_ENV=production"}, filepath.Join(folder, "node_modules/.bin/node"), filepath.Join(folder, script))
		}
	}
	return []*server{
		{
			name: piyasaName, apis: []api{graphQLAPI, restAPI},
			start: func(ctx context.Context, r *rig) (*process, error) {
				return r.start(ctx, r.clock(), r.piyasa, "serve", "--listen=127.0.0.1:0")
			},
		},
		{name: "mercurius", apis: []api{graphQLAPI}, start: js("mercurius.mjs")},
		{name: "yoga", apis: []api{graphQLAPI}, start: js("yoga.mjs")},
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

// ask is a request, whoever is asked.
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
	request, err := http.NewRequestWithContext(ctx, a.method, "http://"+s.process.address.String()+a.path, bytes.NewReader(a.body))
	if err != nil {
		return nil, err
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
		return nil, fmt.Errorf("%s: %w", s.name, err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s answered %s to %s %s: %.500s", s.name, response.Status, a.method, a.path, body)
	}
	return body, err
}
