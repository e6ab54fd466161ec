package server_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"
)

// reserve gets the token of a stream.
func (b *broadcast) reserve() string {
	b.t.Helper()
	l := b.request("PUT", "/graphql/stream", "", "X-API-Key", all)
	token := l.text()
	if l.StatusCode != 201 || !strings.HasPrefix(l.Header.Get("Content-Type"), "text/plain") || len(token) < 20 {
		b.t.Fatalf("PUT: %d %q", l.StatusCode, token)
	}
	return token
}

func TestReservedStream(t *testing.T) {
	b := newBroadcast(t)
	b.publish(1)
	token := b.reserve()
	const at = "/graphql/stream"
	do := func(want int, method, path, body string, header ...string) {
		t.Helper()
		if l := b.request(method, path, body, append([]string{"Content-Type", "application/json"}, header...)...); l.StatusCode != want {
			t.Errorf("%s %s %s: %d %s, want %d", method, path, body, l.StatusCode, l.text(), want)
		}
	}
	const by = "X-GraphQL-Event-Stream-Token"
	do(202, "POST", at, body(follow(""), "early"), by, token) // waits for the stream
	l := b.request("GET", at+"?token="+token, "", "Accept", events)
	l.hears("retry 2000", "early: Subscribed")
	do(409, "GET", at+"?token="+token, "", "Accept", events)
	do(409, "POST", at, body(question, "early"), by, token)
	do(409, "PUT", at, "", by, token)
	do(400, "POST", at, body(question, ""), by, token)
	do(400, "POST", at, body("{nope}", "x"), by, token)
	do(400, "DELETE", at, "", by, token)
	do(401, "POST", at, body(question, "x"))
	do(401, "POST", at, body(question, "x"), by, "nope")
	do(404, "POST", at, body(question, "x"), by, "nope", "X-API-Key", all)
	do(404, "POST", at, body(question, "x"), by, token, "X-API-Key", none)
	do(202, "POST", at, body(question, "q"), by, token)
	l.hears(`q: {"data":{"marketStatus":{"state":"open"}},"extensions":{"usage_units":1}}`, `complete {"id":"q"}`)
	do(202, "GET", at+"?query="+url.QueryEscape(question)+"&extensions="+url.QueryEscape(`{"operationId":"q"}`), "", by, token)
	l.hears(`q: {"data":{"marketStatus":{"state":"open"}},"extensions":{"usage_units":1}}`, `complete {"id":"q"}`)
	b.publish(2)
	l.hears("early: L2") // no id: it would stand for all operations
	do(200, "DELETE", at+"?operationId=early", "", by, token)
	do(200, "DELETE", at+"?operationId=early", "", by, token)
	do(202, "POST", at, body(follow(", afterSeq: 0"), "early"), by, token)
	l.hears("early: Subscribed", "early: R1", "early: R2", "early: done 2")
	_ = l.Body.Close()
	for end := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) { // it ends with its reader
		if l := b.request("DELETE", at+"?operationId=early", "", by, token); l.StatusCode == 401 {
			break
		} else if time.Now().After(end) {
			t.Fatalf("still there: %d", l.StatusCode)
		}
	}
}

// Too many at once are refused here, too.
func TestReservedStreamIsBounded(t *testing.T) {
	b := newBroadcast(t)
	token := b.reserve()
	for i := range 101 {
		l := b.request("POST", "/graphql/stream?token="+token, body(forQuotes, fmt.Sprint(i+1)), "Content-Type", "application/json")
		if want := map[bool]int{true: 202, false: 429}[i < 100]; l.StatusCode != want {
			t.Errorf("%d: %d %s, want %d", i, l.StatusCode, l.text(), want)
		}
	}
	b.request("GET", "/graphql/stream?token="+token, "").hear()
}
