package command

import (
	"fmt"
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
