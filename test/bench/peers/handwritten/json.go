package main

import "strconv"

// appendText appends a JSON string.
func appendText[T string | []byte](to []byte, text T) []byte {
	to = append(to, '"')
	start := 0
	for i := range len(text) {
		c := text[i]
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		to = append(to, text[start:i]...)
		start = i + 1
		switch c {
		case '"', '\\':
			to = append(to, '\\', c)
		case '\n':
			to = append(to, `\n`...)
		default:
			to = append(to, `\u00`...)
			to = append(to, "0123456789abcdef"[c>>4], "0123456789abcdef"[c&15])
		}
	}
	return append(append(to, text[start:]...), '"')
}

// appendMember appends a name, with what stands before it, and a text; an empty
// text is null.
func appendMember[T string | []byte](to []byte, name string, text T) []byte {
	to = append(to, name...)
	if len(text) == 0 {
		return append(to, "null"...)
	}
	return appendText(to, text)
}

// appendBare is appendMember for what is JSON already.
func appendBare[T string | []byte](to []byte, name string, json T) []byte {
	to = append(to, name...)
	if len(json) == 0 {
		return append(to, "null"...)
	}
	return append(to, json...)
}

// appendBoth appends a text in two languages, or null.
func appendBoth[T string | []byte](to []byte, name string, tr, en T) []byte {
	to = append(to, name...)
	if len(tr) == 0 && len(en) == 0 {
		return append(to, "null"...)
	}
	to = appendMember(to, `{"tr":`, tr)
	return append(appendMember(to, `,"en":`, en), '}')
}

// appendPageEnd appends what follows the items of a page.
func appendPageEnd(to []byte, count int, more bool, last position) []byte {
	to = strconv.AppendInt(append(to, `],"count":`...), int64(count), 10)
	if !more {
		return append(to, `,"next_cursor":null}`...)
	}
	return append(appendText(append(to, `,"next_cursor":`...), last.cursor()), '}')
}
