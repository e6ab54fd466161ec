// Package jsonhttp reads JSON from any HTTP server: the configuration says what to ask for, and
// jq programs turn the answers into records.
package jsonhttp

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/textproto"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"

	"piyasa/collect"
)

// settings are the settings of the connector.
type settings struct {
	Request request           `json:"request"`
	Headers []string          `json:"answer_headers"` // answer headers that programs see
	Paging  *paging           `json:"paging"`
	Windows *windows          `json:"windows"`
	Detail  *detail           `json:"detail"`
	OAuth2  *oauth2           `json:"oauth2"`
	Basic   *basic            `json:"basic"`
	Start   map[string]string `json:"start"`
	Records string            `json:"records"`
	Keep    string            `json:"keep"`
	Fails   string            `json:"fails"`
	Pin     map[string]string `json:"pin"` // required types of members of answers, such as ".items[].price": "number"
}

// request is what to ask for.
type request struct {
	Path    string           `json:"path"`
	Query   map[string]field `json:"query"`
	Headers map[string]field `json:"headers"`
	Method  string           `json:"method"`
	Body    json.RawMessage  `json:"body"`
	Form    map[string]field `json:"form"`
}

// detail is a request for each item of an answer.
type detail struct {
	Items   string           `json:"items"`
	Path    string           `json:"path"`
	Query   map[string]field `json:"query"`
	Records string           `json:"records"`
}

// field is a value of a request: text, or a credential.
type field struct {
	text   string
	prefix string
	secret *collect.Secret
}

// UnmarshalJSON reads "text", {"env": "NAME"} or {"file": "PATH"}; the latter two may have a
// "prefix" such as "Bearer ".
func (f *field) UnmarshalJSON(text []byte) error {
	if json.Unmarshal(text, &f.text) == nil {
		return nil
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(text, &members); err != nil {
		return errors.New(`must be text such as "1", {"env": "NAME"} or {"file": "PATH"}`)
	}
	if prefix, ok := members["prefix"]; ok {
		if err := json.Unmarshal(prefix, &f.prefix); err != nil {
			return errors.New(`"prefix" must be text such as "Bearer "`)
		}
		delete(members, "prefix")
	}
	rest, err := json.Marshal(members)
	if err != nil {
		return err
	}
	f.secret = new(collect.Secret)
	return json.Unmarshal(rest, f.secret)
}

// value returns what is sent.
func (f field) value(variables map[string]string) string {
	if f.secret != nil {
		return f.prefix + f.secret.Reveal()
	}
	return expand(f.text, variables)
}

var (
	headerName   = regexp.MustCompile(`^[A-Za-z0-9-]{1,100}$`)
	variableName = regexp.MustCompile(`^[a-z][a-z0-9_]{0,49}$`)
	variable     = regexp.MustCompile(`\$\{([^}]*)\}`)
	// credentialName matches the name of a credential, such as apikey, X-Auth-Token,
	// client_secret or just key.
	credentialName = regexp.MustCompile(`(?i)^(x-)?(key|auth|pass|pwd|cookie|sid)$|authorization$|(api|app|access|auth|private|secret|subscription|` +
		`license|user|client)[-_.]?key$|token$|secret$|passw(or)?d$|passphrase$|credentials?$|session[-_.]?id$|^(proxy-)?cookie$`)
	ownHeaders = []string{"Host", "User-Agent", "Accept-Encoding", "Content-Length", "Transfer-Encoding", "Connection", "If-None-Match",
		"If-Modified-Since"}
	ownVariables = []string{"today", "yesterday", "now", "page", "offset", "cursor", "item", "window_from",
		"window_to"}
)

// New returns the source of a configuration.
func New(text json.RawMessage) (collect.Source, error) {
	in, err := collect.Settings[settings](text)
	if err != nil {
		return nil, err
	}
	s := &source{settings: in}
	return s, errors.Join(s.checkRequest(), s.checkCredentials(), s.checkPaging(), s.checkWindows(), s.checkDetail(), s.checkSignIn(),
		s.checkPin(), s.checkVariables(), s.compile())
}

// checkRequest reports an invalid request.
func (s *source) checkRequest() error {
	var wrong []error
	switch s.Request.Method {
	case "":
		s.Request.Method = http.MethodGet
	case http.MethodGet, http.MethodPost:
	default:
		wrong = append(wrong, fmt.Errorf(`"request.method" must be GET or POST; got %q`, s.Request.Method))
	}
	body, form := s.Request.Body != nil, s.Request.Form != nil
	if (body || form) && s.Request.Method == http.MethodGet || body && form {
		wrong = append(wrong, errors.New(`"request.body" and "request.form" need the "method" POST, and exclude each other`))
	}
	wrong = append(wrong, checkPath("request.path", s.Request.Path))
	for _, name := range s.Headers {
		if !headerName.MatchString(name) || strings.EqualFold(name, "Set-Cookie") {
			wrong = append(wrong, fmt.Errorf(`"answer_headers" must be names of headers such as "X-Total-Count"; got %q`, name))
		}
	}
	for name, h := range s.Request.Headers {
		canonical := textproto.CanonicalMIMEHeaderKey(name)
		switch {
		case !headerName.MatchString(name) || slices.Contains(ownHeaders, canonical):
			wrong = append(wrong, fmt.Errorf(`"request.headers" must not have %q, which piyasa sends itself`, name))
		case strings.ContainsAny(h.value(nil), "\r\n\x00"):
			wrong = append(wrong, fmt.Errorf(`"request.headers.%s" must be one line`, name))
		}
	}
	return errors.Join(wrong...)
}

// checkCredentials reports credentials written as plain text.
func (s *source) checkCredentials() error {
	all := map[string]map[string]field{
		"request.headers": s.Request.Headers, "request.query": s.Request.Query, "request.form": s.Request.Form,
	}
	if s.Detail != nil {
		all["detail.query"] = s.Detail.Query
	}
	var wrong []error
	for _, member := range slices.Sorted(maps.Keys(all)) {
		for _, name := range slices.Sorted(maps.Keys(all[member])) {
			text := all[member][name].text
			if member != "request.headers" { // request.headers have no variables
				text = expand(text, s.Start)
			}
			if credentialName.MatchString(name) && text != "" {
				wrong = append(wrong, fmt.Errorf(`"%s.%s" must be {"env": "NAME"} or {"file": "PATH"}: it is a credential`, member, name))
			}
		}
	}
	return errors.Join(wrong...)
}

// checkPin reports unknown types.
func (s *source) checkPin() error {
	for place, is := range s.Pin {
		if !slices.Contains([]string{"text", "number", "boolean", "object", "list"}, is) ||
			!strings.HasPrefix(place, ".") && !strings.HasPrefix(place, "[") {
			return fmt.Errorf(`"pin" must name members and types, such as {".items[].price": "number"}, and types are `+
				`text, number, boolean, object and list; got %q: %q`, place, is)
		}
	}
	return nil
}

// checkPath reports an invalid path.
func checkPath(member, path string) error {
	if strings.Contains(path, "..") || strings.ContainsAny(path, "?#") || strings.Contains(path, "://") {
		return fmt.Errorf(`%q must be below "base", without a query; got %q`, member, path)
	}
	return nil
}

// checkDetail reports an invalid detail.
func (s *source) checkDetail() error {
	if d := s.Detail; d != nil {
		if d.Items == "" || d.Records == "" || !strings.Contains(fmt.Sprint(d.Path, d.Query), "${item}") {
			return errors.New(`"detail" must have "items", which gives a text for each, "records", and ${item} in its "path" or "query"`)
		}
		return checkPath("detail.path", d.Path)
	}
	return nil
}

// checkVariables reports variables that never get a value.
func (s *source) checkVariables() error {
	for name := range s.Start {
		if !variableName.MatchString(name) || slices.Contains(ownVariables, name) {
			return fmt.Errorf(`"start" must have names such as "since", and none of %s; got %q`, strings.Join(ownVariables, ", "), name)
		}
	}
	texts := []string{s.Request.Path, string(s.Request.Body)}
	fields := []map[string]field{s.Request.Query, s.Request.Form}
	if s.Detail != nil {
		texts, fields = append(texts, s.Detail.Path), append(fields, s.Detail.Query)
	}
	for _, all := range fields {
		for _, v := range all {
			texts = append(texts, v.text)
		}
	}
	used := map[string]bool{}
	for _, m := range variable.FindAllStringSubmatch(strings.Join(texts, "\n"), -1) {
		name, pattern, written := strings.Cut(m[1], ":")
		used[name] = true
		if _, ok := s.Start[name]; !ok && !slices.Contains(ownVariables, name) {
			return fmt.Errorf(`${%s} has no value: variables are %s, and those that "start" gives their first value`,
				name, strings.Join(ownVariables, ", "))
		}
		if left := strings.NewReplacer("yyyy", "", "MM", "", "dd", "").Replace(pattern); written &&
			(pattern == "" || strings.ContainsFunc(left, unicode.IsLetter)) {
			return fmt.Errorf("${%s}: a day is written with yyyy, MM and dd, as in ${%s:dd.MM.yyyy}", m[1], name)
		}
	}
	if p := s.Paging; p != nil && slices.Contains([]string{byPage, byOffset, byCursor}, p.By) && !used[p.By] {
		return fmt.Errorf(`"paging" by %s needs ${%[1]s} in the "path", "query", "form" or "body" of "request": `+
			`without it each page is the first`, p.By)
	}
	return nil
}

// expand inserts variables into a text. ${NAME:dd.MM.yyyy} formats a variable that begins with
// a day.
func expand(text string, values map[string]string) string {
	return variable.ReplaceAllStringFunc(text, func(place string) string {
		name, pattern, written := strings.Cut(place[2:len(place)-1], ":")
		v := values[name]
		if !written || len(v) < len(time.DateOnly) {
			return v
		}
		return strings.NewReplacer("yyyy", v[:4], "MM", v[5:7], "dd", v[8:10]).Replace(pattern)
	})
}

// expandJSON inserts variables into the texts of a JSON value.
func expandJSON(v any, values map[string]string) any {
	switch v := v.(type) {
	case string:
		return expand(v, values)
	case []any:
		for i := range v {
			v[i] = expandJSON(v[i], values)
		}
	case map[string]any:
		for name := range v {
			v[name] = expandJSON(v[name], values)
		}
	}
	return v
}
