package problem

import (
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
)

// Nearest returns the known name that a client most likely meant by another one; empty if
// none is near. Letter case, underscores and hyphens do not count, and letters in another
// order count once.
func Nearest(name string, known []string) string {
	name = folded(Clip(name)) // whose length the client chose
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

// DidYouMean returns what follows a sentence about an unknown name: the nearest of the known
// ones as a question, or nothing.
func DidYouMean(name string, known []string) string {
	if nearest := Nearest(name, known); nearest != "" {
		return "; did you mean " + nearest + "?"
	}
	return ""
}
