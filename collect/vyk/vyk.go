// Package vyk reads disclosures from the publication service of KAP, Turkey's public disclosure
// platform, for licensees of the service.
//
// This file decides what to ask for next and hands each answer to its reader. The rest:
//
//   - settings.go, login.go and request.go: how requests are made, and what a refusal means.
//   - list.go, list_progress.go and list_gaps.go: which disclosures exist. Only a list proves that
//     a number exists; numbers that no list had are looked for again.
//   - queue.go: disclosures and attachments that are still to be read, and those that are late.
//   - disclosure.go, report.go, filing.go and attachment.go: what a disclosure contains.
//   - catalog.go, catalog_lists.go and company.go: companies and funds, once a day.
//   - values.go: the forms in which the service writes values.
//   - personal_data.go: what is removed from an answer before it is kept.
package vyk

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"piyasa/collect"
)

const (
	mostBytes  = 64 << 20 // of an answer
	mostFiles  = 500      // waiting attachments; when there are more, they come before disclosures
	askBlocked = time.Hour
	cutFor     = 24 * time.Hour // after this time, a file that still looks cut is complete
)

// source reads the disclosures, in the order of their numbers.
type source struct {
	account
	rules

	kind, company    string // only these disclosures are wanted; empty: all
	folder           string // of attachments; empty: they are not downloaded
	companies, funds bool   // whether they are read, too
}

// rules are the settings that decide which numbers are asked for.
type rules struct {
	from     int64         // the first number; 0: the newest one of the first start
	hold     time.Duration // how long to wait for the next list or disclosure
	filtered bool          // only some of the disclosures are wanted
}

// kept is how far the source has been read.
type kept struct {
	Last   int64 `json:"last"`             // the newest number, as the service stated it
	Next   int64 `json:"next"`             // the first number not listed yet; 0: no request yet
	Sure   int64 `json:"sure,omitempty"`   // the newest number that was in a list
	Polled bool  `json:"polled,omitempty"` // Last is newer than the last empty list
	Doubt  bool  `json:"doubt,omitempty"`  // a list is needed to prove that Last exists
	False  bool  `json:"false,omitempty"`  // no list has Last

	Low   int64     `json:"low,omitempty"`   // the least number stated since the service went back
	LowAt time.Time `json:"low_at,omitzero"` // when that was; zero: the service has not gone back

	Queue []entry   `json:"queue,omitempty"` // listed disclosures, to be read
	Since time.Time `json:"since,omitzero"`  // when the first of the queue, or the next list, was first found missing
	Gaps  gaps      `json:"gaps,omitempty"`  // below Next, not listed yet
	Late  late      `json:"late,omitempty"`  // skipped, to be asked for again
	Files []string  `json:"files,omitempty"` // attachments to be downloaded

	Blocked []int64   `json:"blocked,omitempty"` // disclosures that must not be shown
	BlockAt time.Time `json:"block_at,omitzero"` // when they were asked for

	Catalog catalog `json:"catalog,omitzero"`
}

func readKept(text json.RawMessage) (k kept, err error) {
	err = collect.ReadKept(text, &k)
	return k, err
}

// Plan implements collect.Source. Each licensee has its own base.
func (*source) Plan() collect.Plan {
	return collect.Plan{Schedule: collect.Schedule{Every: 10 * time.Second}, Pace: 100 * time.Millisecond, MaxBytes: mostBytes}
}

// Rewind implements collect.Rewinder. A place is the number of a disclosure. Earlier
// disclosures that are still to be read stay so.
func (*source) Rewind(text json.RawMessage, to string) (json.RawMessage, error) {
	k, err := readKept(text)
	if err != nil {
		return nil, err
	}
	number, err := strconv.ParseInt(to, 10, 64)
	if newest := min(k.Last, k.Next-1); err != nil || number < 1 || number > newest {
		return nil, fmt.Errorf("it has read the lists up to the disclosure %d, and goes back to a number from 1 to that; got %q",
			max(newest, 0), to)
	}
	comesAgain := func(e entry) bool { return e.N >= number }
	next := kept{
		Last: k.Last, Next: number, Polled: true, Queue: slices.DeleteFunc(k.Queue, comesAgain), Since: k.Since,
		Late: slices.DeleteFunc(k.Late, comesAgain), Files: k.Files, Catalog: k.Catalog, BlockAt: k.BlockAt,
	}
	for _, g := range k.Gaps {
		if g.To = min(g.To, number-1); g.From <= g.To {
			next.Gaps = append(next.Gaps, g)
		}
	}
	return json.Marshal(next)
}

// Ask implements collect.Source. Listed disclosures are read before more are listed. A run ends
// when the service has no newer number.
func (s *source) Ask(text json.RawMessage, now time.Time) (*collect.Request, error) {
	k, err := readKept(text)
	if err != nil {
		return nil, err
	}
	again, gap := k.Late.due(now), k.Gaps.due(now)
	switch {
	case now.Sub(k.BlockAt) >= askBlocked:
		return s.request(blockedList), nil
	case again != nil && k.Late.full() != "":
		return s.entryRequest(*again), nil
	case len(k.Files) > 0 && (len(k.Files) >= mostFiles || len(k.Queue) == 0 || !k.Since.IsZero()):
		return s.entryRequest(entry{File: k.Files[0]}), nil
	case len(k.Queue) > 0:
		return s.entryRequest(k.Queue[0]), nil
	case k.Polled && k.Doubt:
		return s.listRequest(k.Last, false), nil
	case k.Polled && k.Next > 0 && k.Next <= k.Last:
		return s.listRequest(k.Next, true), nil
	case gap > 0:
		return s.listRequest(gap, true), nil
	case again != nil:
		return s.entryRequest(*again), nil
	}
	return s.request(newestNumber), nil
}

// Extra implements collect.Extras: companies and funds, once a day.
func (s *source) Extra(text json.RawMessage, now time.Time) (*collect.Request, error) {
	k, err := readKept(text)
	if err != nil {
		return nil, err
	}
	path := k.Catalog.next(s.companies, s.funds, now)
	if path == "" {
		return nil, nil
	}
	r := s.request(path)
	r.Spare = true
	return r, nil
}

// Parse implements collect.Source.
func (s *source) Parse(text json.RawMessage, request *collect.Request, got *collect.Answer) (*collect.Result, error) {
	k, err := readKept(text)
	if err != nil {
		return nil, err
	}
	r := &collect.Result{More: true}
	if err := s.read(&k, r, request, got); err != nil {
		return nil, err
	}
	r.Keep, err = json.Marshal(k)
	return r, err
}

// read passes an answer to the reader of its service.
func (s *source) read(k *kept, r *collect.Result, request *collect.Request, got *collect.Answer) (err error) {
	service, _ := serviceOf(request)
	missing := false
	if got.Trouble == nil {
		if missing, err = refused(request, got); err != nil {
			return err
		}
	} else if !isCatalog(service) {
		return k.without(r, request, got)
	}

	switch {
	case service == newestNumber:
		err = s.readNewest(k, r, got, missing)
	case service == disclosureList:
		err = s.readList(k, r, request, got, missing)
	case service == disclosureDetail:
		err = s.readDetail(k, r, request, got, missing)
	case service == attachmentFile:
		err = s.readFile(k, r, request, got, missing)
	case service == blockedList:
		err = s.readBlocked(k, r, got, missing)
	case isCatalog(service):
		err = k.Catalog.read(r, request, got, missing)
	default:
		err = errors.New("nothing like it was asked for")
	}
	if err != nil {
		return fmt.Errorf("%s: %w", request.Path, err)
	}
	return nil
}

var errUnasked = errors.New("nothing waits for it")

// readDetail reads a disclosure: the first of the queue, or a late one.
func (s *source) readDetail(k *kept, r *collect.Result, request *collect.Request, got *collect.Answer, missing bool) error {
	e, err := entryOf(request)
	if err != nil {
		return err
	}
	if !k.waits(e) {
		return errUnasked
	}
	if missing {
		r.More, r.Warning = k.missingDetail(s.rules, e, got.At)
		return nil
	}
	files, err := readDisclosure(r, got.Body, e.N, request.Query.Get("fileType"), slices.Contains(k.Blocked, e.N))
	if err != nil {
		return err
	}
	if s.folder != "" {
		k.Files = append(k.Files, files...)
	}
	k.done(e)
	return nil
}

// readFile reads an attachment.
func (s *source) readFile(k *kept, r *collect.Result, request *collect.Request, got *collect.Answer, missing bool) error {
	e, err := entryOf(request)
	if err != nil {
		return err
	}
	if !isAttachmentID(e.File) || !k.waits(e) {
		return errUnasked
	}
	var body []byte
	if !missing {
		isCut := false
		if body, isCut, err = readAttachment(got.Body); err != nil {
			got.Trouble = &collect.Trouble{What: err.Error()}
			return k.without(r, request, got)
		}
		index := k.Late.index(e)
		missing = isCut && (index < 0 || got.At.Sub(k.Late[index].Since) < cutFor)
	}
	if missing {
		r.More, r.Warning = k.missingFile(e, got.At)
		return nil
	}
	k.done(e)
	r.Files = []collect.File{{Path: filepath.Join(s.folder, filepath.FromSlash(locationOf(e.File))), Body: body}}
	return nil
}

// Redact implements collect.Discreet: it removes personal data that records do not have, and
// files that may have some.
func (*source) Redact(request *collect.Request, got *collect.Answer) []byte {
	switch service, _ := serviceOf(request); {
	case service == disclosureDetail:
		return redactDisclosure(got.Body)
	case service == companyDetail && got.Status == http.StatusOK:
		return redactCompany(got.Body)
	}
	return got.Body
}
