package server

import (
	"net/http"
	"net/http/pprof"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"piyasa/serve/answer"
)

// Private returns the handler of the private listener: whether the server is alive and ready,
// Go's profiles below /debug/pprof/, the page of keys if operators are configured, and metrics
// on every other path. It does not show the command line, which may hold the password of the
// database. names are the host names of the listener.
func (s *Server) Private(names ...string) http.Handler {
	mux := private(s.config.Version, s.metrics.registry)
	mux.HandleFunc(readyPath, s.ready)
	if s.config.Sinks != nil {
		mux.Handle("GET /sinks", s.config.Sinks)
	}
	if s.config.Operators.Keys != nil {
		mux.Handle(keysPath, newKeysPage(s.config.Operators, s.site, s.services.Gate.Plans))
		for pattern, files := range s.site.Files() {
			mux.Handle(pattern, files)
		}
	}
	return ownOnly(mux, names)
}

// PrivateOf returns the handler of the private listener of a process that is not a server: it
// has that process's metrics, and neither readiness nor keys.
func PrivateOf(version string, metrics prometheus.Gatherer, names ...string) http.Handler {
	return ownOnly(private(version, metrics), names)
}

// ownOnly rejects requests that a foreign page may have sent: by the origin that browsers
// state, and by the host, since an attacker's name server may give this address another name.
func ownOnly(next http.Handler, names []string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header()["X-Content-Type-Options"] = asDeclared
		switch {
		case !isOwn(r.Host, names):
			const how = "Ask here by the IP address, as localhost, or by a name that PIYASA_METRICS_HOSTS lists."
			http.Error(w, how, http.StatusMisdirectedRequest)
		case isForeign(r):
			http.Error(w, "This request comes from another page; open the address itself.", http.StatusForbidden)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// isOwn reports whether a host is an address, localhost, or one of names, and so not a name
// that a third party gave this address. It is true for an empty host: HTTP/1.0 has none.
func isOwn(host string, names []string) bool {
	name := strings.ToLower(strings.TrimSuffix((&url.URL{Host: host}).Hostname(), "."))
	_, err := netip.ParseAddr(name)
	return err == nil || name == "" || name == "localhost" || slices.Contains(names, name)
}

// isForeign reports whether a browser states that a page of another origin sends r.
func isForeign(r *http.Request) bool {
	switch r.Header.Get("Sec-Fetch-Site") {
	case "same-origin", "none":
		return false
	case "":
		origin := r.Header.Get("Origin") // all that older browsers send
		u, err := url.Parse(origin)
		return origin != "" && (err != nil || u.Host != r.Host)
	}
	return true
}

func private(version string, metrics prometheus.Gatherer) *http.ServeMux {
	mux := http.NewServeMux()
	mux.Handle("/", promhttp.HandlerFor(metrics, promhttp.HandlerOpts{}))
	mux.HandleFunc(healthPath, func(w http.ResponseWriter, _ *http.Request) { alive(w, version) })
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	return mux
}

// alive answers that the process is alive.
func alive(w http.ResponseWriter, version string) {
	answer.JSON(w, http.StatusOK, map[string]string{"status": "alive", "version": version})
}
