package book

import (
	"io/fs"
	"path"
	"regexp"
	"strings"
)

// elsewhere maps files outside the book's folder to their addresses on a server.
var elsewhere = map[string]string{"../schema.graphqls": "/schema.graphql"}

// linked matches a link or picture; code is matched first, and left alone.
var linked = regexp.MustCompile("(?s)```.*?```|`[^`\n]*`|\\[((?:`[^`\n]*`|[^\\]`])*)\\]\\(([^)\\s]+)\\)")

// served returns the Markdown of a file as a server shows it: a link to a file that
// only the repository has becomes its text.
func (b *Book) served(file, text string) string {
	return linked.ReplaceAllStringFunc(text, func(link string) string {
		m := linked.FindStringSubmatch(link)
		if m[2] == "" || outside(m[2]) {
			return link
		}
		to, _, _ := strings.Cut(m[2], "#")
		if at := elsewhere[path.Join(path.Dir(file), to)]; at != "" {
			return "[" + m[1] + "](" + at + ")"
		}
		if b.has(path.Join(path.Dir(file), to)) {
			return link
		}
		return m[1]
	})
}

// outside reports whether a link leads to an anchor, to a full address, or to a path of the server.
func outside(link string) bool {
	return strings.HasPrefix(link, "#") || strings.HasPrefix(link, "/") || strings.Contains(link, "://") ||
		strings.HasPrefix(link, "mailto:")
}

// has reports whether a file is part of the book.
func (b *Book) has(file string) bool {
	if b.byFile[file] != nil {
		return true
	}
	if !fs.ValidPath(file) || strings.HasSuffix(file, ".md") {
		return false
	}
	info, err := fs.Stat(b.files, file)
	return err == nil && info.Mode().IsRegular()
}

// resolve returns the address that a link on the page of a file leads to.
func (b *Book) resolve(file, link string) string {
	if link == "" || outside(link) {
		return link
	}
	to, anchor, cut := strings.Cut(link, "#")
	to = path.Join(path.Dir(file), to)
	at := Root + "/" + to
	if b.byFile[to] != nil {
		at = address(to)
	}
	if cut {
		at += "#" + anchor
	}
	return at
}
