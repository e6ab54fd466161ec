package server

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"piyasa/access"
	"piyasa/answer"
	"piyasa/rest"
)

// rest runs a route and writes its body, or its problem. An answer costs what
// its operations charged, a problem nothing.
func (s *Server) rest(route rest.Route) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if len(route.Media) > 1 {
			w.Header().Add("Vary", "Accept")
		}
		given, err := route.Answer(r, answer.Negotiate(r.Header.Values("Accept"), route.Media...))
		if err != nil {
			w.Header().Set("X-Usage-Units", "0")
			s.problems.Write(w, r, err)
			return
		}
		if given.Keep != nil {
			s.keepable(w, r, given)
			return
		}
		if len(given.Missing) > 0 {
			w.Header().Set("X-Not-Found", listed(given.Missing))
		}
		if given.Stale {
			w.Header().Set("X-Data-Stale", "true")
		}
		w.Header().Set("X-Usage-Units", strconv.FormatInt(access.CallOf(r.Context()).Units(), 10))
		answer.Write(w, http.StatusOK, given.Media, given.Body)
	})
}

// listed joins ids for a header. What a header cannot hold is escaped as in a
// path.
func listed(ids []string) string {
	escaped := make([]string, len(ids))
	for i, id := range ids {
		escaped[i] = url.PathEscape(id)
	}
	return strings.Join(escaped, ", ")
}
