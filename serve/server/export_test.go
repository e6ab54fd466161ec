package server

// Patterns are what a server answers besides the routes of its table.
func Patterns(s *Server) []string { return s.patterns }
