package value

import (
	"errors"
	"reflect"
	"slices"
	"strings"
)

var enums = map[reflect.Type][]string{} // written while packages are initialised

// Enum declares the words that a value of type T can be, in the order in which messages list them.
// REST parameters, members of records and GraphQL enums use these words. Letter case matters.
func Enum[T ~string](words ...T) []T {
	enums[reflect.TypeFor[T]()] = Texts(words)
	return words
}

// EnumOf returns the words that Enum declared for a type; nil: it is not an enum.
func EnumOf(t reflect.Type) []string { return enums[t] }

// ListOf returns words as messages list them.
func ListOf[T ~string](words []T) string { return strings.Join(Texts(words), ", ") }

// Texts returns words as plain text.
func Texts[T ~string](words []T) []string {
	texts := make([]string, len(words))
	for i, w := range words {
		texts[i] = string(w)
	}
	return texts
}

// Word reads a word of the enum T. The error lists all words.
func Word[T ~string](text string) (T, error) {
	return T(text), OneOf(text, EnumOf(reflect.TypeFor[T]()))
}

// OneOf returns an error that lists words, unless text is one of them.
func OneOf(text string, words []string) error {
	if slices.Contains(words, text) {
		return nil
	}
	return errors.New("must be one of " + ListOf(words))
}
