package deliver_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"piyasa/db"
	"piyasa/db/dbtest"
	"piyasa/domain/kap"
	"piyasa/domain/market"
	"piyasa/internal/value"
	"piyasa/serve/bulk"
	"piyasa/serve/deliver"
	"piyasa/test/fixture"
	"piyasa/test/fixture/need"
)

// world is a store, and a sink of it.
type world struct {
	testing.TB
	store *db.Store
	url   string
	sink  string // as a configuration says it
	index int    // the newest disclosure
}

const stream = "PIYASA"

func newWorld(t testing.TB, servers ...string) *world {
	t.Helper()
	w := &world{TB: t, url: "sqlite:" + filepath.Join(t.TempDir(), "piyasa.db")}
	w.store = dbtest.Open(t, w.url)
	list, err := json.Marshal(servers)
	need.NoError(t, err)
	w.sink = fmt.Sprintf(`{"to": "nats", "servers": %s, "create": true, "replicas": %d}`, list, len(servers))
	return w
}

// put stores records.
func (w *world) put(records ...any) {
	w.Helper()
	b, out := new(db.Batch), make([]db.Outcome, len(records))
	for i, r := range records {
		switch r := r.(type) {
		case *kap.Record:
			db.Put(b, r, &out[i])
		case *market.Bar:
			db.Put(b, r, &out[i])
		case *market.IndexBar:
			db.Put(b, r, &out[i])
		case *market.Instrument:
			db.Put(b, r, &out[i])
		case *market.Observation:
			db.Put(b, r, &out[i])
		case withdrawn:
			db.Withdraw(b, r.Bar, &out[i])
		default:
			w.Fatalf("put %T", r)
		}
	}
	need.NoError(w, w.store.Store(w.Context(), b))
	for i, o := range out {
		if o.Why != nil && o.Result == db.Refused {
			w.Fatalf("%+v: %v", records[i], o.Why)
		}
	}
}

// withdrawn is a bar that is withdrawn.
type withdrawn struct{ *market.Bar }

func (w *world) disclosure(symbols ...string) *kap.Record {
	w.index++
	return &kap.Record{Disclosure: kap.Disclosure{
		DisclosureIndex: w.index, Type: kap.ODA, Class: "ODA", Symbols: symbols, FilerCodes: []string{},
	}}
}

func stock(symbol string) *market.Instrument {
	return &market.Instrument{InstrumentID: market.ID("bist:" + symbol), Symbol: symbol, Name: symbol + " A.Ş.", Market: market.BIST,
		AssetType: market.Stock, Currency: "TRY"}
}

func bar(symbol string, day int, price int) *market.Bar {
	return &market.Bar{InstrumentID: market.ID("bist:" + symbol), Resolution: market.Day,
		T: value.MustDate("2026-03-02").AddDays(day).TurkeyStart(), Close: value.MustDecimal(fmt.Sprint(price))}
}

// some stores records of several kinds, as chance has it.
func (w *world) some(chance *rand.Rand) {
	var records []any
	for range 1 + chance.IntN(20) {
		symbol := string(rune('A' + chance.IntN(3)))
		switch chance.IntN(7) {
		case 0, 1:
			records = append(records, w.disclosure([]string{"A", "B", "C"}[:chance.IntN(4)]...))
		case 2, 3:
			records = append(records, bar(symbol, chance.IntN(40), 1+chance.IntN(5)))
		case 4:
			records = append(records, withdrawn{bar(symbol, chance.IntN(40), 1)})
		case 5:
			records = append(records, &market.IndexBar{Code: "X" + symbol, Date: value.MustDate("2026-03-02").AddDays(chance.IntN(9)),
				Close: value.MustDecimal(fmt.Sprint(1 + chance.IntN(5)))})
		default:
			in := stock(symbol)
			in.Name = fmt.Sprint("name ", chance.IntN(9))
			records = append(records, in)
		}
	}
	w.put(records...)
}

// deliverer returns another process that delivers the sink.
func (w *world) deliverer(log deliver.Log) *deliver.Deliverer {
	w.Helper()
	config, err := deliver.ReadConfig([]byte(`{"sinks": {"bus": ` + w.sink + `}}`))
	need.NoError(w, err)
	w.Cleanup(config.Close)
	return &deliver.Deliverer{Config: config, Log: log, Holder: fmt.Sprint(rand.Int64()), Now: time.Now}
}

// once delivers what there is.
func (w *world) once(log deliver.Log) error {
	w.Helper()
	d := w.deliverer(log)
	defer d.Config.Close()
	return d.Once(w.Context())[0].Err
}

// soon delivers again and again until that succeeds.
func (w *world) soon(log deliver.Log) {
	w.Helper()
	var err error
	for end := time.Now().Add(fixture.Patience); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if err = w.once(log); err == nil {
			return
		}
	}
	w.Fatal(err)
}

// failing is a store that keeps a position only now and then, as if the process had been killed
// before.
type failing struct {
	*db.Store
	chance *rand.Rand
	always bool // no position is kept
}

func (f failing) KeepSink(ctx context.Context, sink, holder string, state json.RawMessage) error {
	if f.always || f.chance.IntN(3) > 0 {
		return errors.New("the position is not kept")
	}
	return f.Store.KeepSink(ctx, sink, holder, state)
}

// Changes cuts pages short.
func (f failing) Changes(ctx context.Context, feed string, from db.Cursor, head int64, _ int) ([]db.Change, db.Cursor, error) {
	return f.Store.Changes(ctx, feed, from, head, 1+f.chance.IntN(10))
}

// unclaimed is a store at which processes deliver a sink side by side.
type unclaimed struct {
	*db.Store
	state *atomic.Pointer[json.RawMessage]
}

func (u unclaimed) ClaimSink(context.Context, string, string, time.Duration) (json.RawMessage, bool, error) {
	if state := u.state.Load(); state != nil {
		return *state, true, nil
	}
	return nil, true, nil
}

func (unclaimed) ReleaseSink(context.Context, string, string) error { return nil }

func (u unclaimed) KeepSink(_ context.Context, _, _ string, state json.RawMessage) error {
	u.state.Store(&state)
	return nil
}

// keys are the members of keys, of the kinds that tests store.
var keys = map[string][]string{"disclosure": {"disclosure_index"}, "bar": {"instrument_id", "resolution", "t"},
	"index_bar": {"code", "date"}, "quote": {"instrument_id"}, "instrument": {"instrument_id"}}

// folded returns the newest line of each record, by its key.
func folded(t testing.TB, lines []string) map[string]string {
	t.Helper()
	newest := map[string]string{}
	for _, line := range lines {
		m := members(t, line)
		kind := m["record"].(string)
		key := kind
		for _, name := range keys[kind] {
			key += fmt.Sprint(" ", m[name])
		}
		if newest[key] = line; m["withdrawn"] == true {
			delete(newest, key)
		}
	}
	return newest
}

// check compares what a consumer gets with the log: disclosures number by number, of other records the
// newest state, and nothing twice.
func (w *world) check(got []message) {
	w.Helper()
	ids, lines, numbers := map[string]bool{}, []string(nil), []string(nil)
	for _, m := range got {
		id, _, _ := strings.Cut(m.header.Get("Nats-Msg-Id"), "~")
		if ids[id] {
			w.Errorf("%s comes twice", id)
		}
		if ids[id] = true; strings.HasPrefix(m.subject, "piyasa.log.") {
			continue
		}
		lines = append(lines, m.line)
		if kind := m.header.Get("Piyasa-Kind"); kind == "disclosure" {
			numbers = append(numbers, m.header.Get("Piyasa-Position")+" "+m.line)
		}
	}
	moment, err := w.store.Look(w.Context())
	need.NoError(w, err)
	var stored, want []string
	for _, feed := range []string{db.FeedDisclosures, db.FeedBars, db.FeedCatalog, db.FeedQuotes} {
		for from, head := (db.Cursor{}), moment.Heads[feed]; from.Number < head; {
			changes, next, err := w.store.Changes(w.Context(), feed, from, head, 1000)
			need.NoError(w, err)
			for i := range changes {
				line, err := bulk.AppendLine(nil, &changes[i])
				need.NoError(w, err)
				if stored = append(stored, string(line)); feed == db.FeedDisclosures {
					want = append(want, fmt.Sprintf("%s %s", moment.Epochs.Position(feed, changes[i].Number), line))
				}
			}
			from = next
		}
	}
	if !slices.Equal(numbers, want) {
		at := 0
		for at < min(len(numbers), len(want)) && numbers[at] == want[at] {
			at++
		}
		w.Errorf("%d disclosures in the stream and %d in the log; from number %d on %q and %q", len(numbers), len(want), at,
			numbers[at:min(at+3, len(numbers))], want[at:min(at+3, len(want))])
	}
	has, wants := folded(w, lines), folded(w, stored)
	for key := range maps.Keys(wants) {
		if has[key] == wants[key] {
			delete(has, key)
			delete(wants, key)
		}
	}
	if len(has)+len(wants) > 0 {
		w.Errorf("the stream has %v, the store %v", has, wants)
	}
}

// rounds returns a smaller number for tests that are short.
func rounds(n int) int {
	if testing.Short() {
		return n / 4
	}
	return n
}

// Everything is in the stream once and in order, though positions are not kept, pages end anywhere
// and the server is stopped now and then.
func TestNATSExactlyOnce(t *testing.T) {
	t.Parallel()
	n := startNATS(t, nil)
	w, chance := newWorld(t, n.ClientURL()), rand.New(rand.NewPCG(1, 2))
	log := failing{w.store, chance, false}
	for round := range rounds(40) {
		w.some(chance)
		if round%10 == 5 {
			n.stop()
			if err := w.once(log); err == nil || !strings.Contains(err.Error(), "connect to [nats://127.0.0.1") {
				t.Fatalf("without a server: %v", err)
			}
			n.start(t)
		}
		_ = w.once(log)
	}
	w.soon(w.store)
	got := consume(t, n.ClientURL(), stream)
	w.check(got)
	w.soon(w.store) // finds that nothing is missing
	if again := consume(t, n.ClientURL(), stream); len(again) != len(got) {
		t.Errorf("%d messages, and then %d", len(got), len(again))
	}
}

// Where two processes deliver a sink, because one does not know yet that it has lost it, they write
// nothing twice and out of order.
func TestNATSTwoDeliverers(t *testing.T) {
	t.Parallel()
	n := startNATS(t, nil)
	w, chance := newWorld(t, n.ClientURL()), rand.New(rand.NewPCG(3, 4))
	log := unclaimed{w.store, new(atomic.Pointer[json.RawMessage])}
	ctx, stop := context.WithCancel(t.Context())
	var running sync.WaitGroup
	for range 2 {
		d := w.deliverer(log)
		running.Go(func() {
			for ctx.Err() == nil {
				d.Once(t.Context())
			}
		})
	}
	for range rounds(80) {
		w.some(chance)
	}
	stop()
	running.Wait()
	w.soon(log)
	w.check(consume(t, n.ClientURL(), stream))
}

// A message that does not arrive is overtaken by none.
func TestNATSLostMessage(t *testing.T) {
	t.Parallel()
	n := startNATS(t, nil)
	between := swallow(t, n.ClientURL())
	w := newWorld(t, between.address)
	w.sink = strings.Replace(w.sink, `"nats",`, `"nats", "timeout": "1s",`, 1)
	for range 30 {
		w.put(w.disclosure("A"), bar("A", w.index, 1))
	}
	between.swallow.Store(40) // of 60
	if err := w.once(w.store); err == nil || !strings.Contains(err.Error(), "message 40 of the stream PIYASA") {
		t.Fatalf("the error is %v", err)
	}
	if got := consume(t, n.ClientURL(), stream); len(got) != 39 {
		t.Fatalf("the stream has %d messages", len(got))
	}
	need.NoError(t, w.once(w.store))
	w.check(consume(t, n.ClientURL(), stream))
}

// A change that is larger than a message may be comes as a reference, and holds up nothing.
func TestNATSTooLarge(t *testing.T) {
	t.Parallel()
	n := startNATS(t, func(o *server.Options) { o.MaxPayload = 8 << 10 })
	w := newWorld(t, n.ClientURL())
	large := w.disclosure("A")
	large.Class = "FR"
	large.Body = &kap.Content{SourceFormat: "html", FileType: "html", Content: json.RawMessage(`"` + strings.Repeat("ğ", 5000) + `"`)}
	w.put(large, w.disclosure("B"))
	need.NoError(t, w.once(w.store))
	got := consume(t, n.ClientURL(), stream)
	if len(got) < 2 {
		t.Fatalf("%d messages", len(got))
	}
	m := members(t, got[0].line)
	size := got[0].header.Get("Piyasa-Too-Large")
	want := map[string]any{"record": "disclosure", "disclosure_index": 1.0, "too_large": m["too_large"],
		"path": "/v1/kap-feed/disclosures/1"}
	if !maps.Equal(m, want) || size != fmt.Sprint(m["too_large"]) || got[0].subject != "piyasa.disclosure.ODA.A" {
		t.Errorf("%s: %s (%s)", got[0].subject, got[0].line, size)
	}
	if members(t, got[len(got)-1].line)["disclosure_index"] != 2.0 {
		t.Errorf("then comes %s", got[1].line)
	}
}

// Subjects say what a change is of, whatever its texts are.
func TestNATSSubjects(t *testing.T) {
	t.Parallel()
	n := startNATS(t, nil)
	w := newWorld(t, n.ClientURL())
	w.put(w.disclosure("A"), w.disclosure(), w.disclosure("A", "B"), w.disclosure("İŞ B.*>"), w.disclosure("_"), bar("A", 1, 1), stock("A"),
		&market.IndexBar{Code: "XU100", Date: value.MustDate("2026-03-02"), Close: value.MustDecimal("1")})
	w.soon(w.store)
	w.put(withdrawn{bar("A", 1, 1)})
	need.NoError(t, w.once(w.store))
	var subjects []string
	for _, m := range consume(t, n.ClientURL(), stream) {
		subjects = append(subjects, m.subject)
		if withdrawn := m.header.Get("Piyasa-Withdrawn") == "true"; withdrawn != (members(t, m.line)["withdrawn"] == true) {
			t.Errorf("%s: %v", m.line, m.header)
		}
	}
	want := []string{"piyasa.bar.bist.A.1d", "piyasa.bar.bist.A.1d", "piyasa.index_bar.XU100", "piyasa.instrument.bist.A",
		"piyasa.disclosure.ODA.A", "piyasa.disclosure.ODA._", "piyasa.disclosure.ODA._several",
		"piyasa.disclosure.ODA.%C4%B0%C5%9E%20B%2E%2A%3E", "piyasa.disclosure.ODA.%5F"}
	slices.Sort(subjects)
	slices.Sort(want)
	if !slices.Equal(subjects, want) {
		t.Errorf("%q, want %q", subjects, want)
	}
	if text, err := url.PathUnescape("%C4%B0%C5%9E%20B%2E%2A%3E"); text != "İŞ B.*>" {
		t.Errorf("%q (%v)", text, err)
	}
}

// The stream says once that the store has gone back, and gets what the store has instead.
func TestNATSWentBack(t *testing.T) {
	t.Parallel()
	n := startNATS(t, nil)
	w := newWorld(t, n.ClientURL())
	for range 3 {
		w.put(w.disclosure("A"))
	}
	w.soon(w.store)
	was, err := w.store.Look(t.Context())
	need.NoError(t, err)
	raw := dbtest.Raw(t, w.url)
	for _, statement := range []string{"UPDATE heads SET seq = 1 WHERE feed = 'disclosures'", "DELETE FROM disclosures WHERE seq > 1"} {
		if _, err := raw.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.once(failing{w.store, rand.New(rand.NewPCG(5, 6)), true}); err == nil {
		t.Fatal("the position was kept")
	}
	w.index = 10
	w.put(w.disclosure("B"))
	w.soon(w.store)
	got := consume(t, n.ClientURL(), stream)
	if len(got) != 5 {
		t.Fatalf("%d messages: %v", len(got), got)
	}
	epoch := was.Epochs.Current()
	want := map[string]any{"feed": "disclosures", "was": epoch + ":3", "from": epoch + ":1"}
	if m := got[3]; m.subject != "piyasa.log.went_back.disclosures" || !maps.Equal(members(t, m.line), want) {
		t.Errorf("%s: %s", m.subject, m.line)
	}
	if m := members(t, got[4].line); m["disclosure_index"] != 11.0 {
		t.Errorf("then comes %v", m)
	}
}

// Who is sent back delivers everything again, once, and a new stream gets everything.
func TestNATSAgain(t *testing.T) {
	t.Parallel()
	n := startNATS(t, nil)
	w := newWorld(t, n.ClientURL())
	for range 20 {
		w.put(w.disclosure("A"), bar("A", w.index, 1))
	}
	w.soon(w.store)
	if _, err := deliver.Rewind(t.Context(), w.store, 0, "operator", "bus", "", "start"); err != nil {
		t.Fatal(err)
	}
	if err := w.once(failing{w.store, rand.New(rand.NewPCG(5, 6)), true}); err == nil {
		t.Fatal("the position was kept")
	}
	w.soon(w.store)
	got := consume(t, n.ClientURL(), stream)
	if len(got) != 80 {
		t.Errorf("%d messages", len(got))
	}
	w.check(got[40:])
	n.stop()
	n.options.StoreDir = t.TempDir()
	n.start(t)
	w.soon(w.store)
	w.check(consume(t, n.ClientURL(), stream))
}

// A stream that is restored from a copy gets again what the copy lacks.
func TestNATSOlderStream(t *testing.T) {
	t.Parallel()
	n, older := startNATS(t, nil), t.TempDir()
	w := newWorld(t, n.ClientURL())
	w.put(w.disclosure("A"), w.disclosure("A"), bar("A", 1, 1))
	w.soon(w.store)
	n.stop()
	need.NoError(t, os.CopyFS(older, os.DirFS(n.options.StoreDir)))
	n.start(t)
	w.put(w.disclosure("A"), bar("A", 2, 1))
	w.soon(w.store)
	n.stop()
	n.options.StoreDir = older
	n.start(t)
	w.put(w.disclosure("A"))
	w.soon(w.store)
	w.check(consume(t, n.ClientURL(), stream))
}
