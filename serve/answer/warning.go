package answer

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"piyasa/internal/problem"
)

// maxWarnings bounds how many unknown parameters an answer names.
const maxWarnings = 5

// WarnOfUnknown says in headers of an answer which parameters of a query were ignored,
// because there are none of these names, and which ones there are.
func WarnOfUnknown(h http.Header, query string, known []string) {
	if query == "" {
		return
	}
	var warnings []string
	for pair := range strings.SplitSeq(query, "&") {
		name, _, _ := strings.Cut(pair, "=")
		if strings.ContainsAny(name, "%+") {
			if plain, err := url.QueryUnescape(name); err == nil {
				name = plain
			}
		}
		if name == "" || slices.Contains(known, name) || slices.Contains(warnings, name) {
			continue
		}
		if warnings = append(warnings, name); len(warnings) > maxWarnings {
			return
		}
		h.Add("Warning", ignored(name, known))
	}
}

// ignored returns the warning of one parameter. What a header cannot hold is escaped.
func ignored(name string, known []string) string {
	text := "Parameter " + problem.Clip(problem.Masked(name)) + " is unknown here and was ignored" + problem.DidYouMean(name, known)
	if !strings.HasSuffix(text, "?") {
		text += "."
	}
	if len(known) > 0 {
		text += " Known: " + strings.Join(known, ", ") + "."
	}
	return "299 - " + strconv.QuoteToASCII(text)
}
