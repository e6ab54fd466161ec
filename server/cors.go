package server

import (
	"net/http"

	"github.com/rs/cors"
)

// crossOrigin lets pages of the configured origins read answers. Without any,
// nothing is said about origins, and browsers keep to the server's own.
func (s *Server) crossOrigin(next http.Handler) http.Handler {
	if len(s.config.Origins) == 0 {
		return next
	}
	return cors.New(cors.Options{
		AllowedOrigins: s.config.Origins,
		AllowedMethods: []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodDelete},
		AllowedHeaders: []string{"X-API-Key", "Content-Type", "Accept", "If-None-Match", "Last-Event-ID", "X-GraphQL-Event-Stream-Token", "Authorization", "Mcp-Protocol-Version", "Mcp-Method", "Mcp-Name"},
		ExposedHeaders: []string{"X-Request-Id", "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset", "X-Usage-Units", "X-Not-Found", "ETag", "Retry-After", "Deprecation", "Link"},
	}).Handler(next)
}
