package server

import (
	"net/http"
	"strings"
)

// deprecated serves a route under its older path. Its answers, including problems, state the new
// path and, if that is known, until when the older one works.
func (s *Server) deprecated(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		successor := strings.Replace(r.URL.EscapedPath(), "/v1/kap/", "/v1/kap-feed/", 1)
		w.Header().Set("Deprecation", "true")
		w.Header().Set("Link", "<"+successor+`>; rel="successor-version"`)
		if !s.config.Sunset.IsZero() {
			w.Header().Set("Sunset", s.config.Sunset.UTC().Format(http.TimeFormat))
		}
		next.ServeHTTP(w, r)
	})
}
