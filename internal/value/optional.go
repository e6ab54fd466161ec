package value

// Or returns what p points to, or otherwise if p is nil.
func Or[T any](p *T, otherwise T) T {
	if p == nil {
		return otherwise
	}
	return *p
}

// NonEmpty returns text, or nil if it is empty: as a filter, empty text is the same as none.
func NonEmpty(text *string) *string {
	if text == nil || *text == "" {
		return nil
	}
	return text
}

// List returns list, or an empty list if it is nil, which JSON would show as null.
func List[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
