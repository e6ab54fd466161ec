package server

import "net/http"

// Patterns are what a server answers besides the routes of its table.
func Patterns(h http.Handler) []string { return h.(*Server).patterns }
