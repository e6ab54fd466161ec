package vyk

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
	"time"

	"piyasa/collect"
)

// Times between requests.
const (
	askBlocked = time.Hour
	lateFile   = 5 * time.Minute // for an attachment to come that has not come in the usual time
)

// Steps over numbers of which a list has none.
const (
	stride         = 5000 // of all disclosures
	filteredStride = 1000 // of some: the service looks for them among fewer numbers than 3,000
)

// Ask implements collect.Source: what is listed is read before more is listed, and a run
// ends when the service has no newer number.
func (s *source) Ask(text json.RawMessage, now time.Time) (*collect.Request, error) {
	k, err := readKept(text)
	if err != nil {
		return nil, err
	}
	if now.Sub(k.BlockAt) >= askBlocked {
		return s.request("blockedDisclosures", nil, collect.JSON), nil
	}
	if k.full() != "" {
		for _, e := range k.Late {
			if e.due(now) {
				return s.entry(e), nil
			}
		}
	}
	if len(k.Files) > 0 && (len(k.Files) >= mostFiles || len(k.Queue) == 0 || !k.Since.IsZero()) {
		return s.entry(entry{File: k.Files[0]}), nil
	}
	if len(k.Queue) > 0 {
		return s.entry(k.Queue[0]), nil
	}
	if k.Polled && k.Doubt {
		return s.list(k.Last, false), nil
	}
	if k.Polled && k.Next > 0 && k.Next <= k.Last {
		return s.list(k.Next, true), nil
	}
	if from := k.gapDue(now); from > 0 {
		return s.list(from, true), nil
	}
	for _, e := range k.Late {
		if e.due(now) {
			return s.entry(e), nil
		}
	}
	return s.request("lastDisclosureIndex", nil, collect.JSON), nil
}

// list asks for the first disclosures from a number on: those that the source wants, or all.
func (s *source) list(from int64, wanted bool) *collect.Request {
	query := url.Values{"disclosureIndex": {strconv.FormatInt(from, 10)}}
	if wanted && s.kind != "" {
		query.Set("disclosureTypes", s.kind)
	}
	if wanted && s.company != "" {
		query.Set("companyId", s.company)
	}
	return s.request("disclosures", query, collect.JSON)
}

// filtered reports whether the source wants some of the disclosures only.
func (s *source) filtered() bool { return s.kind+s.company != "" }

// stride returns how far an empty list reaches.
func (s *source) stride() int64 {
	if s.filtered() {
		return filteredStride
	}
	return stride
}

// entry asks for a disclosure or an attachment.
func (s *source) entry(e entry) *collect.Request {
	kind := "data"
	if e.HTML {
		kind = "html"
	}
	r := s.request(fmt.Sprint("disclosureDetail/", e.N), url.Values{"fileType": {kind}}, collect.JSON)
	if e.File != "" {
		r = s.request("downloadAttachment/"+e.File, nil, collect.Bytes)
		if !e.Since.IsZero() {
			r.Within = lateFile
		}
	}
	r.Spare = true
	return r
}
