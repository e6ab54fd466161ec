package collect

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"html"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// hidden are credentials, which no message, status or state shows in any form in which an
// upstream may repeat them: plain, in base64, in hexadecimal, and each with escapes.
type hidden []string

// Bounds of what is hidden.
const (
	leastHidden   = 4  // characters; shorter ones are part of too many words
	leastKeptAway = 8  // the same, for a state to be wrong, and for a beginning alone
	mostPassing   = 16 // remembered credentials of a Login and of headers
	mostLevels    = 5  // of escapes of escapes
)

// in returns a text without the credentials and without their remains after a cut: the first
// half of one, or less at the end of the text.
func (h hidden) in(text string) string {
	if !h.touches(text) {
		return text
	}
	plain, starts := unescaped(text, true)
	hide := make([]bool, len(plain))
	mark := func(from, to int) {
		for i := from; i < to; i++ {
			hide[i] = true
		}
	}
	for _, one := range h {
		least := one[:beginning(one)]
		for from := 0; ; {
			at := strings.Index(plain[from:], least)
			if at < 0 {
				break
			}
			from += at
			to := from + len(least)
			for to < len(plain) && to-from < len(one) && plain[to] == one[to-from] {
				to++
			}
			mark(from, to)
			from = to
		}
		for n := min(len(one), len(plain)); n >= leastHidden; n-- {
			if strings.HasSuffix(plain, one[:n]) {
				mark(len(plain)-n, len(plain))
				break
			}
		}
	}
	var out strings.Builder
	for i := 0; i < len(plain); {
		from, hidden := i, hide[i]
		for i < len(plain) && (hide[i] == hidden || i > 0 && starts[i] == starts[i-1]) {
			i++
		}
		if hidden {
			out.WriteString("…")
		} else {
			out.WriteString(text[starts[from]:starts[i]])
		}
	}
	return out.String()
}

// beginning is how many bytes at the start of a credential are as secret as all of it.
func beginning(one string) int { return min(len(one), max(leastKeptAway, (len(one)+1)/2)) }

// touches reports whether a text has a credential, or a secret part of one.
func (h hidden) touches(text string) bool {
	plain, _ := unescaped(text, false)
	return slices.ContainsFunc(h, func(one string) bool {
		if strings.Contains(plain, one[:beginning(one)]) {
			return true
		}
		for n := min(len(one), len(plain)); n >= leastHidden; n-- {
			if strings.HasSuffix(plain, one[:n]) {
				return true
			}
		}
		return false
	})
}

// holds reports whether a text has a credential that is not a common word.
func (h hidden) holds(text string) bool {
	plain, _ := unescaped(text, false)
	return slices.ContainsFunc(h, func(one string) bool { return len(one) >= leastKeptAway && strings.Contains(plain, one) })
}

// hiding returns a hidden with credentials in all their forms.
func hiding(secrets ...string) hidden {
	var all hidden
	for _, s := range secrets {
		for _, form := range append(encoded(s), s, hex.EncodeToString([]byte(s))) {
			if form, _ = unescaped(form, false); len(form) >= leastHidden && !slices.Contains(all, form) {
				all = append(all, form)
			}
		}
	}
	return all
}

// encoded returns what base64 makes of a text, alone or inside a longer text, such as a name
// and a password: only the characters that do not depend on their neighbours.
func encoded(s string) (all []string) {
	for before := range 3 {
		for _, in := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			text := in.EncodeToString([]byte("\x00\x00"[:before] + s))
			if (before+len(s))%3 > 0 {
				text = text[:len(text)-1]
			}
			if text = text[min(len(text), (before*4+2)/3):]; len(text) >= leastKeptAway {
				all = append(all, text)
			}
		}
	}
	return all
}

// unescaped returns a text in lower case without the escapes of addresses, JSON, pages and Go
// messages, even if nested. If places is true, it also returns where in text each byte begins,
// and the end of text.
func unescaped(text string, places bool) (plain string, starts []int32) {
	if places {
		starts = make([]int32, len(text)+1)
		for i := range starts {
			starts[i] = int32(i)
		}
	}
	for again, level := strings.ContainsAny(text, `%&\`), 0; again && level < mostLevels; level++ {
		text, starts, again = unescapedOnce(text, starts)
	}
	out := []byte(text)
	for i, c := range out {
		switch {
		case c >= 'A' && c <= 'Z':
			out[i] += 'a' - 'A'
		case c == '+': // a space, in addresses
			out[i] = ' '
		}
	}
	return string(out), starts
}

// escape matches one escaped character, or an escaped byte of one.
var escape = regexp.MustCompile(`%[0-9A-Fa-f]{2}|\\x[0-9A-Fa-f]{2}|\\u[0-9A-Fa-f]{4}|\\U[0-9A-Fa-f]{8}|\\["'/\\]|` +
	`&#[0-9]{1,7};?|&#[xX][0-9A-Fa-f]{1,6};?|&[A-Za-z]{2,8};`)

// unescapedOnce removes one level of escapes, and reports whether there was one.
func unescapedOnce(text string, starts []int32) (string, []int32, bool) {
	var out []byte
	var to []int32
	end := 0
	for _, at := range escape.FindAllStringIndex(text, -1) {
		found := text[at[0]:at[1]]
		char := meant(found)
		if len(char) >= len(found) {
			continue
		}
		out = append(append(out, text[end:at[0]]...), char...)
		if starts != nil {
			to = append(to, starts[end:at[0]]...)
			for range len(char) {
				to = append(to, starts[at[0]])
			}
		}
		end = at[1]
	}
	if end == 0 {
		return text, starts, false
	}
	if starts != nil {
		to = append(to, starts[end:]...)
	}
	return string(append(out, text[end:]...)), to, true
}

// meant returns the meaning of an escape.
func meant(escape string) string {
	switch {
	case escape[0] == '&':
		return html.UnescapeString(escape)
	case len(escape) == 2:
		return escape[1:]
	}
	n, _ := strconv.ParseUint(strings.TrimLeft(escape, `%\xuU`), 16, 32)
	if len(escape) <= 4 {
		return string([]byte{byte(n)})
	}
	return string(rune(n))
}

// hiddenError is an error whose message hides credentials.
type hiddenError struct {
	text string
	err  error
}

// Error implements error.
func (e *hiddenError) Error() string { return e.text }

// Unwrap returns the error, whose own message must not be shown.
func (e *hiddenError) Unwrap() error { return e.err }

// of returns an error with the message of err without the credentials.
func (h hidden) of(err error) error {
	if err == nil {
		return nil
	}
	if text := h.in(err.Error()); text != err.Error() {
		return &hiddenError{text, err}
	}
	return err
}

// secretsOf returns the credentials anywhere in settings.
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

// publicHeaders are the request headers without credentials.
var publicHeaders = []string{"Accept", "Accept-Language", "Content-Type", "If-Modified-Since", "If-None-Match", "Origin", "Referer",
	"User-Agent", "X-Requested-With"}

// public returns the headers of a request that have no credential.
func public(all http.Header) http.Header {
	own := http.Header{}
	for _, name := range publicHeaders {
		if values, ok := all[name]; ok {
			own[name] = values
		}
	}
	return own
}

// confide remembers the credentials in the headers of requests.
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

// pass remembers a credential and its parts.
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

// renewHidden updates hidden.
func (f *fetcher) renewHidden() {
	f.passing = f.passing[max(0, len(f.passing)-mostPassing):]
	f.hidden = hiding(slices.Concat(f.secrets, f.passing)...)
}

// blind returns a copy of an answer without the credentials that it repeats; nil: it repeats
// none.
func (f *fetcher) blind(a *Answer) *Answer {
	if a == nil {
		return nil
	}
	other := *a
	other.Body, other.header = []byte(f.hidden.in(string(a.Body))), a.header.Clone()
	same := bytes.Equal(other.Body, a.Body)
	for name, values := range other.header {
		for i, v := range values {
			values[i] = f.hidden.in(v)
			same = same && values[i] == v
		}
		other.header[name] = values
	}
	if same {
		return nil
	}
	return &other
}

// errRepeats is the reason why an answer is not shown.
var errRepeats = errors.New("it repeats a credential, so nothing of it is shown")
