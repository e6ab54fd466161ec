package access

// Pages are the pages of one list. Their cursors are bound to the list and to
// Query, the text of everything that decides which rows it holds and how they
// are ordered.
type Pages struct {
	Signer      Signer
	List, Query string
}

// Start returns the key of the row after which a page begins; it is empty for
// the first page, whose cursor is nil or empty. Problems: invalid-cursor.
func (p Pages) Start(cursor *string) (key string, err error) {
	if cursor == nil || *cursor == "" {
		return "", nil
	}
	return p.Signer.Key(*cursor, p.List, p.Query)
}

// Cut returns the first limit rows of found, and the cursor of the next page,
// or nil when found has no more rows: a page reads at least one row more than
// it shows. The key of a row is what Start returns for the page after it.
func Cut[T any](p Pages, found []T, limit int, key func(T) string) (rows []T, next *string) {
	if len(found) <= limit {
		return found, nil
	}
	return found[:limit], new(p.Signer.Cursor(key(found[limit-1]), p.List, p.Query))
}
