package db

import (
	"bytes"
	"strings"
)

// maxShown is the most bytes of a statement in a span.
const maxShown = 4 << 10

// withoutValues returns a statement with each text and number replaced by a ?, because bun
// writes arguments into the statement. A list of values becomes one ?.
func withoutValues(text string) string {
	b := make([]byte, 0, min(len(text), maxShown))
	for i := 0; i < len(text) && len(b) < maxShown; {
		switch c := text[i]; {
		case c == '\'':
			i = afterQuoted(text, i)
			b = appendHidden(b)
		case c == '"':
			end := afterQuoted(text, i)
			b = append(b, text[i:end]...)
			i = end
		case isDigit(c) && !continues(text, i):
			for i < len(text) && (isWord(text[i]) || text[i] == '.') {
				i++
			}
			b = appendHidden(b)
		default:
			b = append(b, c)
			i++
		}
	}
	return strings.ToValidUTF8(string(b), "")
}

// appendHidden appends a ?, unless it would continue a list of them.
func appendHidden(b []byte) []byte {
	before, comma := bytes.CutSuffix(bytes.TrimRight(b, " "), []byte(","))
	if before = bytes.TrimRight(before, " "); comma && bytes.HasSuffix(before, []byte("?")) {
		return before
	}
	return append(b, '?')
}

// afterQuoted returns the place after a quoted text or name, in which quotes are doubled.
func afterQuoted(text string, at int) int {
	for quote := text[at]; ; {
		end := strings.IndexByte(text[at+1:], quote)
		if end < 0 {
			return len(text)
		}
		if at += end + 2; at == len(text) || text[at] != quote {
			return at
		}
	}
}

// continues reports whether a digit belongs to a name or placeholder before it.
func continues(text string, at int) bool {
	return at > 0 && (isWord(text[at-1]) || text[at-1] == '$' || text[at-1] == '?')
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isWord(c byte) bool {
	return isDigit(c) || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' || c >= 0x80
}
