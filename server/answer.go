package server

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"net/http"
	"strconv"

	"piyasa/access"
	"piyasa/problem"
	"piyasa/rest"
)

// rest runs a route and writes its body, or its problem. An answer costs what
// its operations charged, a problem nothing.
func (s *Server) rest(route rest.Route) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := route.Answer(r)
		if err != nil {
			w.Header().Set("X-Usage-Units", "0")
			s.fail(w, r, err)
			return
		}
		w.Header().Set("X-Usage-Units", strconv.FormatInt(access.CallOf(r.Context()).Units(), 10))
		writeJSON(w, http.StatusOK, body)
	})
}

// writeJSON encodes body before anything is sent, so that a failure can still
// be told.
func writeJSON(w http.ResponseWriter, status int, body any) {
	writeAs(w, status, "application/json", body)
}

func writeAs(w http.ResponseWriter, status int, mediaType string, body any) {
	var buf bytes.Buffer
	e := json.NewEncoder(&buf)
	e.SetEscapeHTML(false)
	if err := e.Encode(body); err != nil {
		panic(err) // a type of ours that cannot be encoded; told as internal
	}
	h := w.Header()
	h.Set("Content-Type", mediaType)
	h.Set("Cache-Control", "private, no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_, _ = w.Write(buf.Bytes())
}

// fail answers with the problem that err is.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, err error) {
	e := problem.From(err)
	logCause(r, e)
	switch {
	case e.Kind == problem.Unauthenticated:
		w.Header().Set("WWW-Authenticate", "ApiKey")
	case e.RetryAfter > 0:
		w.Header().Set("Retry-After", strconv.Itoa(e.RetryAfter))
	}
	writeAs(w, e.Kind.Status(), problem.MediaType, e.Document(s.BaseURL, r.URL.EscapedPath(), requestID(r.Context())))
}

// logCause keeps what a problem does not show.
func logCause(r *http.Request, e *problem.Error) {
	if cause := e.Unwrap(); cause != nil {
		slog.Error("request failed", "request_id", requestID(r.Context()), "path", r.URL.Path, "cause", cause)
	}
}
