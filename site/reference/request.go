package reference

import (
	"bytes"
	"cmp"
	"encoding/json"
	"net/url"
	"strings"
)

// request is a request of an operation that a page shows.
type request struct {
	method, path string // the path with its query
	body         string // JSON; empty: none
	answers      string // media type of the answer
	streams      bool
}

// String returns the request in the form in which examples name it.
func (r request) String() string { return strings.TrimSpace(r.method + " " + r.path + " " + r.body) }

// requestOf returns the request that a page shows: the sample, the recorded
// example, or else one with made-up values.
func requestOf(o *operation, sample string) request {
	r := request{method: o.method, path: sample}
	if recorded, _, _ := o.example(); sample == "" && recorded != "" {
		words := strings.SplitN(recorded, " ", 3)
		r.path = words[1]
		if len(words) == 3 {
			r.body = words[2]
		}
	}
	if r.path == "" {
		r.path = o.filled()
	}
	if len(o.RequestBody.Content) > 0 && r.body == "" {
		r.body = `{"query": "{ marketStatus { state } }"}`
	}
	for media := range o.Responses["200"].Content {
		r.streams = r.streams || media == "text/event-stream"
		if r.answers == "" || media == jsonMedia {
			r.answers = media
		}
	}
	return r
}

const jsonMedia = "application/json"

// made are values of path parameters that have no example.
var made = map[string]string{"id": "bist:DMOST", "instrument_id": "bist:DMOST", "kind": "not-found", "index": "1", "n": "1", "page": "api",
	"/v1/bulk/{kind}": "index_bar"} // where the parameter means another kind

// filled returns the path with made-up values.
func (o *operation) filled() string {
	path, query := o.path, url.Values{}
	for _, p := range o.Parameters {
		switch {
		case p.In == "path":
			path = strings.ReplaceAll(path, "{"+p.Name+"}", cmp.Or(made[o.path], made[p.Name]))
		case p.Name == "query":
			query.Set(p.Name, "{ marketStatus { state } }")
		case p.Required:
			query.Set(p.Name, "…")
		}
	}
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	return path
}

// value returns the value of a parameter in the request.
func (r request) value(o *operation, p parameter) string {
	path, rawQuery, _ := strings.Cut(r.path, "?")
	if p.In == "query" {
		query, _ := url.ParseQuery(rawQuery)
		return query.Get(p.Name)
	}
	for i, word := range strings.Split(o.path, "/") {
		if words := strings.Split(path, "/"); word == "{"+p.Name+"}" && i < len(words) {
			given, err := url.PathUnescape(words[i])
			if err == nil {
				return given
			}
		}
	}
	return ""
}

// indented returns indented JSON; numbers keep their digits.
func indented(text []byte) string {
	var lines bytes.Buffer
	if json.Indent(&lines, text, "", "  ") != nil {
		return string(text)
	}
	return lines.String()
}
