package answer

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"piyasa/internal/problem"
)

// maxWarnings is the most unknown parameters that an answer names.
const maxWarnings = 5

// WarnOfUnknown sets headers that name the ignored parameters of a query, which are not in
// known, and the known ones.
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
