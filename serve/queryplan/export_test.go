package queryplan

// Kept returns what the plans that are kept take, in bytes, and what they may.
func (s *Schema) Kept() (bytes, most uint64) {
	s.plans.CleanUp()
	return s.plans.WeightedSize(), maxKept
}
