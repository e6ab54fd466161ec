package server

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"piyasa/account/access"
	"piyasa/serve/answer"
)

// setRESTHeaders states in headers what the body of an answer does not: ids without an answer,
// whether its source is down (X-Data-Stale), missing reasons, the next page, and its units.
func setRESTHeaders(h http.Header, r *http.Request, kept *answer.Kept) {
	if len(kept.Missing) > 0 {
		h.Set("X-Not-Found", listed(kept.Missing))
	}
	if kept.Stale {
		h.Set("X-Data-Stale", "true")
	}
	if len(kept.Gaps) > 0 {
		h["X-Missing-Reason"] = kept.Gaps
	}
	if kept.Next != "" {
		h.Add("Link", "<"+nextPage(r.URL, kept.Next)+`>; rel="next"`)
	}
	if kept.File != "" {
		h.Set("Content-Disposition", `attachment; filename="`+kept.File+`"`)
	}
	answer.SetHeaders(h, answer.Header{Name: "X-Usage-Units", Value: strconv.FormatInt(access.CallOf(r.Context()).Units(), 10)})
}

// nextPage returns the address, without the host, of the page after the one at of.
func nextPage(of *url.URL, cursor string) string {
	query := of.Query()
	query.Set("cursor", cursor)
	return of.EscapedPath() + "?" + query.Encode()
}

// listed joins ids for a header, and escapes what a header cannot hold as in a path.
func listed(ids []string) string {
	escaped := make([]string, len(ids))
	for i, id := range ids {
		escaped[i] = url.PathEscape(id)
	}
	return strings.Join(escaped, ", ")
}
