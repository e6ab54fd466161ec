package jsonhttp

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/textproto"
	"net/url"
	"strconv"
	"time"

	"github.com/itchyny/gojq"

	"piyasa/collect"
)

// source is an address that answers with JSON.
type source struct {
	settings

	base                                      string
	records, keep, fails, items, cursor, next *gojq.Code
}

// kept is how far it has been read.
type kept struct {
	Variables map[string]string `json:"variables,omitempty"` // of the requests
	Coming    map[string]string `json:"coming,omitempty"`    // those after the last page
	At        int               `json:"at,omitempty"`        // page or offset
	Cursor    string            `json:"cursor,omitempty"`
	Path      string            `json:"path,omitempty"` // of the next link
	Query     url.Values        `json:"query,omitempty"`
	Pages     int               `json:"pages,omitempty"` // that have been read; 0: the first is next
}

// mostPages is how many answers one question may have.
const mostPages = 50_000

// Plan implements collect.Source.
func (*source) Plan() collect.Plan {
	return collect.Plan{Pace: time.Second, Schedule: collect.Schedule{Every: time.Hour}}
}

// At implements collect.Based.
func (s *source) At(base string) { s.base = base }

// read reads what was kept.
func (s *source) read(text json.RawMessage) (k kept, err error) {
	if len(text) > 0 {
		if err := json.Unmarshal(text, &k); err != nil {
			return k, fmt.Errorf("what was kept cannot be read: %w", err)
		}
	}
	variables := maps.Clone(s.Start)
	for name, v := range k.Variables {
		if _, ok := s.Start[name]; ok {
			variables[name] = v
		}
	}
	k.Variables = variables
	if k.Pages == 0 {
		k = kept{Variables: variables, Coming: maps.Clone(variables)}
		if s.Paging != nil {
			k.At = *s.Paging.First
		}
	}
	return k, nil
}

// Ask implements collect.Source.
func (s *source) Ask(text json.RawMessage, now time.Time) (*collect.Request, error) {
	k, err := s.read(text)
	if err != nil {
		return nil, err
	}
	values := k.values(now)
	r := &collect.Request{
		Method: s.Request.Method, Path: expand(s.Request.Path, values), Query: url.Values{}, Header: http.Header{"Accept": {"application/json"}}, Expect: collect.JSON,
	}
	for name, v := range s.Request.Query {
		if v = expand(v, values); v != "" { // such as the cursor of the first page
			r.Query.Set(name, v)
		}
	}
	if k.Path != "" || k.Query != nil {
		r.Path, r.Query = k.Path, k.Query
	}
	if s.Request.Body != nil {
		r.Header.Set("Content-Type", "application/json")
		if r.Body, err = s.body(values); err != nil {
			return nil, err
		}
	}
	for name, h := range s.Request.Headers {
		r.Header[textproto.CanonicalMIMEHeaderKey(name)] = []string{h.value()}
	}
	return r, nil
}

// body returns the body of a request: text as it is, anything else as JSON.
func (s *source) body(values map[string]string) ([]byte, error) {
	var v any
	if err := json.Unmarshal(s.Request.Body, &v); err != nil {
		return nil, err
	}
	if text, ok := v.(string); ok {
		return []byte(expand(text, values)), nil
	}
	return json.Marshal(expandJSON(v, values))
}

// Parse implements collect.Source.
func (s *source) Parse(text json.RawMessage, _ *collect.Request, got *collect.Answer) (*collect.Result, error) {
	k, err := s.read(text)
	if err != nil {
		return nil, err
	}
	answer, err := decode(got.Body)
	if err != nil {
		return nil, err
	}
	if err := s.failed(answer, k); err != nil {
		return nil, err
	}
	result := new(collect.Result)
	outputs, err := run(s.records, answer, k.Variables)
	if err != nil {
		return nil, fmt.Errorf(`"records": %w`, err)
	}
	for i, v := range outputs {
		r, err := record(v)
		if err != nil {
			return nil, fmt.Errorf(`"records": value %d %w`, i+1, err)
		}
		result.Records = append(result.Records, r)
	}
	if err := s.keeps(answer, &k); err != nil {
		return nil, fmt.Errorf(`"keep": %w`, err)
	}
	if result.More, err = s.turn(answer, &k); err != nil {
		return nil, fmt.Errorf(`"paging": %w`, err)
	}
	if !result.More {
		k = kept{Variables: k.Coming}
	}
	result.Keep, err = json.Marshal(k)
	return result, err
}

// failed reports an answer that the upstream itself calls an error.
func (s *source) failed(answer any, k kept) error {
	if s.fails == nil {
		return nil
	}
	outputs, err := run(s.fails, answer, k.Variables)
	if err != nil {
		return fmt.Errorf(`"fails": %w`, err)
	}
	for _, v := range outputs {
		if v != nil && v != false && v != "" {
			return &collect.Trouble{What: fmt.Sprintf("the upstream says: %.200v", v)}
		}
	}
	return nil
}

// record returns the record that a program has made.
func record(v any) (r collect.Record, err error) {
	members, ok := v.(map[string]any)
	kind, _ := members["record"].(string)
	if !ok || kind == "" || kind == "state" || kind == "source_status" {
		return r, errors.New(`must be an object whose member "record" is a kind of record`)
	}
	if err := exact(v, 0); err != nil {
		return r, fmt.Errorf("(%s): %w", kind, err)
	}
	fields := maps.Clone(members)
	delete(fields, "record")
	return collect.Record{Kind: kind, Fields: fields}, nil
}

// keeps sets the variables that a program gives values.
func (s *source) keeps(answer any, k *kept) error {
	if s.keep == nil {
		return nil
	}
	outputs, err := run(s.keep, answer, k.Coming)
	if err != nil || len(outputs) == 0 {
		return err
	}
	members, ok := outputs[0].(map[string]any)
	if !ok || len(outputs) > 1 {
		return errors.New(`must give one object such as {"since": "2031-06-02"}`)
	}
	coming := maps.Clone(k.Coming)
	for name, v := range members {
		text, isText := v.(string)
		if n, isInt := v.(int); isInt {
			text, isText = strconv.Itoa(n), true
		}
		if _, known := s.Start[name]; !known || !isText {
			return fmt.Errorf(`must give text to variables that "start" has; got %q`, name)
		}
		coming[name] = text
	}
	k.Coming = coming
	return nil
}

// turn goes on to the next page, and reports whether there is one.
func (s *source) turn(answer any, k *kept) (bool, error) {
	p := s.Paging
	if p == nil {
		return false, nil
	}
	if k.Pages++; k.Pages > mostPages {
		return false, fmt.Errorf("there are more than %d pages", mostPages)
	}
	outputs, err := run(map[string]*gojq.Code{byPage: s.items, byOffset: s.items, byCursor: s.cursor, byNext: s.next}[p.By], answer, k.Variables)
	if err != nil {
		return false, err
	}
	if len(outputs) != 1 {
		return false, fmt.Errorf("the program must give one value; it gives %d", len(outputs))
	}
	if p.By == byCursor || p.By == byNext {
		return s.follow(outputs[0], k)
	}
	n, ok := outputs[0].(int)
	if !ok || n < 0 {
		return false, fmt.Errorf(`"items" must give how many items the answer has; got %v`, outputs[0])
	}
	if p.By == byOffset {
		k.At += n
	} else {
		k.At++
	}
	return n > 0 && n >= p.Size, nil
}

// follow goes on where an answer says that it goes on.
func (s *source) follow(v any, k *kept) (bool, error) {
	if v == nil || v == "" || v == false {
		return false, nil
	}
	text, ok := v.(string)
	if !ok {
		return false, fmt.Errorf("the program must give text or null; got %v", v)
	}
	if text == k.Cursor {
		return false, fmt.Errorf("the next page is this one: %q", text)
	}
	k.Cursor = text
	if s.Paging.By == byCursor {
		return true, nil
	}
	var err error
	k.Path, k.Query, err = s.below(text)
	return err == nil, err
}
