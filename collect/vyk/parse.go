package vyk

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"

	"piyasa/collect"
	"piyasa/collect/vyk/answer"
	"piyasa/collect/vyk/attachment"
	"piyasa/collect/vyk/catalog"
	"piyasa/collect/vyk/disclosure"
	"piyasa/collect/vyk/listing"
	"piyasa/collect/vyk/request"
)

var errUnasked = errors.New("nothing waits for it")

// Parse implements collect.Source.
func (s *source) Parse(text json.RawMessage, asked *collect.Request, got *collect.Answer) (*collect.Result, error) {
	k, err := readKept(text)
	if err != nil {
		return nil, err
	}
	r := &collect.Result{More: true}
	if err := s.understand(&k, r, asked, got); err != nil {
		return nil, err
	}
	r.Keep, err = json.Marshal(k)
	return r, err
}

// understand reads an answer.
func (s *source) understand(k *kept, r *collect.Result, asked *collect.Request, got *collect.Answer) (err error) {
	service, _ := answer.Service(asked)
	missing := false
	if got.Trouble == nil {
		if missing, err = answer.Refused(asked, got); err != nil {
			return err
		}
	} else if !catalog.Has(service) {
		return without(k, r, asked, got)
	}
	switch service {
	case request.Newest:
		err = s.last(k, r, got, missing)
	case request.Lists:
		err = s.readList(k, r, asked, got, missing)
	case answer.Detail:
		err = s.read(k, r, asked, got, missing)
	case answer.Download:
		err = s.file(k, r, asked, got, missing)
	case request.Blocked:
		err = s.block(k, r, got, missing)
	default:
		if err = errors.New("nothing like it was asked for"); catalog.Has(service) {
			err = k.Catalog.Read(r, asked, got, missing)
		}
	}
	if err != nil {
		return fmt.Errorf("%s: %w", asked.Path, err)
	}
	return nil
}

// last reads the newest number.
func (s *source) last(k *kept, r *collect.Result, got *collect.Answer, missing bool) error {
	if missing {
		return errors.New("there is no last number")
	}
	n, err := listing.Newest(got.Body)
	if err != nil {
		return err
	}
	r.More, r.Warning = k.Stated(s.Rules, n, got.At)
	return nil
}

// readList reads a list.
func (s *source) readList(k *kept, r *collect.Result, asked *collect.Request, got *collect.Answer, missing bool) error {
	from, err := strconv.ParseInt(asked.Query.Get("disclosureIndex"), 10, 64)
	if err != nil || !k.Wants(from) {
		return errors.New("it is no list that was asked for")
	}
	var rows []listing.Row
	if !missing {
		if rows, err = listing.Rows(got.Body, from, k.Last); err != nil {
			return err
		}
	}
	r.More, r.Warning = k.Listed(s.Rules, from, rows, got.At)
	return nil
}

// read reads a disclosure: the first of the queue, or a late one.
func (s *source) read(k *kept, r *collect.Result, asked *collect.Request, got *collect.Answer, missing bool) error {
	e, err := request.Entry(asked)
	if err != nil {
		return err
	}
	if !k.Waits(e) {
		return errUnasked
	}
	if missing {
		r.More, r.Warning = k.MissingDetail(s.Rules, e.N, got.At)
		return nil
	}
	records, files, err := disclosure.Read(got.Body, e.N, asked.Query.Get("fileType"), slices.Contains(k.Blocked, e.N))
	if odd, ok := errors.AsType[*disclosure.OddReport](err); ok {
		r.Warning = odd.Error()
	} else if err != nil {
		return err
	}
	r.Records = records
	if s.Folder == "" {
		files = nil
	}
	k.Done(e, files...)
	return nil
}

// file reads an attachment.
func (s *source) file(k *kept, r *collect.Result, asked *collect.Request, got *collect.Answer, missing bool) error {
	e, err := request.Entry(asked)
	if err != nil {
		return err
	}
	if !attachment.IsID(e.File) || !k.Waits(e) {
		return errUnasked
	}
	var body []byte
	if !missing {
		isCut := false
		if body, isCut, err = attachment.Read(got.Body); err != nil {
			got.Trouble = &collect.Trouble{What: err.Error()}
			return without(k, r, asked, got)
		}
		missing = isCut && k.MayGrow(e.File, got.At)
	}
	if missing {
		r.More, r.Warning = k.MissingFile(e.File, got.At)
		return nil
	}
	k.Done(e)
	r.Files = []collect.File{{Path: filepath.Join(s.Folder, filepath.FromSlash(attachment.Location(e.File))), Body: body}}
	return nil
}

// without goes on without a disclosure or an attachment, if it may.
func without(k *kept, r *collect.Result, asked *collect.Request, got *collect.Answer) error {
	e, err := request.Entry(asked)
	if err != nil {
		return got.Trouble
	}
	refused := got.Status != 0 && got.Status != http.StatusOK
	r.Warning, err = k.Without(e, got.Trouble, refused, got.At)
	return err
}

// block reads which disclosures must not be shown.
func (s *source) block(k *kept, r *collect.Result, got *collect.Answer, missing bool) (err error) {
	var all []int64
	if !missing {
		if all, err = listing.Blocked(got.Body); err != nil {
			return err
		}
	}
	if shown := k.Block(all, s.Rules.From, got.At); len(shown) > 0 {
		r.Warning = fmt.Sprintf("the service has blocked disclosures that may be stored with their content: %v", shown[:min(len(shown), 20)])
	}
	return nil
}

// Redact implements collect.Discreet: personal data is not kept beyond what records have, nor is
// a file that may have some.
func (*source) Redact(asked *collect.Request, got *collect.Answer) []byte {
	switch service, _ := answer.Service(asked); {
	case service == answer.Detail:
		return disclosure.Redact(got.Body)
	case catalog.Has(service):
		return catalog.Redact(asked, got)
	}
	return got.Body
}
