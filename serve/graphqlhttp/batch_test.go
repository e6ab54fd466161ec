package graphqlhttp_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"piyasa/test/fixture"
)

// An array is answered in its order where the operator allows it; each of its operations is
// charged, and fails, on its own.
func TestArraysOfOperations(t *testing.T) {
	a := fixture.New(t, func(s *fixture.Setup) { s.Config.Batch = 4 })
	send := func(to *fixture.Server, body string) (*httptest.ResponseRecorder, []map[string]any) {
		r := httptest.NewRequest(http.MethodPost, "/graphql", strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("X-API-Key", fixture.All)
		res := httptest.NewRecorder()
		to.ServeHTTP(res, r)
		var all []map[string]any
		_ = json.Unmarshal(res.Body.Bytes(), &all)
		return res, all
	}
	const quote, broken, absent = `{"query":"{ quote(id: \"bist:DMOST\") { last } }"}`, `{"query":"{ nosuchfield }"}`,
		`{"query":"{ quote(id: \"bist:NOPE\") { last } }"}`
	res, all := send(a, "["+quote+","+broken+","+absent+
		`,{"query":"query ($id: ID!) { instrument(id: $id) { symbol } }","variables":{"id":"bist:DMBNK","x":1}}]`)
	if res.Code != http.StatusOK || len(all) != 4 {
		t.Fatalf("%d %s", res.Code, res.Body)
	}
	for i, want := range []string{`"last"`, `GRAPHQL_VALIDATION_FAILED`, `NOT_FOUND`, `"symbol":"DMBNK"`} {
		if text, _ := json.Marshal(all[i]); !strings.Contains(string(text), want) {
			t.Errorf("%d: %s, want %s", i, text, want)
		}
	}
	if _, has := all[1]["data"]; has {
		t.Errorf("a document that was refused has data: %v", all[1])
	}
	for i, units := range map[int]string{0: "1", 2: "0", 3: "1"} {
		if got := fmt.Sprint(all[i]["extensions"].(map[string]any)["usage_units"]); got != units {
			t.Errorf("%d: %s units, want %s", i, got, units)
		}
	}
	if !strings.Contains(res.Body.String(), "UNKNOWN_VARIABLE") {
		t.Error(res.Body)
	}
	used := a.Get("/v1/usage", fixture.All)
	if got := fmt.Sprint(used.JSON["units"]); got != "2" {
		t.Errorf("%s units are metered, want 2: %s", got, used.Text)
	}
	left := func(res *httptest.ResponseRecorder) string { return res.Header().Get("X-RateLimit-Remaining") }
	before, _ := send(a, "["+quote+"]")
	_, _ = send(a, "["+quote+","+quote+","+quote+"]")
	after, _ := send(a, quote)
	var n, m int
	_, _ = fmt.Sscan(left(before), &n)
	if _, _ = fmt.Sscan(left(after), &m); n-m < 3 { // 3 and 1, less what came back meanwhile
		t.Errorf("%d tokens, then %d: each operation takes one", n, m)
	}
	for _, body := range []string{"[]", "[" + strings.Repeat(quote+",", 4) + quote + "]", "[1", `[` + quote + `] x`} {
		if res, _ := send(a, body); res.Code != http.StatusBadRequest || !strings.Contains(res.Body.String(), "errors") {
			t.Errorf("%.40s: %d %s", body, res.Code, res.Body)
		}
	}
	if _, all := send(a, `[1,{"query":"subscription { quoteStream(ids: [\"bist:DMOST\"]) { __typename } }"},`+quote+`]`); len(all) != 3 ||
		all[0]["errors"] == nil || all[1]["errors"] == nil || all[2]["data"] == nil {
		t.Errorf("%v", all)
	}
	off := fixture.New(t)
	if res, _ := send(off, "["+quote+"]"); res.Code != http.StatusBadRequest ||
		!strings.Contains(res.Body.String(), "PIYASA_GRAPHQL_BATCH") {
		t.Errorf("%d %s", res.Code, res.Body)
	}
}
