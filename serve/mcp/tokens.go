package mcp

import "unicode/utf8"

// maxAnswer is the most that a model has to read of an answer, in tokens.
const maxAnswer = 5_000

// tokens estimates how many tokens a model counts in text, rather too many than too few: the
// tokenizers of many models are not public, and the public ones (cl100k, o200k) count less. Words
// are cut after four letters, numbers and rows of signs after two, and other letters after two
// bytes.
func tokens(text []byte) (n int) {
	const other, letters, digits, signs = 0, 1, 2, 3
	run, length := other, 0
	flush := func() {
		if per := [...]int{other: 1, letters: 4, digits: 2, signs: 2}[run]; length > 0 {
			n += (length + per - 1) / per
		}
		length = 0
	}
	for i := 0; i < len(text); {
		c, kind, size := text[i], other, 1
		switch {
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z':
			kind = letters
		case c >= '0' && c <= '9':
			kind = digits
		case c > ' ' && c < utf8.RuneSelf:
			kind = signs
		case c >= utf8.RuneSelf:
			_, size = utf8.DecodeRune(text[i:])
			n += (size + 1) / 2
		}
		if kind != run {
			flush()
			run = kind
		}
		if kind != other {
			length++
		}
		i += size
	}
	flush()
	return n
}
