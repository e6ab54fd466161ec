package server

import (
	"mime"
	"strconv"
	"strings"
)

// negotiate chooses the media type of the answer among offers; empty when none
// is acceptable. Whoever takes any of them gets the first. Of those that a
// client names and likes the same, it gets the last.
func negotiate(accept []string, offers ...string) string {
	header := strings.Join(accept, ",")
	if strings.TrimSpace(header) == "" {
		return offers[0]
	}
	best, chosen := preference{}, ""
	for _, offer := range offers {
		p := preferenceFor(header, offer)
		if p.q > best.q || (p.q > 0 && p.q == best.q && p.closeness == named) {
			best, chosen = p, offer
		}
	}
	return chosen
}

// preference is how much a client likes a media type, and how closely it says
// which.
type preference struct {
	q         float64
	closeness int
}

// The closeness of a range to a media type; the closest range counts.
const (
	anything = iota + 1
	sameSort
	named
)

func preferenceFor(header, offer string) (best preference) {
	sort, _, _ := strings.Cut(offer, "/")
	for part := range strings.SplitSeq(header, ",") {
		name, params, err := mime.ParseMediaType(part)
		if err != nil || !isUTF8(params) {
			continue
		}
		p := preference{q: 1}
		switch name {
		case offer:
			p.closeness = named
		case sort + "/*":
			p.closeness = sameSort
		case "*/*":
			p.closeness = anything
		}
		if q, err := strconv.ParseFloat(params["q"], 64); err == nil {
			p.q = q
		}
		if p.closeness > best.closeness {
			best = p
		}
	}
	return best
}

func isUTF8(params map[string]string) bool {
	charset, stated := params["charset"]
	return !stated || strings.EqualFold(charset, "utf-8")
}
