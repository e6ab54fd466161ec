package book

import (
	"html"
	"regexp"
	"strings"
)

// Patterns by which blocks of code are coloured: comments, strings, and keywords or numbers.
var (
	hashed = regexp.MustCompile(`(?m)(?P<comment>(?:^|[ \t])#.*$)|(?P<string>"(?:\\.|[^"\\\n])*"|'[^'\n]*')|` +
		anyOf("import from def for in if else elif return with as while print not and or None True False export"+
			" curl piyasa query subscription fragment on"))
	slashed = regexp.MustCompile(`(?m)(?P<comment>(?:^|[ \t])//.*$)|(?P<string>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|\x60[^\x60]*\x60)|` +
		anyOf("import from package func const let var for of if else return await async new defer range nil null true false"))
	json   = regexp.MustCompile(`(?P<name>"(?:\\.|[^"\\])*"\s*:)|(?P<string>"(?:\\.|[^"\\])*")|(?P<word>-?\b\d[\d.eE+-]*|\b(?:true|false|null)\b)`)
	tokens = map[string]*regexp.Regexp{"sh": hashed, "python": hashed, "graphql": hashed, "js": slashed, "go": slashed, "json": json}
)

// anyOf matches the words of a list.
func anyOf(list string) string {
	return `(?P<word>\b(?:` + strings.ReplaceAll(list, " ", "|") + `)\b)`
}

// highlighted returns code as HTML in which the parts of its language have classes.
func highlighted(language, code string) string {
	pattern := tokens[language]
	if pattern == nil {
		return html.EscapeString(code)
	}
	var s strings.Builder
	at := 0
	for _, m := range pattern.FindAllStringSubmatchIndex(code, -1) {
		s.WriteString(html.EscapeString(code[at:m[0]]))
		for group, name := range pattern.SubexpNames() {
			if name != "" && m[2*group] >= 0 {
				s.WriteString(`<span class="` + name + `">` + html.EscapeString(code[m[0]:m[1]]) + "</span>")
			}
		}
		at = m[1]
	}
	return s.String() + html.EscapeString(code[at:])
}
