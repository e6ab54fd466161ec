package demo

import (
	"bufio"
	"context"
	"encoding/json"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"piyasa/account/access"
	"piyasa/serve/server"
	"piyasa/services"
	"piyasa/test/fixture"
	"piyasa/test/fixture/need"
)

func TestSecretIsAKeyOfEveryScope(t *testing.T) {
	if !regexp.MustCompile(`^piyasa_live_[0-9A-Za-z]{40}$`).MatchString(string(Secret)) {
		t.Errorf("secret %s", Secret)
	}
	key := Key(session)
	if key.Hash != Secret.Hash() || len(key.Scopes) != len(access.Grantable) {
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
	need.NoError(t, store.CreateKey(t.Context(), Key(session)))
	root := services.New(rootSettings(session), store)
	fixture.Apply(t, root)
	settings := Pages()
	handler := server.New(server.Config{Services: root, Pages: settings, Streams: server.Streams{Available: func() bool { return true }}})
	if settings.Key != string(Secret) {
		t.Errorf("the page has the key %q", settings.Key)
	}
	for _, tab := range settings.Tabs {
		if !regexp.MustCompile(`^[A-Z][A-Za-z]*$`).MatchString(tab.Title) || tab.Query == "" {
			t.Errorf("%q names no operation, or has no query", tab.Title)
		}
		variables := json.RawMessage("{}")
		if tab.Variables != "" {
			variables = json.RawMessage(tab.Variables)
		}
		body, err := json.Marshal(map[string]any{"query": tab.Query, "variables": variables})
		if err != nil {
			t.Fatalf("%s: %v", tab.Title, err)
		}
		if strings.Contains(tab.Query, "subscription") {
			subscriptionBegins(t, handler, tab.Title, settings.Key, string(body))
			continue
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
			`"quote":null`, `"last":null`, `"volume":null`, `"sector":null`, `"candles":null`, `"nextCursor":null`, `"body":null`,
			`"close":[null`,
			`"median":null`, `"logo":null`, `"logoUrl":null`, `"company":null`, `"detail":null`, `"event":null`, `"inflow":null`,
			`"returnPct":null`, `"valuation":null`, `"financials":null`, `"value":null,"nullReason":null`, `"changePct":null`,
			`"sectorInfo":null`,
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

// subscriptionBegins fails unless the first events of a subscription have data and no error.
func subscriptionBegins(t *testing.T, handler http.Handler, title, key, body string) {
	t.Helper()
	listening := httptest.NewServer(handler)
	defer listening.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, listening.URL+"/graphql", strings.NewReader(body))
	need.NoError(t, err)
	for name, value := range map[string]string{"Content-Type": "application/json", "Accept": "text/event-stream", "X-API-Key": key} {
		r.Header.Set(name, value)
	}
	res, err := http.DefaultClient.Do(r)
	need.NoError(t, err)
	defer res.Body.Close()
	events := 0
	for lines := bufio.NewScanner(res.Body); lines.Scan(); {
		if strings.Contains(lines.Text(), `"errors"`) {
			break
		}
		if strings.HasPrefix(lines.Text(), `data: {"data":{`) {
			events++
		}
		if events == 2 { // the first tells only what is followed
			return
		}
	}
	t.Errorf("%s: %d, and no event with data: %v", title, res.StatusCode, ctx.Err())
}

// A file that no tab shows would rot.
func TestTabsShowEveryQuery(t *testing.T) {
	files, err := fs.Glob(queries, "queries/*")
	need.NoError(t, err)
	for _, file := range files {
		title := strings.TrimSuffix(strings.TrimSuffix(path.Base(file), ".graphql"), ".json")
		if !slices.Contains(tabs, title) {
			t.Errorf("no tab shows %s", file)
		}
	}
}
