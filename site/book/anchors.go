package book

import (
	"fmt"
	"strings"
	"unicode"
)

// anchors gives the headings of a page the same anchors as GitHub does.
type anchors map[string]bool

// of returns the anchor of the next heading.
func (a anchors) of(heading string) string {
	slug := strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-', r == '_', unicode.In(r, unicode.L, unicode.N, unicode.M):
			return unicode.ToLower(r)
		}
		return -1
	}, strings.TrimSpace(heading))
	unique := slug
	for n := 1; a[unique]; n++ {
		unique = fmt.Sprintf("%s-%d", slug, n)
	}
	a[unique] = true
	return unique
}
