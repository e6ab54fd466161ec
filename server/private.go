package server

import (
	"net/http"
	"net/http/pprof"
)

// Private returns what answers the private listener: whether the server is alive and
// ready, Go's profiles below /debug/pprof/, and metrics on every other path. The command
// line is not shown: it may hold the password of the database.
func (s *Server) Private() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/", s.Metrics())
	mux.HandleFunc(healthPath, s.health)
	mux.HandleFunc(readyPath, s.ready)
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	return mux
}
