package jsonhttp

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/textproto"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"piyasa/collect"
)

// source is an address that answers with JSON, as its settings describe.
type source struct {
	settings

	base string
}

// kept is how far it has been read.
type kept struct {
	Variables map[string]string `json:"variables,omitempty"` // of the requests
	Coming    map[string]string `json:"coming,omitempty"`    // the variables after the last page
	At        int               `json:"at,omitempty"`        // page or offset
	Cursor    string            `json:"cursor,omitempty"`
	Path      string            `json:"path,omitempty"` // of the next link
	Query     url.Values        `json:"query,omitempty"`
	Pages     int               `json:"pages,omitempty"`  // pages that have been read; 0: the first is next
	Read      int               `json:"read,omitempty"`   // items of them
	Last      string            `json:"last,omitempty"`   // identifies the records of the last page
	Again     int               `json:"again,omitempty"`  // how often the question has begun again
	Items     []string          `json:"items,omitempty"`  // items still to be asked for one by one
	More      bool              `json:"more,omitempty"`   // whether a page follows them
	Total     int               `json:"total,omitempty"`  // number of items, as the last page stated
	Places    places            `json:"places,omitempty"` // of answers
	Empty     bool              `json:"empty,omitempty"`  // the next page had no body, and is asked for once more
	Before    int               `json:"before,omitempty"` // items of the last page, if pages have numbers
	Back      bool              `json:"back,omitempty"`   // the next page is one that has already been read
	Full      int               `json:"full,omitempty"`   // items of a full page; 0: not known
}

// Bounds of a question.
const (
	mostPages = 50_000
	mostItems = 10_000 // of a page, to be asked for one by one
	mostItem  = 500    // bytes
)

// Plan implements collect.Source.
func (s *source) Plan() collect.Plan {
	plan := collect.Plan{Pace: time.Second, Schedule: collect.Schedule{Every: time.Hour}}
	if s.OAuth2 != nil {
		plan.Second = "the base" // the base itself, unless the configuration names another one
	}
	return plan
}

// At implements collect.Based.
func (s *source) At(base string) { s.base = base }

// read reads the kept state.
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
	if k.Pages > 0 && s.Paging == nil { // the settings have changed
		k.Pages, k.Again = 0, 0
	}
	if len(k.Items) > 0 && s.Detail == nil {
		k.Items = nil
	}
	if k.Pages == 0 && len(k.Items) == 0 {
		k = kept{Variables: variables, Coming: maps.Clone(variables), Again: k.Again, Places: k.Places, Full: k.Full}
		if s.Paging != nil {
			k.At = *s.Paging.First
		}
	}
	return k, nil
}

// Rewind implements collect.Rewinder. Places are values of variables, such as since=2026-03-02.
func (s *source) Rewind(text json.RawMessage, to string) (json.RawMessage, error) {
	k, err := s.read(text)
	if err != nil {
		return nil, err
	}
	for part := range strings.SplitSeq(to, ",") {
		name, v, ok := strings.Cut(part, "=")
		if _, known := s.Start[name]; !known || !ok {
			return nil, fmt.Errorf(`it goes back to values of the variables %s, such as "since=2026-03-02"; got %q`,
				strings.Join(slices.Sorted(maps.Keys(s.Start)), ", "), part)
		}
		if has := k.Variables[name]; beyond(v, has) {
			return nil, fmt.Errorf("%s stands at %q, and goes back to that or to something before it; got %q", name, has, v)
		}
		k.Variables[name] = v
	}
	return json.Marshal(kept{Variables: k.Variables})
}

// beyond reports whether a value is after another one or not of its form: for days and
// integers. For other texts, such as cursors, only the upstream knows the order.
func beyond(v, has string) bool {
	n, err := strconv.ParseInt(v, 10, 64)
	if number, wrong := strconv.ParseInt(has, 10, 64); wrong == nil {
		return err != nil || n > number
	}
	_, err = time.Parse(time.DateOnly, v[:min(len(v), len(time.DateOnly))])
	if _, wrong := time.Parse(time.DateOnly, has[:min(len(has), len(time.DateOnly))]); wrong == nil {
		return err != nil || v > has
	}
	return false
}

// Ask implements collect.Source.
func (s *source) Ask(text json.RawMessage, now time.Time) (*collect.Request, error) {
	k, err := s.read(text)
	if err != nil {
		return nil, err
	}
	values, err := s.values(&k, now)
	if err != nil {
		return nil, err
	}
	r := &collect.Request{
		Method: s.Request.Method, Path: expand(s.Request.Path, values), Header: http.Header{"Accept": {"application/json"}},
		Expect: collect.JSON, Also: s.statuses(&k), Blank: k.Pages > 0 || len(k.Items) > 0, Wants: s.Headers, Asked: now.UTC(),
		Settled: s.Paging == nil && s.Detail == nil && s.Windows == nil,
	}
	if s.Paging != nil && s.Paging.By == byLink {
		r.Wants = append(slices.Clone(r.Wants), "Link")
	}
	query := s.Request.Query
	if len(k.Items) > 0 {
		r.Method, r.Path, query = http.MethodGet, expand(s.Detail.Path, values), s.Detail.Query
	} else if err := s.fill(r, values); err != nil {
		return nil, err
	}
	r.Query, r.Secret = queryOf(query, values)
	if len(k.Items) == 0 && (k.Path != "" || k.Query != nil) {
		r.Path, r.Query = k.Path, k.Query
	}
	for name, h := range s.Request.Headers {
		r.Header[textproto.CanonicalMIMEHeaderKey(name)] = []string{h.value(nil)}
	}
	if s.Basic != nil {
		r.Header.Set("Authorization", basicHeader(s.Basic.User.Reveal(), s.Basic.Password.Reveal()))
	}
	return r, nil
}

// queryOf returns a query in two parts: the open one, and the one with credentials.
func queryOf(fields map[string]field, values map[string]string) (open, secret url.Values) {
	open, secret = url.Values{}, url.Values{}
	for name, f := range fields {
		v := f.value(values)
		switch {
		case f.secret != nil:
			secret.Set(name, v)
		case v != "": // the cursor of the first page is empty, for example
			open.Set(name, v)
		}
	}
	return open, secret
}

// fill sets the body of a request: text as it is, a form, or anything else as JSON.
func (s *source) fill(r *collect.Request, values map[string]string) error {
	if s.Request.Form != nil {
		open, secret := queryOf(s.Request.Form, values)
		maps.Copy(open, secret)
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Body = []byte(open.Encode())
		return nil
	}
	if s.Request.Body == nil {
		return nil
	}
	var v any
	err := json.Unmarshal(s.Request.Body, &v)
	if text, ok := v.(string); ok {
		r.Body = []byte(expand(text, values))
	} else if err == nil {
		r.Body, err = json.Marshal(expandJSON(v, values))
	}
	r.Header.Set("Content-Type", "application/json")
	return err
}

// day returns the day of a moment in Turkey.
func day(t time.Time) string { return t.In(collect.Istanbul).Format(time.DateOnly) }

// values returns the values of the variables at a moment.
func (s *source) values(k *kept, now time.Time) (map[string]string, error) {
	all := map[string]string{
		"today": day(now), "yesterday": day(now.AddDate(0, 0, -1)), "now": now.UTC().Format(time.RFC3339),
		"page": fmt.Sprint(k.At), "offset": fmt.Sprint(k.At), "cursor": k.Cursor,
	}
	maps.Copy(all, k.Variables)
	if len(k.Items) > 0 {
		all["item"] = k.Items[0]
	}
	if s.Windows != nil {
		from, to, _, err := s.Windows.of(k, now)
		if err != nil {
			return nil, err
		}
		all["window_from"], all["window_to"] = from.Format(time.DateOnly), to.Format(time.DateOnly)
	}
	return all, nil
}

// Parse implements collect.Source.
func (s *source) Parse(text json.RawMessage, request *collect.Request, got *collect.Answer) (*collect.Result, error) {
	k, err := s.read(text)
	if err != nil {
		return nil, err
	}
	if len(k.Items) > 0 {
		return s.parseItem(&k, request, got)
	}
	if s.expired(&k, got.Status) {
		return k.again(got.Status)
	}
	result := new(collect.Result)
	if blank(got) {
		return s.parseBlank(&k, request, got)
	}
	k.Empty = false
	programs := []task{{"fails", s.Fails, k.Variables, ""}, {"records", s.Records, k.Variables, ""}, {"keep", s.Keep, k.Coming, ""},
		{"paging", s.Paging.program(), k.Variables, ""}}
	if s.Paging != nil {
		programs = append(programs, task{"stop", s.Paging.Stop, k.Variables, ""}, task{"total", s.Paging.Total, k.Variables, ""})
	}
	if s.Detail != nil {
		programs = append(programs, task{"items", s.Detail.Items, k.Variables, ""})
	}
	found, err := run(got, programs...)
	if err != nil {
		return nil, err
	}
	if result.Records, err = recordsOf(found); err != nil {
		return nil, err
	}
	seen := shapeOf(found["shape"])
	if err := s.pinned(seen); err != nil {
		return nil, err
	}
	result.Drift = k.Places.drift(seen, got.At)
	if err := s.keeps(found["keep"], &k); err != nil {
		return nil, fmt.Errorf(`"keep": %w`, err)
	}
	if k.Items, err = itemsOf(found["items"]); err != nil {
		return nil, fmt.Errorf(`"items" of "detail": %w`, err)
	}
	if repeated, err := k.repeats(result.Records); err != nil || repeated {
		k.Items = nil
		if p := s.Paging; p == nil || !p.Repeats {
			result.Warning = fmt.Sprintf(`page %d has what the page before has: taken for the end; "repeats": true in "paging" says `+
				"that it is", k.Pages+1)
		}
		return s.finish(&k, request, result, false)
	}
	more, err := s.turn(found, request, got, &k)
	if err != nil {
		return nil, fmt.Errorf(`"paging": %w`, err)
	}
	return s.finish(&k, request, result, more)
}

// blank reports whether an answer is empty.
func blank(got *collect.Answer) bool {
	text := bytes.TrimSpace(got.Body)
	return got.Status != http.StatusOK || len(text) == 0 || string(text) == "null" || string(text) == "[]"
}

// parseBlank reads an empty answer: the end, unless the upstream has stated that there is more.
// An answer without a body may be a fault of the network, so it ends the pages only when it
// comes twice.
func (s *source) parseBlank(k *kept, request *collect.Request, got *collect.Answer) (*collect.Result, error) {
	none := got.Status == http.StatusOK && len(bytes.TrimSpace(got.Body)) == 0
	switch {
	case none && k.Pages == 0:
		return nil, &collect.Trouble{What: "the answer is empty"}
	case k.Total > k.Read:
		return nil, &collect.Trouble{What: fmt.Sprintf("the upstream has %d items, and ends after %d", k.Total, k.Read)}
	case none && !k.Empty:
		k.Empty = true
		return s.finish(k, request, new(collect.Result), true)
	}
	return s.finish(k, request, new(collect.Result), false)
}

// recordsOf returns the records that a program has made, or the reason why the answer is an
// error.
func recordsOf(found outputs) (all []collect.Record, err error) {
	if v := complaint(found["fails"]); v != nil {
		return nil, &collect.Trouble{What: fmt.Sprintf("the upstream says: %.200v", v)}
	}
	for _, v := range found["records"] {
		fields := v.(map[string]any)
		kind := fields["record"].(string)
		delete(fields, "record")
		all = append(all, collect.Record{Kind: kind, Fields: fields})
	}
	return all, nil
}

// repeats reports whether records equal those of the page before, as from upstreams that ignore
// the page number or repeat the last page.
func (k *kept) repeats(records []collect.Record) (bool, error) {
	last := k.Last
	if k.Last = ""; len(records) > 0 {
		text, err := json.Marshal(records)
		if err != nil {
			return false, err
		}
		sum := sha256.Sum256(text)
		k.Last = hex.EncodeToString(sum[:16])
	}
	return k.Last != "" && k.Last == last, nil
}

// itemsOf returns the items that a program wants to ask for one by one.
func itemsOf(values []any) (items []string, err error) {
	if len(values) > mostItems {
		return nil, fmt.Errorf("the program gives more than %d items", mostItems)
	}
	for _, v := range values {
		text, ok := v.(string)
		if n, err := whole(v); err == nil {
			text, ok = strconv.Itoa(n), true
		}
		if !ok || text == "" || len(text) > mostItem {
			return nil, fmt.Errorf("the program must give texts of at most %d bytes; got %.100v", mostItem, v)
		}
		items = append(items, text)
	}
	return items, nil
}

// parseItem reads the answer about one item.
func (s *source) parseItem(k *kept, request *collect.Request, got *collect.Answer) (*collect.Result, error) {
	result := new(collect.Result)
	if got.Status == http.StatusOK && len(bytes.TrimSpace(got.Body)) == 0 {
		return nil, &collect.Trouble{What: fmt.Sprintf("the answer about the item %.100q is empty", k.Items[0])}
	}
	if blank(got) {
		result.Warning = fmt.Sprintf("the upstream lists the item %.100q, and has nothing of it (status %d)", k.Items[0], got.Status)
	} else {
		found, err := run(got, task{"fails", s.Fails, k.Variables, k.Items[0]}, task{"records", s.Detail.Records, k.Variables, k.Items[0]})
		if err != nil {
			return nil, err
		}
		if result.Records, err = recordsOf(found); err != nil {
			return nil, err
		}
	}
	k.Items = k.Items[1:]
	return s.finish(k, request, result, k.More)
}

// finish completes a result with the state to keep. more: the question has another page.
func (s *source) finish(k *kept, request *collect.Request, result *collect.Result, more bool) (_ *collect.Result, err error) {
	result.More, k.More = true, more
	if len(k.Items) == 0 && !more {
		next := kept{Variables: k.Coming, Places: k.Places, Full: k.Full}
		if result.More = false; s.Windows != nil {
			if next.Variables, result.More, err = s.Windows.next(k, request.Asked, s.Start[s.Windows.From]); err != nil {
				return nil, err
			}
		}
		*k = next
	}
	result.Keep, err = json.Marshal(k)
	return result, err
}

// complaint returns the upstream's own words for an error; nil: no error.
func complaint(fails []any) any {
	for _, v := range fails {
		if v != nil && v != false && v != "" {
			return v
		}
	}
	return nil
}

// record returns why the value of a program is no valid record.
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

// keeps sets the variables from the values of a program.
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

// whole returns an integer that a program has given.
func whole(v any) (int, error) {
	n, _ := v.(json.Number)
	return strconv.Atoi(n.String())
}
