package document

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/lexer"
)

// escapes finds the escapes of a string; the group is half of a pair of surrogates.
var escapes = regexp.MustCompile(`(?i)\\(?:ud[89ab]..\\ud[c-f]..|(ud[89a-f]..)|.)`)

// damagedText rejects a document with text that the parser would replace by U+FFFD: bytes that
// are not UTF-8, and unpaired surrogates in its strings.
func damagedText(text string) *gqlerror.Error {
	if !utf8.ValidString(text) {
		return gqlerror.Errorf("the document is not UTF-8")
	}
	if !strings.Contains(text, `\u`) {
		return nil
	}
	in, runes := lexer.New(&ast.Source{Input: text}), []rune(text)
	for {
		token, err := in.ReadToken()
		if err != nil || token.Kind == lexer.EOF {
			return nil // the parser has read it
		}
		if token.Kind != lexer.String || !strings.ContainsRune(token.Value, utf8.RuneError) {
			continue
		}
		for _, found := range escapes.FindAllStringSubmatch(string(runes[token.Pos.Start:token.Pos.End]), -1) {
			if found[1] != "" {
				return gqlerror.ErrorLocf("", token.Pos.Line, token.Pos.Column,
					`\%s in a string is half of a pair of surrogates; write the pair, or \u{…}`, found[1])
			}
		}
	}
}
