package server

import (
	"errors"
	"log/slog"
	"math"
	"net/http"
	"sync"
	"time"

	"piyasa/serve/answer"
)

// The paths of health.
const (
	healthPath = "/healthz"
	readyPath  = "/readyz"
)

func (s *Server) health(w http.ResponseWriter, _ *http.Request) {
	answer.JSON(w, http.StatusOK, map[string]any{"status": "alive", "version": s.config.Version, "now": s.services.Clock()})
}

func (s *Server) ready(w http.ResponseWriter, r *http.Request) {
	s.asked.Store(true)
	is, err := s.config.Ready()
	if s.leaving.Load() {
		err = errLeaving
	}
	s.readiness.changed(err)
	if err != nil {
		answer.JSON(w, http.StatusServiceUnavailable, readyAnswer{Status: "not ready", Reason: err.Error(), Lag: s.lag()})
		return
	}
	answer.JSON(w, http.StatusOK, readyAnswer{Status: "ready", Reason: is.Note, Empty: is.Empty,
		FirstRun: s.first.offers(r, is.Empty), Lag: s.lag()})
}

var errLeaving = errors.New("shutting down")

// Leave begins the shutdown: from now on /readyz says that the server is not ready, and
// answers ask clients to close their connections. It reports whether /readyz was ever asked:
// if so, the client that asks it should see the change before the server stops.
func (s *Server) Leave() (followed bool) {
	s.leaving.Store(true)
	return s.asked.Load()
}

// Readiness is the state that a running server reports.
type Readiness struct {
	Note  string // for the operator; may be empty
	Empty bool   // nothing is stored yet
}

type readyAnswer struct {
	Status   string   `json:"status"`
	Reason   string   `json:"reason,omitempty"`
	Empty    bool     `json:"empty,omitempty"`       // nothing is stored yet; for the home page
	FirstRun string   `json:"first_run,omitempty"`   // what the home page offers: to make the first key, or to store a file
	Lag      *float64 `json:"lag_seconds,omitempty"` // nil: not known
}

// lag returns how many seconds this server is behind the database, to a tenth.
func (s *Server) lag() *float64 {
	behind := s.config.Behind()
	if behind == math.MaxInt64 {
		return nil
	}
	seconds := behind.Round(time.Second / 10).Seconds()
	return &seconds
}

// readiness logs changes of whether a server is ready.
type readiness struct {
	mu   sync.Mutex
	last string // why it was not ready; empty: it was, or was never asked
}

func (r *readiness) changed(err error) {
	reason := ""
	if err != nil {
		reason = err.Error()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case reason == r.last:
		return
	case err != nil:
		slog.Warn("not ready", "reason", reason)
	default:
		slog.Info("ready again")
	}
	r.last = reason
}
