package graphqlhttp_test

import (
	"fmt"
	"net/url"
	"piyasa/test/fixture"
	"strings"
	"testing"
	"time"
)

func TestEvents(t *testing.T) {
	b := fixture.NewBroadcast(t)
	b.Publish(1, 2)
	for name, c := range map[string]struct {
		document string
		want     []string
	}{
		"query": {question, []string{`{"data":{"marketStatus":{"state":"open"}},"extensions":{"usage_units":1}}`,
			"complete", "end"}},
		"refused document": {"{nope}", []string{"errors GRAPHQL_VALIDATION_FAILED, data false", "complete", "end"}},
		"failed field":     {`{quote(id: "bist:NOPE") {last}}`, []string{"errors NOT_FOUND, data true", "complete", "end"}},
		"stream that cannot begin": {`subscription { quoteStream(ids: []) { __typename } }`,
			[]string{"errors INVALID_PARAMETER, data false", "complete", "end"}},
		"two positions": {fixture.Follow(", lastSeenIndex: 1, afterSeq: 1"),
			[]string{"errors CONFLICTING_PARAMETERS, data false", "complete", "end"}},
		"stream":           {fixture.Follow(""), []string{"Subscribed #2"}},
		"replay by number": {fixture.Follow(", lastSeenIndex: 1"), []string{"Subscribed", "R2", "done 2 #2"}},
		"replay by seq":    {fixture.Follow(", afterSeq: 0"), []string{"Subscribed", "R1 #1", "R2 #2", "done 2 #2"}},
		"quotes":           {forQuotes, []string{"Subscribed", "QuoteEvent"}},
	} {
		t.Run(name, func(t *testing.T) {
			for _, l := range []*fixture.Listener{
				b.Listen(c.document),
				b.Request("GET", "/graphql?query="+url.QueryEscape(c.document), "", "X-API-Key", fixture.All, "Accept",
					fixture.EventStream),
				b.Request("GET", "/graphql/stream?query="+url.QueryEscape(c.document), "", "X-API-Key", fixture.All),
			} {
				l.T = t
				l.Hears(append([]string{"retry 2000"}, c.want...)...)
				for name, want := range map[string]string{
					"Content-Type": "text/event-stream; charset=utf-8", "Cache-Control": "no-cache, no-transform",
					"X-Accel-Buffering": "no", "Content-Encoding": "",
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
	b := fixture.NewBroadcast(t)
	for accept, want := range map[string]string{
		"":                                  "application/json",
		"*/*":                               "application/json",
		fixture.EventStream:                 fixture.EventStream,
		fixture.EventStream + ", */*":       fixture.EventStream,
		fixture.EventStream + ";q=0.5, */*": "application/json",
		fixture.EventStream + ";q=0, application/json":   "application/json",
		fixture.EventStream + ", application/json":       "application/json",
		fixture.EventStream + ", application/json;q=0.9": fixture.EventStream,
		"application/graphql-response+json, application/json, " + fixture.EventStream +
			", multipart/mixed": "application/graphql-response+json",
		fixture.EventStream + ", multipart/mixed": fixture.EventStream,
	} {
		l := b.Request("POST", "/graphql", fixture.Body(question, ""), "X-API-Key", fixture.All, "Accept", accept, "Content-Type",
			"application/json")
		if got, _, _ := strings.Cut(l.Header.Get("Content-Type"), ";"); l.StatusCode != 200 || got != want {
			t.Errorf("Accept %q: %d %s, want %s", accept, l.StatusCode, got, want)
		}
	}
	for path, accept := range map[string]string{"/graphql": "application/json", "/graphql/stream": "application/json"} {
		if l := b.Request("POST", path, fixture.Body(forQuotes, ""), "X-API-Key", fixture.All, "Accept", accept, "Content-Type",
			"application/json"); l.StatusCode != 406 {
			t.Errorf("a stream as JSON at %s: %d, want 406", path, l.StatusCode)
		}
	}
}

func TestRefusedStreams(t *testing.T) {
	b := fixture.NewBroadcast(t)
	for name, c := range map[string]struct {
		status int
		l      *fixture.Listener
	}{
		"no key": {401, b.Request("POST", "/graphql", fixture.Body(forQuotes, ""), "Accept", fixture.EventStream, "Content-Type",
			"application/json")},
		"bad key": {401, b.Listen(forQuotes, "X-API-Key", "x")},
		"broken JSON": {400, b.Request("POST", "/graphql", "{", "X-API-Key", fixture.All, "Accept", fixture.EventStream, "Content-Type",
			"application/json")},
		"broken GraphQL": {400, b.Listen("{")},
		"no query":       {400, b.Request("GET", "/graphql", "", "X-API-Key", fixture.All, "Accept", fixture.EventStream)},
		"text":           {415, b.Listen(forQuotes, "Content-Type", "text/plain")},
		"bad position":   {400, b.Listen(fixture.Follow(""), "Last-Event-ID", "x")},
		"neg. position":  {400, b.Listen(fixture.Follow(""), "Last-Event-ID", "-1")},
		"PUT":            {405, b.Request("PUT", "/graphql", "", "X-API-Key", fixture.All, "Accept", fixture.EventStream)},
		"HEAD":           {405, b.Request("HEAD", "/graphql/stream", "", "X-API-Key", fixture.All)},
		"DELETE":         {400, b.Request("DELETE", "/graphql/stream", "", "X-API-Key", fixture.All)},
	} {
		if c.l.StatusCode != c.status || strings.Contains(c.l.Header.Get("Content-Type"), fixture.EventStream) {
			t.Errorf("%s: %d, want %d", name, c.l.StatusCode, c.status)
		}
	}
}

// A client that hangs up and comes again with the last id misses nothing and gets
// nothing twice, whatever is stored meanwhile.
func TestResumeWithoutLoss(t *testing.T) {
	b := fixture.NewBroadcast(t)
	const events = 60
	go func() {
		for i := range events { // the later, the lower their numbers: only seq tells what is new
			b.Publish(events - i)
		}
	}()
	var got []string
	for last := ""; len(got) < events; {
		header := []string{}
		if last != "" {
			header = []string{"Last-Event-ID", last}
		}
		l := b.Listen(fixture.Follow(", afterSeq: 0"), header...)
		l.Hears("retry 2000", "Subscribed")
		for range 3 + len(got)%5 {
			if len(got) == events {
				break
			}
			said := l.Hear()
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
	b := fixture.NewBroadcast(t)
	b.Publish(30, 20, 10)
	for _, arguments := range []string{"", ", lastSeenIndex: 25", ", afterSeq: 0", ", lastSeenIndex: 1, afterSeq: 1"} {
		b.Listen(fixture.Follow(arguments), "Last-Event-ID", "1").Hears("retry 2000", "Subscribed", "R2 #2", "R3 #3", "done 3 #3")
	}
	b.Listen(fixture.Follow(""), "Last-Event-ID", "0").Hears("retry 2000", "Subscribed", "R1 #1", "R2 #2", "R3 #3", "done 3 #3")
	l := b.Listen(fixture.Follow(", lastSeenIndex: 10"))
	l.Hears("retry 2000", "Subscribed", "R2", "R1", "done 3 #3") // by number: no order of seq to resume by
	b.Publish(40)
	l.Hears("L4 #4")
	b.Listen(forQuotes, "Last-Event-ID", "1").Hears("retry 2000", "Subscribed", "QuoteEvent")
}

// Streams outlive the server's timeouts for requests with one answer.
func TestEventsOutliveTimeouts(t *testing.T) {
	b := fixture.NewBroadcast(t)
	l := b.Listen(fixture.Follow(""))
	l.Hears("retry 2000", "Subscribed")
	c := b.Join(fixture.All)
	c.Ask("1", fixture.Follow(""))
	c.Hears("next 1 Subscribed")
	time.Sleep(1200 * time.Millisecond)
	b.Publish(1)
	l.Hears("L1 #1")
	c.Hears("next 1 L1")
	time.Sleep(1200 * time.Millisecond)
	b.Publish(2)
	l.Hears("L2 #2")
}

// At the server's end what waits goes out and the stream ends unfinished, so
// that its client comes again.
func TestEventsDrain(t *testing.T) {
	b := fixture.NewBroadcast(t)
	one, token := b.Listen(fixture.Follow("")), b.Reserve()
	one.Hears("retry 2000", "Subscribed")
	many := b.Request("GET", "/graphql/stream?token="+token, "")
	b.Request("POST", "/graphql/stream?token="+token, fixture.Body(fixture.Follow(""), "a"), "Content-Type", "application/json")
	many.Hears("retry 2000", "a: Subscribed")
	b.Publish(1)
	one.Hears("L1 #1")
	many.Hears("a: L1")
	b.Drain(fixture.Patience)
	one.Hears("end")
	many.Hears("end")
	if l := b.Listen(fixture.Follow("")); l.StatusCode != 503 {
		t.Errorf("a stream while the server ends: %d", l.StatusCode)
	}
}
