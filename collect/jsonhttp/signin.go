package jsonhttp

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"time"

	"piyasa/collect"
)

// oauth2 gets a token by the grant "client_credentials" of OAuth 2.
type oauth2 struct {
	Path         string         `json:"path"` // below the second base
	ClientID     collect.Secret `json:"client_id"`
	ClientSecret collect.Secret `json:"client_secret"`
	Scope        string         `json:"scope"`
	Audience     string         `json:"audience"`
	InBody       bool           `json:"in_body"` // send id and secret in the body; false: as HTTP Basic
}

// basic is the user and password of HTTP Basic.
type basic struct {
	User     collect.Secret `json:"user"`
	Password collect.Secret `json:"password"`
}

// checkSignIn reports invalid ways of signing in.
func (s *source) checkSignIn() error {
	if o := s.OAuth2; o != nil {
		if o.ClientID.Reveal() == "" || o.ClientSecret.Reveal() == "" || checkPath("oauth2.path", o.Path) != nil {
			return errors.New(`"oauth2" must have "client_id", "client_secret" and the "path" of tokens, below "second_base" or "base"`)
		}
		if s.Basic != nil {
			return errors.New(`"oauth2" and "basic" exclude each other`)
		}
	}
	if s.Basic != nil && (s.Basic.User.Reveal() == "" || s.Basic.Password.Reveal() == "") {
		return errors.New(`"basic" must have "user" and "password"`)
	}
	return nil
}

// basicHeader returns the header of HTTP Basic.
func basicHeader(user, password string) string {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(user+":"+password))
}

// Login implements collect.Login.
func (s *source) Login() *collect.Request {
	o := s.OAuth2
	if o == nil {
		return nil
	}
	form := url.Values{"grant_type": {"client_credentials"}}
	for name, v := range map[string]string{"scope": o.Scope, "audience": o.Audience} {
		if v != "" {
			form.Set(name, v)
		}
	}
	header := http.Header{"Accept": {"application/json"}, "Content-Type": {"application/x-www-form-urlencoded"}}
	if o.InBody {
		form.Set("client_id", o.ClientID.Reveal())
		form.Set("client_secret", o.ClientSecret.Reveal())
	} else { // RFC 6749 encodes both first
		header.Set("Authorization", basicHeader(url.QueryEscape(o.ClientID.Reveal()), url.QueryEscape(o.ClientSecret.Reveal())))
	}
	return &collect.Request{
		Method: http.MethodPost, Path: o.Path, Header: header, Body: []byte(form.Encode()), Second: true, Expect: collect.JSON,
	}
}

// Credential implements collect.Login.
func (s *source) Credential(got *collect.Answer) (http.Header, time.Time, error) {
	var token struct {
		Access  string      `json:"access_token"`
		Expires json.Number `json:"expires_in"`
	}
	if err := json.Unmarshal(got.Body, &token); err != nil || token.Access == "" {
		return nil, time.Time{}, errors.New(`the answer has no "access_token"`)
	}
	var until time.Time
	if seconds, err := token.Expires.Float64(); err == nil && seconds > 0 {
		until = got.At.Add(time.Duration(seconds) * time.Second)
	}
	return http.Header{"Authorization": {"Bearer " + token.Access}}, until, nil
}

// Expired implements collect.Login.
func (s *source) Expired(got *collect.Answer) bool {
	return s.OAuth2 != nil && got.Status == http.StatusUnauthorized
}
