package graphqlhttp_test

import (
	"fmt"
	"net/url"
	"piyasa/fixture"
	"testing"
	"time"
)

func TestReservedStream(t *testing.T) {
	b := fixture.NewBroadcast(t)
	b.Publish(1)
	token := b.Reserve()
	const at = "/graphql/stream"
	do := func(want int, method, path, body string, header ...string) {
		t.Helper()
		if l := b.Request(method, path, body, append([]string{"Content-Type", "application/json"}, header...)...); l.StatusCode != want {
			t.Errorf("%s %s %s: %d %s, want %d", method, path, body, l.StatusCode, l.Text(), want)
		}
	}
	const by = "X-GraphQL-Event-Stream-Token"
	do(202, "POST", at, fixture.Body(fixture.Follow(""), "early"), by, token) // waits for the stream
	l := b.Request("GET", at+"?token="+token, "", "Accept", fixture.EventStream)
	l.Hears("retry 2000", "early: Subscribed")
	do(409, "GET", at+"?token="+token, "", "Accept", fixture.EventStream)
	do(409, "POST", at, fixture.Body(question, "early"), by, token)
	do(409, "PUT", at, "", by, token)
	do(400, "POST", at, fixture.Body(question, ""), by, token)
	do(400, "POST", at, fixture.Body("{nope}", "x"), by, token)
	do(400, "DELETE", at, "", by, token)
	do(401, "POST", at, fixture.Body(question, "x"))
	do(401, "POST", at, fixture.Body(question, "x"), by, "nope")
	do(404, "POST", at, fixture.Body(question, "x"), by, "nope", "X-API-Key", fixture.All)
	do(404, "POST", at, fixture.Body(question, "x"), by, token, "X-API-Key", fixture.None)
	do(202, "POST", at, fixture.Body(question, "q"), by, token)
	l.Hears(`q: {"data":{"marketStatus":{"state":"open"}},"extensions":{"usage_units":1}}`, `complete {"id":"q"}`)
	do(202, "GET", at+"?query="+url.QueryEscape(question)+"&extensions="+url.QueryEscape(`{"operationId":"q"}`), "", by, token)
	l.Hears(`q: {"data":{"marketStatus":{"state":"open"}},"extensions":{"usage_units":1}}`, `complete {"id":"q"}`)
	b.Publish(2)
	l.Hears("early: L2") // no id: it would stand for all operations
	do(200, "DELETE", at+"?operationId=early", "", by, token)
	do(200, "DELETE", at+"?operationId=early", "", by, token)
	do(202, "POST", at, fixture.Body(fixture.Follow(", afterSeq: 0"), "early"), by, token)
	l.Hears("early: Subscribed", "early: R1", "early: R2", "early: done 2")
	_ = l.Body.Close()
	for end := time.Now().Add(fixture.Patience); ; time.Sleep(5 * time.Millisecond) { // it ends with its reader
		if l := b.Request("DELETE", at+"?operationId=early", "", by, token); l.StatusCode == 401 {
			break
		} else if time.Now().After(end) {
			t.Fatalf("still there: %d", l.StatusCode)
		}
	}
}

// Too many at once are refused here, too.
func TestReservedStreamIsBounded(t *testing.T) {
	b := fixture.NewBroadcast(t)
	token := b.Reserve()
	for i := range 101 {
		l := b.Request("POST", "/graphql/stream?token="+token, fixture.Body(forQuotes, fmt.Sprint(i+1)), "Content-Type", "application/json")
		if want := map[bool]int{true: 202, false: 429}[i < 100]; l.StatusCode != want {
			t.Errorf("%d: %d %s, want %d", i, l.StatusCode, l.Text(), want)
		}
	}
	b.Request("GET", "/graphql/stream?token="+token, "").Hear()
}
