package collect

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"html"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// hidden are credentials, which no message, status or state shows in any of the forms in
// which an upstream may repeat them.
type hidden []string

// Bounds of what is hidden.
const (
	leastHidden   = 4  // characters; what is shorter is part of too many words
	leastKeptAway = 8  // the same, of what makes a state wrong
	mostPassing   = 16 // credentials of a Login and of headers that are remembered
)

// in returns a text without the credentials.
func (h hidden) in(text string) string {
	for _, one := range h {
		if strings.Contains(text, one) {
			text = strings.ReplaceAll(text, one, "…")
		}
	}
	return text
}

// holds reports whether a text has a credential that is no common word.
func (h hidden) holds(text string) bool {
	return slices.ContainsFunc(h, func(one string) bool { return len(one) >= leastKeptAway && strings.Contains(text, one) })
}

// hiding returns what hides credentials in all their forms, the longest first.
func hiding(secrets ...string) hidden {
	var all hidden
	for _, s := range secrets {
		for _, form := range forms(s) {
			if len(form) >= leastHidden && !slices.Contains(all, form) {
				all = append(all, form)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b string) int { return len(b) - len(a) })
	return all
}

// Pages of other languages than Go write quotes in these ways.
var (
	pages    = strings.NewReplacer("&#34;", "&quot;", "&#39;", "&#039;")
	hexPages = strings.NewReplacer("&#34;", "&quot;", "&#39;", "&#x27;")
)

var escapes = regexp.MustCompile(`%[0-9A-F]{2}`)

// forms returns a credential as it is, and as addresses, JSON, pages, messages of Go and
// base64 write it.
func forms(s string) []string {
	inner := func(quoted string) string { return quoted[1 : len(quoted)-1] }
	text, err := json.Marshal(s)
	if err != nil {
		text = []byte(`""`) // text always can be
	}
	all := []string{
		s, url.QueryEscape(s), url.PathEscape(s), inner(string(text)), strings.ReplaceAll(inner(string(text)), "/", `\/`),
		inner(strconv.Quote(s)), inner(strconv.QuoteToASCII(s)), html.EscapeString(s),
		pages.Replace(html.EscapeString(s)), hexPages.Replace(html.EscapeString(s)),
		base64.RawStdEncoding.EncodeToString([]byte(s)), base64.RawURLEncoding.EncodeToString([]byte(s)), // with padding or without
	}
	for _, one := range all {
		all = append(all, escapes.ReplaceAllStringFunc(one, strings.ToLower))
		if strings.ContainsAny(one, `"\`) {
			all = append(all, inner(strconv.Quote(one))) // JSON within a message
		}
	}
	return all
}

// hiddenError is an error whose message hides credentials.
type hiddenError struct {
	text string
	err  error
}

// Error implements error.
func (e *hiddenError) Error() string { return e.text }

// Unwrap returns the error, whose own message nothing may show.
func (e *hiddenError) Unwrap() error { return e.err }

// of returns an error whose message hides the credentials.
func (h hidden) of(err error) error {
	if err == nil {
		return nil
	}
	if text := h.in(err.Error()); text != err.Error() {
		return &hiddenError{text, err}
	}
	return err
}

// secretsOf returns the credentials that settings name, wherever in them.
func secretsOf(settings json.RawMessage) (all []string) {
	var v any
	if json.Unmarshal(settings, &v) != nil {
		return nil
	}
	var look func(v any)
	look = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, one := range v {
				look(one)
			}
		case map[string]any:
			env, _ := v["env"].(string)
			file, _ := v["file"].(string)
			if secret, err := readSecret(env, file); err == nil && (env == "") != (file == "") {
				all = append(all, secret)
			}
			for _, one := range v {
				look(one)
			}
		}
	}
	look(v)
	return all
}

// readSecret reads a credential from a variable of the environment or from a file.
func readSecret(env, file string) (string, error) {
	if file == "" {
		return strings.TrimSpace(os.Getenv(env)), nil
	}
	content, err := os.ReadFile(file)
	return strings.TrimSpace(string(content)), err
}

// publicHeaders are those of a request that hold no credential.
var publicHeaders = []string{"Accept", "Accept-Language", "Content-Type", "If-Modified-Since", "If-None-Match", "Origin", "Referer",
	"User-Agent", "X-Requested-With"}

// public returns the headers of a request that hold no credential.
func public(all http.Header) http.Header {
	own := http.Header{}
	for _, name := range publicHeaders {
		if values, ok := all[name]; ok {
			own[name] = values
		}
	}
	return own
}

// confide remembers what the headers of a request tell an upstream in confidence.
func (f *fetcher) confide(headers ...http.Header) {
	known := len(f.passing)
	for _, header := range headers {
		for name, values := range header {
			if slices.Contains(publicHeaders, name) {
				continue
			}
			for _, v := range values {
				if _, token, ok := strings.Cut(v, " "); ok { // after its scheme
					v = strings.TrimSpace(token)
				}
				f.pass(v)
			}
		}
	}
	if len(f.passing) != known {
		f.renewHidden()
	}
}

// pass remembers a credential, and those that it is made of.
func (f *fetcher) pass(secret string) {
	if slices.Contains(f.passing, secret) {
		return
	}
	f.passing = append(f.passing, secret)
	if both, err := base64.StdEncoding.DecodeString(secret); err == nil { // Basic
		if _, password, ok := strings.Cut(string(both), ":"); ok {
			f.passing = append(f.passing, string(both), password)
		}
	}
}

// renewHidden brings what is hidden up to date.
func (f *fetcher) renewHidden() {
	f.passing = f.passing[max(0, len(f.passing)-mostPassing):]
	f.hidden = hiding(slices.Concat(f.secrets, f.passing)...)
}

// blind returns an answer as it is without the credentials that it repeats; nil: it repeats
// none.
func (f *fetcher) blind(a *Answer) *Answer {
	if a == nil {
		return nil
	}
	body := f.hidden.in(string(a.Body))
	if body == string(a.Body) {
		return nil
	}
	other := *a
	other.Body = []byte(body)
	return &other
}

// errRepeats is why an answer is not told of.
var errRepeats = errors.New("it repeats a credential, so nothing of it is shown")
