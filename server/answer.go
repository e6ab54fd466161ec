package server

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"piyasa/access"
	"piyasa/problem"
	"piyasa/rest"
)

// rest runs a route and writes its body, or its problem. An answer costs what
// its operations charged, a problem nothing.
func (s *Server) rest(route rest.Route) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if len(route.Media) > 1 {
			w.Header().Add("Vary", "Accept")
		}
		answer, err := route.Answer(r, negotiate(r.Header.Values("Accept"), route.Media...))
		if err != nil {
			w.Header().Set("X-Usage-Units", "0")
			s.fail(w, r, err)
			return
		}
		if answer.Keep != nil {
			s.keepable(w, r, answer)
			return
		}
		if len(answer.Missing) > 0 {
			w.Header().Set("X-Not-Found", listed(answer.Missing))
		}
		if answer.Stale {
			w.Header().Set("X-Data-Stale", "true")
		}
		w.Header().Set("X-Usage-Units", strconv.FormatInt(access.CallOf(r.Context()).Units(), 10))
		writeAs(w, http.StatusOK, answer.Media, answer.Body)
	})
}

// listed spells ids as a header. What a header cannot hold is escaped as in a
// path.
func listed(ids []string) string {
	escaped := make([]string, len(ids))
	for i, id := range ids {
		escaped[i] = url.PathEscape(id)
	}
	return strings.Join(escaped, ", ")
}

// writeJSON encodes body before anything is sent, so that a failure can still
// be told.
func writeJSON(w http.ResponseWriter, status int, body any) {
	writeAs(w, status, "application/json", body)
}

// writeAs is writeJSON with another media type. Bytes are written as they are.
func writeAs(w http.ResponseWriter, status int, mediaType string, body any) {
	text, spelled := body.([]byte)
	if !spelled {
		text = encoded(body)
	}
	h := w.Header()
	h.Set("Content-Type", mediaType)
	h.Set("Cache-Control", "private, no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_, _ = w.Write(text)
}

func encoded(body any) []byte {
	var buf bytes.Buffer
	e := json.NewEncoder(&buf)
	e.SetEscapeHTML(false)
	if err := e.Encode(body); err != nil {
		panic(err) // a type of ours that cannot be encoded; told as internal
	}
	return buf.Bytes()
}

// fail answers with the problem that err is.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, err error) {
	e := problem.From(err)
	logCause(r.Context(), r.URL.Path, e)
	switch {
	case e.Kind == problem.Unauthenticated:
		w.Header().Set("WWW-Authenticate", "ApiKey")
	case e.RetryAfter > 0:
		w.Header().Set("Retry-After", strconv.Itoa(e.RetryAfter))
	}
	writeAs(w, e.Kind.Status(), problem.MediaType, e.Document(s.Services.BaseURL, r.URL.EscapedPath(), requestID(r.Context())))
}
