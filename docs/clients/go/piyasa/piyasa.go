// Package piyasa asks piyasa, with the standard library alone.
//
//	market := piyasa.Client{URL: "http://127.0.0.1:8080", Key: key}
//	var answer struct{ Quotes []struct{ Last string } }
//	err := market.Get(ctx, "/v1/quotes", url.Values{"ids": {"bist:DMOST,crypto:DMC"}, "currency": {"TRY"}}, &answer)
//	for d, err := range market.FollowDisclosures(ctx, position, "all") { … }
//
// Figures are the text that was sent, which has every digit; math/big computes with them exactly. What is unknown is null.
package piyasa

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"time"
)

// Client asks one server with one key. Goroutines may share it.
type Client struct {
	URL, Key string
	HTTP     *http.Client  // asks; nil: http.DefaultClient
	Timeout  time.Duration // for each answer, but not for streams; 0: 30 s
	Attempts int           // how often to ask while the server says to wait; 0: 4
}

const maxWait = 30 * time.Second // between attempts

// Problem is what was refused, and why.
type Problem struct {
	Status int             `json:"-"` // of HTTP
	Type   string          `json:"type"`
	Detail string          `json:"detail"`
	Text   json.RawMessage `json:"-"` // all that the server said
}

// Kind returns the kind of problem, such as not-found.
func (p *Problem) Kind() string { return path.Base(p.Type) }

// Error says what was wrong and what is allowed.
func (p *Problem) Error() string {
	return cmp.Or(p.Detail, fmt.Sprintf("status %d: %.200s", p.Status, p.Text))
}

// Get decodes the JSON of a route.
func (c *Client) Get(ctx context.Context, route string, parameters url.Values, into any) error {
	return c.ask(ctx, http.MethodGet, route+"?"+parameters.Encode(), nil, into)
}

// GraphQL decodes the data of a query. Its first error is a *Problem.
func (c *Client) GraphQL(ctx context.Context, query string, variables map[string]any, into any) error {
	body, err := json.Marshal(map[string]any{"query": query, "variables": variables})
	if err != nil {
		return err
	}
	var answer answered
	if err := c.ask(ctx, http.MethodPost, "/graphql", body, &answer); err != nil {
		return err
	}
	return answer.decode(into)
}

// answered is an answer of GraphQL.
type answered struct {
	Data   json.RawMessage
	Errors []json.RawMessage
}

func (a answered) decode(into any) error {
	if len(a.Errors) == 0 {
		return json.Unmarshal(a.Data, into)
	}
	var first struct {
		Message    string
		Extensions struct{ Problem *Problem }
	}
	if err := json.Unmarshal(a.Errors[0], &first); err != nil {
		return err
	}
	p := cmp.Or(first.Extensions.Problem, &Problem{Detail: first.Message})
	p.Status, p.Text = http.StatusOK, a.Errors[0]
	return p
}

func (c *Client) ask(ctx context.Context, method, address string, body []byte, into any) error {
	for attempt := 1; ; attempt++ {
		wait, err := c.attempt(ctx, method, address, body, into)
		if wait < 0 || attempt >= cmp.Or(c.Attempts, 4) {
			return err
		}
		if err := sleep(ctx, wait); err != nil {
			return err
		}
	}
}

// attempt asks once. It returns how long to wait before another attempt; negative: there should be none.
func (c *Client) attempt(ctx context.Context, method, address string, body []byte, into any) (wait time.Duration, err error) {
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(c.Timeout, 30*time.Second))
	defer cancel()
	res, err := c.send(ctx, method, address, "application/json", body)
	if err != nil {
		return -1, err
	}
	defer res.Body.Close()
	if res.StatusCode == http.StatusOK {
		return -1, json.NewDecoder(res.Body).Decode(into)
	}
	seconds, unknown := strconv.Atoi(res.Header.Get("Retry-After"))
	if unknown != nil || !passes(res.StatusCode) {
		return -1, refusal(res)
	}
	return min(time.Duration(seconds)*time.Second, maxWait), refusal(res)
}

func (c *Client) send(ctx context.Context, method, address, accept string, body []byte) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, method, c.URL+address, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("X-API-Key", c.Key)
	r.Header.Set("Accept", accept)
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	return cmp.Or(c.HTTP, http.DefaultClient).Do(r)
}

// passes reports whether what a status says may be over soon.
func passes(status int) bool {
	return status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable
}

func refusal(res *http.Response) error {
	p := &Problem{Status: res.StatusCode}
	text, err := io.ReadAll(io.LimitReader(res.Body, 1<<20))
	if err != nil {
		return err
	}
	if json.Unmarshal(text, p) != nil {
		p.Detail = "" // the text is from something between
	}
	p.Text = text
	return p
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
