package access

// Buckets returns how many buckets a gate remembers.
func Buckets(g *Gate) int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.buckets)
}
