package analytics

import "context"

// ComputeWaiting computes what waits, once, as Run does.
func (s *Service) ComputeWaiting(ctx context.Context) { s.computeWaiting(ctx) }
