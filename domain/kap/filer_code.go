package kap

import (
	"regexp"
	"strings"

	"piyasa/internal/problem"
	"piyasa/internal/value"
)

var codeGrammar = regexp.MustCompile(`^[A-Z0-9]{2,10}$`)

// parseCode reads a code of the platform: 2 to 10 letters and digits, in any
// case; ok is false for anything else.
func parseCode(text string) (code string, ok bool) {
	code = value.UpperASCII(text)
	return code, codeGrammar.MatchString(code)
}

// Codes returns codes as they are stored: in ASCII capitals, since codes are not Turkish words,
// and each once.
func Codes(texts []string) []string {
	codes, stated := make([]string, 0, len(texts)), make(map[string]bool, len(texts))
	for _, text := range texts {
		if code := value.UpperASCII(text); !stated[code] {
			stated[code] = true
			codes = append(codes, code)
		}
	}
	return codes
}

// parseFilterCode reads a code of a filter: bare, or after bist: or fund:.
func parseFilterCode(parameter, text string) (string, error) {
	bare := text
	for _, prefix := range []string{"bist:", "fund:"} {
		if rest, ok := strings.CutPrefix(text, prefix); ok {
			bare = rest
			break
		}
	}
	code, ok := parseCode(bare)
	if !ok {
		e := problem.New(problem.MalformedCode,
			"%s is not a code: a code is 2 to 10 letters A-Z and digits, optionally after bist: or fund:.", problem.Shown(text))
		return "", e.About(parameter, text)
	}
	return code, nil
}
