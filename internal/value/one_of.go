package value

import (
	"errors"
	"slices"
	"strings"
)

// OneOf reads a word that must be one of words; letter case matters. The error
// lists them.
func OneOf[T ~string](into *T, text []byte, words ...T) error {
	if *into = T(text); slices.Contains(words, *into) {
		return nil
	}
	names := make([]string, len(words))
	for i, w := range words {
		names[i] = string(w)
	}
	return errors.New("must be one of " + strings.Join(names, ", "))
}
