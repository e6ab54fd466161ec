package graphqlhttp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/vektah/gqlparser/v2/ast"

	"piyasa/access"
	"piyasa/admission"
	"piyasa/answer"
	"piyasa/domain/fundamentals"
	"piyasa/domain/kap"
	"piyasa/domain/market"
	"piyasa/fixture"
	"piyasa/fixture/calls"
	"piyasa/graphqlhttp"
	"piyasa/plan/plantest"
	"piyasa/price"
	"piyasa/resolvers"
	"piyasa/services"
	"piyasa/stream"
)

// pair is two servers over one store that fails on demand: gqlgen's executor
// runs all operations of one.
type pair struct {
	*fixture.Server
	planned, byGqlgen http.Handler
	failing           atomic.Uint32 // bits of what fails
	keysOf            []*access.Key
}

var errStore = errors.New("the store fails on purpose")

func newPair(t testing.TB) *pair {
	quiet := slog.Default()
	t.Cleanup(func() { slog.SetDefault(quiet) })
	slog.SetDefault(slog.New(slog.DiscardHandler))
	p := &pair{}
	p.Server = fixture.New(t, func(s *fixture.Setup) {
		s.Settings.StatementCache = 0
		s.Wrap = func(store services.Store) services.Store { return failing{store, p} }
	})
	door := admission.Door{Gate: p.Services.Gate, Problems: answer.Problems{BaseURL: fixture.BaseURL}}
	config := graphqlhttp.Config{Relations: resolvers.New(p.Services), Door: door, Prices: price.New(p.Services.Clock), Streams: &stream.Sockets{}, Ran: func(string) {}}
	p.planned = door.Admit(door.HeaderKey, graphqlhttp.New(config))
	p.byGqlgen = door.Admit(door.HeaderKey, graphqlhttp.NewByGqlgen(config))
	for name, scopes := range map[string][]access.Scope{"all": access.Scopes, "some": calls.Without(access.QuotesCrypto), "none": nil} {
		k := fixture.Key("piyasa_live_"+name, scopes...)
		k.Plan = "unlimited"
		p.keysOf = append(p.keysOf, k)
	}
	p.Keys(p.keysOf...)
	return p
}

// failure is an error if what bit stands for fails.
func (p *pair) failure(bit int) error {
	if p.failing.Load()&(1<<bit) != 0 {
		return errStore
	}
	return nil
}

// failing is a store of which some reads fail on demand.
type failing struct {
	services.Store
	pair *pair
}

// Bars implements market.History.
func (f failing) Bars(ctx context.Context, r market.Resolution, spans []market.Span) ([]market.StoredBars, error) {
	if err := f.pair.failure(0); err != nil {
		return nil, err
	}
	return f.Store.Bars(ctx, r, spans)
}

// Statements implements fundamentals.StatementStore.
func (f failing) Statements(ctx context.Context, keys []fundamentals.HistoryKey) (map[fundamentals.HistoryKey][]*fundamentals.Filed, int64, error) {
	if err := f.pair.failure(1); err != nil {
		return nil, 0, err
	}
	return f.Store.Statements(ctx, keys)
}

// NewestDisclosures implements kap.Store.
func (f failing) NewestDisclosures(ctx context.Context, of [][]kap.Origin, first int) ([][]*kap.Stored, error) {
	if err := f.pair.failure(2); err != nil {
		return nil, err
	}
	return f.Store.NewestDisclosures(ctx, of, first)
}

// DisclosureRecords implements kap.Store.
func (f failing) DisclosureRecords(ctx context.Context, numbers []int) (map[int]*kap.Record, error) {
	if err := f.pair.failure(3); err != nil {
		return nil, err
	}
	return f.Store.DisclosureRecords(ctx, numbers)
}

// argument is a value that the tests' data know, or do not.
func argument(r *rand.Rand, of *ast.FieldDefinition, arg *ast.ArgumentDefinition) (string, bool) {
	one := func(values ...string) string { return values[r.IntN(len(values))] }
	ids := func() string {
		return one("bist:DMOST", "bist:DMOST", "bist:DMOST", "bist:DMBNK", "bist:DMBNK", "us:DMAP", "bist:DMALTF", "crypto:1", "crypto:btc", "crypto:ONE", "us:DMAP", "fx:USDTRY", "index:SPX", "fund:DMF", "cmdty:XAU", "cmdty:RAWX", "bist:NOPE", "foo:BAR")
	}
	if !arg.Type.NonNull && r.IntN(2) == 0 || arg.Name == "cursor" && r.IntN(8) > 0 {
		return "null", true // mostly there is an answer
	}
	quoted := func(value string) (string, bool) { return fmt.Sprintf("%q", value), true }
	switch arg.Name {
	case "id":
		if of.Name == "ipo" {
			return quoted(one("dmipo-2026", "dmipo-old", "nope"))
		}
		return quoted(ids())
	case "ids":
		list := make([]string, r.IntN(5))
		for i := range list {
			list[i] = fmt.Sprintf("%q", ids())
		}
		return "[" + strings.Join(list, ", ") + "]", true
	case "symbol":
		return quoted(one("DMOST", "bist:DMOST", "DMSIG", "NOPE"))
	case "code":
		return quoted(one("XU100", "xkuck", "otomotiv", "bankacilik", "eski-oto", "DMF", "fund:DMX", "NOPE"))
	case "eventId":
		return one("10", "11", "12", "99"), true
	case "index":
		return one("1505", "1444", "1501", "7"), true
	case "limit", "first":
		return one("1", "2", "3", "5", "100", "2", "3", "0"), true
	case "from", "to":
		if arg.Type.Name() == "Month" {
			return quoted(one("2025-06", "2026-02", "bad"))
		}
		return quoted(one("2026-03-01", "2026-03-16", "2026-03-18", "2026-03-02", "2025-01-01", "bad"))
	case "asOf":
		return quoted(one("2025-12", "2026-02", "2020-01"))
	case "newsId":
		return quoted(one("n-1", "n-2", "nope"))
	case "periods":
		return one("[5]", "[14, 20]", "[]", "[0]"), true
	case "cursor":
		return quoted("nope")
	}
	return "", false
}

// compared runs a document on both servers and returns how many errors it has.
func (p *pair) compared(seed, words uint64) int {
	p.T.Helper()
	r := rand.New(rand.NewPCG(seed, words))
	grammar := plantest.Grammar{Schema: fixture.Schema, Depth: 6, Width: 4, Values: argument}
	d := grammar.Random(r)
	body, err := json.Marshal(map[string]any{"query": d.Text, "variables": d.Variables})
	if err != nil {
		p.T.Fatal(err)
	}
	p.failing.Store(0)
	if r.IntN(3) == 0 {
		p.failing.Store(r.Uint32())
	}
	secret := p.keysOf[r.IntN(len(p.keysOf))].ID
	told := func(h http.Handler) (data, units string, errs []string) {
		r := httptest.NewRequestWithContext(p.T.Context(), http.MethodPost, graphqlhttp.Path, bytes.NewReader(body))
		r.Header.Set("X-API-Key", secret)
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		text := w.Body.String()
		var answer struct {
			Data       json.RawMessage
			Errors     []json.RawMessage
			Extensions json.RawMessage
		}
		if err := json.Unmarshal([]byte(text), &answer); err != nil || w.Code != 200 {
			p.T.Fatalf("%d %s: %v", w.Code, text, err)
		}
		for _, e := range answer.Errors {
			errs = append(errs, string(e))
		}
		slices.Sort(errs)
		return string(answer.Data), string(answer.Extensions), errs
	}
	expected, expectedUnits, expectedErrs := told(p.byGqlgen)
	data, units, errs := told(p.planned)
	different := plantest.Difference(plantest.Answer{Data: expected, Errors: expectedErrs}, plantest.Answer{Data: data, Errors: errs})
	if units != expectedUnits {
		different += "\n" + units + " for " + expectedUnits
	}
	if different != "" {
		p.T.Errorf("seed %d, words %d, %s, failing %b\n%s\n%v\n%s", seed, words, secret, p.failing.Load(), d.Text, d.Variables, different)
	}
	return len(errs)
}

// The product answers with the bytes, the errors and the units of gqlgen's
// executor, whatever is asked, also of a store that fails.
func TestDifference(t *testing.T) {
	p, failed := newPair(t), 0
	documents := uint64(300)
	for seed := range documents {
		if p.compared(seed, 7) > 0 {
			failed++
		}
		if t.Failed() {
			return
		}
	}
	if failed == 0 || failed == int(documents) {
		t.Errorf("%d of %d answers have errors", failed, documents)
	}
}

// FuzzDifference looks for a document that is answered differently.
func FuzzDifference(f *testing.F) {
	p := newPair(f)
	f.Add(uint64(1), uint64(1))
	f.Fuzz(func(t *testing.T, seed, words uint64) {
		p.T = t
		p.compared(seed, words)
	})
}
