// Package vyk reads disclosures from the publication service of KAP, Turkey's public
// disclosure platform, for licensees of the service.
package vyk

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"piyasa/collect"
)

// source reads the disclosures, in the order of their numbers.
type source struct {
	key            *collect.Secret // of the token; nil: Basic
	user, password *collect.Secret
	scheme         string // before the token
	from           int64  // first number; 0: the newest one of the first start
	hold           time.Duration
	folder         string // of attachments; empty: they stay at the service
	companies      bool
	funds          bool
	kind, company  string // of disclosures; empty: all
}

const (
	defaultHold = time.Minute
	mostHold    = time.Hour
	mostBytes   = 64 << 20
)

// memberID is the number of a member.
var memberID = regexp.MustCompile(`^[0-9]{1,5}$`)

// New returns the source of a configuration.
func New(text json.RawMessage) (collect.Source, error) {
	in, err := collect.Settings[struct {
		Key         *collect.Secret `json:"key"`
		User        *collect.Secret `json:"user"`
		Password    *collect.Secret `json:"password"`
		Scheme      string          `json:"scheme"`
		From        *int64          `json:"from"`
		Hold        string          `json:"hold"`
		Attachments json.RawMessage `json:"attachments"`
		Companies   bool            `json:"companies"`
		Funds       bool            `json:"funds"`
		Type        string          `json:"type"`
		Company     string          `json:"company"`
	}](text)
	if err != nil {
		return nil, err
	}
	s := &source{key: in.Key, user: in.User, password: in.Password, scheme: in.Scheme, hold: defaultHold, companies: in.Companies, funds: in.Funds, kind: in.Type, company: in.Company}
	if (in.User == nil) != (in.Password == nil) || (in.Key == nil) == (in.User == nil) {
		return nil, errors.New(`must have either "key", or "user" and "password", such as {"env": "VYK_KEY"}`)
	}
	if in.Scheme != "" && in.Scheme != "Bearer" || in.Scheme != "" && in.Key == nil {
		return nil, fmt.Errorf(`"scheme" must be "" or "Bearer", and belongs to "key"; got %q`, in.Scheme)
	}
	if in.Type != "" && !slices.Contains(types, scalar(in.Type)) {
		return nil, fmt.Errorf(`"type" must be one of %s; got %q`, types, in.Type)
	}
	if in.Company != "" && !memberID.MatchString(in.Company) {
		return nil, fmt.Errorf(`"company" must be the number of a member, such as "777"; got %q`, in.Company)
	}
	if in.From != nil {
		if s.from = *in.From; s.from < 1 || s.from > mostNumber {
			return nil, fmt.Errorf(`"from" must be the number of a disclosure, from 1 to %d; got %d`, mostNumber, s.from)
		}
	}
	if in.Hold != "" {
		if s.hold, err = time.ParseDuration(in.Hold); err != nil || s.hold < 0 || s.hold > mostHold {
			return nil, fmt.Errorf(`"hold" must be a duration of at most %s such as "60s"; got %q`, mostHold, in.Hold)
		}
	}
	s.folder, err = readAttachments(in.Attachments)
	return s, err
}

// readAttachments returns the folder of attachments.
func readAttachments(text json.RawMessage) (string, error) {
	var word string
	if len(text) == 0 || json.Unmarshal(text, &word) == nil && word == "remote" {
		return "", nil
	}
	in, err := collect.Settings[struct {
		Folder string `json:"folder"`
	}](text)
	if err != nil || in.Folder == "" {
		return "", fmt.Errorf(`"attachments" must be "remote" or {"folder": "PATH"}; got %s`, text)
	}
	return in.Folder, nil
}

// Plan implements collect.Source. Each licensee is told a base of its own.
func (*source) Plan() collect.Plan {
	return collect.Plan{Schedule: collect.Schedule{Every: 10 * time.Second}, Pace: 100 * time.Millisecond, MaxBytes: mostBytes}
}

// Login implements collect.Login.
func (s *source) Login() *collect.Request {
	if s.key == nil {
		return nil
	}
	return &collect.Request{Path: "auth/generateToken", Query: url.Values{"apiKey": {s.key.Reveal()}}, Expect: collect.JSON}
}

// Credential implements collect.Login. The service checks the token; only its end is read.
func (s *source) Credential(got *collect.Answer) (header http.Header, until time.Time, err error) {
	var in struct {
		Token string `json:"token"`
	}
	if err := json.Unmarshal(got.Body, &in); err != nil {
		return nil, until, errors.New("the answer has no token")
	}
	if in.Token == "" || strings.ContainsFunc(in.Token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return nil, until, errors.New("the answer has no token")
	}
	return http.Header{"Authorization": {strings.TrimSpace(s.scheme + " " + in.Token)}}, ends(in.Token), nil
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
func (s *source) Expired(got *collect.Answer) bool {
	if s.key == nil || got.Status == http.StatusOK {
		return false
	}
	switch code, _ := fault(got.Body); code {
	case "ER004", "ER006", "ER007", "ER008":
		return true
	}
	return got.Status == http.StatusUnauthorized
}

// request returns a request for a path below that of the service.
func (s *source) request(path string, query url.Values, expect collect.Format) *collect.Request {
	r := &collect.Request{Path: "vyk/" + path, Query: query, Expect: expect, Also: []int{http.StatusBadRequest, http.StatusNotFound}}
	if s.key == nil {
		basic := base64.StdEncoding.EncodeToString([]byte(s.user.Reveal() + ":" + s.password.Reveal()))
		r.Header = http.Header{"Authorization": {"Basic " + basic}}
	}
	return r
}
