package answer

import (
	"mime"
	"strconv"
	"strings"
)

// Negotiate picks a media type from offers by q-value, or "" if none is acceptable. Ties go to
// the last type that the client names, wildcards to the first offer.
func Negotiate(accept []string, offers ...string) string {
	header := strings.Join(accept, ",")
	if strings.TrimSpace(header) == "" {
		return offers[0]
	}
	best, chosen := Preference{}, ""
	for _, offer := range offers {
		p := PreferenceFor(header, offer)
		if p.Q > best.Q || (p.Q > 0 && p.Q == best.Q && p.Closeness == Named) {
			best, chosen = p, offer
		}
	}
	return chosen
}

// Preference states how much a client wants a media type, and how closely its media range
// matches the type.
type Preference struct {
	Q         float64
	Closeness int
}

// The closeness of a range to a media type; the closest range counts.
const (
	Anything = iota + 1
	SameType
	Named
)

// PreferenceFor returns what an Accept header states about an offer.
func PreferenceFor(header, offer string) (best Preference) {
	kind, _, _ := strings.Cut(offer, "/")
	for part := range strings.SplitSeq(header, ",") {
		name, params, err := mime.ParseMediaType(part)
		if err != nil || !IsUTF8(params) {
			continue
		}
		p := Preference{Q: 1}
		switch name {
		case offer:
			p.Closeness = Named
		case kind + "/*":
			p.Closeness = SameType
		case "*/*":
			p.Closeness = Anything
		}
		if q, err := strconv.ParseFloat(params["q"], 64); err == nil {
			p.Q = q
		}
		if p.Closeness > best.Closeness {
			best = p
		}
	}
	return best
}

// IsUTF8 reports whether the parameters of a media type state UTF-8 or no charset.
func IsUTF8(params map[string]string) bool {
	charset, stated := params["charset"]
	return !stated || strings.EqualFold(charset, "utf-8") || strings.EqualFold(charset, "utf8")
}
