package deliver

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"slices"
	"sync"
	"syscall"
	"time"

	webhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"piyasa/account/access"
	"piyasa/account/usage"
	"piyasa/collect"
	"piyasa/db"
	"piyasa/domain/kap"
	"piyasa/internal/epoch"
	"piyasa/internal/problem"
	"piyasa/internal/value"
)

// Intervals, timeouts and bounds of the webhooks of keys.
const (
	keysEvery   = 2 * time.Second // how often to look for new and deleted webhooks
	keyPage     = 50              // disclosures in one read, and between two kept positions
	keptSeldom  = 5 * time.Minute // how often to keep a state in which only times have changed
	mostAtOnce  = 256             // most requests at once
	mostAgain   = 64              // most of them to receivers that have failed
	turnTime    = 10 * time.Minute
	quotaEvery  = 15 * time.Second // how often to check whether a key may use more units
	costOfEvent = 1                // in work, as for a frame of a stream
)

// metered is the name under which events of webhooks are metered.
const metered = "/v1/webhooks:events"

// kindDisclosure is the kind of record that webhooks of keys follow.
const kindDisclosure = "disclosure"

// WebhookStore stores the webhooks of keys: a *db.Store.
type WebhookStore interface {
	// LiveWebhooks returns the webhooks of all keys that are not revoked.
	LiveWebhooks(context.Context) ([]*db.KeyWebhook, error)
	// KeepWebhooks stores states by id; db.ErrNotHeld: the holder has lost the claim.
	KeepWebhooks(ctx context.Context, holder string, states map[string]string) error
	// DisclosuresAfter returns the first limit disclosures for streams numbered above seq, up to
	// and including head.
	DisclosuresAfter(ctx context.Context, seq, head int64, limit int) ([]*kap.Stored, error)
}

// Webhooks delivers the webhooks that keys have registered; one process at a time delivers all of
// them. Each webhook has a runner, like a sink. All runners read and keep through one sharedLog, so
// that a thousand of them query the store as often as one.
type Webhooks struct {
	Plan   KeyPlan
	Store  WebhookStore
	Signer access.Signer
	Gate   *access.Gate
	Meter  *usage.Meter

	client *http.Client // replaced in tests
}

// run delivers while it holds the claim, until ctx ends.
func (h *Webhooks) run(ctx context.Context, d *Deliverer) {
	if h.client == nil {
		h.client = publicClient()
	}
	for ctx.Err() == nil {
		claim := claimOf(d.Log, db.WebhooksOfKeys, d.Holder)
		_, claimed, err := claim.Take(ctx)
		if err != nil && ctx.Err() == nil {
			slog.Warn("webhooks of keys cannot be delivered now", "error", err)
		}
		if claimed {
			h.deliver(ctx, d, claim)
		}
		_ = collect.Wait(ctx, lookInterval)
	}
}

// deliver delivers the registered webhooks, and follows changes of them, until the claim is lost.
func (h *Webhooks) deliver(ctx context.Context, d *Deliverer, claim collect.Claim) {
	ours, release := claim.Hold(ctx)
	held, lose := context.WithCancelCause(ours)
	log := &sharedLog{Log: d.Log, store: h.Store, ctx: held, holder: d.Holder, lose: lose}
	turns := [2]chan struct{}{make(chan struct{}, mostAtOnce), make(chan struct{}, mostAgain)}
	at := map[string]context.CancelFunc{} // the running webhooks, by id
	var work sync.WaitGroup
	defer func() {
		lose(nil)
		work.Wait()
		_ = release()
	}()
	for ; held.Err() == nil; _ = collect.Wait(held, keysEvery) {
		live, err := h.live(held)
		if err != nil {
			if held.Err() == nil {
				slog.Warn("the webhooks of keys are not known now; those at work go on", "error", err)
			}
			continue
		}
		for id, stop := range at {
			if live[id] == nil {
				stop()
				delete(at, id)
			}
		}
		for id, hook := range live {
			if at[id] != nil {
				continue
			}
			r, err := h.runner(d, log, hook, turns)
			if err != nil {
				slog.Error("a webhook of a key cannot be delivered", "webhook", id, "error", err)
				continue
			}
			one, stop := context.WithCancel(held)
			at[id] = stop
			work.Go(func() { r.followForKey(one) })
		}
	}
}

// live returns the webhooks to deliver, by id.
func (h *Webhooks) live(ctx context.Context) (map[string]*db.KeyWebhook, error) {
	bounded, cancel := context.WithTimeout(ctx, storeTime)
	defer cancel()
	all, err := h.Store.LiveWebhooks(bounded)
	live := make(map[string]*db.KeyWebhook, len(all))
	for _, hook := range all {
		if hook.Key.Has(access.KAP) {
			live[hook.ID] = hook
		}
	}
	return live, err
}

// followForKey delivers until ctx ends or the webhook is disabled. It logs failures only at debug
// level: the owner of the key sees them in the state, and must fix them.
func (r *runner) followForKey(ctx context.Context) {
	for ctx.Err() == nil && r.state.Disabled == "" {
		if o := r.run(ctx, false); o.Err != nil && ctx.Err() == nil {
			slog.Debug("a webhook of a key could not be delivered", "webhook", r.Name, "error", o.Err)
			_ = collect.Wait(ctx, r.pause(o.Err))
		}
	}
}

// runner makes the runner of a webhook. One takes two goroutines and its state, some 20 KB.
func (h *Webhooks) runner(d *Deliverer, log *sharedLog, of *db.KeyWebhook, turns [2]chan struct{}) (*runner, error) {
	state := json.RawMessage(of.State)
	if of.State == "" {
		begins, err := epoch.ParsePosition(of.Begins)
		if err != nil {
			return nil, err
		}
		at := Position{begins.Epoch, db.Cursor{Number: begins.Seq}}
		if state, err = json.Marshal(State{Feeds: map[string]Position{db.FeedDisclosures: at}}); err != nil {
			return nil, err
		}
	}
	signer, err := webhooks.NewWebhook(kap.WebhookSecret(h.Signer, of.KeyID, of.ID))
	if err != nil {
		return nil, err
	}
	sink := &keyHook{Webhooks: h, key: &of.Key, turns: turns, webhook: &webhook{
		webhookSettings: webhookSettings{URL: of.URL}, signers: []*webhooks.Webhook{signer}, client: h.client, had: map[string]bool{}}}
	return &runner{
		Deliverer: &Deliverer{Log: &keyLog{sharedLog: log, topics: of.Topics, state: state}, Holder: d.Holder, Now: d.Now},
		Named: Named{
			Name: of.ID, Sink: sink, Feeds: []string{db.FeedDisclosures}, Reach: Reach{Kinds: []string{kindDisclosure}},
			Plan: Plan{Timeout: turnTime, Most: keyPage, Page: keyPage, OneByOne: true, GiveUp: h.Plan.GiveUp},
		},
		due: map[string]time.Time{},
	}, nil
}

// errNotPublic does not say which address a host name has: owners of keys must not learn that.
var errNotPublic = errors.New("the host of the address is not known, or none that everybody can reach")

// publicClient returns the HTTP client of all webhooks of keys, which reaches no internal address.
func publicClient() *http.Client {
	dialer, client := newClient(func(network, address string, c syscall.RawConn) error {
		if public.Safe(network, address, c) != nil {
			return errNotPublic
		}
		return nil
	})
	transport := client.Transport.(*http.Transport)
	transport.MaxIdleConns = mostAtOnce
	transport.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dialer.DialContext(ctx, network, address)
		if _, unknown := errors.AsType[*net.DNSError](err); unknown || errors.Is(err, errNotPublic) {
			return nil, errNotPublic
		}
		return conn, err
	}
	return client
}

// keyHook is the sink of a webhook of a key, which pays for its events as for frames of a stream.
type keyHook struct {
	*Webhooks
	*webhook
	key   *access.Key
	turns [2]chan struct{} // for all requests, and for those to receivers that have failed
	fails bool
}

// published is a disclosure as posted, made once for all receivers.
type published struct {
	topics []kap.Topic
	body   []byte
}

// publishedData is the data of an event.
type publishedData struct {
	Position   string          `json:"position"`
	Number     int64           `json:"number"`
	Disclosure json.RawMessage `json:"disclosure"` // as in frames of streams
}

// Deliver implements Sink.
func (k *keyHook) Deliver(ctx context.Context, b *Batch) error {
	for i := range b.Changes {
		if err := k.one(ctx, b, &b.Changes[i]); err != nil {
			return err
		}
	}
	return nil
}

func (k *keyHook) one(ctx context.Context, b *Batch, c *db.Change) (err error) {
	id := b.ID(c)
	if k.had[id] {
		return nil
	}
	if k.fails {
		release, err := turn(ctx, k.turns[1])
		if err != nil {
			return err
		}
		defer release()
	}
	release, err := turn(ctx, k.turns[0])
	if err != nil {
		return err
	}
	defer release()
	account := k.Meter.Of(k.key)
	if err := account.Hold(access.Unit); err != nil {
		after := min(time.Duration(problem.From(err).RetryAfter)*time.Second, quotaEvery)
		return &refusal{error: errors.New(problem.From(err).Detail), after: after, waits: true}
	}
	used := access.Used{Operation: metered}
	defer func() { account.Pay(access.Unit, used) }()
	bounded, cancel := context.WithTimeoutCause(ctx, k.Webhooks.Plan.Timeout,
		fmt.Errorf("the receiver did not answer within %s", k.Webhooks.Plan.Timeout))
	defer cancel()
	err = k.send(bounded, id, c.Record.(*published).body)
	if k.fails = err != nil; k.fails {
		if bounded.Err() != nil && ctx.Err() == nil {
			return errors.Join(context.Cause(bounded), err)
		}
		return err
	}
	used.Units = access.Unit
	k.Gate.Debit(k.key, costOfEvent, time.Now())
	return nil
}

// turn waits for one of the turns.
func turn(ctx context.Context, turns chan struct{}) (release func(), err error) {
	select {
	case turns <- struct{}{}:
		return func() { <-turns }, nil
	case <-ctx.Done():
		return nil, &refusal{error: errors.New("so many deliveries wait that it was not its turn"), waits: true}
	}
}

// Check implements Sink.
func (k *keyHook) Check(context.Context) error { return nil }

// Close implements Sink. It does nothing, since other webhooks use the client, too.
func (k *keyHook) Close() error { return nil }

// sharedLog is the log of all webhooks of a process. It reads a page once for several webhooks, and
// stores states together that several keep at the same time.
type sharedLog struct {
	Log
	store  WebhookStore
	ctx    context.Context // of all its queries
	holder string
	lose   context.CancelCauseFunc

	looking sync.Mutex
	moment  epoch.Moment
	failed  error
	looked  time.Time

	reading sync.Mutex
	pages   []page // newest last

	mu      sync.Mutex
	next    *keeping // states to be stored next, which more can join; nil: none
	storing sync.Mutex
}

// page holds the disclosures read after a number.
type page struct {
	epoch       string
	after, head int64
	changes     []db.Change
	next        db.Cursor
}

// mostPages is how many pages are kept in memory.
const mostPages = 16

// PollInterval implements Log.
func (l *sharedLog) PollInterval() time.Duration {
	return max(l.Log.PollInterval(), 250*time.Millisecond)
}

// Look implements Log.
func (l *sharedLog) Look(context.Context) (epoch.Moment, error) {
	l.looking.Lock()
	defer l.looking.Unlock()
	if time.Since(l.looked) > l.Log.PollInterval()/2 {
		l.moment, l.failed = l.Log.Look(l.ctx)
		l.looked = time.Now()
	}
	return l.moment, l.failed
}

// read returns the page after a cursor. It reads one page at a time.
func (l *sharedLog) read(from db.Cursor, head int64, limit int) (page, error) {
	m, err := l.Look(l.ctx)
	if err != nil {
		return page{}, err
	}
	l.reading.Lock()
	defer l.reading.Unlock()
	p := page{epoch: m.Epochs.Current(), after: from.Number, head: head, next: db.Cursor{Number: head}}
	if i := slices.IndexFunc(l.pages, func(q page) bool { return q.epoch == p.epoch && q.after == p.after && q.head == head }); i >= 0 {
		return l.pages[i], nil
	}
	found, err := l.store.DisclosuresAfter(l.ctx, from.Number, head, limit)
	if err != nil {
		return page{}, err
	}
	if len(found) == limit {
		p.next.Number = found[limit-1].Seq
	}
	for _, d := range found {
		at := m.Epochs.Position(db.FeedDisclosures, d.Seq)
		text, err := value.AppendJSON(nil, &d.Disclosure)
		if err != nil {
			return page{}, err
		}
		e := event{Type: kindDisclosure + ".stored", Timestamp: cmp.Or(d.PublishedAt, d.EffectiveAt).String(),
			Data: publishedData{at.String(), d.Seq, text}}
		body, err := value.AppendJSON(nil, &e)
		if err != nil {
			return page{}, err
		}
		p.changes = append(p.changes, db.Change{Kind: kindDisclosure, Number: d.Seq, Record: &published{d.Topics(), body}})
	}
	l.pages = append(l.pages[max(0, len(l.pages)+1-mostPages):], p)
	return p, nil
}

// keeping holds states that are stored together.
type keeping struct {
	states map[string]string
	done   chan struct{} // closed when they are stored, or err says why not
	err    error
}

// keep stores the state of a webhook, together with others.
func (l *sharedLog) keep(ctx context.Context, id, state string) error {
	l.mu.Lock()
	k := l.next
	if k == nil {
		k = &keeping{states: map[string]string{}, done: make(chan struct{})}
		l.next = k
		go l.storeAll(k)
	}
	k.states[id] = state
	l.mu.Unlock()
	select {
	case <-k.done:
		return k.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// storeAll stores states once the earlier ones are stored.
func (l *sharedLog) storeAll(k *keeping) {
	defer close(k.done)
	l.storing.Lock()
	defer l.storing.Unlock()
	l.mu.Lock()
	l.next = nil
	states := maps.Clone(k.states)
	l.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(l.ctx), storeTime) // what was acknowledged must be stored
	defer cancel()
	if k.err = l.store.KeepWebhooks(ctx, l.holder, states); errors.Is(k.err, db.ErrNotHeld) {
		l.lose(k.err)
	}
}

// keyLog is the log for one webhook: it has only the disclosures that the webhook follows.
type keyLog struct {
	*sharedLog
	topics []string
	mu     sync.Mutex
	state  json.RawMessage
	kept   string // the state without times, as last kept
	at     time.Time
}

// Changes implements Log.
func (l *keyLog) Changes(_ context.Context, _ string, from db.Cursor, head int64, limit int) ([]db.Change, db.Cursor, error) {
	p, err := l.read(from, head, limit)
	if err != nil {
		return nil, from, err
	}
	var all []db.Change
	for _, c := range p.changes {
		if slices.ContainsFunc(c.Record.(*published).topics, func(t kap.Topic) bool { return slices.Contains(l.topics, string(t)) }) {
			all = append(all, c)
		}
	}
	return all, p.next, nil
}

// ClaimSink implements Log: the claim of all webhooks includes each one.
func (l *keyLog) ClaimSink(context.Context, string, string, time.Duration) (json.RawMessage, bool, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.state, true, nil
}

// ReleaseSink implements Log.
func (l *keyLog) ReleaseSink(context.Context, string, string) error { return nil }

// KeepSink implements Log.
func (l *keyLog) KeepSink(ctx context.Context, id, _ string, state json.RawMessage) error {
	var s State
	if err := json.Unmarshal(state, &s); err != nil {
		return err
	}
	s.CaughtUp = time.Time{}
	timeless, err := json.Marshal(&s)
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if string(timeless) != l.kept || time.Since(l.at) > keptSeldom {
		if err := l.keep(ctx, id, string(state)); err != nil {
			return err
		}
		l.kept, l.at = string(timeless), time.Now()
	}
	l.state = state
	return nil
}
