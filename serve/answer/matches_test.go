package answer_test

import (
	"testing"

	"piyasa/serve/answer"
)

// A tag is recognized in a list, as a weak one, and as Apache changes it when it packs the answer.
func TestMatches(t *testing.T) {
	for header, want := range map[string]bool{
		`"a-1"`: true, `W/"a-1"`: true, `"b", "a-1"`: true, `*`: true, `"a-1-gzip"`: true, `W/"a-1-gzip"`: true, `"b", "a-1-br"`: true,
		`"a"`: false, `"a-1-gzip-gzip"`: false, `"a-1-zip"`: false, `a-1`: false, `"a-gzip-1"`: false,
	} {
		if got := answer.Matches([]string{header}, `"a-1"`); got != want {
			t.Errorf("%s: %v", header, got)
		}
	}
}
