package asyncapi_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"piyasa/account/access"
	"piyasa/domain/kap"
	"piyasa/domain/market"
	"piyasa/internal/epoch"
	"piyasa/internal/value"
	"piyasa/serve/stream"
	"piyasa/services"
	"piyasa/test/fixture"
	"piyasa/test/fixture/need"
)

// store is a store of disclosures whose replays can be made to fail.
type store struct {
	services.Store
	all  []*kap.Stored
	fail bool
}

// KnownDisclosures implements stream.DisclosureStore.
func (*store) KnownDisclosures(context.Context, []int) (map[int]bool, error) { return nil, nil }

// DisclosuresAfter implements stream.DisclosureStore.
func (s *store) DisclosuresAfter(_ context.Context, seq, head int64, _ int) (found []*kap.Stored, err error) {
	n := int64(len(s.all))
	return s.all[min(seq, n):min(head, n)], nil
}

// Replay implements stream.DisclosureStore.
func (s *store) Replay(_ context.Context, r kap.Replay) (found []*kap.Stored, err error) {
	if s.fail {
		return nil, errors.New("the disk is gone")
	}
	for _, d := range s.all {
		if d.Seq <= r.UpToSeq && int64(d.DisclosureIndex) > r.After && len(found) < r.Limit {
			found = append(found, d)
		}
	}
	slices.SortFunc(found, func(a, b *kap.Stored) int { return cmp.Compare(a.DisclosureIndex, b.DisclosureIndex) })
	return found, nil
}

// put stores a disclosure; half of them say as little as may be.
func (s *store) put() int64 {
	d := &kap.Stored{Seq: int64(len(s.all) + 1),
		Disclosure: kap.Disclosure{DisclosureIndex: 100 + len(s.all), Type: kap.FR, Class: "FR", Symbols: []string{},
			FilerCodes: []string{}}}
	if len(s.all)%2 == 0 {
		d.Symbols, d.FilerTitle, d.PublishedAt, d.Reason = []string{"DMOST"}, new("Demo <A.Ş.>"),
			value.MustInstant("2026-03-18T12:10:22.5Z"), new(kap.Corrects)
		d.RelatedIndex, d.Summary, d.Year = new(7), &kap.Localized{EN: new("")}, new("2025")
	}
	s.all = append(s.all, d)
	return d.Seq
}

// service is both sockets and what feeds them.
type service struct {
	*testing.T
	base        string
	sockets     *stream.Sockets
	working     bool
	store       *store
	disclosures *stream.Disclosures
	live        *market.Live
	prices      *stream.Quotes

	closes  []any
	schemas map[string]*jsonschema.Schema // of frames, by type
	met     map[string]bool               // types of frames, and ends
}

const good, poor, spent, single = "piyasa_live_good", "piyasa_live_poor", "piyasa_live_spent", "piyasa_live_single"

func start(t *testing.T) *service {
	doc := document(t)
	s := &service{
		T: t, working: true, store: &store{},
		closes: doc["channels"].(object)["disclosures"].(object)["x-close-codes"].([]any), schemas: map[string]*jsonschema.Schema{},
		met: map[string]bool{},
	}
	for name, m := range doc["components"].(object)["messages"].(object) {
		if payload := m.(object)["payload"].(object); payload["properties"].(object)["type"] != nil {
			word := m.(object)["name"].(string)
			if code, ok := payload["properties"].(object)["code"].(object); ok && code["const"] != nil {
				word += " " + code["const"].(string) // another kind of error
			}
			s.schemas[word] = compile(t, doc, "/components/messages/"+name+"/payload")
		}
	}
	root := services.New(fixture.Settings(), s.store)
	root.Gate.Replace([]*access.Key{
		{ID: "1", Hash: access.Secret(good).Hash(), Plan: "pro", Scopes: access.Scopes},
		{ID: "2", Hash: access.Secret(poor).Hash(), Plan: "pro"},
		{ID: "3", Hash: access.Secret(spent).Hash(), Plan: "basic", Scopes: access.Scopes},
		{ID: "4", Hash: access.Secret(single).Hash(), Plan: "test", Scopes: access.Scopes},
	})
	root.Gate.SetPlans(access.Plans{"pro": {Bucket: 1, RefillPerSec: 1}, "basic": {Bucket: 1, RefillPerSec: 1, UnitsPerMonth: 1},
		"test": {Bucket: 1, RefillPerSec: 1, Connections: 1}})
	root.Meter.Of(&access.Key{ID: "3", Plan: "basic"}).Pay(0, access.Used{Operation: "/v1/quotes", Units: 1})
	s.sockets = &stream.Sockets{Gate: root.Gate, Meter: root.Meter, Max: 8, Deflating: 8, Available: func() bool { return s.working }}
	s.live, s.disclosures, s.prices = root.Market.Live, root.Disclosures, root.Prices
	s.live.PutCatalog([]*market.Instrument{
		{InstrumentID: "bist:DMALTF", Symbol: "DMALTF", Name: "Demo", Market: market.BIST, AssetType: market.ETF, Currency: "TRY"},
		{InstrumentID: "crypto:1", Symbol: "1", Ticker: new("BTC"), Name: "Bitcoin", Market: market.Crypto, AssetType: market.Coin,
			Currency: "USD"},
	}, nil)
	s.apply(0)
	mux := http.NewServeMux()
	mux.Handle(stream.DescribeDisclosures().Path, stream.Handler(s.sockets, s.disclosures.Channel()))
	mux.Handle(stream.DescribePrices().Path, stream.Handler(s.sockets, s.prices.Channel()))
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	s.base = "ws" + strings.TrimPrefix(server.URL, "http")
	return s
}

// apply publishes the newest disclosure.
func (s *service) apply(head int64) {
	if err := s.disclosures.Apply(s.Context(), stream.Rows{After: head - 1, Head: head}); err != nil {
		s.Error(err)
	}
}

// goBack has the store lose everything.
func (s *service) goBack() {
	s.store.all = nil
	if err := s.disclosures.Apply(s.Context(), stream.Rows{Epochs: epoch.Lineage{{ID: "new", Skip: 100}}, Head: 100,
		Rebuild: true}); err != nil {
		s.Error(err)
	}
}

func (s *service) quote(id market.ID, last string) {
	s.prices.Changed(s.live.PutQuotes([]*market.Observation{{InstrumentID: id, AsOf: value.MustInstant("2026-03-18T11:45:00Z"),
		Last: value.MustDecimal(last)}}))
}

// client is a connection to a socket.
type client struct {
	*service
	ws *websocket.Conn
}

func (s *service) connect(d stream.Description) *client {
	s.Helper()
	ws, res, err := (&websocket.Dialer{EnableCompression: true}).Dial(s.base+d.Path, nil)
	need.NoError(s, err)
	_ = res.Body.Close()
	s.Cleanup(func() { _ = ws.Close() })
	_ = ws.SetReadDeadline(time.Now().Add(20 * time.Second))
	return &client{s, ws}
}

// enter is connect with a good key.
func (s *service) enter(d stream.Description) *client {
	s.Helper()
	return s.connect(d).say(`{"action":"auth","api_key":"` + good + `"}`).hear("auth_ok")
}

func (c *client) say(frame string) *client {
	c.Helper()
	need.NoError(c, c.ws.WriteMessage(websocket.TextMessage, []byte(frame)))
	return c
}

// hear reads a frame of each type in turn; what it says must be as described.
func (c *client) hear(types ...string) *client {
	c.Helper()
	for _, want := range types {
		_, text, err := c.ws.ReadMessage()
		if err != nil {
			c.Fatalf("waiting for %s: %v", want, err)
		}
		frame := read(c.T, text)
		if frame["type"] != want {
			c.Fatalf("got %s, want %s", text, want)
		}
		schema := c.schemas[want]
		c.met[want] = true
		if code, ok := frame["code"]; ok {
			word := want + " " + code.(string)
			c.met[word] = true
			if special, ok := c.schemas[word]; ok {
				schema = special
			}
		}
		if err := schema.Validate(any(frame)); err != nil {
			c.Errorf("%s: %v", text, err)
		}
	}
	return c
}

// end waits for the server to close; how must be described.
func (c *client) end(code int, reason string) {
	c.Helper()
	_, text, err := c.ws.ReadMessage()
	_ = c.ws.Close()
	closed, ok := errors.AsType[*websocket.CloseError](err)
	if !ok || closed.Code != code || closed.Text != reason {
		c.Errorf("got %s %v, want %d %s", text, err, code, reason)
		return
	}
	c.met[fmt.Sprint(code, " ", reason)] = true
	if !slices.ContainsFunc(c.closes, func(v any) bool {
		return fmt.Sprint(v.(object)["code"]) == fmt.Sprint(code) && v.(object)["reason"] == reason
	}) {
		c.Errorf("%d %s is not described", code, reason)
	}
}

// Both sockets say what the document says, and nothing else.
func TestSocketsSpeakAsDescribed(t *testing.T) {
	s, disclosures, prices := start(t), stream.DescribeDisclosures(), stream.DescribePrices()

	c := s.enter(disclosures).say(`{"action":"subscribe","ids":["type:FR","symbol:dmost","symbol:bist:DMOST"]}`).hear("subscribed")
	for range 2 {
		s.apply(s.store.put())
		c.hear("disclosure")
	}
	c.say(`{"action":"subscribe","ids":["all"],"last_seen_index":99}`).hear("subscribed", "disclosure", "disclosure", "replay_done")
	s.store.fail = true
	c.say(`{"action":"subscribe","ids":["all"],"last_seen_index":99}`).hear("subscribed", "error", "replay_done")
	s.store.fail = false
	s.goBack()
	c.hear("error")
	c.say(`{"action":"ping"}`).hear("pong").say(`{"action":"unsubscribe","ids":["all","type:CA"]}`).hear("unsubscribed")
	for from := range 2 {
		ids, _ := json.Marshal(codes(from*100, 100))
		c.say(fmt.Sprintf(`{"action":"subscribe","ids":%s}`, ids))
	}
	c.hear("subscribed", "error")
	c.say(`hello`).hear("error").say(`{"action":"auth"}`).hear("error").say(`{"action":"subscribe","ids":[],"last_seen_index":0}`).hear("error").end(4400, "too_many_bad_messages")

	s.quote("crypto:1", "68250.12")
	p := s.enter(prices).say(`{"action":"subscribe","ids":["crypto:btc","bist:DMALT","foo:BAR"]}`).hear("subscribed", "quote", "no_quote")
	s.quote("bist:DMALTF", "64.12")
	batches := s.enter(prices).say(`{"action":"subscribe","ids":["crypto:btc","bist:DMALT"],"batch":true}`).hear("subscribed", "quotes")
	_ = batches.ws.Close()
	p.hear("quote").say(`{"action":"unsubscribe","ids":["crypto:1"]}`).hear("unsubscribed").say(`{"action":"ping"}`).hear("pong")
	s.enter(prices).say("\xff").end(1007, "invalid_utf8")
	s.enter(prices).say(strings.Repeat(" ", 65<<10)).end(1009, "")
	garbled := s.enter(prices)
	_, _ = garbled.ws.NetConn().Write([]byte{0xc1, 0x81, 0, 0, 0, 0, 0xff})
	garbled.end(1007, "invalid_deflate")

	for _, d := range []stream.Description{disclosures, prices} {
		s.connect(d).say(`{"action":"auth","api_key":"`+spent+`"}`).hear("error").end(1013, "quota_exceeded")
	}

	only := s.connect(prices).say(`{"action":"auth","api_key":"` + single + `"}`).hear("auth_ok")
	s.connect(disclosures).say(`{"action":"auth","api_key":"`+single+`"}`).hear("error").end(1013, "connection_limit")
	_ = only.ws.Close()

	s.connect(disclosures).say(`{"action":"ping"}`).end(4401, "auth_required")
	s.connect(disclosures).say(`{"action":"auth","api_key":"piyasa_live_other"}`).end(4401, "invalid_key")
	s.connect(prices).say(`{"action":"auth","api_key":"`+poor+`"}`).end(4403, "missing_scope")
	s.working = false
	s.connect(prices).say(`{"action":"auth","api_key":"`+good+`"}`).end(1013, "stream_unavailable")
	s.working = true
	fixture.Eventually(t, "all but the socket of prices to close", func() bool { return s.sockets.Open() <= 1 })
	for s.sockets.Open() < s.sockets.Max {
		s.enter(prices)
	}
	s.connect(prices).end(1013, "too_many_connections")
	s.sockets.Max, s.sockets.PerAddress = 0, 1
	s.sockets.Client = func(context.Context) netip.Prefix { return netip.MustParsePrefix("198.51.100.1/32") }
	s.enter(prices)
	s.connect(prices).end(1013, "too_many_connections_of_address")
	go s.sockets.Drain(t.Context())
	p.end(1001, "going_away")

	for word := range s.schemas {
		if !s.met[word] {
			t.Errorf("%s is described and was never said", word)
		}
	}
	for _, code := range []string{"bad_message", "subscription_limit", "connection_limit", "quota_exceeded", "server_error"} {
		if !s.met["error "+code] {
			t.Errorf("the error %s was never said", code)
		}
	}
	for _, c := range stream.Closes() { // these take long, or a fault
		if rare := []string{"auth_timeout", "server_error", "slow_consumer"}; !s.met[fmt.Sprint(c.Code, " ", c.Reason)] &&
			!slices.Contains(rare, c.Reason) {
			t.Errorf("no connection ended with %d %s", c.Code, c.Reason)
		}
	}
}

// Every action is understood as its example spells it, and answered as described.
func TestActionsAreUnderstood(t *testing.T) {
	s := start(t)
	for _, d := range []stream.Description{stream.DescribeDisclosures(), stream.DescribePrices()} {
		c := s.connect(d)
		for _, a := range d.Actions {
			for _, example := range a.Examples {
				text, err := json.Marshal(example)
				need.NoError(t, err)
				if a.Name == "auth" {
					text = fmt.Appendf(nil, `{"action":"auth","api_key":%q}`, good)
				}
				c.say(string(text)).hear(wordOf(a.Answers[0]))
				if strings.Contains(string(text), "last_seen_index") {
					c.hear("replay_done")
				}
				if strings.Contains(string(text), "batch") {
					c.hear("quotes")
				} else if a.Name == "subscribeQuotes" {
					c.hear("no_quote", "no_quote") // nothing is priced here
				}
			}
		}
	}
}

// wordOf returns the type of a frame.
func wordOf(m stream.Message) string {
	text, _ := json.Marshal(m.Examples[0])
	var frame struct{ Type string }
	_ = json.Unmarshal(text, &frame)
	return frame.Type
}

// codes are n topics of codes nobody has.
func codes(from, n int) []string {
	topics := make([]string, n)
	for i := range topics {
		topics[i] = fmt.Sprintf("symbol:X%d", from+i)
	}
	return topics
}
