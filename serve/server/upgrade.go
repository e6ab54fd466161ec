package server

import (
	"net/http"

	"github.com/gorilla/websocket"

	"piyasa/internal/problem"
	"piyasa/serve/stream"
)

// socketHandlers returns the sockets by path.
func (s *Server) socketHandlers() map[string]http.Handler {
	disclosures := stream.Handler(s.streams, s.services.Disclosures.Channel())
	return map[string]http.Handler{
		"/v1/kap-feed/stream": disclosures,
		"/v1/kap/stream":      disclosures,
		"/v1/ws":              stream.Handler(s.streams, s.services.Prices.Channel()),
	}
}

// upgraded serves the paths of sockets.
func (s *Server) upgraded(sockets map[string]http.Handler) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			socket := sockets[r.URL.Path]
			switch {
			case socket == nil:
				next.ServeHTTP(w, r)
			case !websocket.IsWebSocketUpgrade(r):
				s.refusedUpgrade(w, r, http.StatusUpgradeRequired, nil)
			default:
				socket.ServeHTTP(w, r)
			}
		})
	}
}

// refusedUpgrade answers a request for a socket that is refused.
func (s *Server) refusedUpgrade(w http.ResponseWriter, r *http.Request, status int, why error) {
	switch status {
	case http.StatusForbidden:
		s.problems.Write(w, r, refusedOrigin(r.Header.Get("Origin"), "open streams"))
	case http.StatusMethodNotAllowed:
		w.Header().Set("Allow", http.MethodGet)
		s.problems.Write(w, r, problem.New(problem.MethodNotAllowed, "%s is not allowed here; use GET.", r.Method))
	case http.StatusInternalServerError:
		s.problems.Write(w, r, problem.Wrap(why))
	default:
		w.Header().Set("Upgrade", "websocket")
		w.Header().Set("Sec-WebSocket-Version", "13")
		s.problems.Write(w, r, problem.New(problem.UpgradeRequired,
			"This is a WebSocket endpoint; connect with a client that speaks version 13 of the protocol. %s/docs/sockets "+
				"describes the messages.", s.services.BaseURL))
	}
}
