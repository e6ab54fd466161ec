package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"piyasa/test/bench/load"
)

// prepared is a work's requests to one server, with what piyasa answers them.
type prepared struct {
	requests []load.Request
	bodies   [][]byte
	bytes    int // of an answer on average
}

// costDigits is by how much the length of an answer may differ that states its cost.
const costDigits = 40

// prepare asks everything once and compares the answers with piyasa's, which is
// nil for piyasa itself: servers that do less must not look faster. It returns nil
// if the server does not do this work.
func prepare(ctx context.Context, w work, s *server, reference *prepared) (*prepared, error) {
	asks, err := s.requests(ctx, w)
	if err != nil || len(asks) == 0 {
		return nil, err
	}
	p := &prepared{}
	compare := same
	if s.same != nil {
		compare = s.same
	}
	for i, a := range asks {
		if w.compared > 0 && i >= w.compared { // very many: each of about that length
			p.requests = append(p.requests, load.Request{Raw: s.raw(a), Want: -p.bytes / w.compared * 9 / 10})
			continue
		}
		body, err := s.answer(ctx, a)
		if err != nil {
			return nil, err
		}
		if reference != nil {
			if err := compare(body, reference.bodies[i]); err != nil {
				return nil, fmt.Errorf("%s of %s is not what piyasa answers: %w", w.name, s.name, err)
			}
		}
		want := len(body)
		if bytes.Contains(body, []byte(`"cost":{"asked":`)) { // what is given again costs less, in fewer digits
			want = -(want - costDigits)
		}
		p.requests = append(p.requests, load.Request{Raw: s.raw(a), Want: want})
		p.bodies = append(p.bodies, body)
		p.bytes += len(body)
	}
	p.bytes /= len(p.bodies)
	return p, nil
}

// same compares two answers but for their cursors, which are every server's own,
// and for the extensions of GraphQL.
func same(a, b []byte) error {
	left, err := normal(a)
	if err != nil {
		return err
	}
	right, err := normal(b)
	if err != nil {
		return err
	}
	if bytes.Equal(left, right) {
		return nil
	}
	at := 0
	for at < min(len(left), len(right)) && left[at] == right[at] {
		at++
	}
	from := max(0, at-60)
	return fmt.Errorf("%.160q instead of %.160q", left[from:], right[from:])
}

func normal(body []byte) ([]byte, error) {
	numbers := json.NewDecoder(bytes.NewReader(body))
	numbers.UseNumber()
	var value map[string]any
	if err := numbers.Decode(&value); err != nil {
		return nil, fmt.Errorf("%w: %.300s", err, body)
	}
	if value["errors"] != nil {
		return nil, fmt.Errorf("errors: %.500s", body)
	}
	delete(value, "extensions")
	hideCursors(value)
	return json.Marshal(value)
}

func hideCursors(value map[string]any) {
	for name, member := range value {
		if inner, ok := member.(map[string]any); ok {
			hideCursors(inner)
		}
		if name == "nextCursor" || name == "next_cursor" {
			value[name] = member != nil
		}
	}
}
