package plan

import (
	"github.com/99designs/gqlgen/graphql"
)

const hex = "0123456789ABCDEF"

// AppendString appends text as gqlgen writes a string.
func AppendString(b []byte, text string) []byte {
	b = append(b, '"')
	start := 0
	for i := range len(text) {
		c := text[i]
		if c >= 0x20 && c != '\\' && c != '"' {
			continue
		}
		b = append(b, text[start:i]...)
		switch c {
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
		start = i + 1
	}
	b = append(b, text[start:]...)
	return append(b, '"')
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

// AppendMarshaler appends what gqlgen's marshalers write.
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
