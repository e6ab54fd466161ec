package server_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/gorilla/websocket"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"piyasa/account/access"
	"piyasa/db/dbtest"
	"piyasa/serve/server"
	"piyasa/test/fixture"
	"piyasa/test/fixture/need"
)

// recorded has all that a server records.
type recorded struct{ *tracetest.InMemoryExporter }

func newRecorded() (recorded, server.Traces) {
	to := recorded{tracetest.NewInMemoryExporter()}
	return to, server.Traces{Provider: sdk.NewTracerProvider(sdk.WithSyncer(to)), Incoming: propagation.TraceContext{}}
}

// named returns the spans with a name.
func (r recorded) named(name string) (found []tracetest.SpanStub) {
	for _, s := range r.GetSpans() {
		if s.Name == name {
			found = append(found, s)
		}
	}
	return found
}

// one returns the only span with a name.
func (r recorded) one(t *testing.T, name string) tracetest.SpanStub {
	t.Helper()
	found := r.named(name)
	if len(found) != 1 {
		var names []string
		for _, s := range r.GetSpans() {
			names = append(names, s.Name)
		}
		t.Fatalf("there are %d spans %q; all are %q", len(found), name, names)
	}
	return found[0]
}

// attributes returns those of a span as text.
func attributes(s tracetest.SpanStub) map[string]string {
	all := map[string]string{}
	for _, a := range s.Attributes {
		all[string(a.Key)] = a.Value.String()
	}
	return all
}

const (
	callersTrace = "0af7651916cd43dd8448eb211c80319c"
	callersSpan  = "b7ad6b7169203331"
	traceparent  = "00-" + callersTrace + "-" + callersSpan + "-01"
)

// A request goes on with the trace of its client: its span says what it was, its statements
// are below it, and its lines in the log name the trace. Nothing says a secret.
func TestTraceOfARequest(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		to, traces := newRecorded()
		a := fixture.New(t, fixture.On(url), withAccessLog, func(s *fixture.Setup) { s.Config.Traces = traces })
		a.Keys(secretKey())
		log := logged(t)
		res := a.Send("GET", "/v1/kap-feed/disclosures?symbol=DMOST", fixture.All, "", "traceparent", traceparent)
		if res.StatusCode != 200 {
			t.Fatal(res.Text)
		}
		span := to.one(t, "GET /v1/kap-feed/disclosures")
		if span.SpanKind != trace.SpanKindServer || span.SpanContext.TraceID().String() != callersTrace ||
			span.Parent.SpanID().String() != callersSpan {
			t.Errorf("the span is %v, below %v", span.SpanContext, span.Parent)
		}
		got := attributes(span)
		for name, want := range map[string]string{
			"http.request.method": "GET", "http.route": "/v1/kap-feed/disclosures", "http.response.status_code": "200",
			"piyasa.key_id": "key_1", "piyasa.request_id": res.Header.Get("X-Request-Id"),
		} {
			if got[name] != want {
				t.Errorf("%s is %q, want %q", name, got[name], want)
			}
		}
		statements := to.named("SELECT disclosures")
		if len(statements) == 0 {
			t.Fatal("no statement has a span")
		}
		for _, s := range statements {
			text := attributes(s)["db.query.text"]
			if s.Parent.SpanID() != span.SpanContext.SpanID() || s.SpanKind != trace.SpanKindClient || !strings.Contains(text, "?") &&
				!strings.Contains(text, "$1") || strings.Contains(text, "DMOST") {
				t.Errorf("%q is below %v: %q", s.Name, s.Parent.SpanID(), text)
			}
		}
		if line := log.of(t, "request")[0]; line["trace_id"] != callersTrace {
			t.Errorf("logged %v", line)
		}
		for _, s := range to.GetSpans() {
			if text := fmt.Sprint(s.Name, s.Attributes, s.Events, s.Status); strings.Contains(text, fixture.All) {
				t.Errorf("a span says the key: %s", text)
			}
		}
	})
}

// A span has the operation of GraphQL by its name, also where the answer is kept; a failure
// is an error; and what a client wrote where a secret may be is not there.
func TestTracesOfGraphQL(t *testing.T) {
	to, traces := newRecorded()
	a := fixture.New(t, func(s *fixture.Setup) { s.Config.Traces = traces })
	fixture.Apply(t, a.Services)
	a.Keys(secretKey())
	for range 2 {
		a.Query(`query Ticker {quote(id: "bist:DMOST") {last}}`, fixture.All)
	}
	found := to.named("POST /graphql")
	w := httptest.NewRecorder()
	a.Metrics().ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), "GET", "/metrics", nil))
	if len(found) != 2 || !strings.Contains(w.Body.String(), `piyasa_graphql_operations_total{by="memory"} 1`) {
		t.Fatalf("%d spans", len(found))
	}
	for _, s := range found {
		if got := attributes(s); got["graphql.operation.name"] != "Ticker" || got["graphql.operation.type"] != "query" {
			t.Errorf("%v", got)
		}
	}
	to.Reset()
	a.Query(`query `+fixture.All+strings.Repeat("_", 200)+` {quote(id: "bist:DMOST") {last}}`, fixture.All)
	if name := attributes(to.one(t, "POST /graphql"))["graphql.operation.name"]; !strings.HasPrefix(name, "[key]_") || len(name) != 100 {
		t.Errorf("the operation is %q", name)
	}
}

// Without a client's trace a request begins its own, and one that its client has not recorded
// is not recorded here, but its lines name it.
func TestTracesBegin(t *testing.T) {
	to, traces := newRecorded()
	a := fixture.New(t, withAccessLog, func(s *fixture.Setup) { s.Config.Traces = traces })
	log := logged(t)
	ask(a, "GET", "/v1/quotes/"+fixture.All, "")
	span := to.one(t, "GET /v1/quotes/{instrument_id}")
	if span.Parent.IsValid() || log.of(t, "request")[0]["trace_id"] != span.SpanContext.TraceID().String() ||
		span.Status.Code != codes.Unset {
		t.Errorf("%v below %v, logged\n%s", span.SpanContext, span.Parent, log)
	}
	to.Reset()
	a.Send("GET", "/healthz", "", "", "traceparent", strings.TrimSuffix(traceparent, "1")+"0")
	if len(to.GetSpans()) > 0 || log.of(t, "request")[1]["trace_id"] != callersTrace {
		t.Errorf("%v, logged\n%s", to.GetSpans(), log)
	}
}

// Nothing is traced unless it is wanted, whatever a client sends.
func TestNoTraces(t *testing.T) {
	a, log := fixture.New(t, withAccessLog), logged(t)
	a.Send("GET", "/healthz", "", "", "traceparent", traceparent)
	if line := log.of(t, "request")[0]; line["trace_id"] != nil {
		t.Error(line)
	}
}

// Each operation on a socket, and each that is posted for a stream, has a span below that of
// the request that opened it; that of a subscription ends when it has begun.
func TestTracesOfStreams(t *testing.T) {
	to, traces := newRecorded()
	b := fixture.NewBroadcast(t, func(c *server.Config) { c.Traces = traces })
	b.Services.Gate.Replace([]*access.Key{secretKey()})
	below := func(name, route string, want map[string]string) {
		t.Helper()
		var parent tracetest.SpanStub
		fixture.Eventually(t, "spans "+name+" and "+route, func() bool {
			return len(to.named(name)) > 0 && (route == "" || len(to.named(route)) > 0)
		})
		span := to.one(t, name)
		if route != "" {
			parent = to.one(t, route)
		}
		if route != "" && (span.Parent.SpanID() != parent.SpanContext.SpanID() ||
			attributes(parent)["http.response.status_code"] != "101") {
			t.Errorf("%s is below %v of %v", name, span.Parent.SpanID(), attributes(parent))
		}
		for key, value := range want {
			if got := attributes(span)[key]; got != value {
				t.Errorf("%s: %s is %q, want %q", name, key, got, value)
			}
		}
		to.Reset()
	}
	dialed, res, err := websocket.DefaultDialer.Dial("ws"+strings.TrimPrefix(b.URL, "http")+"/v1/kap-feed/stream", http.Header{})
	need.NoError(t, err)
	_ = res.Body.Close()
	defer dialed.Close()
	for _, text := range []string{`{"action":"auth","api_key":"` + fixture.All + `"}`, `{"action":"subscribe","ids":["all"]}`} {
		need.NoError(t, dialed.WriteMessage(websocket.TextMessage, []byte(text)))
	}
	below("subscribe", "GET /v1/kap-feed/stream",
		map[string]string{"http.route": "/v1/kap-feed/stream", "piyasa.topics": "1", "piyasa.replay": "false"})
	talker := b.Join(fixture.All)
	talker.Ask("1", `subscription Prices {quoteStream(ids: ["crypto:1"]) {__typename}}`)
	below("subscription quoteStream", "GET /graphql",
		map[string]string{"graphql.operation.name": "Prices", "graphql.operation.type": "subscription"})
	talker.Ask("2", `query Type {__typename}`)
	below("query __typename", "", map[string]string{"graphql.operation.name": "Type"})
	events := b.Listen(fixture.Follow(""))
	events.Hears("retry 2000", "Subscribed")
	fixture.Eventually(t, "a span of a stream of events", func() bool {
		return slices.ContainsFunc(to.GetSpans(), func(s tracetest.SpanStub) bool { return strings.HasPrefix(s.Name, "subscription ") })
	})
	for _, s := range to.GetSpans() {
		if strings.Contains(fmt.Sprint(s), fixture.All) {
			t.Errorf("a span says the key: %v", s)
		}
	}
}
