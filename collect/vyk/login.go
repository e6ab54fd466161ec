package vyk

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"piyasa/collect"
)

// account is how a licensee signs in: with a key, in exchange for which the service gives a
// token, or with a user and a password.
type account struct {
	key            *collect.Secret
	user, password *collect.Secret
	scheme         string // before the token: empty or "Bearer"
}

// check reports the fault of an account's settings.
func (a account) check() error {
	if (a.user == nil) != (a.password == nil) || (a.key == nil) == (a.user == nil) {
		return errors.New(`must have either "key", or "user" and "password", such as {"env": "VYK_KEY"}`)
	}
	if a.scheme != "" && a.scheme != "Bearer" || a.scheme != "" && a.key == nil {
		return fmt.Errorf(`"scheme" must be "" or "Bearer", and belongs to "key"; got %q`, a.scheme)
	}
	return nil
}

// header returns the headers of requests; nil: they carry the token instead.
func (a account) header() http.Header {
	if a.key != nil {
		return nil
	}
	basic := base64.StdEncoding.EncodeToString([]byte(a.user.Reveal() + ":" + a.password.Reveal()))
	return http.Header{"Authorization": {"Basic " + basic}}
}

// Login implements collect.Login.
func (a account) Login() *collect.Request {
	if a.key == nil {
		return nil
	}
	return &collect.Request{Path: "auth/generateToken", Query: url.Values{"apiKey": {a.key.Reveal()}}, Expect: collect.JSON}
}

// Credential implements collect.Login. It reads only when the token expires; the service checks
// the rest.
func (a account) Credential(got *collect.Answer) (header http.Header, until time.Time, err error) {
	var in struct {
		Token string `json:"token"`
	}
	if err := collect.ReadJSON(got.Body, &in); err != nil {
		return nil, until, errors.New("the answer has no token")
	}
	if in.Token == "" || strings.ContainsFunc(in.Token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return nil, until, errors.New("the answer has no token")
	}
	return http.Header{"Authorization": {strings.TrimSpace(a.scheme + " " + in.Token)}}, endOf(in.Token), nil
}

// endOf returns when a token expires; zero: not stated.
func endOf(token string) time.Time {
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return time.Time{}
	}
	text, err := base64.RawURLEncoding.DecodeString(parts[1])
	var in struct {
		Exp json.Number `json:"exp"`
	}
	if err != nil || json.Unmarshal(text, &in) != nil {
		return time.Time{}
	}
	seconds, err := in.Exp.Int64()
	if err != nil || seconds <= 0 {
		return time.Time{}
	}
	return time.Unix(seconds, 0)
}

// Expired implements collect.Login.
func (a account) Expired(got *collect.Answer) bool {
	if a.key == nil || got.Status == http.StatusOK {
		return false
	}
	switch code, _ := fault(got.Body); code {
	case "ER004", "ER006", "ER007", "ER008":
		return true
	}
	return got.Status == http.StatusUnauthorized
}
