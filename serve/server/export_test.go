package server

// Patterns are what a server answers besides the routes of its table.
func Patterns(s *Server) []string { return s.patterns }

// FilesMade is how many files of records a server has made.
func FilesMade(s *Server) int { return s.files.Made() }

// OnPaid makes a server call do when a request has paid.
func OnPaid(s *Server, do func()) { s.door.Paid = func(int) { do() } }
