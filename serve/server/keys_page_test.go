package server_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"piyasa/serve/server"
	"piyasa/test/fixture"
)

const operatorPassword = "operators-only"

// operators sends requests to the private listener of a server with the page of keys.
type operators struct {
	t       *testing.T
	private http.Handler
}

func newOperators(t *testing.T) (operators, *fixture.Server) {
	a := fixture.New(t)
	config := a.Config
	config.Operators = server.Operators{Keys: a.Store, Password: operatorPassword}
	return operators{t, server.New(config).Private()}, a
}

func (o operators) send(method, form string, change func(*http.Request)) *httptest.ResponseRecorder {
	o.t.Helper()
	r := httptest.NewRequest(method, "http://127.0.0.1:9090/keys", strings.NewReader(form))
	r.SetBasicAuth("operator", operatorPassword)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if change != nil {
		change(r)
	}
	w := httptest.NewRecorder()
	o.private.ServeHTTP(w, r)
	return w
}

// form returns the text that a form of a new page holds.
func (o operators) form() string {
	o.t.Helper()
	page := o.send("GET", "", nil)
	found := regexp.MustCompile(`name="form" value="([A-Z0-9]+)"`).FindStringSubmatch(page.Body.String())
	if page.Code != http.StatusOK || found == nil {
		o.t.Fatalf("%d %s", page.Code, page.Body)
	}
	return found[1]
}

func (o operators) create(form string) string {
	return url.Values{"form": {form}, "action": {"create"}, "name": {"<dashboard>"}, "plan": {"pro"}, "scope": {"fx", "history"}}.Encode()
}

func TestOperatorsManageKeys(t *testing.T) {
	o, a := newOperators(t)
	created := o.send("POST", o.create(o.form()), nil)
	secret := regexp.MustCompile(`piyasa_live_[0-9A-Za-z]{40}`).FindString(created.Body.String())
	id := regexp.MustCompile(`data-id="(key_[0-9A-Za-z]+)"`).FindStringSubmatch(created.Body.String())
	if created.Code != http.StatusOK || secret == "" || id == nil || !strings.Contains(created.Body.String(), "&lt;dashboard&gt;") ||
		created.Header().Get("Cache-Control") != "no-store" {
		t.Fatalf("%d %v %s", created.Code, created.Header(), created.Body)
	}
	keys, err := a.Store.Keys(t.Context())
	if err != nil || len(keys) != 1 || keys[0].ID != id[1] || len(keys[0].Scopes) != 2 || keys[0].Plan != "pro" {
		t.Fatalf("stored: %v, %v", keys, err)
	}
	if again := o.send("GET", "", nil).Body.String(); strings.Contains(again, secret) || !strings.Contains(again, keys[0].Prefix) {
		t.Error("the secret is shown again, or the key is not listed")
	}
	change := func(action string) *httptest.ResponseRecorder {
		return o.send("POST", url.Values{"form": {o.form()}, "action": {action}, "id": {id[1]}}.Encode(), nil)
	}
	rotated := change("rotate")
	if fresh := regexp.MustCompile(`piyasa_live_[0-9A-Za-z]{40}`).FindString(rotated.Body.String()); rotated.Code != http.StatusOK ||
		fresh == "" || fresh == secret {
		t.Errorf("rotate: %d %s", rotated.Code, rotated.Body)
	}
	if revoked := change("revoke"); revoked.Code != http.StatusOK || !strings.Contains(revoked.Body.String(), "revoked 2") {
		t.Errorf("revoke: %d %s", revoked.Code, revoked.Body)
	}
	if again := change("revoke"); again.Code != http.StatusConflict || !strings.Contains(again.Body.String(), "Nothing was changed") {
		t.Errorf("revoke again: %d %s", again.Code, again.Body)
	}
	for name, form := range map[string]url.Values{
		"name must be": {"name": {" "}, "plan": {"pro"}, "scope": {"fx"}},
		"plan must be": {"name": {"a"}, "plan": {"none"}, "scope": {"fx"}}, "scopes must name": {"name": {"a"}, "plan": {"pro"}},
	} {
		form.Set("form", o.form())
		form.Set("action", "create")
		if wrong := o.send("POST", form.Encode(), nil); wrong.Code != http.StatusUnprocessableEntity ||
			!strings.Contains(wrong.Body.String(), name) {
			t.Errorf("%s: %d %s", name, wrong.Code, wrong.Body)
		}
	}
}

// No page of another origin and nobody without the password changes or sees keys, and no form works twice.
func TestForeignPagesManageNoKeys(t *testing.T) {
	o, a := newOperators(t)
	header := func(name, value string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set(name, value) }
	}
	for name, test := range map[string]struct {
		change func(*http.Request)
		status int
	}{
		"another site":                {header("Sec-Fetch-Site", "cross-site"), http.StatusForbidden},
		"another port of the machine": {header("Sec-Fetch-Site", "same-site"), http.StatusForbidden},
		"an older browser":            {header("Origin", "https://evil.example"), http.StatusForbidden},
		"a name given to the address": {func(r *http.Request) { r.Host = "evil.example:9090" }, http.StatusMisdirectedRequest},
		"no password":                 {func(r *http.Request) { r.Header.Del("Authorization") }, http.StatusUnauthorized},
		"another password":            {func(r *http.Request) { r.SetBasicAuth("operator", "guess") }, http.StatusUnauthorized},
	} {
		if res := o.send("POST", o.create(o.form()), test.change); res.Code != test.status ||
			strings.Contains(res.Body.String(), "piyasa_") {
			t.Errorf("%s: %d %s", name, res.Code, res.Body)
		}
	}
	for _, form := range []string{"", "guess"} {
		if res := o.send("POST", o.create(form), nil); res.Code != http.StatusConflict {
			t.Errorf("form %q: %d", form, res.Code)
		}
	}
	form := o.form()
	for i, status := range []int{http.StatusOK, http.StatusConflict} {
		if res := o.send("POST", o.create(form), nil); res.Code != status {
			t.Errorf("time %d: %d", i+1, res.Code)
		}
	}
	if keys, err := a.Store.Keys(t.Context()); err != nil || len(keys) != 1 {
		t.Errorf("%d keys, %v", len(keys), err)
	}
	if res := o.send("POST", strings.Repeat("x", 20<<10), nil); res.Code != http.StatusBadRequest {
		t.Errorf("a large form: %d", res.Code)
	}
	without := httptest.NewRecorder()
	a.Private().ServeHTTP(without, httptest.NewRequest("GET", "http://127.0.0.1/keys", nil))
	if strings.Contains(without.Body.String(), "<form") {
		t.Error("a server without operators has the page")
	}
	public := httptest.NewRecorder()
	a.ServeHTTP(public, httptest.NewRequest("GET", "http://127.0.0.1/keys", nil))
	if public.Code != http.StatusNotFound {
		t.Errorf("the public listener answers %d", public.Code)
	}
}
