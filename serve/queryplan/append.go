package queryplan

import (
	"github.com/99designs/gqlgen/graphql"
)

const hex = "0123456789ABCDEF"

// AppendString appends text as gqlgen writes a string.
func AppendString(b []byte, text string) []byte {
	b = append(b, '"')
	for {
		n := plainPrefix(text)
		b = append(b, text[:n]...)
		if n == len(text) {
			return append(b, '"')
		}
		switch c := text[n]; c {
		case '\t':
			b = append(b, `\t`...)
		case '\r':
			b = append(b, `\r`...)
		case '\n':
			b = append(b, `\n`...)
		case '\\', '"':
			b = append(b, '\\', c)
		default:
			b = append(b, '\\', 'u', '0', '0', hex[c>>4], hex[c&0xf])
		}
		text = text[n+1:]
	}
}

// plainPrefix returns how many bytes of text precede the first one that must be escaped. It
// looks at eight bytes at a time: in each, the highest bit of a difference marks a byte below
// the space, a quote or a backslash.
func plainPrefix(text string) int {
	const ones, highest = 0x0101010101010101, 0x8080808080808080
	i := 0
	for ; i+8 <= len(text); i += 8 {
		t := text[i : i+8]
		w := uint64(t[0]) | uint64(t[1])<<8 | uint64(t[2])<<16 | uint64(t[3])<<24 |
			uint64(t[4])<<32 | uint64(t[5])<<40 | uint64(t[6])<<48 | uint64(t[7])<<56
		quote, backslash := w^'"'*ones, w^'\\'*ones
		if ((w-' '*ones)&^w|(quote-ones)&^quote|(backslash-ones)&^backslash)&highest != 0 {
			break
		}
	}
	for ; i < len(text); i++ {
		if c := text[i]; c < ' ' || c == '\\' || c == '"' {
			return i
		}
	}
	return i
}

// AppendList appends a list of leaves.
func AppendList[E any](b []byte, list []E, nonNull, elemNonNull bool, appendElem func([]byte, E) ([]byte, Outcome)) ([]byte, Outcome) {
	if list == nil && !nonNull {
		return b, Null
	}
	start := len(b)
	b = append(b, '[')
	var outcome Outcome
	for i, e := range list {
		if i > 0 {
			b = append(b, ',')
		}
		var of Outcome
		b, of = appendElem(b, e)
		outcome |= of & Failed
		if of&Null == 0 {
			continue
		}
		b = append(b, "null"...)
		if elemNonNull {
			outcome |= Null
		}
	}
	if outcome&Null != 0 {
		return b[:start], outcome
	}
	return append(b, ']'), outcome
}

// AppendMarshaler appends the output of a gqlgen marshaler.
func AppendMarshaler(b []byte, m graphql.Marshaler, nonNull bool) ([]byte, Outcome) {
	if m == graphql.Null {
		if nonNull {
			return b, Null | Failed
		}
		return b, Null
	}
	w := appender{b}
	m.MarshalGQL(&w)
	return w.b, 0
}

// appender is an io.Writer that appends.
type appender struct{ b []byte }

// Write implements io.Writer.
func (a *appender) Write(p []byte) (int, error) {
	a.b = append(a.b, p...)
	return len(p), nil
}

// WriteString implements io.StringWriter.
func (a *appender) WriteString(s string) (int, error) {
	a.b = append(a.b, s...)
	return len(s), nil
}
