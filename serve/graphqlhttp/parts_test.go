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
	"github.com/vektah/gqlparser/v2/formatter"
	"github.com/vektah/gqlparser/v2/parser"

	"piyasa/account/access"
	"piyasa/account/cost"
	"piyasa/domain/fundamentals"
	"piyasa/domain/kap"
	"piyasa/domain/market"
	"piyasa/resolvers"
	"piyasa/serve/admission"
	"piyasa/serve/answer"
	"piyasa/serve/graphqlhttp"
	"piyasa/serve/queryplan/plantest"
	"piyasa/serve/stream"
	"piyasa/services"
	"piyasa/test/fixture"
	"piyasa/test/fixture/calls"
	"piyasa/test/fixture/need"
)

// unsure is a server over a store that fails on demand.
type unsure struct {
	*fixture.Server
	handler http.Handler
	failing atomic.Uint32 // bits of what fails
	keysOf  []*access.Key
}

var errStore = errors.New("the store fails on purpose")

func newUnsure(t testing.TB) *unsure {
	quiet := slog.Default()
	t.Cleanup(func() { slog.SetDefault(quiet) })
	slog.SetDefault(slog.New(slog.DiscardHandler))
	p := &unsure{}
	p.Server = fixture.New(t, func(s *fixture.Setup) {
		s.Settings.StatementCache = 0
		s.Wrap = func(store services.Store) services.Store { return failing{store, p} }
	})
	door := admission.Door{Gate: p.Services.Gate, Problems: answer.Problems{BaseURL: fixture.BaseURL}}
	p.handler = door.Admit(door.HeaderKey, graphqlhttp.New(graphqlhttp.Config{
		Relations: resolvers.New(p.Services), Door: door, Costs: cost.New(p.Services.Clock), Streams: &stream.Sockets{},
		Ran: func(string) {},
	}))
	for name, scopes := range map[string][]access.Scope{"all": access.Scopes, "some": calls.Without(access.QuotesCrypto), "none": nil} {
		k := fixture.Key("piyasa_live_"+name, scopes...)
		k.Plan = "unlimited"
		p.keysOf = append(p.keysOf, k)
	}
	p.Keys(p.keysOf...)
	return p
}

// failure is an error if what bit stands for fails.
func (p *unsure) failure(bit int) error {
	if p.failing.Load()&(1<<bit) != 0 {
		return errStore
	}
	return nil
}

// failing is a store of which some reads fail on demand.
type failing struct {
	services.Store
	server *unsure
}

// Bars implements market.History.
func (f failing) Bars(ctx context.Context, r market.Resolution, spans []market.Span) ([]market.StoredBars, error) {
	if err := f.server.failure(0); err != nil {
		return nil, err
	}
	return f.Store.Bars(ctx, r, spans)
}

// Statements implements fundamentals.StatementStore.
func (f failing) Statements(ctx context.Context, keys []fundamentals.HistoryKey) (map[fundamentals.HistoryKey][]*fundamentals.Filed,
	int64, error) {
	if err := f.server.failure(1); err != nil {
		return nil, 0, err
	}
	return f.Store.Statements(ctx, keys)
}

// NewestDisclosures implements kap.Store.
func (f failing) NewestDisclosures(ctx context.Context, of [][]kap.Origin, first int) ([][]*kap.Stored, error) {
	if err := f.server.failure(2); err != nil {
		return nil, err
	}
	return f.Store.NewestDisclosures(ctx, of, first)
}

// DisclosureRecords implements kap.Store.
func (f failing) DisclosureRecords(ctx context.Context, numbers []int) (map[int]*kap.Record, error) {
	if err := f.server.failure(3); err != nil {
		return nil, err
	}
	return f.Store.DisclosureRecords(ctx, numbers)
}

// argument is a value that the tests' data know, or do not.
func argument(r *rand.Rand, of *ast.FieldDefinition, arg *ast.ArgumentDefinition) (string, bool) {
	one := func(values ...string) string { return values[r.IntN(len(values))] }
	ids := func() string {
		return one("bist:DMOST", "bist:DMOST", "bist:DMOST", "bist:DMBNK", "bist:DMBNK", "us:DMAP", "bist:DMALTF", "crypto:1", "crypto:btc",
			"crypto:ONE", "us:DMAP", "fx:USDTRY", "index:SPX", "fund:DMF", "cmdty:XAU", "cmdty:RAWX", "bist:NOPE", "foo:BAR")
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

// told is what a document is answered with.
type told struct {
	Data       map[string]json.RawMessage
	Errors     []fault
	Extensions struct {
		Units int `json:"usage_units"`
	}
}

// fault is an error, without its places in the document.
type fault struct {
	Message    string
	Path       []any
	Extensions map[string]any
}

func (p *unsure) ask(secret string, doc *ast.QueryDocument, variables map[string]any) (a told) {
	p.T.Helper()
	var query strings.Builder
	formatter.NewFormatter(&query).FormatQueryDocument(doc)
	body, err := json.Marshal(map[string]any{"query": query.String(), "variables": variables})
	need.NoError(p.T, err)
	r := httptest.NewRequestWithContext(p.T.Context(), http.MethodPost, graphqlhttp.Path, bytes.NewReader(body))
	r.Header.Set("X-API-Key", secret)
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	p.handler.ServeHTTP(w, r)
	if err := json.Unmarshal(w.Body.Bytes(), &a); err != nil || w.Code != 200 {
		p.T.Fatalf("%d %s: %v\n%s", w.Code, w.Body, err, body)
	}
	return a
}

// part returns a document with one of the root selections only, and with the fragments and
// variables that it needs.
func part(doc *ast.QueryDocument, root ast.Selection) *ast.QueryDocument {
	whole := doc.Operations[0]
	variables, fragments := map[string]bool{}, map[string]bool{}
	value := func(v *ast.Value) {
		if v.Kind == ast.Variable {
			variables[v.Raw] = true
		}
		for _, child := range v.Children {
			if child.Value.Kind == ast.Variable {
				variables[child.Value.Raw] = true
			}
		}
	}
	directives := func(list ast.DirectiveList) {
		for _, d := range list {
			for _, a := range d.Arguments {
				value(a.Value)
			}
		}
	}
	var walk func(ast.SelectionSet)
	walk = func(set ast.SelectionSet) {
		for _, s := range set {
			switch s := s.(type) {
			case *ast.Field:
				for _, a := range s.Arguments {
					value(a.Value)
				}
				directives(s.Directives)
				walk(s.SelectionSet)
			case *ast.InlineFragment:
				directives(s.Directives)
				walk(s.SelectionSet)
			case *ast.FragmentSpread:
				directives(s.Directives)
				if !fragments[s.Name] {
					fragments[s.Name] = true
					walk(doc.Fragments.ForName(s.Name).SelectionSet)
				}
			}
		}
	}
	walk(ast.SelectionSet{root})
	one := *whole
	one.SelectionSet = ast.SelectionSet{root}
	one.VariableDefinitions = slices.DeleteFunc(slices.Clone(one.VariableDefinitions), func(v *ast.VariableDefinition) bool {
		return !variables[v.Variable]
	})
	return &ast.QueryDocument{
		Operations: ast.OperationList{&one},
		Fragments:  slices.DeleteFunc(slices.Clone(doc.Fragments), func(f *ast.FragmentDefinition) bool { return !fragments[f.Name] }),
	}
}

// sorted returns errors as text, each once.
func sorted(all []fault) []string {
	texts := make([]string, len(all))
	for i, f := range all {
		text, _ := json.Marshal(f)
		texts[i] = string(text)
	}
	slices.Sort(texts)
	return slices.Compact(texts)
}

// taken runs a document, and each of its root selections alone, and returns how many errors
// it has.
func (p *unsure) taken(seed, words uint64) int {
	p.T.Helper()
	r := rand.New(rand.NewPCG(seed, words))
	grammar := plantest.Grammar{Schema: fixture.Schema, Depth: 6, Width: 4, Values: argument}
	d := grammar.Random(r)
	doc, err := parser.ParseQuery(&ast.Source{Input: d.Text})
	need.NoError(p.T, err)
	p.failing.Store(0)
	if r.IntN(3) == 0 {
		p.failing.Store(r.Uint32())
	}
	secret := p.keysOf[r.IntN(len(p.keysOf))].ID
	whole := p.ask(secret, doc, d.Variables)
	if len(whole.Errors) > 0 && whole.Errors[0].Path == nil {
		return 0 // it costs too much
	}
	var errs []fault
	data, null, units, merged := map[string]json.RawMessage{}, false, 0, map[string]bool{}
	for _, root := range doc.Operations[0].SelectionSet {
		alone := p.ask(secret, part(doc, root), d.Variables)
		for name, v := range alone.Data {
			_, twice := data[name]
			merged[name] = merged[name] || twice
			data[name] = v
		}
		null, units, errs = null || alone.Data == nil, units+alone.Extensions.Units, append(errs, alone.Errors...)
	}
	wrong := func(format string, args ...any) {
		p.T.Errorf("seed %d, words %d, %s, failing %b\n%s\n%v\n%s",
			seed, words, secret, p.failing.Load(), d.Text, d.Variables, fmt.Sprintf(format, args...))
	}
	if null != (whole.Data == nil) || !null && len(whole.Data) != len(data) {
		wrong("%d members of %d, null: %t", len(whole.Data), len(data), null)
	}
	for name, v := range whole.Data {
		if !merged[name] && !bytes.Equal(v, data[name]) {
			wrong("%s: %s, alone %s", name, v, data[name])
		}
	}
	if got, want := sorted(whole.Errors), sorted(errs); !slices.Equal(got, want) {
		wrong("errors\n%s\nand alone\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if whole.Extensions.Units > units {
		wrong("%d units, alone %d", whole.Extensions.Units, units)
	}
	return len(errs)
}

// A document answers what its parts answer, whatever is asked, also of a store that fails:
// what they share, such as loaders, changes nothing but the cost.
func TestWholeAndParts(t *testing.T) {
	p, failed := newUnsure(t), 0
	documents := uint64(300)
	for seed := range documents {
		if p.taken(seed, 7) > 0 {
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

// FuzzWholeAndParts looks for a document that answers otherwise than its parts.
func FuzzWholeAndParts(f *testing.F) {
	p := newUnsure(f)
	f.Add(uint64(1), uint64(1))
	f.Fuzz(func(t *testing.T, seed, words uint64) {
		p.T = t
		p.taken(seed, words)
	})
}
