package admission

import (
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"piyasa/account/access"
	"piyasa/internal/problem"
	"piyasa/internal/value"
	"piyasa/serve/answer"
)

// LinksPath is the route that makes links.
const LinksPath = "/v1/links"

const (
	linkParameter = "link"
	linkPurpose   = "link"
	linkPrefix    = "lk_"
	linkDays      = 30 // how long a link works by default
	maxLinkDays   = 366
	maxLinkBody   = 16 << 10 // bytes
)

// Links makes and reads signed links: addresses of REST that need no header, for programs that
// cannot send one, such as spreadsheets. A link contains a signature but never the key. It opens
// the one answer at its address, with the scopes, limits and usage of the key that made it, until
// it expires or the key is revoked.
type Links struct {
	Gate     *access.Gate
	Signer   access.Signer
	Clock    value.Clock
	BaseURL  string
	Problems answer.Problems
	Serves   func(*http.Request) bool // whether a route of REST answers a request
}

// wanted is the body of a request for a link.
type wanted struct {
	Address string `json:"address"`
	Days    *int   `json:"days"`
}

// ServeHTTP makes a link with the key of the call.
func (l Links) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("X-Usage-Units", "0")
	link, expires, err := l.make(w, r)
	if err != nil {
		l.Problems.Write(w, r, err)
		return
	}
	w.Header().Set("Cache-Control", "no-store")
	answer.JSON(w, http.StatusOK, struct {
		Link      string        `json:"link"`
		ExpiresAt value.Instant `json:"expires_at"`
	}{link, expires})
}

func (l Links) make(w http.ResponseWriter, r *http.Request) (link string, expires value.Instant, err error) {
	var in wanted
	body, err := answer.RequestBody(w, r, maxLinkBody)
	if err == nil {
		err = json.Unmarshal(body, &in, json.RejectUnknownMembers(true))
	}
	if err != nil {
		return "", expires, problem.New(problem.InvalidParameter,
			`The body must be a JSON object such as {"address": "/v1/eod/bist:DMOST?format=csv", "days": %d}.`, linkDays)
	}
	days := value.Or(in.Days, linkDays)
	if days < 1 || days > maxLinkDays {
		return "", expires, problem.New(problem.InvalidParameter, "days must be from 1 to %d; got %d.", maxLinkDays, days)
	}
	address, err := url.Parse(strings.TrimPrefix(in.Address, l.BaseURL))
	if err != nil || address.IsAbs() || address.Host != "" || path.Clean(address.Path) != address.Path || !l.serves(address) {
		return "", expires, problem.Parameter("address", in.Address, "that of a GET of REST, such as /v1/eod/bist:DMOST?format=csv")
	}
	query := address.Query()
	for _, secret := range []string{linkParameter, "api_key", "token"} {
		query.Del(secret)
	}
	expires = l.Clock().Add(time.Duration(days) * 24 * time.Hour).WholeSecond()
	text := expires.String() + " " + access.CallOf(r.Context()).Key.ID
	signature := linkPrefix + l.Signer.Cursor(text, linkPurpose, signed(address.Path, query))
	query.Set(linkParameter, signature)
	return l.BaseURL + address.EscapedPath() + "?" + query.Encode(), expires, nil
}

// serves reports whether a route of REST answers a GET of an address.
func (l Links) serves(address *url.URL) bool {
	r, err := http.NewRequest(http.MethodGet, address.EscapedPath(), nil)
	return err == nil && l.Serves(r)
}

// signed returns the text that the signature of a link covers: a path and its query.
func signed(at string, query url.Values) string { return at + "?" + query.Encode() }

// Or returns a function that finds the live key of the link in a request's address, or, without
// a link, the key that keyOf finds. It removes the link from the query, which routes read.
func (l Links) Or(keyOf func(*http.Request) (*access.Key, error)) func(*http.Request) (*access.Key, error) {
	return func(r *http.Request) (*access.Key, error) {
		if !inLink(r) {
			return keyOf(r)
		}
		query := r.URL.Query()
		link := query.Get(linkParameter)
		query.Del(linkParameter)
		text, err := l.Signer.Key(strings.TrimPrefix(link, linkPrefix), linkPurpose, signed(r.URL.Path, query))
		if err != nil {
			return nil, problem.New(problem.Unauthenticated,
				"The link is not of this address: each has its own, made with a POST to %s%s.", l.BaseURL, LinksPath)
		}
		moment, keyID, _ := strings.Cut(text, " ")
		if expires, err := value.ParseInstant(moment); err != nil || !l.Clock().Before(expires) {
			return nil, problem.New(problem.Unauthenticated, "The link worked until %s; make a new one with a POST to %s%s.",
				moment, l.BaseURL, LinksPath)
		}
		r.URL.RawQuery = query.Encode()
		return l.Gate.ByID(keyID)
	}
}

// inLink reports whether a request came by a link.
func inLink(r *http.Request) bool {
	return strings.Contains(r.RequestURI, linkParameter+"="+linkPrefix)
}
