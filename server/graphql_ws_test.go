package server_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"piyasa/access"
)

const (
	initAll   = `{"type":"connection_init","payload":{"X-API-Key":"` + all + `"}}`
	question  = `{ marketStatus { state } }`
	forQuotes = `subscription { quoteStream(ids: ["bist:DMOST"]) { __typename } }`
)

// The rules of graphql-transport-ws, each said in a few messages.
func TestSocketProtocol(t *testing.T) {
	b := newBroadcast(t)
	subscribe := func(id, payload string) string {
		return fmt.Sprintf(`{"type":"subscribe","id":%s,"payload":%s}`, id, payload)
	}
	asked, _ := json.Marshal(map[string]string{"query": question})
	const answered = `next 1 {"data":{"marketStatus":{"state":"open"}},"extensions":{"usage_units":1}}`
	for name, c := range map[string]struct{ say, hear []string }{
		"query":                    {[]string{initAll, subscribe(`"1"`, string(asked))}, []string{"connection_ack", answered, "complete 1"}},
		"members of no concern":    {[]string{`{"type":"connection_init","payload":{"apiKey":"` + all + `","x":[1]},"x":1}`}, []string{"connection_ack"}},
		"key as api_key":           {[]string{`{"type":"connection_init","payload":{"api_key":"` + all + `"}}`}, []string{"connection_ack"}},
		"key in any case":          {[]string{`{"type":"connection_init","payload":{"x-Api-keY":"` + all + `"}}`}, []string{"connection_ack"}},
		"bad key":                  {[]string{`{"type":"connection_init","payload":{"X-API-Key":"x"}}`}, []string{"close 4401 Unauthorized"}},
		"key that is no text":      {[]string{`{"type":"connection_init","payload":{"X-API-Key":1}}`}, []string{"close 4401 Unauthorized"}},
		"no key":                   {[]string{`{"type":"connection_init"}`}, []string{"close 4401 Unauthorized"}},
		"second init":              {[]string{initAll, initAll}, []string{"connection_ack", "close 4429 Too many initialisation requests"}},
		"payload that is no list":  {[]string{`{"type":"connection_init","payload":[]}`}, []string{"close 4400 Invalid message: payload must be an object"}},
		"subscribe too early":      {[]string{subscribe(`"1"`, string(asked))}, []string{"close 4401 Unauthorized"}},
		"ping at any time":         {[]string{`{"type":"ping"}`, `{"type":"pong"}`, initAll, `{"type":"ping","payload":{"a":1}}`}, []string{"pong", "connection_ack", `pong {"a":1}`}},
		"complete of nothing":      {[]string{`{"type":"complete","id":"x"}`, initAll, `{"type":"complete","id":"x"}`}, []string{"connection_ack"}},
		"broken":                   {[]string{`{nope`}, []string{"close 4400"}},
		"two values":               {[]string{initAll, `{"type":"ping"} {}`}, []string{"connection_ack", "close 4400"}},
		"list":                     {[]string{`[]`}, []string{"close 4400"}},
		"null":                     {[]string{`null`}, []string{"close 4400"}},
		"unknown type":             {[]string{initAll, `{"type":"start"}`}, []string{"connection_ack", "close 4400"}},
		"no type":                  {[]string{`{}`}, []string{"close 4400"}},
		"the server's type":        {[]string{initAll, `{"type":"next","id":"1","payload":{}}`}, []string{"connection_ack", "close 4400"}},
		"no id":                    {[]string{initAll, `{"type":"subscribe","payload":{"query":"{a}"}}`}, []string{"connection_ack", "close 4400"}},
		"empty id":                 {[]string{initAll, subscribe(`""`, string(asked))}, []string{"connection_ack", "close 4400"}},
		"id that is a number":      {[]string{initAll, subscribe(`1`, string(asked))}, []string{"connection_ack", "close 4400"}},
		"complete without id":      {[]string{initAll, `{"type":"complete"}`}, []string{"connection_ack", "close 4400"}},
		"no query":                 {[]string{initAll, subscribe(`"1"`, `{}`)}, []string{"connection_ack", "close 4400"}},
		"query that is a number":   {[]string{initAll, subscribe(`"1"`, `{"query":1}`)}, []string{"connection_ack", "close 4400"}},
		"variables that are none":  {[]string{initAll, subscribe(`"1"`, `{"query":"{a}","variables":[]}`)}, []string{"connection_ack", "close 4400"}},
		"refused document":         {[]string{initAll, subscribe(`"1"`, `{"query":"{nope}"}`)}, []string{"connection_ack", "error 1 errors GRAPHQL_VALIDATION_FAILED, data false"}},
		"unknown persisted query":  {[]string{initAll, subscribe(`"1"`, `{"extensions":{"persistedQuery":{"version":1,"sha256Hash":"00"}}}`)}, []string{"connection_ack", "error 1 errors PERSISTED_QUERY_NOT_FOUND, data false"}},
		"failed field":             {[]string{initAll, subscribe(`"1"`, `{"query":"{quote(id:\"bist:NOPE\"){last}}"}`)}, []string{"connection_ack", "next 1 errors NOT_FOUND, data true", "complete 1"}},
		"stream that cannot begin": {[]string{initAll, subscribe(`"1"`, `{"query":"subscription{disclosureStream(topics:[]){__typename}}"}`)}, []string{"connection_ack", "error 1 errors INVALID_PARAMETER, data false"}},
	} {
		t.Run(name, func(t *testing.T) {
			client := b.dial(nil, "graphql-transport-ws")
			client.t = t
			client.say(c.say...)
			for i, want := range c.hear {
				if got := client.hear(); got != want && !(strings.HasPrefix(want, "close 4400") && strings.HasPrefix(got, want)) {
					t.Fatalf("message %d is %q, want %q", i+1, got, want)
				}
			}
			if !strings.HasPrefix(c.hear[len(c.hear)-1], "close") { // nothing more comes but what is asked for
				client.say(`{"type":"ping","payload":{"last":true}}`)
				client.hears(`pong {"last":true}`)
			}
		})
	}
}

// A key of the upgrade request serves too; that of the payload comes first.
func TestSocketKeyInHeader(t *testing.T) {
	b := newBroadcast(t)
	header := http.Header{"X-Api-Key": {all}}
	c := b.dial(header, "graphql-transport-ws")
	c.say(`{"type":"connection_init","payload":null}`)
	c.hears("connection_ack")
	c = b.dial(header, "graphql-transport-ws")
	c.say(`{"type":"connection_init","payload":{"apiKey":"x"}}`)
	c.hears("close 4401 Unauthorized")
}

func TestSocketFrames(t *testing.T) {
	b := newBroadcast(t)
	for _, protocols := range [][]string{nil, {"graphql-ws"}} {
		b.dial(nil, protocols...).hears("close 4406 Subprotocol not acceptable")
	}
	c := b.dial(nil, "graphql-transport-ws")
	c.say("\"\xff\"")
	c.hears("close 1007 invalid_utf8")
	c = b.dial(nil, "graphql-transport-ws")
	if err := c.WriteMessage(websocket.BinaryMessage, []byte(initAll)); err != nil {
		t.Fatal(err)
	}
	c.hears("close 4400 Invalid message: must be text")
	c = b.join(all)
	go func() { _ = c.WriteMessage(websocket.TextMessage, make([]byte, 2<<20)) }()
	c.hears("close 1009")

	dialer := websocket.Dialer{Subprotocols: []string{"graphql-transport-ws"}}
	_, res, err := dialer.Dial("ws"+strings.TrimPrefix(b.url, "http")+"/graphql", http.Header{"Origin": {"https://evil.example"}})
	if err == nil || res.StatusCode != 403 {
		t.Errorf("another origin: %v, want 403", res)
	}
}

func TestSocketIDs(t *testing.T) {
	b := newBroadcast(t)
	c := b.join(all)
	c.ask("a", follow(""))
	c.hears("next a Subscribed")
	c.say(`{"type":"complete","id":"a"}`)
	for range 50 { // each id is free at once, and nothing is said of what was ended
		c.ask("a", follow(", afterSeq: 0"))
		c.say(`{"type":"complete","id":"a"}`)
	}
	c.ask("a", question)
	for got := ""; got != "complete a"; {
		if got = c.hear(); strings.HasPrefix(got, "close") || strings.HasPrefix(got, "error") {
			t.Fatal(got)
		}
	}
	long := strings.Repeat("ö", 100)
	c.ask(long, follow(""))
	c.hears("next " + long + " Subscribed")
	c.ask(long, question)
	if got := c.hear(); !strings.HasPrefix(got, "close 4409 Subscriber for öö") {
		t.Error(got)
	}
}

// Each operation is on its own: with its call, its loaders, its end.
func TestSocketOperations(t *testing.T) {
	b := newBroadcast(t)
	c := b.join(deaf)
	c.ask("kap", follow(""))
	c.hears("error kap errors FORBIDDEN, data false")
	c.ask("quotes", forQuotes)
	c.hears("next quotes Subscribed", "next quotes QuoteEvent")
	c.ask("list", `{ watchlist(ids: ["bist:DMOST", "crypto:1"]) { quote { last } } }`)
	c.hears(`next list {"data":{"watchlist":[{"quote":{"last":"305.25"}},{"quote":{"last":"68250.12"}}]},"extensions":{"usage_units":3}}`, "complete list")
	for i := range 99 {
		c.ask(fmt.Sprint(i), forQuotes)
		if got := c.hear(); !strings.HasSuffix(got, "Subscribed") {
			t.Fatal(got)
		}
		c.hear()
	}
	c.ask("more", question)
	c.hears("error more errors TOO_MANY_VALUES, data false")
	c.say(`{"type":"complete","id":"7"}`)
	c.ask("more", question)
	if got := c.hear(); !strings.HasPrefix(got, "next more") {
		t.Error(got)
	}
}

// Operations take tokens as requests do.
func TestSocketRate(t *testing.T) {
	b := newBroadcast(t)
	slow := key("piyasa_test_slow")
	slow.Plan = "test"
	b.gate.Replace([]*access.Key{slow})
	c := b.join("piyasa_test_slow")
	for i := range 40 {
		c.ask(fmt.Sprint(i), question)
	}
	refused := 0
	for range 40 {
		got := c.hear()
		if strings.HasPrefix(got, "next") {
			got = c.hear()
		}
		if strings.HasSuffix(got, "errors RATE_LIMITED, data false") {
			refused++
		}
	}
	if refused < 5 || refused > 10 {
		t.Errorf("%d of 40 were refused, with 30 tokens", refused)
	}
}

// A server that cannot see its database takes nobody in.
func TestSocketUnavailable(t *testing.T) {
	b := newBroadcast(t)
	b.isDown = true
	c := b.dial(nil, "graphql-transport-ws")
	c.say(initAll)
	c.hears("close 1013 stream_unavailable")
	if l := b.request("POST", "/graphql", `{"query":"subscription{quoteStream(ids:[\"crypto:1\"]){__typename}}"}`, "X-API-Key", all, "Accept", "text/event-stream", "Content-Type", "application/json"); l.StatusCode != 503 || l.Header.Get("Retry-After") == "" {
		t.Errorf("events: %d", l.StatusCode)
	}
}

// At the server's end what waits goes out, and then the close; no stream is
// said to be complete.
func TestSocketDrain(t *testing.T) {
	b := newBroadcast(t)
	idle, c := b.join(all), b.join(all)
	c.ask("a", follow(""))
	c.ask("b", follow(", lastSeenIndex: 0"))
	c.hear()
	c.hear()
	c.hear()
	b.publish(1, 2, 3)
	got := map[string]int{}
	for range 2 {
		got[c.hear()]++ // on its way
	}
	began := time.Now()
	go b.drain(patience)
	for {
		said := c.hear()
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
	idle.hears("close 1001 going_away")
	if took := time.Since(began); took > patience/2 {
		t.Errorf("took %v", took)
	}
}
