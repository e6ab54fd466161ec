// Package login is how a licensee tells the publication service of KAP who asks: with a key, for
// which the service gives a token, or with a user and a password.
package login

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
	"piyasa/collect/vyk/answer"
)

// Account is what a licensee has: a key, or a user and a password.
type Account struct {
	Key            *collect.Secret
	User, Password *collect.Secret
	Scheme         string // before the token: empty or "Bearer"
}

// Check reports what is wrong with the settings of an account.
func (a Account) Check() error {
	if (a.User == nil) != (a.Password == nil) || (a.Key == nil) == (a.User == nil) {
		return errors.New(`must have either "key", or "user" and "password", such as {"env": "VYK_KEY"}`)
	}
	if a.Scheme != "" && a.Scheme != "Bearer" || a.Scheme != "" && a.Key == nil {
		return fmt.Errorf(`"scheme" must be "" or "Bearer", and belongs to "key"; got %q`, a.Scheme)
	}
	return nil
}

// Header returns the headers of requests that no token is asked for; nil: one is.
func (a Account) Header() http.Header {
	if a.Key != nil {
		return nil
	}
	basic := base64.StdEncoding.EncodeToString([]byte(a.User.Reveal() + ":" + a.Password.Reveal()))
	return http.Header{"Authorization": {"Basic " + basic}}
}

// Login implements collect.Login.
func (a Account) Login() *collect.Request {
	if a.Key == nil {
		return nil
	}
	return &collect.Request{Path: "auth/generateToken", Query: url.Values{"apiKey": {a.Key.Reveal()}}, Expect: collect.JSON}
}

// Credential implements collect.Login. The service checks the token; only its end is read.
func (a Account) Credential(got *collect.Answer) (header http.Header, until time.Time, err error) {
	var in struct {
		Token string `json:"token"`
	}
	if err := collect.ReadJSON(got.Body, &in); err != nil {
		return nil, until, errors.New("the answer has no token")
	}
	if in.Token == "" || strings.ContainsFunc(in.Token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return nil, until, errors.New("the answer has no token")
	}
	return http.Header{"Authorization": {strings.TrimSpace(a.Scheme + " " + in.Token)}}, ends(in.Token), nil
}

// ends returns when a token ends; zero: it does not say.
func ends(token string) time.Time {
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
func (a Account) Expired(got *collect.Answer) bool {
	if a.Key == nil || got.Status == http.StatusOK {
		return false
	}
	switch code, _ := answer.Fault(got.Body); code {
	case "ER004", "ER006", "ER007", "ER008":
		return true
	}
	return got.Status == http.StatusUnauthorized
}
