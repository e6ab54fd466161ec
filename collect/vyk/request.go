package vyk

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"piyasa/collect"
)

// root is the start of the paths of all services.
const root = "vyk/"

// The services.
const (
	newestNumber     = "lastDisclosureIndex"
	disclosureList   = "disclosures"
	disclosureDetail = "disclosureDetail"
	attachmentFile   = "downloadAttachment"
	blockedList      = "blockedDisclosures"
	memberList       = "members"
	securityList     = "memberSecurities"
	companyDetail    = "memberDetail"
	fundList         = "funds"
)

// lateFile is the timeout of an attachment that has not arrived in the usual time.
const lateFile = 5 * time.Minute

// request returns the request for a path below that of the services; its answer is JSON.
func (s *source) request(path string) *collect.Request {
	return &collect.Request{
		Path: root + path, Header: s.header(), Expect: collect.JSON, Also: []int{http.StatusBadRequest, http.StatusNotFound},
	}
}

// listRequest asks for the first disclosures from a number on: only wanted ones, or all.
func (s *source) listRequest(from int64, wanted bool) *collect.Request {
	r := s.request(disclosureList)
	r.Query = url.Values{"disclosureIndex": {strconv.FormatInt(from, 10)}}
	if wanted && s.kind != "" {
		r.Query.Set("disclosureTypes", s.kind)
	}
	if wanted && s.company != "" {
		r.Query.Set("companyId", s.company)
	}
	return r
}

// entryRequest asks for a disclosure or an attachment.
func (s *source) entryRequest(e entry) *collect.Request {
	r := s.request(fmt.Sprint(disclosureDetail, "/", e.N))
	switch {
	case e.File != "":
		r = s.request(attachmentFile + "/" + e.File)
		r.Expect = collect.Bytes
		if !e.Since.IsZero() {
			r.Within = lateFile
		}
	case e.HTML:
		r.Query = url.Values{"fileType": {"html"}}
	default:
		r.Query = url.Values{"fileType": {"data"}}
	}
	r.Spare = true
	return r
}

// entryOf returns the disclosure or attachment that a request asks for, or an error if it asks
// for something else.
func entryOf(request *collect.Request) (e entry, err error) {
	service, of := serviceOf(request)
	if service == attachmentFile {
		return entry{File: of}, nil
	}
	e.N, err = strconv.ParseInt(of, 10, 64)
	return e, err
}

// serviceOf returns the service that a request asks, and the requested number or id; empty:
// everything of the service.
func serviceOf(request *collect.Request) (service, of string) {
	service, of, _ = strings.Cut(strings.TrimPrefix(request.Path, root), "/")
	return service, of
}

// refused reports whether the answer says that there is nothing. Any other rejection is an
// error, a *collect.Trouble.
func refused(request *collect.Request, got *collect.Answer) (missing bool, err error) {
	if got.Status == http.StatusOK {
		return false, nil
	}
	service, _ := serviceOf(request)
	if got.Status == http.StatusNotFound && (service == disclosureDetail || service == attachmentFile) {
		return true, nil
	}
	code, message := fault(got.Body)
	lower := strings.ToLower(message)
	if code == "ER005" && (strings.Contains(lower, "bulunamad") || strings.Contains(lower, "not found")) {
		return true, nil
	}
	return false, &collect.Trouble{
		What: fmt.Sprintf("the service refused %s (status %d): %q %q", request.Path, got.Status, code, message[:min(len(message), 200)]),
	}
}

// fault reads a rejection: JSON in one of three forms, or text without a code.
func fault(body []byte) (code, message string) {
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
