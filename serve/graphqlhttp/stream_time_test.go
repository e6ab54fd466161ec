package graphqlhttp_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"piyasa/account/access"
	"piyasa/serve/stream"
	"piyasa/test/fixture"
)

const quotesQuery = "?query=subscription{quoteStream(ids:[%22crypto:1%22]){__typename%20...on%20StreamError{code}}}"

func took(t *testing.T, since time.Time, from, to time.Duration) {
	t.Helper()
	if passed := time.Since(since); passed < from || passed > to {
		t.Errorf("took %v, want %v to %v", passed, from, to)
	}
}

func TestSocketInitTimeout(t *testing.T) {
	fixture.InBubble(t, func(t *testing.T, b *fixture.Bubble) {
		began, c := time.Now(), b.Dial()
		c.Say(`{"type":"ping"}`)
		c.Hears("pong", "close 4408 Connection initialisation timeout")
		took(t, began, 10*time.Second, 11*time.Second)
		c = b.Dial()
		c.Say(initAll)
		c.Hears("connection_ack")
		time.Sleep(time.Hour)
		c.Say(`{"type":"ping"}`)
		c.Hears("pong")
	})
}

// Operations take tokens as requests do; none comes back while no time passes.
func TestSocketRate(t *testing.T) {
	fixture.InBubble(t, func(t *testing.T, b *fixture.Bubble) {
		slow := fixture.Key("piyasa_test_slow")
		slow.Plan = "test"
		b.Services.Gate.Replace([]*access.Key{slow})
		c := b.Dial()
		c.Say(`{"type":"connection_init","payload":{"X-API-Key":"piyasa_test_slow"}}`)
		c.Hears("connection_ack")
		go func() {
			for i := range 40 {
				c.Ask(fmt.Sprint(i), question)
			}
		}()
		refused := 0
		for ended := 0; ended < 40; { // what others say may come between next and complete
			got := c.Hear()
			if strings.HasPrefix(got, "next") {
				continue
			}
			ended++
			if strings.HasSuffix(got, "errors RATE_LIMITED, data false") {
				refused++
			}
		}
		if refused != 10 {
			t.Errorf("%d of 40 were refused, with 30 tokens", refused)
		}
	})
}

// The server reads no more from a client that does not read its answers, whatever it asks: the
// number of answers that wait, refusals included, is bounded.
func TestSocketThatIsNotRead(t *testing.T) {
	for name, c := range map[string]struct{ key, document string }{
		"answers":             {fixture.All, question},
		"documents not valid": {fixture.All, "{ nope }"},
		"more than its rate":  {"piyasa_test_slow", question},
		"more than at once":   {fixture.All, forQuotes},
	} {
		t.Run(name, func(t *testing.T) {
			fixture.InBubble(t, func(t *testing.T, b *fixture.Bubble) {
				slow := fixture.Key("piyasa_test_slow")
				slow.Plan = "test"
				b.Services.Gate.Replace([]*access.Key{slow, fixture.Key(fixture.All, access.Scopes...)})
				client := b.Dial()
				client.Say(`{"type":"connection_init","payload":{"X-API-Key":"` + c.key + `"}}`)
				client.Hears("connection_ack")
				const all, atOnce = 1000, 100
				var said atomic.Int64
				go func() {
					for i := range all {
						text := fmt.Sprintf(`{"type":"subscribe","id":"%d","payload":{"query":%q}}`, i, c.document)
						if client.WriteMessage(websocket.TextMessage, []byte(text)) != nil {
							return
						}
						said.Add(1)
					}
				}()
				before := runtime.NumGoroutine()
				for heard := range 8 { // it reads a little, in time not to be closed
					time.Sleep(stream.WriteWait - 5*time.Second)
					if open := said.Load() - int64(heard); open > 2*atOnce+1 {
						t.Fatalf("after %d messages, %d operations wait for a client that does not read", heard, open)
					}
					if more := runtime.NumGoroutine() - before; more > 6*atOnce {
						t.Errorf("after %d messages there are %d more goroutines", heard, more)
					}
					if got := client.Hear(); strings.HasPrefix(got, "close") || strings.HasPrefix(got, "cut") {
						t.Fatal(got)
					}
				}
				_ = client.Close()
			})
		})
	}
}

// A revoked key ends everything that it opened.
func TestRevokedKey(t *testing.T) {
	fixture.InBubble(t, func(t *testing.T, b *fixture.Bubble) {
		c := b.Dial()
		c.Say(initAll)
		c.Hears("connection_ack")
		l := b.Get("/graphql"+quotesQuery, "X-API-Key", fixture.All, "Accept", fixture.EventStream)
		l.Hears("retry 2000", "Subscribed", "QuoteEvent")
		_, token := b.Send("PUT", "/graphql/stream", "")
		reserved := b.Get("/graphql/stream?token=" + token)
		reserved.Hears("retry 2000")
		revoked := time.Now()
		b.Services.Gate.Replace(nil)
		if status, _ := b.Send("DELETE", "/graphql/stream?operationId=x&token="+token, ""); status != 401 {
			t.Errorf("a reserved stream of a revoked key: %d", status)
		}
		l.Hears("UNAUTHENTICATED", "complete", "end")
		took(t, revoked, 0, 10*time.Second)
		c.Hears("close 4401 Unauthorized")
		took(t, revoked, 0, 10*time.Second)
		reserved.Hears("end")
		took(t, revoked, 0, 20*time.Second)
	})
}

// So it does where the client reads slowly and more comes all the time.
func TestRevokedKeyOfBusyStreams(t *testing.T) {
	fixture.InBubble(t, func(t *testing.T, b *fixture.Bubble) {
		c := b.Dial()
		c.Say(initAll)
		c.Hears("connection_ack")
		c.Ask("1", fixture.Follow(""))
		c.Hears("next 1 Subscribed")
		l := b.Get("/graphql?query="+strings.ReplaceAll(strings.Join(strings.Fields(fixture.Follow("")), "%20"), `"`, "%22"), "X-API-Key",
			fixture.All, "Accept", fixture.EventStream)
		l.Hears("retry 2000", "Subscribed")
		over := make(chan struct{})
		var writing sync.WaitGroup
		writing.Go(func() {
			for {
				select {
				case <-over:
					return
				case <-time.After(3 * time.Second):
					b.Publish(1)
				}
			}
		})
		revoked := time.Now()
		b.Services.Gate.Replace(nil)
		var reading sync.WaitGroup
		slowly := func(what, end string, hear func() string) {
			reading.Go(func() {
				for heard := hear(); heard != end; heard = hear() {
					if time.Since(revoked) > time.Minute {
						t.Errorf("%s outlives its key: %s", what, heard)
						return
					}
					time.Sleep(10 * time.Second)
				}
			})
		}
		slowly("a socket", "close 4401 Unauthorized", c.Hear)
		slowly("a stream", "end", l.Hear)
		reading.Wait()
		close(over)
		writing.Wait()
	})
}

// Nothing of a stream comes after its client has completed it, however much of
// it waited: the answer to a ping comes next.
func TestNothingComesAfterComplete(t *testing.T) {
	fixture.InBubble(t, func(t *testing.T, b *fixture.Bubble) {
		c := b.Dial()
		c.Say(initAll)
		c.Hears("connection_ack")
		c.Ask("1", fixture.Follow(""))
		c.Ask("2", fixture.Follow(""))
		heard := []string{c.Hear(), c.Hear()}
		slices.Sort(heard)
		if !slices.Equal(heard, []string{"next 1 Subscribed", "next 2 Subscribed"}) {
			t.Fatalf("heard %v", heard)
		}
		b.Publish(400)
		heard = nil
		for range 100 {
			heard = append(heard, c.Hear())
		}
		go c.Say(`{"type":"complete","id":"1"}`, `{"type":"ping"}`)
		complete := false
		for !complete || heard[len(heard)-1] != "next 2 L400" {
			got := c.Hear()
			if complete && strings.HasPrefix(got, "next 1") {
				t.Fatalf("%s after complete", got)
			}
			if complete = complete || got == "pong"; got != "pong" {
				heard = append(heard, got)
			}
		}
	})
}

// A silent stream shows that it is there, for as long as it takes.
func TestHeartbeat(t *testing.T) {
	fixture.InBubble(t, func(t *testing.T, b *fixture.Bubble) {
		l := b.Get("/graphql"+quotesQuery, "X-API-Key", fixture.All, "Accept", fixture.EventStream)
		l.Hears("retry 2000", "Subscribed", "QuoteEvent")
		began := time.Now()
		for range 10 {
			if text, err := l.Lines.ReadString('\n'); text != ":\n" || err != nil {
				t.Fatalf("read %q, %v", text, err)
			}
			_, _ = l.Lines.ReadString('\n')
		}
		took(t, began, 149*time.Second, 151*time.Second)
	})
}

// A client that reads too slowly loses the stream, with a word and without a hole;
// a client that does not read at all, the connection. Others notice nothing.
func TestSlowClients(t *testing.T) {
	fixture.InBubble(t, func(t *testing.T, b *fixture.Bubble) {
		slow, dead, good := b.Dial(), b.Dial(), b.Dial()
		for _, c := range []*fixture.Talker{slow, dead, good} {
			c.Say(initAll)
			c.Hears("connection_ack")
			c.Ask("1", fixture.Follow(""))
			c.Hears("next 1 Subscribed")
		}
		events := b.Get("/graphql?query="+strings.ReplaceAll(strings.Join(strings.Fields(fixture.Follow("")), "%20"), `"`, "%22"),
			"X-API-Key", fixture.All, "Accept", fixture.EventStream)
		events.Hears("retry 2000", "Subscribed")
		for n := range 700 {
			b.Publish(1)
			good.Hears(fmt.Sprintf("next 1 L%d", n+1))
		}
		for heard := range 700 {
			if got := slow.Hear(); got == "next 1 SLOW_CONSUMER" {
				slow.Hears("complete 1")
				if heard < 1 || heard > 10 {
					t.Errorf("the end came after %d", heard)
				}
				break
			} else if got != fmt.Sprintf("next 1 L%d", heard+1) {
				t.Fatalf("heard %q after %d", got, heard)
			}
		}
		slow.Ask("1", question) // the connection is as good as before
		if got := slow.Hear(); !strings.HasPrefix(got, "next 1 {") {
			t.Error(got)
		}
		if got := events.Hear(); got != "L1 #1" {
			t.Error(got)
		}
		time.Sleep(31 * time.Second)
		if _, _, err := dead.ReadMessage(); err == nil {
			_, _, err = dead.ReadMessage()
			if err == nil {
				t.Error("who reads nothing for 30 s is still connected")
			}
		}
		b.Publish(1)
		good.Hears("next 1 L701")
	})
}

// A reserved stream that nobody opens is gone after a while, with what runs on
// it.
func TestForgottenReservation(t *testing.T) {
	fixture.InBubble(t, func(t *testing.T, b *fixture.Bubble) {
		_, token := b.Send("PUT", "/graphql/stream", "")
		if status, text := b.Send("POST", "/graphql/stream?token="+token, fixture.Body(forQuotes, "a")); status != 202 {
			t.Errorf("POST: %d %s", status, text)
		}
		time.Sleep(29 * time.Second)
		if status, _ := b.Send("DELETE", "/graphql/stream?operationId=b&token="+token, ""); status != 200 {
			t.Errorf("after 29 s: %d", status)
		}
		time.Sleep(2 * time.Second)
		if status, _ := b.Send("DELETE", "/graphql/stream?operationId=b&token="+token, ""); status != 401 {
			t.Errorf("after 31 s: %d", status)
		}
	})
}

// A token stands for its key in the address of a stream, for a minute.
func TestStreamToken(t *testing.T) {
	var log bytes.Buffer
	standard := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})))
	defer slog.SetDefault(standard)
	fixture.InBubble(t, func(t *testing.T, b *fixture.Bubble) {
		var given struct {
			Token   string
			Expires time.Time `json:"expires_at"`
		}
		res := b.Get("/v1/stream-token", "X-API-Key", fixture.All)
		if err := json.Unmarshal([]byte(res.Text()), &given); err != nil || res.StatusCode != 200 ||
			res.Header.Get("Cache-Control") != "private, no-store" ||
			!given.Expires.Equal(time.Now().Truncate(time.Millisecond).Add(time.Minute)) {
			t.Fatalf("%d %+v %v", res.StatusCode, given, err)
		}
		status := func(path, accept string) int {
			res := b.Get(path, "Accept", accept)
			defer res.Body.Close()
			return res.StatusCode
		}
		ask := "/graphql" + quotesQuery + "&token="
		b.Get(ask+given.Token, "Accept", fixture.EventStream).Hears("retry 2000", "Subscribed", "QuoteEvent")
		for path, want := range map[string]int{
			ask + given.Token[:len(given.Token)-2] + "xx": 401,
			ask + "st_":               401,
			ask + "st_" + given.Token: 401,
			"/graphql/stream" + quotesQuery + "&token=" + given.Token:             200,
			"/v1/quotes/crypto:1?token=" + given.Token:                            401,
			"/v1/stream-token?token=" + given.Token:                               401,
			"/graphql?query={__typename}&token=" + given.Token + "&accept=nobody": 200,
		} {
			if got := status(path, fixture.EventStream); got != want {
				t.Errorf("%s: %d, want %d", path, got, want)
			}
		}
		if got := status("/graphql?query={__typename}&token="+given.Token, "application/json"); got != 401 {
			t.Errorf("one answer for a token: %d, want 401", got)
		}
		time.Sleep(59 * time.Second)
		if got := status(ask+given.Token, fixture.EventStream); got != 200 {
			t.Errorf("after 59 s: %d", got)
		}
		time.Sleep(2 * time.Second)
		if got := status(ask+given.Token, fixture.EventStream); got != 401 {
			t.Errorf("after 61 s: %d", got)
		}
		res = b.Get("/v1/stream-token", "X-API-Key", fixture.None)
		_ = json.Unmarshal([]byte(res.Text()), &given)
		b.Get(ask+given.Token, "Accept", fixture.EventStream).Hears("retry 2000", "errors FORBIDDEN, data false") // the scopes of its key
		b.Services.Gate.Replace(nil)
		if got := status(ask+given.Token, fixture.EventStream); got != 401 {
			t.Errorf("of a revoked key: %d", got)
		}
		if b.Get("/v1/stream-token").StatusCode != 401 {
			t.Error("a token without a key")
		}
		if strings.Contains(log.String(), "st_") {
			t.Errorf("logged: %s", log.String())
		}
	})
}

// A stream without events for it tells every 15 s up to where it has seen everything, so
// that who is cut off does not resume from far below; but never beyond an event that
// is still on its way.
func TestQuietStreamsTellTheirPosition(t *testing.T) {
	fixture.InBubble(t, func(t *testing.T, b *fixture.Bubble) {
		follow := func(topic string) *fixture.Listener {
			document := strings.ReplaceAll(strings.Join(strings.Fields(strings.ReplaceAll(fixture.Follow(""), "all", topic)),
				"%20"), `"`, "%22")
			return b.Get("/graphql?query="+document, "X-API-Key", fixture.All, "Accept", fixture.EventStream)
		}
		b.Publish(2)
		quiet, busy := follow("type:FR"), follow("type:ODA")
		quiet.Hears("retry 2000", "Subscribed #2")
		busy.Hears("retry 2000", "Subscribed #2")
		b.Publish(3)
		busy.Hears("L3 #3", "L4 #4", "L5 #5")
		quiet.Hears(" #5")
		time.Sleep(time.Second)
		b.Publish(1) // while the sign of life waits for its reader
		for want := " #5"; want == " #5"; {
			if heard := busy.Hear(); heard == "L6 #6" {
				want = ""
			} else if heard != want {
				t.Fatalf("hears %q before the event", heard)
			}
		}
		busy.Hears(" #6")
		for heard := quiet.Hear(); heard != " #6"; heard = quiet.Hear() {
			if heard != " #5" {
				t.Fatalf("hears %q", heard)
			}
		}
	})
}
