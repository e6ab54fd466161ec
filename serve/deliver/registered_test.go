package deliver_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	webhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"piyasa/account/access"
	"piyasa/db"
	"piyasa/db/dbtest"
	"piyasa/domain/kap"
	"piyasa/internal/epoch"
	"piyasa/internal/value"
	"piyasa/serve/deliver"
	"piyasa/test/fixture"
	"piyasa/test/fixture/need"
)

// gateway is a server with keys of the store, and what delivers their webhooks.
type gateway struct {
	*fixture.Server
	t *testing.T
}

func newGateway(t *testing.T, url string) *gateway {
	return &gateway{fixture.New(t, fixture.On(url), func(s *fixture.Setup) {
		s.Settings.Plans["small"] = access.Plan{Bucket: 1000, RefillPerSec: 1000, UnitsPerMonth: 3, Webhooks: 2}
	}), t}
}

// key makes a key in the store.
func (g *gateway) key(plan string, scopes ...access.Scope) (*access.Key, string) {
	g.t.Helper()
	secret := access.NewSecret(false)
	k := &access.Key{ID: access.NewKeyID(), Prefix: secret.Prefix(), Hash: secret.Hash(), Plan: plan, Scopes: scopes, CreatedAt: 1}
	need.NoError(g.t, g.Store.CreateKey(g.t.Context(), k))
	all, err := g.Store.Keys(g.t.Context())
	need.NoError(g.t, err)
	g.Keys(all...)
	return k, string(secret)
}

// register registers a webhook over REST, and returns its id and its secret.
func (g *gateway) register(key, host, more string) (id, secret string) {
	g.t.Helper()
	res := g.Send("POST", "/v1/webhooks", key, fmt.Sprintf(`{"url": "https://%s/hook"%s}`, host, more))
	hook, _ := res.JSON["webhook"].(map[string]any)
	if res.StatusCode != 200 || res.Header.Get("X-Usage-Units") != "0" {
		g.t.Fatalf("%d %s", res.StatusCode, res.Text)
	}
	return hook["id"].(string), res.JSON["secret"].(string)
}

// shown returns a webhook as its key sees it.
func (g *gateway) shown(key, id string) map[string]any {
	g.t.Helper()
	for _, w := range g.Get("/v1/webhooks", key).JSON["webhooks"].([]any) {
		if w := w.(map[string]any); w["id"] == id {
			return w
		}
	}
	return nil
}

// store stores disclosures, and returns nothing before they are stored.
func (g *gateway) store(kind kap.Type, symbol string, numbers ...int) {
	g.t.Helper()
	b := new(db.Batch)
	for _, n := range numbers {
		r := &kap.Record{Disclosure: kap.Disclosure{DisclosureIndex: n, Type: kind, Class: string(kind), Symbols: []string{symbol},
			FilerCodes: []string{}, PublishedAt: value.MustInstant("2026-03-18T06:00:00Z")}}
		db.Put(b, r, new(db.Outcome))
	}
	need.NoError(g.t, g.Store.Store(g.t.Context(), b))
}

// deliver delivers in the background to servers of the test, by their hosts, until stop is called.
func (g *gateway) deliver(to map[string]http.Handler) (stop func()) {
	g.t.Helper()
	at := map[string]string{}
	for host, h := range to {
		server := httptest.NewTLSServer(h)
		g.t.Cleanup(server.Close)
		at[host+":443"] = server.Listener.Addr().String()
	}
	hooks := &deliver.Webhooks{Plan: deliver.KeyPlan{Timeout: 3 * time.Second, GiveUp: time.Hour}, Store: g.Store,
		Signer: g.Services.Signer, Gate: g.Services.Gate, Meter: g.Services.Meter}
	deliver.DialsFor(hooks, func(ctx context.Context, _, address string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "tcp", at[address])
	})
	return g.run(hooks)
}

func (g *gateway) run(hooks *deliver.Webhooks) (stop func()) {
	ctx, cancel := context.WithCancel(g.t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		(&deliver.Deliverer{Config: &deliver.Config{}, Log: g.Store, Holder: access.NewKeyID(), Now: time.Now, Webhooks: hooks}).Run(ctx)
	}()
	stop = func() { cancel(); <-done }
	g.t.Cleanup(stop)
	return stop
}

func (r *receiver) had() []string {
	r.Lock()
	defer r.Unlock()
	var numbers []string
	for _, body := range r.bodies {
		var e struct {
			Data struct{ Disclosure kap.Disclosure }
		}
		_ = json.Unmarshal([]byte(body), &e)
		numbers = append(numbers, fmt.Sprint(e.Data.Disclosure.DisclosureIndex))
	}
	return numbers
}

// eventually waits until something is so.
func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	need.Eventually(t, 40*time.Second, is, what)
}

func (r *receiver) gets(t *testing.T, want ...string) {
	t.Helper()
	eventually(t, fmt.Sprint(want), func() bool { return slices.Equal(r.had(), want) })
}

// A key registers webhooks; each gets the disclosures of its topics, signed, from where it begins,
// and pays for them.
func TestWebhooksOfKeys(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, url string) {
		g := newGateway(t, url)
		key, secret := g.key("enterprise", access.KAP)
		g.store(kap.ODA, "AAA", 1)
		one, few, replayed := new(receiver), new(receiver), new(receiver)
		id, sign := g.register(secret, "one.example", "")
		g.register(secret, "few.example", `, "topics": ["type:FR", "symbol:bbb"]`)
		g.register(secret, "replayed.example", `, "topics": ["symbol:AAA"], "from": "start"`)
		if waits, _ := g.shown(secret, id)["waiting"].(string); !strings.Contains(waits, "no process delivers") {
			t.Errorf("waiting is %q", waits)
		}
		stop := g.deliver(map[string]http.Handler{"one.example": one, "few.example": few, "replayed.example": replayed})
		g.store(kap.ODA, "AAA", 2)
		g.store(kap.ODA, "BBB", 3)
		g.store(kap.FR, "CCC", 4)
		one.gets(t, "2", "3", "4")
		few.gets(t, "3", "4")
		replayed.gets(t, "1", "2")
		verifier, err := webhooks.NewWebhook(sign)
		need.NoError(t, err)
		for i, event := range one.events {
			if err := verifier.Verify([]byte(one.bodies[i]), event.Header); err != nil {
				t.Errorf("%s: %v", one.bodies[i], err)
			}
		}
		eventually(t, "the position is kept", func() bool { return g.shown(secret, id)["backlog"] == json.Number("0") })
		eventually(t, "each event is paid", func() bool {
			used, err := g.Services.Meter.Report(as(t, key), nil)
			need.NoError(t, err)
			return used.Units == 7 && used.Operations[0].Operation == "/v1/webhooks:events"
		})
		position := g.shown(secret, id)["position"].(string)

		// One that is new goes on from a position; one that is deleted gets nothing; a restart repeats nothing.
		stop()
		again := new(receiver)
		g.register(secret, "again.example", fmt.Sprintf(`, "from": %q`, position))
		if got := g.Send("DELETE", "/v1/webhooks/"+id, secret, ""); got.StatusCode != 200 || g.shown(secret, id) != nil {
			t.Errorf("%d %s", got.StatusCode, got.Text)
		}
		g.store(kap.ODA, "AAA", 5)
		g.deliver(map[string]http.Handler{"few.example": few, "replayed.example": replayed, "again.example": again})
		again.gets(t, "5")
		replayed.gets(t, "1", "2", "5")
		one.gets(t, "2", "3", "4")

		// Those of a key that is revoked are gone with it.
		need.NoError(t, g.Store.RevokeKey(t.Context(), key.ID, 2))
		if left, err := g.Store.WebhooksOf(t.Context(), key.ID); err != nil || len(left) != 0 {
			t.Errorf("%v %v", left, err)
		}
		_, other := g.key("enterprise", access.KAP)
		g.register(other, "one.example", "")
		time.Sleep(5 * time.Second) // more than it takes to look
		g.store(kap.ODA, "AAA", 6)
		again.gets(t, "5")
	})
}

func as(t *testing.T, key *access.Key) context.Context {
	ctx, _ := access.WithCall(t.Context(), key)
	return ctx
}

// What a key has used up holds up its webhooks and loses nothing.
func TestQuotaOfWebhooks(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, url string) {
		g := newGateway(t, url)
		_, secret := g.key("small", access.KAP)
		one := new(receiver)
		id, _ := g.register(secret, "one.example", "")
		g.deliver(map[string]http.Handler{"one.example": one})
		g.store(kap.ODA, "AAA", 1, 2, 3, 4, 5)
		eventually(t, "it waits", func() bool {
			waits, _ := g.shown(secret, id)["waiting"].(string)
			return strings.Contains(waits, "has used the 3 units")
		})
		one.gets(t, "1", "2", "3")
		if w := g.shown(secret, id); w["failures"] != json.Number("0") || w["last_error"] != nil {
			t.Errorf("%v", w)
		}
		plans := g.Services.Gate.Plans()
		plans["small"] = access.Plan{Bucket: 1000, RefillPerSec: 1000, UnitsPerMonth: 100, Webhooks: 2}
		g.Services.Gate.SetPlans(plans)
		one.gets(t, "1", "2", "3", "4", "5")
		eventually(t, "it does not wait", func() bool { return g.shown(secret, id)["waiting"] == nil })
	})
}

// A receiver that hangs, or wants no more, holds up no other; two processes deliver everything once.
func TestWebhooksOfKeysThatFail(t *testing.T) {
	t.Parallel()
	g := newGateway(t, "")
	_, secret := g.key("enterprise", access.KAP)
	one := new(receiver)
	gone, _ := g.register(secret, "gone.example", "")
	hangs, _ := g.register(secret, "hangs.example", "")
	g.register(secret, "one.example", "")
	to := map[string]http.Handler{"one.example": one,
		"gone.example": http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusGone) }),
		"hangs.example": http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body) // then the server sees that the client has gone
			<-r.Context().Done()
		})}
	g.deliver(to)
	g.deliver(to)
	g.store(kap.ODA, "AAA", 1, 2, 3)
	one.gets(t, "1", "2", "3")
	eventually(t, "it is disabled", func() bool { return g.shown(secret, gone)["disabled"] != nil })
	eventually(t, "it fails", func() bool {
		why, _ := g.shown(secret, hangs)["last_error"].(string)
		return strings.Contains(why, "did not answer within 3s")
	})
	one.gets(t, "1", "2", "3")
}

// Nothing of the network inside is reached, and no error says what is there.
func TestWebhooksOfKeysReachNothingInside(t *testing.T) {
	t.Parallel()
	g := newGateway(t, "")
	_, secret := g.key("enterprise", access.KAP)
	inside := new(receiver)
	server := httptest.NewTLSServer(inside)
	defer server.Close()
	_, port, _ := net.SplitHostPort(server.Listener.Addr().String())
	id, _ := g.register(secret, "localhost:"+port, "")
	unknown, _ := g.register(secret, "no-such-host.invalid", "")
	g.run(&deliver.Webhooks{Plan: deliver.KeyPlan{Timeout: 3 * time.Second, GiveUp: time.Hour}, Store: g.Store, Signer: g.Services.Signer,
		Gate: g.Services.Gate, Meter: g.Services.Meter})
	g.store(kap.ODA, "AAA", 1)
	for _, id := range []string{id, unknown} {
		eventually(t, "it says why", func() bool {
			why, _ := g.shown(secret, id)["last_error"].(string)
			return strings.HasSuffix(why, "the host of the address is not known, or none that everybody can reach") &&
				!strings.Contains(why, "127.0.0.1")
		})
	}
	if inside.asked > 0 {
		t.Error("it was reached")
	}
}

func TestWebhooksThatCannotBeRegistered(t *testing.T) {
	t.Parallel()
	g := newGateway(t, "")
	_, small := g.key("small", access.KAP)
	_, without := g.key("enterprise", access.History)
	for body, detail := range map[string]string{
		``:                                     "must be a JSON object",
		`{}`:                                   "url must be https://",
		`{"url": "http://example.com"}`:        "url must be https://",
		`{"url": "https://me:it@example.com"}`: "url must be https://",
		`{"url": "https://example.com/#it"}`:   "url must be https://",
		`{"url": "https://example.com/` + strings.Repeat("x", 2000) + `"}`: "of at most 2000 bytes",
		`{"url": "https://10.0.0.1"}`:                                      "of a host that everybody can reach",
		`{"url": "https://[::ffff:127.0.0.1]/"}`:                           "of a host that everybody can reach",
		`{"url": "https://example.com:0"}`:                                 "of a port from 1",
		`{"url": "https://example.com", "topics": ["THYAO"]}`:              "topics must be of all, type:",
		`{"url": "https://example.com", "from": "then"}`:                   "from must be now, start, or a position",
		`{"url": "https://example.com", "secret": "mine"}`:                 "must be a JSON object",
	} {
		res := g.Send("POST", "/v1/webhooks", small, body)
		if res.WantProblem(t, 422, "invalid-parameter"); !strings.Contains(res.Text, detail) {
			t.Errorf("%.60s: %s", body, res.Text)
		}
	}
	g.Send("POST", "/v1/webhooks", without, `{"url": "https://example.com"}`).WantProblem(t, 403, "missing-scope")
	g.Get("/v1/webhooks", without).WantProblem(t, 403, "missing-scope")
	id, _ := g.register(small, "example.com", "")
	g.register(small, "example.com", "")
	g.Send("POST", "/v1/webhooks", small, `{"url": "https://example.com"}`).WantProblem(t, 422, "too-many-values")
	_, others := g.key("small", access.KAP)
	g.Send("DELETE", "/v1/webhooks/"+id, others, "").WantProblem(t, 404, "not-found")
	if got := g.Get("/v1/webhooks", others); got.Text != `{"webhooks":[]}`+"\n" {
		t.Errorf("%s", got.Text)
	}
	_, none := g.key("none", access.KAP)
	plans := g.Services.Gate.Plans()
	plans["none"] = access.Plan{Bucket: 10, RefillPerSec: 10}
	g.Services.Gate.SetPlans(plans)
	g.Send("POST", "/v1/webhooks", none, `{"url": "https://example.com"}`).WantProblem(t, 403, "not-in-plan")
}

// GraphQL registers and deletes as REST does, in the order of the document, and never by GET.
func TestWebhooksByMutation(t *testing.T) {
	t.Parallel()
	g := newGateway(t, "")
	_, secret := g.key("small", access.KAP)
	res := g.Query(`mutation { a: registerWebhook(url: "https://a.example") { secret webhook { id url topics } }
		b: registerWebhook(url: "https://b.example", topics: ["type:fr"]) { webhook { id topics } } c: registerWebhook(url: "https://c.example") { secret } }`,
		secret)
	if errs := fixture.ErrorsOf(res); len(errs) != 1 || fixture.CodeOf(errs[0]) != "TOO_MANY_VALUES" {
		t.Fatalf("%s", res.Text)
	}
	list := g.Data("{ webhooks { webhooks { id url topics backlog } } }", secret)["webhooks"].(map[string]any)["webhooks"].([]any)
	slices.SortFunc(list, func(a, b any) int { // they are of one second
		return strings.Compare(a.(map[string]any)["url"].(string), b.(map[string]any)["url"].(string))
	})
	if len(list) != 2 || fmt.Sprint(list[1].(map[string]any)["topics"]) != "[type:FR]" {
		t.Fatalf("%v", list)
	}
	id := list[0].(map[string]any)["id"].(string)
	if got := g.Get("/graphql?query=mutation%7BdeleteWebhook(id:%22"+id+"%22)%7D", secret); got.StatusCode != 405 {
		t.Errorf("by GET: %d %s", got.StatusCode, got.Text)
	}
	if got := g.Data(fmt.Sprintf(`mutation { deleteWebhook(id: %q) }`, id), secret)["deleteWebhook"]; got != id {
		t.Errorf("deleted %v", got)
	}
	if g.shown(secret, id) != nil {
		t.Error("it is still there")
	}
	g.Services.Gate.SetPlans(access.ShippedPlans()) // streams answer mutations as queries, once
	_, other := g.key("pro", access.KAP)
	events := g.Send("POST", "/graphql", other, `{"query": "mutation { registerWebhook(url: \"https://d.example\") { secret } }"}`,
		"Content-Type", "application/json", "Accept", "text/event-stream")
	if !strings.Contains(events.Text, "whsec_") || strings.Count(events.Text, "event: next") != 1 {
		t.Errorf("as events: %s", events.Text)
	}
}

func TestSettingsOfWebhooksOfKeys(t *testing.T) {
	for text, says := range map[string]string{
		`{}`: `or none beside "webhooks_of_keys" or "backup"; it has 0`,
		`{"webhooks_of_keys": {"timeout": "1ms"}}`:  `"webhooks_of_keys": "timeout" must be a duration from 1s to 1m0s`,
		`{"webhooks_of_keys": {"give_up": "0s"}}`:   `"webhooks_of_keys": "give_up" must be a duration from 1m0s to 720h0m0s`,
		`{"webhooks_of_keys": {"private": true}}`:   "private",
		`{"webhooks_of_keys": {"timeout": "600s"}}`: "timeout",
	} {
		if _, err := deliver.ReadConfig([]byte(text)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", text, err)
		}
	}
	c, err := deliver.ReadConfig([]byte(`{"webhooks_of_keys": {}}`))
	if err != nil || *c.Webhooks != (deliver.KeyPlan{Timeout: 10 * time.Second, GiveUp: 120 * time.Hour}) || len(c.Sinks) != 0 {
		t.Errorf("%+v %v", c, err)
	}
}

// Whatever becomes of receiver and deliverers, each disclosure arrives, in order, and none twice that
// was answered.
func TestEveryDisclosureReachesAWebhookOfAKey(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, url string) {
		g := newGateway(t, url)
		_, secret := g.key("enterprise", access.KAP)
		seed := rand.Uint64()
		t.Logf("seed %d", seed)
		chance := rand.New(rand.NewPCG(seed, 1))
		var mu sync.Mutex
		var order []string
		has, told := map[string]bool{}, 0
		receiver := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, err := io.Copy(io.Discard, r.Body)
			mu.Lock()
			defer mu.Unlock()
			fate, id := chance.IntN(100), r.Header.Get("webhook-id")
			told++
			if err != nil || fate < 3 {
				w.WriteHeader(500)
				return
			}
			if fate >= 4 && !has[id] {
				has[id], order = true, append(order, id)
			}
			if fate < 6 {
				panic(http.ErrAbortHandler) // killed before it has stored, or before the answer leaves
			}
		})
		id, _ := g.register(secret, "one.example", "")
		to := map[string]http.Handler{"one.example": receiver}
		stop, rounds := g.deliver(to), 40
		if testing.Short() {
			rounds = 15
		}
		var want []string
		for n := range rounds {
			g.store(kap.ODA, "AAA", 10*n, 10*n+1, 10*n+2)
			if n%8 == 7 { // another process
				stop()
				stop = g.deliver(to)
			}
		}
		m, err := g.Store.Look(t.Context())
		need.NoError(t, err)
		for n := m.Heads[db.FeedDisclosures] - int64(3*rounds) + 1; n <= m.Heads[db.FeedDisclosures]; n++ {
			want = append(want, "disclosure:"+m.Epochs.Position(db.FeedDisclosures, n).String())
		}
		eventually(t, "everything is there", func() bool { return g.shown(secret, id)["backlog"] == json.Number("0") })
		mu.Lock()
		defer mu.Unlock()
		if !slices.Equal(order, want) {
			t.Errorf("received\n%v\nof\n%v", order, want)
		}
		t.Logf("%d requests for %d events", told, len(want))
	})
}

// counting counts what webhooks of keys ask of the log and the store.
type counting struct {
	*db.Store
	asked atomic.Int64
}

func (c *counting) Look(ctx context.Context) (epoch.Moment, error) {
	c.asked.Add(1)
	return c.Store.Look(ctx)
}

func (c *counting) DisclosuresAfter(ctx context.Context, seq, head int64, limit int) ([]*kap.Stored, error) {
	c.asked.Add(1)
	return c.Store.DisclosuresAfter(ctx, seq, head, limit)
}

func (c *counting) KeepWebhooks(ctx context.Context, holder string, states map[string]string) error {
	c.asked.Add(1)
	return c.Store.KeepWebhooks(ctx, holder, states)
}

// deafToEnds does not take the first state that says that a webhook is disabled.
type deafToEnds struct {
	*db.Store
	refused atomic.Bool
}

func (f *deafToEnds) KeepWebhooks(ctx context.Context, holder string, states map[string]string) error {
	for _, state := range states {
		if strings.Contains(state, `"disabled"`) && f.refused.CompareAndSwap(false, true) {
			return errors.New("the database is away")
		}
	}
	return f.Store.KeepWebhooks(ctx, holder, states)
}

// A webhook ends only when its owner can see that it has ended.
func TestWebhookEndsWhenTheStoreSaysSo(t *testing.T) {
	t.Parallel()
	g := newGateway(t, "")
	_, secret := g.key("enterprise", access.KAP)
	id, _ := g.register(secret, "one.example", "")
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusGone) }))
	t.Cleanup(server.Close)
	store := &deafToEnds{Store: g.Store}
	hooks := &deliver.Webhooks{Plan: deliver.KeyPlan{Timeout: 3 * time.Second, GiveUp: time.Hour}, Store: store,
		Signer: g.Services.Signer, Gate: g.Services.Gate, Meter: g.Services.Meter}
	deliver.DialsFor(hooks, func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "tcp", server.Listener.Addr().String())
	})
	g.run(hooks)
	g.store(kap.ODA, "AAA", 1)
	eventually(t, "it is disabled", func() bool { return g.shown(secret, id)["disabled"] != nil })
	if !store.refused.Load() {
		t.Error("the store has taken the first state")
	}
}

// Many webhooks ask the store hardly more than one.
func TestManyWebhooksOfKeysAskTheStoreTogether(t *testing.T) {
	t.Parallel()
	g := newGateway(t, "")
	key, _ := g.key("enterprise", access.KAP)
	m, err := g.Store.Look(t.Context())
	need.NoError(t, err)
	const many = 300
	begins := m.Epochs.Position(db.FeedDisclosures, m.Heads[db.FeedDisclosures]).String()
	for n := range many {
		w := &kap.StoredWebhook{ID: fmt.Sprintf("wh_%d", n), KeyID: key.ID, URL: "https://one.example/", Begins: begins}
		w.Topics = []string{"all"}
		if added, err := g.Store.AddWebhook(t.Context(), w, many); err != nil || !added {
			t.Fatal(added, err)
		}
	}
	var got atomic.Int64
	server := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { got.Add(1) }))
	t.Cleanup(server.Close)
	c := &counting{Store: g.Store}
	hooks := &deliver.Webhooks{Plan: deliver.KeyPlan{Timeout: 20 * time.Second, GiveUp: time.Hour}, Store: c, Signer: g.Services.Signer,
		Gate: g.Services.Gate, Meter: g.Services.Meter}
	deliver.DialsFor(hooks, func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "tcp", server.Listener.Addr().String())
	})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	began := time.Now()
	go func() {
		defer close(done)
		(&deliver.Deliverer{Config: &deliver.Config{}, Log: c, Holder: "me", Now: time.Now, Webhooks: hooks}).Run(ctx)
	}()
	g.store(kap.ODA, "AAA", 1, 2, 3)
	eventually(t, "all have all", func() bool { return got.Load() == 3*many })
	cancel()
	<-done
	// Looks come with time; apart from these, each by itself would ask for pages and positions 900 times or more.
	if asked, most := c.asked.Load(), int64(time.Since(began)/(40*time.Millisecond))+many; asked > most {
		t.Errorf("asked %d times, at most %d are fine", asked, most)
	}
}
