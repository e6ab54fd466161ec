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

// Private returns what answers the private listener: whether the server is alive and
// ready, Go's profiles below /debug/pprof/, keys for operators if there are any, and metrics on every other path. The command
// line is not shown: it may hold the password of the database. Names are those of the
// listener besides its addresses.
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

// PrivateOf returns what answers the private listener of a process that is no server: the
// same with metrics of its own, but for readiness.
func PrivateOf(version string, metrics prometheus.Gatherer, names ...string) http.Handler {
	return ownOnly(private(version, metrics), names)
}

// ownOnly refuses what a page of others may have sent: browsers say from where a request
// comes, and a name that an attacker's name server gives this address is no name of this
// listener.
func ownOnly(next http.Handler, names []string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
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

// isOwn reports whether a host is an address, localhost, or one of some names, and so not a
// name that anybody may have given this address. Clients of HTTP/1.0 name none.
func isOwn(host string, names []string) bool {
	name := strings.ToLower(strings.TrimSuffix((&url.URL{Host: host}).Hostname(), "."))
	_, err := netip.ParseAddr(name)
	return err == nil || name == "" || name == "localhost" || slices.Contains(names, name)
}

// isForeign reports whether a browser says that a page of another origin sends r.
func isForeign(r *http.Request) bool {
	switch r.Header.Get("Sec-Fetch-Site") {
	case "same-origin", "none":
		return false
	case "":
		origin := r.Header.Get("Origin") // all that older browsers say
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

// alive says that the process is alive.
func alive(w http.ResponseWriter, version string) {
	answer.JSON(w, http.StatusOK, map[string]string{"status": "alive", "version": version})
}
