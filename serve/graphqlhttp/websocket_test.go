package graphqlhttp_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"piyasa/test/fixture"
	"piyasa/test/fixture/need"
)

const (
	initAll   = `{"type":"connection_init","payload":{"X-API-Key":"` + fixture.All + `"}}`
	question  = `{ marketStatus { state } }`
	forQuotes = `subscription { quoteStream(ids: ["bist:DMOST"]) { __typename } }`
)

// The rules of graphql-transport-ws, each said in a few messages.
func TestSocketProtocol(t *testing.T) {
	b := fixture.NewBroadcast(t)
	subscribe := func(id, payload string) string {
		return fmt.Sprintf(`{"type":"subscribe","id":%s,"payload":%s}`, id, payload)
	}
	asked, _ := json.Marshal(map[string]string{"query": question})
	const answered = `next 1 {"data":{"marketStatus":{"state":"open"}},"extensions":{"usage_units":1}}`
	for name, c := range map[string]struct{ say, hear []string }{
		"query": {[]string{initAll, subscribe(`"1"`, string(asked))},
			[]string{"connection_ack", answered, "complete 1"}},
		"members of no concern": {[]string{`{"type":"connection_init","payload":{"apiKey":"` + fixture.All + `","x":[1]},"x":1}`},
			[]string{"connection_ack"}},
		"key as api_key": {[]string{`{"type":"connection_init","payload":{"api_key":"` + fixture.All + `"}}`},
			[]string{"connection_ack"}},
		"key in any case": {[]string{`{"type":"connection_init","payload":{"x-Api-keY":"` + fixture.All + `"}}`},
			[]string{"connection_ack"}},
		"key as a bearer token": {[]string{`{"type":"connection_init","payload":{"Authorization":"Bearer ` + fixture.All + `"}}`},
			[]string{"connection_ack"}},
		"bad bearer token": {[]string{`{"type":"connection_init","payload":{"authorization":"Bearer x"}}`},
			[]string{"close 4401 Unauthorized"}},
		"bad key": {[]string{`{"type":"connection_init","payload":{"X-API-Key":"x"}}`},
			[]string{"close 4401 Unauthorized"}},
		"key that is no text": {[]string{`{"type":"connection_init","payload":{"X-API-Key":1}}`}, []string{"close 4401 Unauthorized"}},
		"no key":              {[]string{`{"type":"connection_init"}`}, []string{"close 4401 Unauthorized"}},
		"second init":         {[]string{initAll, initAll}, []string{"connection_ack", "close 4429 Too many initialisation requests"}},
		"payload that is no list": {[]string{`{"type":"connection_init","payload":[]}`},
			[]string{"close 4400 Invalid message: payload must be an object"}},
		"subscribe too early": {[]string{subscribe(`"1"`, string(asked))}, []string{"close 4401 Unauthorized"}},
		"ping at any time": {[]string{`{"type":"ping"}`, `{"type":"pong"}`, initAll, `{"type":"ping","payload":{"a":1}}`},
			[]string{"pong", "connection_ack", `pong {"a":1}`}},
		"complete of nothing": {[]string{`{"type":"complete","id":"x"}`, initAll, `{"type":"complete","id":"x"}`},
			[]string{"connection_ack"}},
		"broken":            {[]string{`{nope`}, []string{"close 4400"}},
		"two values":        {[]string{initAll, `{"type":"ping"} {}`}, []string{"connection_ack", "close 4400"}},
		"list":              {[]string{`[]`}, []string{"close 4400"}},
		"null":              {[]string{`null`}, []string{"close 4400"}},
		"unknown type":      {[]string{initAll, `{"type":"start"}`}, []string{"connection_ack", "close 4400"}},
		"no type":           {[]string{`{}`}, []string{"close 4400"}},
		"the server's type": {[]string{initAll, `{"type":"next","id":"1","payload":{}}`}, []string{"connection_ack", "close 4400"}},
		"no id": {[]string{initAll, `{"type":"subscribe","payload":{"query":"{a}"}}`},
			[]string{"connection_ack", "close 4400"}},
		"empty id":               {[]string{initAll, subscribe(`""`, string(asked))}, []string{"connection_ack", "close 4400"}},
		"id that is a number":    {[]string{initAll, subscribe(`1`, string(asked))}, []string{"connection_ack", "close 4400"}},
		"complete without id":    {[]string{initAll, `{"type":"complete"}`}, []string{"connection_ack", "close 4400"}},
		"no query":               {[]string{initAll, subscribe(`"1"`, `{}`)}, []string{"connection_ack", "close 4400"}},
		"query that is a number": {[]string{initAll, subscribe(`"1"`, `{"query":1}`)}, []string{"connection_ack", "close 4400"}},
		"variables that are none": {[]string{initAll, subscribe(`"1"`, `{"query":"{a}","variables":[]}`)},
			[]string{"connection_ack", "close 4400"}},
		"refused document": {[]string{initAll, subscribe(`"1"`, `{"query":"{nope}"}`)},
			[]string{"connection_ack", "error 1 errors GRAPHQL_VALIDATION_FAILED, data false"}},
		"unknown persisted query": {[]string{initAll,
			subscribe(`"1"`, `{"extensions":{"persistedQuery":{"version":1,"sha256Hash":"00"}}}`)},
			[]string{"connection_ack", "error 1 errors PERSISTED_QUERY_NOT_FOUND, data false"}},
		"failed field": {[]string{initAll, subscribe(`"1"`, `{"query":"{quote(id:\"bist:NOPE\"){last}}"}`)},
			[]string{"connection_ack", "next 1 errors NOT_FOUND, data true", "complete 1"}},
		"stream that cannot begin": {[]string{initAll,
			subscribe(`"1"`, `{"query":"subscription{disclosureStream(topics:[]){__typename}}"}`)},
			[]string{"connection_ack", "error 1 errors INVALID_PARAMETER, data false"}},
	} {
		t.Run(name, func(t *testing.T) {
			client := b.Dial(nil, "graphql-transport-ws")
			client.T = t
			client.Say(c.say...)
			for i, want := range c.hear {
				if got := fixture.WithoutCost(client.Hear()); got != want &&
					!(strings.HasPrefix(want, "close 4400") && strings.HasPrefix(got, want)) {
					t.Fatalf("message %d is %q, want %q", i+1, got, want)
				}
			}
			if !strings.HasPrefix(c.hear[len(c.hear)-1], "close") { // nothing more comes but what is asked for
				client.Say(`{"type":"ping","payload":{"last":true}}`)
				client.Hears(`pong {"last":true}`)
			}
		})
	}
}

// A key of the upgrade request serves too; that of the payload comes first.
func TestSocketKeyInHeader(t *testing.T) {
	b := fixture.NewBroadcast(t)
	header := http.Header{"X-Api-Key": {fixture.All}}
	c := b.Dial(header, "graphql-transport-ws")
	c.Say(`{"type":"connection_init","payload":null}`)
	c.Hears("connection_ack")
	c = b.Dial(header, "graphql-transport-ws")
	c.Say(`{"type":"connection_init","payload":{"apiKey":"x"}}`)
	c.Hears("close 4401 Unauthorized")
}

func TestSocketFrames(t *testing.T) {
	b := fixture.NewBroadcast(t)
	for _, protocols := range [][]string{nil, {"graphql-ws"}} {
		b.Dial(nil, protocols...).Hears("close 4406 Subprotocol not acceptable")
	}
	c := b.Dial(nil, "graphql-transport-ws")
	c.Say("\"\xff\"")
	c.Hears("close 1007 invalid_utf8")
	c = b.Dial(nil, "graphql-transport-ws")
	need.NoError(t, c.WriteMessage(websocket.BinaryMessage, []byte(initAll)))
	c.Hears("close 4400 Invalid message: must be text")
	c = b.Join(fixture.All)
	go func() { _ = c.WriteMessage(websocket.TextMessage, make([]byte, 2<<20)) }()
	c.Hears("close 1009")

	dialer := websocket.Dialer{Subprotocols: []string{"graphql-transport-ws"}}
	_, res, err := dialer.Dial("ws"+strings.TrimPrefix(b.URL, "http")+"/graphql", http.Header{"Origin": {"https://evil.example"}})
	if err == nil || res.StatusCode != 403 {
		t.Errorf("another origin: %v, want 403", res)
	}
}

func TestSocketIDs(t *testing.T) {
	b := fixture.NewBroadcast(t)
	c := b.Join(fixture.All)
	c.Ask("a", fixture.Follow(""))
	c.Hears("next a Subscribed")
	c.Say(`{"type":"complete","id":"a"}`)
	for range 50 { // each id is free at once, and nothing is said of what was ended
		c.Ask("a", fixture.Follow(", afterSeq: 0"))
		c.Say(`{"type":"complete","id":"a"}`)
	}
	c.Ask("a", question)
	for got := ""; got != "complete a"; {
		if got = c.Hear(); strings.HasPrefix(got, "close") || strings.HasPrefix(got, "error") {
			t.Fatal(got)
		}
	}
	long := strings.Repeat("ö", 100)
	c.Ask(long, fixture.Follow(""))
	c.Hears("next " + long + " Subscribed")
	c.Ask(long, question)
	if got := c.Hear(); !strings.HasPrefix(got, "close 4409 Subscriber for öö") {
		t.Error(got)
	}
}

// Each operation is on its own: with its call, its loaders, its end.
func TestSocketOperations(t *testing.T) {
	b := fixture.NewBroadcast(t)
	c := b.Join(fixture.Deaf)
	c.Ask("kap", fixture.Follow(""))
	c.Hears("error kap errors FORBIDDEN, data false")
	c.Ask("quotes", forQuotes)
	c.Hears("next quotes Subscribed", "next quotes QuoteEvent")
	c.Ask("list", `{ watchlist(ids: ["bist:DMOST", "crypto:1"]) { quote { last } } }`)
	c.Hears(`next list {"data":{"watchlist":[{"quote":{"last":"305.25"}},{"quote":{"last":"68250.12"}}]},"extensions":{"usage_units":3}}`,
		"complete list")
	for i := range 99 {
		c.Ask(fmt.Sprint(i), forQuotes)
		if got := c.Hear(); !strings.HasSuffix(got, "Subscribed") {
			t.Fatal(got)
		}
		c.Hear()
	}
	c.Ask("more", question)
	c.Hears("error more errors TOO_MANY_VALUES, data false")
	c.Say(`{"type":"complete","id":"7"}`)
	c.Ask("more", question)
	if got := c.Hear(); !strings.HasPrefix(got, "next more") {
		t.Error(got)
	}
}

// A server that cannot see its database takes nobody in.
func TestSocketUnavailable(t *testing.T) {
	b := fixture.NewBroadcast(t)
	b.IsDown = true
	c := b.Dial(nil, "graphql-transport-ws")
	c.Say(initAll)
	c.Hears("close 1013 stream_unavailable")
	if l := b.Request("POST", "/graphql", `{"query":"subscription{quoteStream(ids:[\"crypto:1\"]){__typename}}"}`, "X-API-Key", fixture.All,
		"Accept", "text/event-stream", "Content-Type", "application/json"); l.StatusCode != 503 || l.Header.Get("Retry-After") == "" {
		t.Errorf("events: %d", l.StatusCode)
	}
}

// At the server's end what waits goes out, and then the close; no stream is
// said to be complete.
func TestSocketDrain(t *testing.T) {
	b := fixture.NewBroadcast(t)
	idle, c := b.Join(fixture.All), b.Join(fixture.All)
	c.Ask("a", fixture.Follow(""))
	c.Ask("b", fixture.Follow(", lastSeenIndex: 0"))
	c.Hear()
	c.Hear()
	c.Hear()
	b.Publish(1, 2, 3)
	got := map[string]int{}
	for range 2 {
		got[c.Hear()]++ // on its way
	}
	began := time.Now()
	go b.Drain(fixture.Patience)
	for {
		said := c.Hear()
		if strings.HasPrefix(said, "c") && !strings.HasPrefix(said, "complete") { // closed or cut
			if said != "close 1001 going_away" {
				t.Error(said)
			}
			break
		}
		got[said]++
	}
	for _, want := range []string{"next a L1", "next b L1"} {
		if got[want] != 1 {
			t.Errorf("%q is missing from %v", want, got)
		}
	}
	for said := range got {
		if strings.HasPrefix(said, "complete") || strings.HasPrefix(said, "error") {
			t.Errorf("said %q", said)
		}
	}
	idle.Hears("close 1001 going_away")
	if took := time.Since(began); took > fixture.Patience/2 {
		t.Errorf("took %v", took)
	}
}
