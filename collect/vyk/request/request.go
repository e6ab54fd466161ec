// Package request makes the requests to the publication service of KAP, and tells which disclosure
// or attachment one asks for.
package request

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"piyasa/collect"
	"piyasa/collect/vyk/answer"
	"piyasa/collect/vyk/late"
	"piyasa/collect/vyk/login"
	"piyasa/collect/vyk/progress"
)

// lateFile is how long an attachment may take that has not come in the usual time.
const lateFile = 5 * time.Minute

// The services that say which disclosures there are.
const (
	Newest  = "lastDisclosureIndex"
	Lists   = "disclosures"
	Blocked = "blockedDisclosures"
)

// Maker makes the requests of an account.
type Maker struct {
	login.Account

	Type, Company string // of the disclosures that are wanted; empty: all
}

// Task returns the request for what is due.
func (m Maker) Task(t progress.Task) *collect.Request {
	switch {
	case t.Blocked:
		return m.Path(Blocked)
	case t.Entry != nil:
		return m.entry(*t.Entry)
	case t.List > 0:
		return m.list(t.List, !t.All)
	}
	return m.Path(Newest)
}

// Path returns the request for a path below that of the services, whose answer is JSON.
func (m Maker) Path(path string) *collect.Request {
	return &collect.Request{
		Path: answer.Root + path, Header: m.Header(), Expect: collect.JSON, Also: []int{http.StatusBadRequest, http.StatusNotFound},
	}
}

// list asks for the first disclosures from a number on: those that are wanted, or all.
func (m Maker) list(from int64, wanted bool) *collect.Request {
	r := m.Path(Lists)
	r.Query = url.Values{"disclosureIndex": {strconv.FormatInt(from, 10)}}
	if wanted && m.Type != "" {
		r.Query.Set("disclosureTypes", m.Type)
	}
	if wanted && m.Company != "" {
		r.Query.Set("companyId", m.Company)
	}
	return r
}

// entry asks for a disclosure or an attachment.
func (m Maker) entry(e late.Entry) *collect.Request {
	r := m.Path(fmt.Sprint(answer.Detail, "/", e.N))
	switch {
	case e.File != "":
		r = m.Path(answer.Download + "/" + e.File)
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

// Entry returns the disclosure or the attachment that a request asks for. An error means that it
// asks for something else.
func Entry(asked *collect.Request) (e late.Entry, err error) {
	service, of := answer.Service(asked)
	if service == answer.Download {
		return late.Entry{File: of}, nil
	}
	e.N, err = strconv.ParseInt(of, 10, 64)
	return e, err
}
