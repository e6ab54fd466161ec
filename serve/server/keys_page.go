package server

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"time"

	"piyasa/account/access"
	"piyasa/site/web"
)

// keysPath is the page where operators manage keys, on the private listener.
const keysPath = "/keys"

// operatorName is the user of the page of keys.
const operatorName = "operator"

// maxForm bounds the body of a form.
const maxForm = 16 << 10

// Operators configures the page of keys on the private listener.
type Operators struct {
	Keys     KeyStore // nil: there is no page of keys
	Password string   // known only to operators
}

// KeyStore stores keys.
type KeyStore interface {
	// Keys returns all keys.
	Keys(ctx context.Context) ([]*access.Key, error)
	// CreateKey stores a new key.
	CreateKey(ctx context.Context, key *access.Key) error
	// RevokeKey revokes a live key at the given Unix second.
	RevokeKey(ctx context.Context, id string, at int64) error
	// RotateKey gives a live key a new secret, and returns the key.
	RotateKey(ctx context.Context, id string, secret func(*access.Key) access.Secret) (*access.Key, error)
}

// keysPage manages keys for operators. Pages of other origins cannot use it: the listener
// rejects their requests, and each form holds a token that only our pages have.
type keysPage struct {
	operators Operators
	site      *web.Site
	plans     func() access.Plans
	forms     forms
}

func newKeysPage(operators Operators, site *web.Site, plans func() access.Plans) *keysPage {
	return &keysPage{operators: operators, site: site, plans: plans}
}

func (p *keysPage) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case !p.knows(r):
		w.Header().Set("WWW-Authenticate", `Basic realm="piyasa keys", charset="UTF-8"`)
		http.Error(w, "When it started, the server has said where the address of this page with its password is.", http.StatusUnauthorized)
	case r.Method == http.MethodGet || r.Method == http.MethodHead:
		p.show(w, r, http.StatusOK, keysShown{})
	case r.Method == http.MethodPost:
		r.Body = http.MaxBytesReader(w, r.Body, maxForm)
		shown, status := p.change(r)
		p.show(w, r, status, shown)
	default:
		w.Header().Set("Allow", "GET, HEAD, POST")
		http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
	}
}

func (p *keysPage) knows(r *http.Request) bool {
	name, password, ok := r.BasicAuth()
	return ok && name == operatorName && p.operators.Password != "" &&
		subtle.ConstantTimeCompare([]byte(password), []byte(p.operators.Password)) == 1
}

// change carries out a form, and returns what to show and the HTTP status.
func (p *keysPage) change(r *http.Request) (keysShown, int) {
	if err := r.ParseForm(); err != nil {
		return keysShown{Mistake: "The form cannot be read."}, http.StatusBadRequest
	}
	if !p.forms.take(r.PostForm.Get("form")) {
		return keysShown{Mistake: "This form was sent before, or is old; nothing was done."}, http.StatusConflict
	}
	id := r.PostForm.Get("id")
	var err error
	switch action := r.PostForm.Get("action"); action {
	case "create":
		draft := access.Draft{Name: r.PostForm.Get("name"), Plan: r.PostForm.Get("plan"), Test: r.PostForm.Get("test") != ""}
		for _, scope := range access.Grantable {
			if slices.Contains(r.PostForm["scope"], string(scope)) {
				draft.Scopes = append(draft.Scopes, scope)
			}
		}
		key, secret, wrong := draft.Key(p.plans(), time.Now())
		if wrong != nil {
			return keysShown{Mistake: "The " + wrong.Error() + "."}, http.StatusUnprocessableEntity
		}
		if err = p.operators.Keys.CreateKey(r.Context(), key); err == nil {
			slog.InfoContext(r.Context(), "created a key", "key", key.ID, "plan", key.Plan)
			return keysShown{Done: "Created " + key.Name + ".", Secret: secret}, http.StatusOK
		}
	case "rotate":
		var secret access.Secret
		var key *access.Key
		key, err = p.operators.Keys.RotateKey(r.Context(), id, func(k *access.Key) access.Secret {
			secret = access.NewSecret(k.Test)
			return secret
		})
		if err == nil {
			slog.InfoContext(r.Context(), "rotated a key", "key", key.ID)
			return keysShown{Done: "Gave " + key.Name + " a new secret; the old one has stopped to work.", Secret: secret},
				http.StatusOK
		}
	case "revoke":
		if err = p.operators.Keys.RevokeKey(r.Context(), id, time.Now().Unix()); err == nil {
			slog.InfoContext(r.Context(), "revoked a key", "key", id)
			return keysShown{Done: "Revoked " + id + "; servers reject it within seconds."}, http.StatusOK
		}
	default:
		err = errors.New("no such action")
	}
	slog.WarnContext(r.Context(), "keys were not changed", "error", err)
	return keysShown{Mistake: "Nothing was changed: " + err.Error() + "."}, http.StatusConflict
}

func (p *keysPage) show(w http.ResponseWriter, r *http.Request, status int, shown keysShown) {
	keys, err := p.operators.Keys.Keys(r.Context())
	if err != nil {
		slog.WarnContext(r.Context(), "keys cannot be read", "error", err)
		shown.NotShown, status = true, max(status, http.StatusServiceUnavailable)
	}
	slices.Reverse(keys) // newest first
	shown.Keys, shown.Plans, shown.Form = keys, p.plans(), p.forms.next()
	p.site.Write(w, status, web.Page{Title: "Keys", Body: shown.content(), Private: true})
}

// forms holds the tokens of forms that were shown and not yet sent; it drops the oldest.
type forms struct {
	mu   sync.Mutex
	open []string
}

const maxForms = 100

func (f *forms) next() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	text := rand.Text()
	if f.open = append(f.open, text); len(f.open) > maxForms {
		f.open = slices.Delete(f.open, 0, 1)
	}
	return text
}

// take reports whether a form's token is valid, and uses it up.
func (f *forms) take(text string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	i := slices.Index(f.open, text)
	if i < 0 {
		return false
	}
	f.open = slices.Delete(f.open, i, i+1)
	return true
}
