package stream_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"piyasa/account/access"
	"piyasa/db"
	"piyasa/domain/kap"
	"piyasa/internal/epoch"
	"piyasa/internal/value"
	"piyasa/serve/stream"
	"piyasa/test/fixture"
	"piyasa/test/fixture/need"
)

// socketFixture is a server of the disclosure stream over a store of its own.
type socketFixture struct {
	t        testing.TB
	store    *db.Store
	gate     *access.Gate
	sockets  *stream.Sockets
	tailer   *stream.Tailer
	address  string
	isDown   atomic.Bool // the log is not followed
	replayed func()      // called before each read of a replay; may be nil
	failing  atomic.Bool // reads of replays fail
}

// Replay implements stream.DisclosureStore.
func (s *socketFixture) Replay(ctx context.Context, r kap.Replay) ([]*kap.Stored, error) {
	if s.replayed != nil {
		s.replayed()
	}
	if s.failing.Load() {
		return nil, errors.New("the disk is gone")
	}
	return s.store.Replay(ctx, r)
}

// DisclosuresAfter implements stream.DisclosureStore.
func (s *socketFixture) DisclosuresAfter(ctx context.Context, seq, head int64, limit int) ([]*kap.Stored, error) {
	return s.store.DisclosuresAfter(ctx, seq, head, limit)
}

// KnownDisclosures implements stream.DisclosureStore.
func (s *socketFixture) KnownDisclosures(ctx context.Context, numbers []int) (map[int]bool, error) {
	return s.store.KnownDisclosures(ctx, numbers)
}

// Look implements stream.DisclosureStore.
func (s *socketFixture) Look(ctx context.Context) (epoch.Moment, error) { return s.store.Look(ctx) }

// The secrets of a fixture's keys.
const (
	listener = "piyasa_live_listener" // scope kap, plan pro
	deaf     = "piyasa_live_deaf"     // every scope but kap and live
)

func keysOf(secrets map[string][]access.Scope) (keys []*access.Key) {
	for secret, scopes := range secrets {
		keys = append(keys, &access.Key{ID: secret, Hash: access.Secret(secret).Hash(), Plan: "pro", Scopes: scopes})
	}
	return keys
}

// newSocketFixture starts a fixture whose store holds records already.
func newSocketFixture(t testing.TB, records ...*kap.Record) *socketFixture {
	t.Helper()
	fixture.NoLeak(t)
	store, err := db.Open(t.Context(), "sqlite:"+t.TempDir()+"/piyasa.db")
	need.NoError(t, err)
	t.Cleanup(func() { _ = store.Close() })
	s := &socketFixture{t: t, store: store, gate: access.NewGate(access.ShippedPlans())}
	s.put(false, records...)
	s.gate.Replace(keysOf(map[string][]access.Scope{listener: {access.KAP, access.Live}, deaf: {access.History}}))
	s.sockets = &stream.Sockets{Gate: s.gate, Available: func() bool { return !s.isDown.Load() }}
	disclosures := stream.NewDisclosures(s)
	s.follow(map[string]stream.Apply{db.FeedDisclosures: disclosures.Apply})
	server := httptest.NewServer(stream.Handler(s.sockets, disclosures.Channel()))
	s.address = server.URL
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), fixture.Patience)
		defer cancel()
		s.sockets.Drain(ctx)
		server.Close()
	})
	return s
}

// follow runs a tailer until the test ends.
func (s *socketFixture) follow(feeds map[string]stream.Apply) {
	s.t.Helper()
	s.tailer = stream.NewTailer(s.store, feeds)
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		s.tailer.Run(ctx)
	}()
	s.t.Cleanup(func() {
		stop()
		<-ended
	})
	<-s.tailer.CaughtUp()
}

// filing returns a disclosure of DMOST.
func filing(index int, of kap.Type, symbols ...string) *kap.Record {
	return &kap.Record{Disclosure: kap.Disclosure{
		DisclosureIndex: index, Type: of, Class: string(of), Symbols: append([]string{}, symbols...), FilerCodes: []string{},
		PublishedAt: value.MustInstant("2026-03-18T06:00:00Z"), Summary: &kap.Localized{TR: new("<Özet> & \u2028")},
	}}
}

// put stores disclosures in one batch.
func (s *socketFixture) put(backFill bool, records ...*kap.Record) {
	b := &db.Batch{BackFill: backFill}
	for _, r := range records {
		db.Put(b, r, new(db.Outcome))
	}
	if err := s.store.Store(context.Background(), b); err != nil {
		s.t.Error(err) // not Fatal: writers run beside the test
	}
}

// client is one connection.
type client struct {
	t testing.TB
	*websocket.Conn
}

// dial connects.
func (s *socketFixture) dial() *client {
	s.t.Helper()
	ws, res, err := websocket.DefaultDialer.Dial("ws"+strings.TrimPrefix(s.address, "http"), nil)
	if err != nil {
		s.t.Fatalf("dial: %v %v", res, err)
	}
	s.t.Cleanup(func() { _ = ws.Close() })
	_ = ws.SetReadDeadline(time.Now().Add(fixture.Patience))
	return &client{s.t, ws}
}

// join connects and authenticates.
func (s *socketFixture) join() *client {
	s.t.Helper()
	c := s.dial()
	c.say(`{"action":"auth","api_key":"` + listener + `"}`)
	c.hears("auth_ok pro")
	return c
}

func (c *client) say(frames ...string) {
	c.t.Helper()
	for _, f := range frames {
		if err := c.WriteMessage(websocket.TextMessage, []byte(f)); err != nil {
			c.t.Fatalf("say %s: %v", f, err)
		}
	}
}

// hear returns the next frame in short, "close 4401 auth_required" at the end.
func (c *client) hear() string {
	c.t.Helper()
	kind, text, err := c.ReadMessage()
	if e, ok := errors.AsType[*websocket.CloseError](err); ok {
		return fmt.Sprintf("close %d %s", e.Code, e.Text)
	}
	if err != nil {
		return "cut: " + err.Error()
	}
	if kind != websocket.TextMessage {
		return fmt.Sprintf("a frame of kind %d", kind)
	}
	return short(c.t, text)
}

// short spells a frame as the worked vectors do: L1501 and R1501 are live and
// replayed disclosures.
func short(t testing.TB, text []byte) string {
	if _, batch, ok := bytes.Cut(text, []byte(`{"type":"quotes","data":`)); ok {
		var all []string
		var each []json.RawMessage
		if err := json.Unmarshal(bytes.TrimSuffix(batch, []byte("}")), &each); err != nil {
			t.Errorf("batch %q: %v", text, err)
		}
		for _, one := range each {
			all = append(all, short(t, one))
		}
		return fmt.Sprintf("quotes [%s]", strings.Join(all, ", "))
	}
	var f struct {
		Type, Plan, Code string
		IDs, Invalid     []string
		Replay           *bool
		Truncated        bool
		LastIndex        int64 `json:"last_index"`
		Lost             []int
		Data             struct {
			Index int    `json:"disclosure_index"`
			ID    string `json:"instrument_id"`
			Last  string
			Why   string `json:"null_reason"`
		}
	}
	if err := json.Unmarshal(text, &f); err != nil {
		t.Errorf("frame %q: %v", text, err)
	}
	switch f.Type {
	case "auth_ok":
		return "auth_ok " + f.Plan
	case "subscribed":
		return fmt.Sprintf("subscribed %v %v", f.IDs, f.Invalid)
	case "unsubscribed":
		return fmt.Sprintf("unsubscribed %v", f.IDs)
	case "disclosure":
		return fmt.Sprint(map[bool]string{true: "R", false: "L"}[*f.Replay], f.Data.Index)
	case "quote":
		return "quote " + f.Data.ID + " " + f.Data.Last
	case "no_quote":
		return "no_quote " + f.Data.ID + " " + f.Data.Why
	case "replay_done":
		return fmt.Sprintf("replay_done %d %v", f.LastIndex, f.Truncated)
	case "error":
		if f.Lost != nil {
			return fmt.Sprintf("error %s lost %v", f.Code, f.Lost)
		}
		return "error " + f.Code
	}
	return f.Type
}

// hears checks the next frames.
func (c *client) hears(want ...string) {
	c.t.Helper()
	for i, w := range want {
		if got := c.hear(); got != w {
			c.t.Fatalf("frame %d is %q, want %q", i+1, got, w)
		}
	}
}
