// Package answer reads how the publication service of KAP writes things: which service answers,
// refusals, and values that have several forms.
package answer

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"

	"piyasa/collect"
)

// Root is what paths of the services begin with.
const Root = "vyk/"

// Services of which a refusal may say that there is no such thing.
const (
	Detail   = "disclosureDetail"
	Download = "downloadAttachment"
)

// Lira is the currency of capitals and of funds.
const Lira = "TRY"

// memberID is the number of a member.
var memberID = regexp.MustCompile(`^[0-9]{1,5}$`)

// IsMember reports whether a text is the number of a member, of 1 to 5 digits.
func IsMember(id string) bool { return memberID.MatchString(id) }

// Service returns which service a request asks, and for what; empty: for all that it has.
func Service(asked *collect.Request) (name, of string) {
	name, of, _ = strings.Cut(strings.TrimPrefix(asked.Path, Root), "/")
	return name, of
}

// Refused reports whether the answer is that there is nothing. The error, of any other refusal,
// is a *collect.Trouble.
func Refused(asked *collect.Request, got *collect.Answer) (missing bool, err error) {
	if got.Status == http.StatusOK {
		return false, nil
	}
	if name, _ := Service(asked); got.Status == http.StatusNotFound && (name == Detail || name == Download) {
		return true, nil
	}
	code, message := Fault(got.Body)
	if lower := strings.ToLower(message); code == "ER005" && (strings.Contains(lower, "bulunamad") || strings.Contains(lower, "not found")) {
		return true, nil
	}
	return false, &collect.Trouble{What: fmt.Sprintf("the service refused %s (status %d): %q %q", asked.Path, got.Status, code, message[:min(len(message), 200)])}
}

// Fault reads a refusal, which is JSON in one of three forms, or is text and has no code.
func Fault(body []byte) (code, message string) {
	type own struct {
		FaultCode   string `json:"faultCode"`
		FaultString string `json:"faultString"`
	}
	var in struct {
		Code    string `json:"code"`
		Message string `json:"message"`
		own
		Fault own `json:"fault"`
	}
	if collect.ReadJSON(body, &in) != nil {
		return "", strings.TrimSpace(string(body))
	}
	return in.Code + in.FaultCode + in.Fault.FaultCode, in.Message + in.FaultString + in.Fault.FaultString
}
