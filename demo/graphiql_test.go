package demo

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"piyasa/access"
	"piyasa/domain/analytics"
	"piyasa/domain/fundamentals"
	"piyasa/domain/kap"
	"piyasa/domain/market"
	"piyasa/server"
	"piyasa/stream"
)

func TestSecretIsAKeyOfEveryScope(t *testing.T) {
	if !regexp.MustCompile(`^piyasa_live_[0-9A-Za-z]{40}$`).MatchString(string(Secret)) {
		t.Errorf("secret %s", Secret)
	}
	key := Key(session)
	if key.Hash != Secret.Hash() || len(key.Scopes) != len(access.Scopes) {
		t.Errorf("key %+v", key)
	}
	if _, ok := access.ShippedPlans()[key.Plan]; !ok {
		t.Errorf("plan %s", key.Plan)
	}
}

// Every tab answers without an error and without a gap, the first one (the
// exchange's state) apart, whose day may be null.
func TestTabsWorkOnTheData(t *testing.T) {
	store := openStore(t)
	if _, err := New(fixed(session)).Load(t.Context(), store, t.Output()); err != nil {
		t.Fatal(err)
	}
	if err := store.CreateKey(t.Context(), Key(session)); err != nil {
		t.Fatal(err)
	}
	keys, err := store.Keys(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	gate := access.NewGate(access.ShippedPlans())
	gate.Replace(keys)
	settings := GraphiQL()
	quotes := &market.Service{Live: liveOf(t, store), History: store, Now: fixed(session), FXMaxAge: time.Hour}
	reports := &fundamentals.Service{
		Market: quotes, Store: store, Books: fundamentals.NewBooks(store, 0), Live: fundamentals.NewLive(), Lines: fundamentals.ShippedLines(),
	}
	metrics, err := store.NewestMetrics(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	reports.Live.PutMetrics(metrics)
	handler := server.New(server.Config{
		Gate: gate, GraphiQL: settings, Market: quotes, Fundamentals: reports,
		Analytics: &analytics.Service{Market: quotes, Fundamentals: reports, Store: store, Computed: analytics.NewComputed()},

		KAP:     &kap.Service{Store: store, Live: kap.NewLive(), Signer: access.Signer{Secret: []byte("secret")}, Now: fixed(session)},
		Sockets: &stream.Sockets{Gate: gate}, Disclosures: stream.NewDisclosures(store), Prices: stream.NewPrices(quotes),
	})
	if settings.Key != string(Secret) {
		t.Errorf("the page has the key %q", settings.Key)
	}
	for _, tab := range settings.Tabs {
		if !regexp.MustCompile(`^[A-Z][A-Za-z]*$`).MatchString(tab.Title) {
			t.Errorf("%q names no operation", tab.Title)
		}
		variables := json.RawMessage("{}")
		if tab.Variables != "" {
			variables = json.RawMessage(tab.Variables)
		}
		body, err := json.Marshal(map[string]any{"query": tab.Query, "variables": variables})
		if err != nil {
			t.Fatalf("%s: %v", tab.Title, err)
		}
		r := httptest.NewRequest(http.MethodPost, "/graphql", strings.NewReader(string(body)))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("X-API-Key", settings.Key)
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		answer := w.Body.String()
		empty := strings.Contains(strings.ReplaceAll(answer, `_unit_mismatch","items":[]`, ""), `[]`) // which is no gap: it says why
		if w.Code != http.StatusOK || strings.Contains(answer, `"errors"`) || empty {
			t.Errorf("%s: %d %s", tab.Title, w.Code, answer)
		}
		for _, gap := range []string{
			`"quote":null`, `"last":null`, `"volume":null`, `"sector":null`, `"candles":null`, `"nextCursor":null`, `"body":null`, `"close":[null`,
			`"median":null`, `"valuation":null`, `"financials":null`, `"value":null,"nullReason":null`, `"changePct":null`, `"sectorInfo":null`,
		} {
			if strings.Contains(answer, gap) {
				t.Errorf("%s: %s in %s", tab.Title, gap, answer)
			}
		}
		if rate := strings.Contains(answer, `"fxRate":"`); rate != strings.Contains(tab.Query, "fxRate") {
			t.Errorf("%s: a rate is there: %t", tab.Title, rate)
		}
	}
}
