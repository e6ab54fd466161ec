package problem

// Kinds lists every Kind, in no particular order.
func Kinds() []Kind {
	all := make([]Kind, 0, len(kinds))
	for k := range kinds {
		all = append(all, k)
	}
	return all
}
