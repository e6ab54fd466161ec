package mcp_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"piyasa/account/access"
	"piyasa/demo"
	"piyasa/internal/value"
	"piyasa/serve/mcp"
	"piyasa/serve/server"
	"piyasa/services"
	"piyasa/test/fixture"
	"piyasa/test/fixture/need"
)

// now is the moment of the demo's data: a Wednesday, 15:00 in Istanbul.
var now = value.MustInstant("2026-03-18T12:00:00.250Z")

// world is a server over the demo's data, and the records that it was made of.
type world struct {
	*server.Server
	services *services.Services
	records  map[string][]map[string]any // by kind
}

func demoWorld(t *testing.T) *world {
	t.Helper()
	settings := fixture.Settings()
	settings.Clock = func() value.Instant { return now }
	store := fixture.OpenStore(t, "")
	simulation := demo.New(settings.Clock)
	w := &world{records: map[string][]map[string]any{}}
	for _, line := range bytes.Split(bytes.TrimSpace(simulation.Records()), []byte("\n")) {
		d := json.NewDecoder(bytes.NewReader(line))
		d.UseNumber()
		var record map[string]any
		need.NoError(t, d.Decode(&record))
		kind := record["record"].(string)
		w.records[kind] = append(w.records[kind], record)
	}
	if _, err := simulation.Load(t.Context(), store, t.Output()); err != nil {
		t.Fatal(err)
	}
	w.services = services.New(settings, store)
	fixture.Apply(t, w.services)
	w.services.Gate.Replace([]*access.Key{fixture.Unlimited()})
	w.Server = server.New(server.Config{Version: "test", Services: w.services})
	return w
}

// said is what a tool has answered.
type said struct {
	text  string
	json  any // nil: it is not JSON
	wrong bool
	meta  map[string]any
}

// call calls a tool as a client of an older version of the protocol does.
func call(t testing.TB, to http.Handler, tool string, arguments any) said {
	t.Helper()
	params, err := json.Marshal(map[string]any{"name": tool, "arguments": arguments})
	need.NoError(t, err)
	res := send(t, to, fixture.All, `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":`+string(params)+`}`)
	var answer struct {
		Result struct {
			Content []struct{ Type, Text string }
			IsError bool
			Meta    map[string]any `json:"_meta"`
		}
	}
	if err := json.Unmarshal(res.Body.Bytes(), &answer); err != nil || res.Code != 200 || len(answer.Result.Content) != 1 {
		t.Fatalf("%s: %v: %d %s", params, err, res.Code, res.Body)
	}
	s := said{text: answer.Result.Content[0].Text, wrong: answer.Result.IsError, meta: answer.Result.Meta}
	d := json.NewDecoder(strings.NewReader(s.text))
	d.UseNumber()
	_ = d.Decode(&s.json)
	if n := mcp.Tokens([]byte(s.text)); n > mcp.MaxAnswer {
		t.Errorf("%s: the answer has %d tokens", params, n)
	}
	return s
}

// send sends a message with a key, unless that is empty, and headers in pairs.
func send(t testing.TB, to http.Handler, key, message string, header ...string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), "POST", "/mcp", strings.NewReader(message))
	r.Header.Set("Content-Type", "application/json")
	if key != "" {
		r.Header.Set("X-API-Key", key)
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	to.ServeHTTP(w, r)
	return w
}

// at returns what is at a path such as series.0.columns.close.-1 as text; "null" and
// "missing" say that there is nothing.
func at(v any, path string) string {
	for name := range strings.SplitSeq(path, ".") {
		switch of := v.(type) {
		case map[string]any:
			inner, ok := of[name]
			if !ok {
				return "missing"
			}
			v = inner
		case []any:
			if name == "#" {
				return strconv.Itoa(len(of))
			}
			i, err := strconv.Atoi(name)
			if i < 0 {
				i += len(of)
			}
			if err != nil || i < 0 || i >= len(of) {
				return "missing"
			}
			v = of[i]
		default:
			return "missing"
		}
	}
	return shown(v)
}

// shown returns a value of JSON as it reads.
func shown(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case string:
		return v
	case json.Number:
		return v.String()
	}
	text, _ := json.Marshal(v)
	return string(text)
}
