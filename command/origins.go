package command

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// origins are the origins of web pages that may open streams besides the
// server's own.
type origins []string

func parseOrigins(list string) (origins, error) {
	var out origins
	for text := range strings.SplitSeq(list, ",") {
		text = strings.ToLower(strings.TrimSpace(text))
		if text == "" {
			continue
		}
		u, err := url.Parse(text)
		if text != "*" && (err != nil || u.Scheme == "" || u.Host == "" || strings.Contains(u.Host, "*") || u.Scheme+"://"+u.Host != text) {
			return nil, fmt.Errorf("must be origins such as https://app.example.com, separated by commas, or *; got %q", text)
		}
		out = append(out, text)
	}
	return out, nil
}

// allow reports whether the page that sends r may open a stream. A request
// without an Origin header does not come from a page and is allowed.
func (o origins) allow(r *http.Request) bool {
	origin := strings.ToLower(r.Header.Get("Origin"))
	if origin == "" || slices.Contains(o, "*") || slices.Contains(o, origin) {
		return true
	}
	u, err := url.Parse(origin)
	return err == nil && strings.EqualFold(u.Host, r.Host)
}
