package vyk

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"piyasa/collect"
)

const (
	defaultHold = time.Minute
	mostHold    = time.Hour
)

// New returns the source of a configuration. The error names the wrong setting and what is
// allowed.
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
	s := &source{
		account: account{key: in.Key, user: in.User, password: in.Password, scheme: in.Scheme},
		rules:   rules{hold: defaultHold, filtered: in.Type+in.Company != ""},
		kind:    in.Type, company: in.Company, companies: in.Companies, funds: in.Funds,
	}
	if err := s.account.check(); err != nil {
		return nil, err
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
	s.folder, err = attachmentFolder(in.Attachments)
	return s, err
}

// attachmentFolder returns the folder of attachments; empty: they are not downloaded.
func attachmentFolder(text json.RawMessage) (string, error) {
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
