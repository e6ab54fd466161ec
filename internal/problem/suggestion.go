package problem

import (
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
)

// Nearest returns the known name that a client most likely meant by name; "" if none is near. It
// ignores letter case, underscores and hyphens, and counts swapped letters as one mistake.
func Nearest(name string, known []string) string {
	name = folded(Clip(name)) // the client chose the length of name
	best, nearest := max(1, len(name)/3)+1, ""
	for _, k := range known {
		d := levenshtein.ComputeDistance(name, folded(k))
		if d == 2 && slices.Equal(letters(name), letters(folded(k))) {
			d = 1
		}
		if d < best {
			best, nearest = d, k
		}
	}
	return nearest
}

func letters(name string) []byte { return slices.Sorted(slices.Values([]byte(name))) }

func folded(name string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(name))
}

// DidYouMean returns the end of a sentence about an unknown name: the nearest known name as a
// question, or "".
func DidYouMean(name string, known []string) string {
	if nearest := Nearest(name, known); nearest != "" {
		return "; did you mean " + nearest + "?"
	}
	return ""
}
