package server

import (
	"net/http"
	"net/http/pprof"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"piyasa/answer"
)

// Private returns what answers the private listener: whether the server is alive and
// ready, Go's profiles below /debug/pprof/, keys for operators if there are any, and metrics on every other path. The command
// line is not shown: it may hold the password of the database.
func (s *Server) Private() http.Handler {
	mux := private(s.config.Version, s.metrics.registry)
	mux.HandleFunc(readyPath, s.ready)
	if s.config.Operators.Keys != nil {
		mux.Handle(keysPath, newKeysPage(s.config.Operators, s.site, s.services.Gate.Plans))
		for pattern, files := range s.site.Files() {
			mux.Handle(pattern, files)
		}
	}
	return mux
}

// PrivateOf returns what answers the private listener of a process that is no server: the
// same with metrics of its own, but for readiness.
func PrivateOf(version string, metrics prometheus.Gatherer) http.Handler {
	return private(version, metrics)
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
