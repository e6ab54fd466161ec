package stream_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"piyasa/account/access"
	"piyasa/domain/market"
	"piyasa/internal/value"
	"piyasa/serve/stream"
	"piyasa/test/fixture/need"
)

// ticker is a server of the price stream in a bubble.
type ticker struct {
	*bubble
	live   *market.Live
	market *market.Service
	prices *stream.Quotes
}

// withPrices runs a test with prices of a stock, an ETF, a coin and a pair; the
// key may see all of them but the pair.
func withPrices(t *testing.T, run func(t *testing.T, s *ticker)) {
	synctest.Test(t, func(t *testing.T) {
		b := &bubble{t: t, gate: access.NewGate(access.ShippedPlans()), pipes: need.NewPipes()}
		b.gate.Replace(keysOf(map[string][]access.Scope{listener: {access.Live, access.QuotesBIST, access.QuotesCrypto},
			deaf: {access.QuotesBIST, access.KAP}}))
		b.sockets = &stream.Sockets{Gate: b.gate, Available: func() bool { return true }}
		s := &ticker{bubble: b, live: market.NewLive()}
		one := 1
		s.live.PutCatalog([]*market.Instrument{
			{InstrumentID: "bist:DMOST", Symbol: "DMOST", Market: market.BIST, AssetType: market.Stock, Currency: "TRY"},
			{InstrumentID: "bist:DMALTF", Symbol: "DMALTF", Market: market.BIST, AssetType: market.ETF, Currency: "TRY"},
			{InstrumentID: "crypto:1", Symbol: "1", Ticker: new("BTC"), Market: market.Crypto, AssetType: market.Coin, Currency: "USD",
				CmcID: &one},
			{InstrumentID: "fx:USDTRY", Symbol: "USDTRY", Market: market.FX, AssetType: market.Pair, Currency: "TRY"},
		}, nil)
		now := func() value.Instant { return value.MustInstant("2026-03-18T12:00:00Z") }
		s.market = &market.Service{Live: s.live, Now: now, FXMaxAge: time.Hour}
		s.prices = stream.NewQuotes(s.market)
		s.put("bist:DMOST 11:45 305.25", "crypto:1 11:59 68250.12", "fx:USDTRY 11:44 41.25")
		server := &http.Server{Handler: stream.Handler(s.sockets, s.prices.Channel())}
		go func() { _ = server.Serve(s.pipes) }()
		defer server.Close()
		run(t, s)
	})
}

// put takes in "id time last", where last - is a withdrawn price, with a volume
// of its own each time.
func (s *ticker) put(lines ...string) {
	var all []*market.Observation
	for i, line := range lines {
		words := strings.Fields(line)
		o := &market.Observation{InstrumentID: market.ID(words[0]), AsOf: value.MustInstant("2026-03-18T" + words[1] + ":00Z"),
			Volume: value.MustDecimal(fmt.Sprint(time.Now().UnixNano() + int64(i)))}
		if words[2] != "-" {
			o.Last = value.MustDecimal(words[2])
		}
		all = append(all, o)
	}
	s.prices.Changed(s.live.PutQuotes(all))
}

func (s *ticker) enter() *client {
	s.t.Helper()
	c := s.dial()
	c.say(`{"action":"auth","api_key":"` + listener + `"}`)
	c.hears("auth_ok pro")
	return c
}

// quiet checks that nothing has come: the answer to a ping is next.
func (c *client) quiet() {
	c.t.Helper()
	synctest.Wait()
	c.say(`{"action":"ping"}`)
	c.hears("pong")
}

// A subscription begins with the current quotes, under canonical ids; then
// comes a frame whenever time or price change, and at no other change.
func TestPrices(t *testing.T) {
	withPrices(t, func(t *testing.T, s *ticker) {
		c := s.enter()
		c.say(`{"action":"subscribe","ids":["bist:DMALT","crypto:btc","bist:dmost","bist:DMOST","foo:BAR","DMOST","BIST:DMOST","crypto:2","fx:USDTRY","all"],"last_seen_index":5}`)
		c.hears("subscribed [bist:DMALTF crypto:1 bist:DMOST] [foo:BAR DMOST BIST:DMOST crypto:2 fx:USDTRY all]",
			"no_quote bist:DMALTF not_priced", "quote crypto:1 68250.12", "quote bist:DMOST 305.25")
		s.put("fx:USDTRY 11:50 42", "bist:DMOST 11:45 305.25") // another's, and a volume alone
		c.quiet()
		s.put("bist:DMOST 11:46 305.25")
		c.hears("quote bist:DMOST 305.25")
		s.put("bist:DMOST 11:46 305.30")
		c.hears("quote bist:DMOST 305.30")
		s.put("bist:DMOST 11:47 -")
		c.hears("no_quote bist:DMOST no_honest_value")
		s.put("bist:DMOST 11:47 -") // with another volume, which nobody sees
		c.quiet()
		s.put("bist:DMOST 11:48 306", "bist:DMALTF 11:48 64.12")
		both := []string{c.hear(), c.hear()}
		if both[0]+both[1] != "quote bist:DMOST 306quote bist:DMALTF 64.12" {
			t.Errorf("heard %v", both)
		}
		c.say(`{"action":"unsubscribe","ids":["bist:DMALT.F","fx:USDTRY","bist:DMOST"]}`)
		c.hears("unsubscribed [bist:DMALTF bist:DMOST]")
		s.put("bist:DMOST 11:49 307", "bist:DMALTF 11:49 65", "crypto:1 12:00 68250.13")
		c.hears("quote crypto:1 68250.13")
		d := s.dial()
		d.say(`{"action":"auth","api_key":"` + deaf + `"}`)
		d.hears("close 4403 missing_scope")
	})
}

// A follower of an instrument that leaves the catalog learns it, and again when it
// comes back; at other changes nobody hears anything.
func TestPricesOfAnInstrumentThatLeaves(t *testing.T) {
	withPrices(t, func(_ *testing.T, s *ticker) {
		c := s.enter()
		c.say(`{"action":"subscribe","ids":["bist:DMOST","crypto:1"]}`)
		c.hears("subscribed [bist:DMOST crypto:1] []", "quote bist:DMOST 305.25", "quote crypto:1 68250.12")
		one := 1
		stock := &market.Instrument{InstrumentID: "bist:DMOST", Symbol: "DMOST", Market: market.BIST, AssetType: market.Stock,
			Currency: "TRY"}
		coin := &market.Instrument{InstrumentID: "crypto:1", Symbol: "1", Ticker: new("BTC"), Market: market.Crypto, AssetType: market.Coin,
			Currency: "USD", CmcID: &one}
		s.live.SetCatalog([]*market.Instrument{coin}, nil)
		s.prices.CatalogChanged()
		c.hears("no_quote bist:DMOST unknown_id")
		s.prices.CatalogChanged()
		c.quiet()
		s.live.PutCatalog([]*market.Instrument{stock, coin}, nil)
		s.prices.CatalogChanged()
		c.hears("quote bist:DMOST 305.25")
		c.quiet()
	})
}

// A client that subscribes again gets the current quote again, changed or not.
func TestPricesOfALaterSubscription(t *testing.T) {
	withPrices(t, func(_ *testing.T, s *ticker) {
		c := s.enter()
		c.say(`{"action":"subscribe","ids":["bist:DMOST"]}`)
		c.hears("subscribed [bist:DMOST] []", "quote bist:DMOST 305.25")
		c.say(`{"action":"unsubscribe","ids":["bist:DMOST"]}`)
		c.hears("unsubscribed [bist:DMOST]")
		c.say(`{"action":"subscribe","ids":["bist:DMOST"]}`)
		c.hears("subscribed [bist:DMOST] []")
		synctest.Wait()
		go c.say(`{"action":"ping"}`)
		c.hears("quote bist:DMOST 305.25", "pong")
	})
}

// A revision that changes neither time nor price is no news to who has the
// quote already; who subscribes after it gets it as REST shows it, and so does
// who comes after a withdrawal.
func TestPricesAfterARevision(t *testing.T) {
	withPrices(t, func(t *testing.T, s *ticker) {
		current := func() string {
			c := s.enter()
			defer c.Close()
			c.say(`{"action":"subscribe","ids":["bist:DMOST"]}`)
			c.hears("subscribed [bist:DMOST] []")
			_, text, err := c.ReadMessage()
			need.NoError(t, err)
			return string(text)
		}
		volume := func() string {
			var frame struct{ Data struct{ Volume string } }
			need.NoError(t, json.Unmarshal([]byte(current()), &frame))
			return frame.Data.Volume
		}
		first := volume()
		time.Sleep(time.Second)
		s.put("bist:DMOST 11:45 305.25") // with another volume
		if second := volume(); second == first || second != volumeOf(s.market) {
			t.Errorf("volume %s, before the revision %s", second, first)
		}
		s.put("bist:DMOST 11:47 -")
		if got, want := current(),
			`{"type":"no_quote","data":{"instrument_id":"bist:DMOST","last":null,"null_reason":"no_honest_value","as_of":"2026-03-18T11:47:00Z"}}`; got != want {
			t.Errorf("withdrawn: %s", got)
		}
		s.put("bist:DMOST 11:48 306")
		if got := current(); !strings.Contains(got, `"last":"306"`) {
			t.Errorf("priced again: %s", got)
		}
	})
}

func volumeOf(m *market.Service) string {
	q, _, _ := m.Latest("bist:DMOST")
	return q.Volume.String()
}

// What waits of an instrument does not come after its unsubscribed.
func TestPricesAfterUnsubscribed(t *testing.T) {
	withPrices(t, func(t *testing.T, s *ticker) {
		c := s.enter()
		c.say(`{"action":"subscribe","ids":["bist:DMOST","crypto:1"]}`)
		c.hears("subscribed [bist:DMOST crypto:1] []", "quote bist:DMOST 305.25", "quote crypto:1 68250.12")
		next := func(n int) {
			synctest.Wait() // something is on its way, and the rest waits
			s.put(fmt.Sprintf("bist:DMOST 11:50 %d", n), fmt.Sprintf("crypto:1 12:00 %d", n))
		}
		next(1)
		synctest.Wait()
		need.NoError(t, c.WriteMessage(1, []byte(`{"action":"unsubscribe","ids":["bist:DMOST"]}`)))
		n := 2
		for heard := ""; heard != "unsubscribed [bist:DMOST]"; n++ {
			next(n)
			if heard = c.hear(); n > 10 {
				t.Fatal("no answer")
			}
		}
		next(n)
		for heard := ""; heard != fmt.Sprint("quote crypto:1 ", n); {
			if heard = c.hear(); strings.HasPrefix(heard, "quote bist:DMOST") {
				t.Error(heard)
			}
		}
		c.quiet()
	})
}

// A slow reader gets the newest quote of each id, however many there were; only
// one that takes nothing at all is let go.
func TestPricesOfASlowReader(t *testing.T) {
	withPrices(t, func(t *testing.T, s *ticker) {
		c, stuck := s.enter(), s.enter()
		for _, each := range []*client{c, stuck} {
			each.say(`{"action":"subscribe","ids":["bist:DMOST","crypto:1"]}`)
			each.hears("subscribed [bist:DMOST crypto:1] []", "quote bist:DMOST 305.25", "quote crypto:1 68250.12")
		}
		for n := range 2000 {
			s.put(fmt.Sprintf("bist:DMOST 11:50 %d", n), fmt.Sprintf("crypto:1 12:00 %d", n))
		}
		time.Sleep(29 * time.Second)
		if s.sockets.Open() != 2 {
			t.Errorf("%d connections before their time", s.sockets.Open())
		}
		last := map[string]string{}
		for range 4 { // one may have been on its way, and then another
			words := strings.Fields(c.hear())
			if last[words[1]] = words[2]; last["bist:DMOST"] == "1999" && last["crypto:1"] == "1999" {
				break
			}
		}
		if last["bist:DMOST"] != "1999" || last["crypto:1"] != "1999" {
			t.Errorf("in the end %v", last)
		}
		c.quiet()
		time.Sleep(stream.CloseWait + 20*time.Second)
		if s.sockets.Open() != 1 {
			t.Errorf("%d connections, want the one that reads", s.sockets.Open())
		}
		c.quiet()
	})
}

// On request, quotes that are due at the same moment are one message, whose parts are byte
// for byte what comes alone to others; until the client takes it back.
func TestQuotesInBatches(t *testing.T) {
	withPrices(t, func(t *testing.T, s *ticker) {
		c, other := s.enter(), s.enter()
		const asked = `{"action":"subscribe","ids":["bist:DMALT","crypto:btc","foo:BAR","bist:DMOST"]`
		c.say(asked + `,"batch":true}`)
		c.hears("subscribed [bist:DMALTF crypto:1 bist:DMOST] [foo:BAR]")
		other.say(asked + `,"batch":null}`)
		other.hears("subscribed [bist:DMALTF crypto:1 bist:DMOST] [foo:BAR]")
		read := func(from *client) string {
			_, text, err := from.ReadMessage()
			need.NoError(t, err)
			return string(text)
		}
		all := read(c)
		if want := fmt.Sprintf(`{"type":"quotes","data":[%s,%s,%s]}`, read(other), read(other), read(other)); all != want {
			t.Errorf("in a batch %s\nalone %s", all, want)
		}
		_ = other.Close()
		s.put("bist:DMALTF 11:46 64.12", "bist:DMOST 11:46 306", "crypto:1 11:59 68250.12")
		c.hears("quotes [quote bist:DMALTF 64.12, quote bist:DMOST 306]")
		s.put("bist:DMOST 11:47 -")
		c.hears("quotes [no_quote bist:DMOST no_honest_value]")
		c.say(`{"action":"subscribe","ids":["crypto:1"]}`) // which says nothing of batches
		c.hears("subscribed [crypto:1] []", "quotes [quote crypto:1 68250.12]")
		for _, bad := range []string{`"yes"`, "1", "[]", `true,"batch":false`} {
			d := s.enter()
			d.say(`{"action":"subscribe","ids":["crypto:1"],"batch":` + bad + `}`)
			if got, want := read(d), `{"type":"error","code":"bad_message","message":"batch must be true, false or null"}`; got != want {
				t.Errorf("batch %s: %s", bad, got)
			}
			_ = d.Close()
		}
		c.say(`{"action":"subscribe","ids":["crypto:1","bist:DMOST"],"batch":false}`)
		c.hears("subscribed [crypto:1 bist:DMOST] []", "quote crypto:1 68250.12", "no_quote bist:DMOST no_honest_value")
	})
}

// A batch has a bound, its order is that of the ids, and what it costs is what its quotes cost alone.
func TestBatchesAreBoundedAndCharged(t *testing.T) {
	withPrices(t, func(t *testing.T, s *ticker) {
		const each, plenty = 100, 1_000_000
		s.gate.SetPlans(access.Plans{"pro": {Bucket: 10, RefillPerSec: 10, Work: plenty, WorkPerSec: 0.001}})
		var list []*market.Instrument
		var ids, lines []string
		for n := range each {
			id := fmt.Sprintf("bist:S%03d", n)
			list = append(list, &market.Instrument{InstrumentID: market.ID(id), Symbol: id[5:], Market: market.BIST,
				AssetType: market.Stock, Currency: "TRY"})
			ids, lines = append(ids, id), append(lines, fmt.Sprintf("%s 11:50 %d", id, n+1))
		}
		s.live.PutCatalog(list, nil)
		s.put(lines...)
		spent := func() int {
			synctest.Wait()
			return plenty - int(s.gate.Spend(t.Context(), &access.Key{ID: listener, Plan: "pro"}, 0, time.Now()).Left)
		}
		asked, _ := json.Marshal(map[string]any{"action": "subscribe", "ids": ids})
		alone := s.enter()
		before := spent()
		alone.say(string(asked))
		for range each + 1 {
			alone.hear()
		}
		cost := spent() - before
		_ = alone.Close()
		c := s.enter()
		before = spent()
		c.say(strings.TrimSuffix(string(asked), "}") + `,"batch":true}`)
		c.hear()
		var got []string
		frames := 0
		for ; len(got) < each; frames++ {
			_, text, err := c.ReadMessage()
			if err != nil || len(text) > 16_000 {
				t.Fatalf("%d bytes, %v", len(text), err)
			}
			for _, quote := range strings.Split(strings.Trim(strings.TrimPrefix(short(t, text), "quotes "), "[]"), ", ") {
				got = append(got, strings.Fields(quote)[1])
			}
		}
		if !slices.Equal(got, ids) || frames > 5 {
			t.Errorf("%d quotes in %d frames: %v", len(got), frames, got)
		}
		if now := spent() - before; now != cost || cost != access.BaseCost+each {
			t.Errorf("in batches it costs %d, alone %d", now, cost)
		}
	})
}

// Who reads batches slowly gets the newest quote of each id, and the answer to a message
// after what was due before it; who takes nothing at all is let go.
func TestASlowReaderOfBatches(t *testing.T) {
	withPrices(t, func(t *testing.T, s *ticker) {
		c, stuck := s.enter(), s.enter()
		for _, each := range []*client{c, stuck} {
			each.say(`{"action":"subscribe","ids":["bist:DMOST","crypto:1"],"batch":true}`)
			each.hears("subscribed [bist:DMOST crypto:1] []", "quotes [quote bist:DMOST 305.25, quote crypto:1 68250.12]")
		}
		for n := range 2000 {
			s.put(fmt.Sprintf("bist:DMOST 11:50 %d", n), fmt.Sprintf("crypto:1 12:00 %d", n))
		}
		time.Sleep(20 * time.Second)
		go c.say(`{"action":"unsubscribe","ids":["bist:DMOST"]}`)
		for frames := 1; ; frames++ { // one or two were on their way
			said := c.hear()
			if strings.Contains(said, "quote bist:DMOST 1999") && strings.Contains(said, "quote crypto:1 1999") {
				break
			}
			if frames == 3 {
				t.Fatalf("in the end %s", said)
			}
		}
		c.hears("unsubscribed [bist:DMOST]")
		s.put("bist:DMOST 11:51 1", "crypto:1 12:01 1")
		c.hears("quotes [quote crypto:1 1]")
		time.Sleep(stream.CloseWait + 40*time.Second)
		if s.sockets.Open() != 1 {
			t.Errorf("%d connections, want the one that reads", s.sockets.Open())
		}
		c.quiet()
	})
}
