// Package settings reads what an operator configures of the disclosures of KAP.
package settings

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"piyasa/collect"
	"piyasa/collect/vyk/answer"
	"piyasa/collect/vyk/disclosure"
	"piyasa/collect/vyk/login"
	"piyasa/collect/vyk/progress"
	"piyasa/collect/vyk/request"
)

// Values are the settings of a source.
type Values struct {
	request.Maker

	Rules     progress.Rules
	Folder    string // of attachments; empty: they stay at the service
	Companies bool   // are read, too
	Funds     bool   // the same
}

const (
	defaultHold = time.Minute
	mostHold    = time.Hour
)

// Read reads settings. The error names the one that is wrong, and what it may be.
func Read(text json.RawMessage) (v Values, err error) {
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
		return v, err
	}
	v = Values{
		Maker: request.Maker{
			Account: login.Account{Key: in.Key, User: in.User, Password: in.Password, Scheme: in.Scheme}, Type: in.Type, Company: in.Company,
		},
		Rules:     progress.Rules{Hold: defaultHold, Some: in.Type+in.Company != ""},
		Companies: in.Companies, Funds: in.Funds,
	}
	if err := v.Check(); err != nil {
		return v, err
	}
	if types := disclosure.Types(); in.Type != "" && !slices.Contains(types, in.Type) {
		return v, fmt.Errorf(`"type" must be one of %s; got %q`, types, in.Type)
	}
	if in.Company != "" && !answer.IsMember(in.Company) {
		return v, fmt.Errorf(`"company" must be the number of a member, such as "777"; got %q`, in.Company)
	}
	if in.From != nil {
		if v.Rules.From = *in.From; v.Rules.From < 1 || v.Rules.From > answer.MostNumber {
			return v, fmt.Errorf(`"from" must be the number of a disclosure, from 1 to %d; got %d`, answer.MostNumber, v.Rules.From)
		}
	}
	if in.Hold != "" {
		if v.Rules.Hold, err = time.ParseDuration(in.Hold); err != nil || v.Rules.Hold < 0 || v.Rules.Hold > mostHold {
			return v, fmt.Errorf(`"hold" must be a duration of at most %s such as "60s"; got %q`, mostHold, in.Hold)
		}
	}
	v.Folder, err = attachments(in.Attachments)
	return v, err
}

// attachments returns the folder of attachments.
func attachments(text json.RawMessage) (string, error) {
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
