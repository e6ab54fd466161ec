package server_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"
)

const events = "text/event-stream"

// listen opens a stream for a document by POST.
func (b *broadcast) listen(document string, header ...string) *listener {
	b.t.Helper()
	return b.request("POST", "/graphql", body(document, ""), append([]string{"X-API-Key", all, "Accept", events, "Content-Type", "application/json"}, header...)...)
}

// body is that of a POST; id names an operation of a reserved stream.
func body(document, id string) string {
	in := map[string]any{"query": document}
	if id != "" {
		in["extensions"] = map[string]any{"operationId": id}
	}
	text, _ := json.Marshal(in)
	return string(text)
}

func TestEvents(t *testing.T) {
	b := newBroadcast(t)
	b.publish(1, 2)
	for name, c := range map[string]struct {
		document string
		want     []string
	}{
		"query":                    {question, []string{`{"data":{"marketStatus":{"state":"open"}},"extensions":{"usage_units":1}}`, "complete", "end"}},
		"refused document":         {"{nope}", []string{"errors GRAPHQL_VALIDATION_FAILED, data false", "complete", "end"}},
		"failed field":             {`{quote(id: "bist:NOPE") {last}}`, []string{"errors NOT_FOUND, data true", "complete", "end"}},
		"stream that cannot begin": {`subscription { quoteStream(ids: []) { __typename } }`, []string{"errors INVALID_PARAMETER, data false", "complete", "end"}},
		"two positions":            {follow(", lastSeenIndex: 1, afterSeq: 1"), []string{"errors CONFLICTING_PARAMETERS, data false", "complete", "end"}},
		"stream":                   {follow(""), []string{"Subscribed #2"}},
		"replay by number":         {follow(", lastSeenIndex: 1"), []string{"Subscribed", "R2", "done 2 #2"}},
		"replay by seq":            {follow(", afterSeq: 0"), []string{"Subscribed", "R1 #1", "R2 #2", "done 2 #2"}},
		"quotes":                   {forQuotes, []string{"Subscribed", "QuoteEvent"}},
	} {
		t.Run(name, func(t *testing.T) {
			for _, l := range []*listener{
				b.listen(c.document),
				b.request("GET", "/graphql?query="+url.QueryEscape(c.document), "", "X-API-Key", all, "Accept", events),
				b.request("GET", "/graphql/stream?query="+url.QueryEscape(c.document), "", "X-API-Key", all),
			} {
				l.t = t
				l.hears(append([]string{"retry 2000"}, c.want...)...)
				for name, want := range map[string]string{
					"Content-Type": "text/event-stream; charset=utf-8", "Cache-Control": "no-cache, no-transform", "X-Accel-Buffering": "no", "Content-Encoding": "",
				} {
					if got := l.Header.Get(name); got != want {
						t.Errorf("%s: %q, want %q", name, got, want)
					}
				}
			}
		})
	}
}

func TestWhoGetsEvents(t *testing.T) {
	b := newBroadcast(t)
	for accept, want := range map[string]string{
		"":                                  "application/json",
		"*/*":                               "application/json",
		events:                              events,
		events + ", */*":                    events,
		events + ";q=0.5, */*":              "application/json",
		events + ";q=0, application/json":   "application/json",
		events + ", application/json":       "application/json",
		events + ", application/json;q=0.9": events,
		"application/graphql-response+json, application/json, " + events + ", multipart/mixed": "application/graphql-response+json",
		events + ", multipart/mixed": events,
	} {
		l := b.request("POST", "/graphql", body(question, ""), "X-API-Key", all, "Accept", accept, "Content-Type", "application/json")
		if got, _, _ := strings.Cut(l.Header.Get("Content-Type"), ";"); l.StatusCode != 200 || got != want {
			t.Errorf("Accept %q: %d %s, want %s", accept, l.StatusCode, got, want)
		}
	}
	for path, accept := range map[string]string{"/graphql": "application/json", "/graphql/stream": "application/json"} {
		if l := b.request("POST", path, body(forQuotes, ""), "X-API-Key", all, "Accept", accept, "Content-Type", "application/json"); l.StatusCode != 406 {
			t.Errorf("a stream as JSON at %s: %d, want 406", path, l.StatusCode)
		}
	}
}

func TestRefusedStreams(t *testing.T) {
	b := newBroadcast(t)
	for name, c := range map[string]struct {
		status int
		l      *listener
	}{
		"no key":         {401, b.request("POST", "/graphql", body(forQuotes, ""), "Accept", events, "Content-Type", "application/json")},
		"bad key":        {401, b.listen(forQuotes, "X-API-Key", "x")},
		"broken JSON":    {400, b.request("POST", "/graphql", "{", "X-API-Key", all, "Accept", events, "Content-Type", "application/json")},
		"broken GraphQL": {400, b.listen("{")},
		"no query":       {400, b.request("GET", "/graphql", "", "X-API-Key", all, "Accept", events)},
		"text":           {415, b.listen(forQuotes, "Content-Type", "text/plain")},
		"bad position":   {400, b.listen(follow(""), "Last-Event-ID", "x")},
		"neg. position":  {400, b.listen(follow(""), "Last-Event-ID", "-1")},
		"PUT":            {405, b.request("PUT", "/graphql", "", "X-API-Key", all, "Accept", events)},
		"HEAD":           {405, b.request("HEAD", "/graphql/stream", "", "X-API-Key", all)},
		"DELETE":         {400, b.request("DELETE", "/graphql/stream", "", "X-API-Key", all)},
	} {
		if c.l.StatusCode != c.status || strings.Contains(c.l.Header.Get("Content-Type"), events) {
			t.Errorf("%s: %d, want %d", name, c.l.StatusCode, c.status)
		}
	}
}

// Whoever hangs up and comes again with the last id misses nothing and gets
// nothing twice, whatever is stored meanwhile.
func TestResumeWithoutLoss(t *testing.T) {
	b := newBroadcast(t)
	const events = 60
	go func() {
		for i := range events { // the later, the lower their numbers: only seq tells what is new
			b.publish(events - i)
		}
	}()
	var got []string
	for last := ""; len(got) < events; {
		header := []string{}
		if last != "" {
			header = []string{"Last-Event-ID", last}
		}
		l := b.listen(follow(", afterSeq: 0"), header...)
		l.hears("retry 2000", "Subscribed")
		for range 3 + len(got)%5 {
			if len(got) == events {
				break
			}
			said := l.hear()
			if _, id, ok := strings.Cut(said, "#"); ok {
				last = id
			}
			if event, id, _ := strings.Cut(said, " #"); event == "L"+id || event == "R"+id {
				got = append(got, id)
			} else if !strings.HasPrefix(said, "done") {
				t.Fatalf("heard %q", said)
			}
		}
		_ = l.Body.Close()
	}
	for i, id := range got {
		if id != fmt.Sprint(i+1) {
			t.Fatalf("got %v", got)
		}
	}
}

// What a header says of the position wins over the document.
func TestLastEventID(t *testing.T) {
	b := newBroadcast(t)
	b.publish(30, 20, 10)
	for _, arguments := range []string{"", ", lastSeenIndex: 25", ", afterSeq: 0", ", lastSeenIndex: 1, afterSeq: 1"} {
		b.listen(follow(arguments), "Last-Event-ID", "1").hears("retry 2000", "Subscribed", "R2 #2", "R3 #3", "done 3 #3")
	}
	b.listen(follow(""), "Last-Event-ID", "0").hears("retry 2000", "Subscribed", "R1 #1", "R2 #2", "R3 #3", "done 3 #3")
	l := b.listen(follow(", lastSeenIndex: 10"))
	l.hears("retry 2000", "Subscribed", "R2", "R1", "done 3 #3") // by number: no order of seq to resume by
	b.publish(40)
	l.hears("L4 #4")
	b.listen(forQuotes, "Last-Event-ID", "1").hears("retry 2000", "Subscribed", "QuoteEvent")
}

// Streams outlive the server's timeouts for requests with one answer.
func TestEventsOutliveTimeouts(t *testing.T) {
	b := newBroadcast(t)
	l := b.listen(follow(""))
	l.hears("retry 2000", "Subscribed")
	c := b.join(all)
	c.ask("1", follow(""))
	c.hears("next 1 Subscribed")
	time.Sleep(1200 * time.Millisecond)
	b.publish(1)
	l.hears("L1 #1")
	c.hears("next 1 L1")
	time.Sleep(1200 * time.Millisecond)
	b.publish(2)
	l.hears("L2 #2")
}

// At the server's end what waits goes out and the stream ends unfinished, so
// that its client comes again.
func TestEventsDrain(t *testing.T) {
	b := newBroadcast(t)
	one, token := b.listen(follow("")), b.reserve()
	one.hears("retry 2000", "Subscribed")
	many := b.request("GET", "/graphql/stream?token="+token, "")
	b.request("POST", "/graphql/stream?token="+token, body(follow(""), "a"), "Content-Type", "application/json")
	many.hears("retry 2000", "a: Subscribed")
	b.publish(1)
	one.hears("L1 #1")
	many.hears("a: L1")
	b.drain(patience)
	one.hears("end")
	many.hears("end")
	if l := b.listen(follow("")); l.StatusCode != 503 {
		t.Errorf("a stream while the server ends: %d", l.StatusCode)
	}
}
