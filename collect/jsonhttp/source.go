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

	"piyasa/collect"
)

// source is an address that answers with JSON.
type source struct {
	settings

	base string
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
		Method: s.Request.Method, Path: expand(s.Request.Path, values), Query: url.Values{},
		Header: http.Header{"Accept": {"application/json"}}, Expect: collect.JSON,
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
	found, err := run(got.Body, task{"fails", s.Fails, k.Variables}, task{"records", s.Records, k.Variables},
		task{"keep", s.Keep, k.Coming}, task{"paging", s.Paging.program(), k.Variables})
	if err != nil {
		return nil, err
	}
	if v := complaint(found["fails"]); v != nil {
		return nil, &collect.Trouble{What: fmt.Sprintf("the upstream says: %.200v", v)}
	}
	result := new(collect.Result)
	for _, v := range found["records"] {
		fields := v.(map[string]any)
		kind := fields["record"].(string)
		delete(fields, "record")
		result.Records = append(result.Records, collect.Record{Kind: kind, Fields: fields})
	}
	if err := s.keeps(found["keep"], &k); err != nil {
		return nil, fmt.Errorf(`"keep": %w`, err)
	}
	if result.More, err = s.turn(found["paging"], &k); err != nil {
		return nil, fmt.Errorf(`"paging": %w`, err)
	}
	if !result.More {
		k = kept{Variables: k.Coming}
	}
	result.Keep, err = json.Marshal(k)
	return result, err
}

// complaint returns what makes an answer an error in the upstream's own words; nil: nothing.
func complaint(fails []any) any {
	for _, v := range fails {
		if v != nil && v != false && v != "" {
			return v
		}
	}
	return nil
}

// record returns what keeps the value of a program from being a record.
func record(v any) error {
	members, ok := v.(map[string]any)
	kind, _ := members["record"].(string)
	if !ok || kind == "" || kind == "state" || kind == "source_status" {
		return errors.New(`must be an object whose member "record" is a kind of record`)
	}
	if err := exact(v, 0); err != nil {
		return fmt.Errorf("(%s): %w", kind, err)
	}
	return nil
}

// keeps sets the variables that a program gives values.
func (s *source) keeps(outputs []any, k *kept) error {
	if len(outputs) == 0 {
		return nil
	}
	members, ok := outputs[0].(map[string]any)
	if !ok || len(outputs) > 1 {
		return errors.New(`must give one object such as {"since": "2031-06-02"}`)
	}
	coming := maps.Clone(k.Coming)
	for name, v := range members {
		text, isText := v.(string)
		if n, err := whole(v); err == nil {
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
func (s *source) turn(outputs []any, k *kept) (bool, error) {
	p := s.Paging
	if p == nil {
		return false, nil
	}
	if k.Pages++; k.Pages > mostPages {
		return false, fmt.Errorf("there are more than %d pages", mostPages)
	}
	if len(outputs) != 1 {
		return false, fmt.Errorf("the program must give one value; it gives %d", len(outputs))
	}
	if p.By == byCursor || p.By == byNext {
		return s.follow(outputs[0], k)
	}
	n, err := whole(outputs[0])
	if err != nil || n < 0 {
		return false, fmt.Errorf(`"items" must give how many items the answer has; got %v`, outputs[0])
	}
	if p.By == byOffset {
		k.At += n
	} else {
		k.At++
	}
	return n > 0 && n >= p.Size, nil
}

// whole returns a whole number that a program has given.
func whole(v any) (int, error) {
	n, _ := v.(json.Number)
	return strconv.Atoi(n.String())
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
