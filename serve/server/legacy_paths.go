package server

import (
	"net/http"
	"strings"
)

// deprecated serves a route under its older path and says where it lives now, and how long
// the older path works if that is known, problems included.
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
