package graphqlhttp_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"piyasa/test/fixture"
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
	fixture.Eventually(t, "its end, with its reader", func() bool {
		return b.Request("DELETE", at+"?operationId=early", "", by, token).StatusCode == 401
	})
}

// A key has so many streams that it has reserved and not opened, however fast it asks; those
// that it opens, or that lapse, make room.
func TestReservationsAreBounded(t *testing.T) {
	fixture.InBubble(t, func(t *testing.T, b *fixture.Bubble) {
		ask := func(method, token, key string) *httptest.ResponseRecorder {
			ctx, cancel := context.WithCancel(t.Context())
			r := httptest.NewRequestWithContext(ctx, method, "/graphql/stream", nil)
			r.Header.Set("X-API-Key", key)
			if token != "" {
				r.Header.Set("X-GraphQL-Event-Stream-Token", token)
			}
			w := httptest.NewRecorder()
			go func() { b.Server().ServeHTTP(w, r); cancel() }()
			t.Cleanup(cancel)
			synctest.Wait()
			return w
		}
		var reserved []*httptest.ResponseRecorder
		for range 10 {
			reserved = append(reserved, ask("PUT", "", fixture.All))
		}
		for _, w := range reserved {
			if w.Code != 201 {
				t.Fatal(w.Code, w.Body)
			}
		}
		w := ask("PUT", "", fixture.All)
		if w.Code != 429 || w.Header().Get("Retry-After") != "30" || !strings.Contains(w.Body.String(), "10 streams") {
			t.Error(w.Code, w.Header(), w.Body)
		}
		if w := ask("PUT", "", fixture.None); w.Code != 201 {
			t.Error("another key:", w.Code, w.Body)
		}
		ask("GET", reserved[0].Body.String(), fixture.All)
		if w := ask("PUT", "", fixture.All); w.Code != 201 {
			t.Error("after one was opened:", w.Code, w.Body)
		}
		time.Sleep(31 * time.Second)
		for range 10 {
			if w := ask("PUT", "", fixture.All); w.Code != 201 {
				t.Error("after they have lapsed:", w.Code, w.Body)
			}
		}
	})
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
