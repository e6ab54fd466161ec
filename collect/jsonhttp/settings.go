// Package jsonhttp reads JSON that anyone serves over HTTP: the configuration says what to
// ask for, and programs of jq turn the answers into records.
package jsonhttp

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/textproto"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"piyasa/collect"
)

// settings are those of the connector.
type settings struct {
	Request request           `json:"request"`
	Paging  *paging           `json:"paging"`
	Start   map[string]string `json:"start"`
	Records string            `json:"records"`
	Keep    string            `json:"keep"`
	Fails   string            `json:"fails"`
}

// request is what to ask for.
type request struct {
	Path    string            `json:"path"`
	Query   map[string]string `json:"query"`
	Headers map[string]header `json:"headers"`
	Method  string            `json:"method"`
	Body    json.RawMessage   `json:"body"`
}

// paging is how one question has several answers.
type paging struct {
	By     string `json:"by"`
	First  *int   `json:"first"`
	Size   int    `json:"size"`
	Items  string `json:"items"`
	Cursor string `json:"cursor"`
	Next   string `json:"next"`
}

// programs are the programs that the ways of paging need.
func (p *paging) programs() map[string]string {
	return map[string]string{byPage: p.Items, byOffset: p.Items, byCursor: p.Cursor, byNext: p.Next}
}

// program is the one of its own way; empty: none.
func (p *paging) program() string {
	if p == nil {
		return ""
	}
	return p.programs()[p.By]
}

// Ways of paging.
const (
	byPage   = "page"
	byOffset = "offset"
	byCursor = "cursor"
	byNext   = "next"
)

// header is text, or a credential.
type header struct {
	text   string
	prefix string
	secret *collect.Secret
}

// UnmarshalJSON reads "text", {"env": "NAME"} or {"file": "PATH"}; the latter two may have a
// "prefix" such as "Bearer ".
func (h *header) UnmarshalJSON(text []byte) error {
	if json.Unmarshal(text, &h.text) == nil {
		return nil
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(text, &members); err != nil {
		return errors.New(`a header must be text, {"env": "NAME"} or {"file": "PATH"}`)
	}
	if prefix, ok := members["prefix"]; ok {
		if err := json.Unmarshal(prefix, &h.prefix); err != nil {
			return errors.New(`"prefix" must be text such as "Bearer "`)
		}
		delete(members, "prefix")
	}
	rest, err := json.Marshal(members)
	if err != nil {
		return err
	}
	h.secret = new(collect.Secret)
	return json.Unmarshal(rest, h.secret)
}

// value returns what is sent.
func (h header) value() string {
	if h.secret != nil {
		return h.prefix + h.secret.Reveal()
	}
	return h.text
}

var (
	headerName   = regexp.MustCompile(`^[A-Za-z0-9-]{1,100}$`)
	variableName = regexp.MustCompile(`^[a-z][a-z0-9_]{0,49}$`)
	variable     = regexp.MustCompile(`\$\{([^}]*)\}`)
	secretNames  = []string{"Authorization", "Proxy-Authorization", "Cookie", "X-Api-Key", "Api-Key"}
	ownHeaders   = []string{"Host", "User-Agent", "Accept-Encoding", "Content-Length", "Transfer-Encoding", "Connection", "If-None-Match",
		"If-Modified-Since"}
	ownVariables = []string{"today", "yesterday", "now", "page", "offset", "cursor"}
)

// New returns the source of a configuration.
func New(text json.RawMessage) (collect.Source, error) {
	in, err := collect.Settings[settings](text)
	if err != nil {
		return nil, err
	}
	s := &source{settings: in}
	return s, errors.Join(s.checkRequest(), s.checkPaging(), s.checkVariables(), s.compile())
}

// checkRequest reports a request that cannot be.
func (s *source) checkRequest() error {
	var wrong []error
	switch s.Request.Method {
	case "":
		s.Request.Method = http.MethodGet
	case http.MethodGet, http.MethodPost:
	default:
		wrong = append(wrong, fmt.Errorf(`"method" must be GET or POST; got %q`, s.Request.Method))
	}
	if s.Request.Body != nil && s.Request.Method == http.MethodGet {
		wrong = append(wrong, errors.New(`"body" needs the "method" POST`))
	}
	if strings.Contains(s.Request.Path, "..") || strings.ContainsAny(s.Request.Path, "?#") || strings.Contains(s.Request.Path, "://") {
		wrong = append(wrong, fmt.Errorf(`"path" must be below "base", without a query; got %q`, s.Request.Path))
	}
	for name, h := range s.Request.Headers {
		canonical := textproto.CanonicalMIMEHeaderKey(name)
		switch {
		case !headerName.MatchString(name) || slices.Contains(ownHeaders, canonical):
			wrong = append(wrong, fmt.Errorf("there must be no header %q", name))
		case h.secret == nil && slices.Contains(secretNames, canonical):
			wrong = append(wrong, fmt.Errorf(`the header %s must be {"env": "NAME"} or {"file": "PATH"}: it is a credential`, name))
		case strings.ContainsAny(h.value(), "\r\n\x00"):
			wrong = append(wrong, fmt.Errorf("the header %s must be one line", name))
		}
	}
	return errors.Join(wrong...)
}

// checkPaging reports a paging that cannot be.
func (s *source) checkPaging() error {
	p := s.Paging
	if p == nil {
		return nil
	}
	if p.First == nil {
		p.First = new(int)
		if p.By == byPage {
			*p.First = 1
		}
	}
	needs := p.programs()
	program, known := needs[p.By]
	if !known || program == "" || p.Size < 0 || *p.First < 0 || p.By == byOffset && p.Size == 0 {
		return fmt.Errorf(`"paging" must be {"by": "page", "items": JQ}, {"by": "offset", "size": N, "items": JQ}, {"by": "cursor", "cursor": JQ} or {"by": "next", "next": JQ}; got by %q`, p.By)
	}
	return nil
}

// checkVariables reports variables that nothing gives a value.
func (s *source) checkVariables() error {
	for name := range s.Start {
		if !variableName.MatchString(name) || slices.Contains(ownVariables, name) {
			return fmt.Errorf(`"start" must have names such as "since", and none of %s; got %q`, strings.Join(ownVariables, ", "), name)
		}
	}
	texts := []string{s.Request.Path, string(s.Request.Body)}
	for _, v := range s.Request.Query {
		texts = append(texts, v)
	}
	for _, m := range variable.FindAllStringSubmatch(strings.Join(texts, "\n"), -1) {
		if _, ok := s.Start[m[1]]; !ok && !slices.Contains(ownVariables, m[1]) {
			return fmt.Errorf(`${%s} has no value: variables are %s, and those that "start" gives their first value`,
				m[1], strings.Join(ownVariables, ", "))
		}
	}
	return nil
}

// expand puts variables into a text.
func expand(text string, values map[string]string) string {
	return variable.ReplaceAllStringFunc(text, func(name string) string { return values[name[2:len(name)-1]] })
}

// expandJSON puts variables into the texts of a JSON value.
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

// below returns the path and the query of a link, which must be below the base.
func (s *source) below(link string) (string, url.Values, error) {
	base, err := url.Parse(strings.TrimSuffix(s.base, "/") + "/")
	if err != nil {
		return "", nil, err
	}
	to, err := base.Parse(link)
	if err != nil {
		return "", nil, fmt.Errorf("the next link is none: %w", err)
	}
	path, ok := strings.CutPrefix(to.Path, base.Path)
	if to.Scheme != base.Scheme || to.Host != base.Host || to.User != nil || !ok || strings.Contains(path, "..") {
		return "", nil, fmt.Errorf("the next link leads away from the base: %q", link)
	}
	query, err := url.ParseQuery(to.RawQuery)
	return path, query, err
}

// values returns what variables are at a moment.
func (k kept) values(now time.Time) map[string]string {
	day := now.In(collect.Istanbul)
	all := map[string]string{
		"today": day.Format(time.DateOnly), "yesterday": day.AddDate(0, 0, -1).Format(time.DateOnly), "now": now.UTC().Format(time.RFC3339),
		"page": fmt.Sprint(k.At), "offset": fmt.Sprint(k.At), "cursor": k.Cursor,
	}
	for name, v := range k.Variables {
		all[name] = v
	}
	return all
}
