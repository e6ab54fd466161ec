package command

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"piyasa/serve/server"
)

// origins are the origins of web pages, besides the server's own, that may read answers and
// open streams.
type origins struct{ server.Origins }

func parseOrigins(list string) (origins, error) {
	var out origins
	for text := range strings.SplitSeq(list, ",") {
		text = strings.ToLower(strings.TrimSpace(text))
		if text == "" {
			continue
		}
		u, err := url.Parse(text)
		if text != server.AnyOrigin && text != server.LocalOrigins &&
			(err != nil || u.Scheme == "" || u.Host == "" || strings.Contains(u.Host, "*") || u.Scheme+"://"+u.Host != text) {
			return origins{}, fmt.Errorf("must be origins such as https://app.example.com, separated by commas, or local, or *; got %q",
				text)
		}
		out.Origins = append(out.Origins, text)
	}
	return out, nil
}

// allow reports whether the page that sends r may open a stream. A request without an Origin
// header does not come from a page and is allowed.
func (o origins) allow(r *http.Request) bool {
	origin := strings.ToLower(r.Header.Get("Origin"))
	if origin == "" || o.Name(origin) {
		return true
	}
	u, err := url.Parse(origin)
	return err == nil && strings.EqualFold(u.Host, r.Host)
}
