package vyk

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"piyasa/collect"
)

// Parse implements collect.Source.
func (s *source) Parse(text json.RawMessage, asked *collect.Request, got *collect.Answer) (*collect.Result, error) {
	k, err := readKept(text)
	if err != nil {
		return nil, err
	}
	missing, err := refused(asked, got)
	if err != nil {
		return nil, err
	}
	r := &collect.Result{More: true}
	switch service, _, _ := strings.Cut(strings.TrimPrefix(asked.Path, "vyk/"), "/"); service {
	case "lastDisclosureIndex":
		err = s.last(&k, r, got, missing)
	case "disclosures":
		err = s.list(&k, r, asked, got, missing)
	case "disclosureDetail":
		err = s.read(&k, r, asked, got, missing)
	case "downloadAttachment":
		err = s.file(&k, r, asked, got, missing)
	case "blockedDisclosures":
		err = k.block(got, missing)
	case "members":
		r.Records, err = members(got, missing)
		k.Members = got.At
	default:
		err = errors.New("nothing like it was asked for")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", asked.Path, err)
	}
	r.Keep, err = json.Marshal(k)
	return r, err
}

// refused reports whether the answer is that there is nothing; any other refusal is a Trouble.
func refused(asked *collect.Request, got *collect.Answer) (missing bool, err error) {
	if got.Status == http.StatusOK {
		return false, nil
	}
	code, message := fault(got.Body)
	if lower := strings.ToLower(message); code == "ER005" && (strings.Contains(lower, "bulunamad") || strings.Contains(lower, "not found")) {
		return true, nil
	}
	return false, &collect.Trouble{What: fmt.Sprintf("the service refused %s (status %d): %q %q", asked.Path, got.Status, code, message[:min(len(message), 200)])}
}

// fault reads a refusal, which has one of three spellings of JSON, or is text.
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
	if json.Unmarshal(body, &in) != nil {
		return "", strings.TrimSpace(string(body))
	}
	return in.Code + in.FaultCode + in.Fault.FaultCode, in.Message + in.FaultString + in.Fault.FaultString
}

// last reads the newest number, which ends a run unless it is new.
func (s *source) last(k *kept, r *collect.Result, got *collect.Answer, missing bool) error {
	var in struct {
		Last scalar `json:"lastDisclosureIndex"`
	}
	if missing {
		return errors.New("there is no last number")
	}
	if err := json.Unmarshal(got.Body, &in); err != nil {
		return err
	}
	n, err := in.Last.number()
	if err != nil {
		return fmt.Errorf("lastDisclosureIndex %w", err)
	}
	if k.Next == 0 {
		if k.Next = s.from; k.Next == 0 {
			k.Next = n
		}
	}
	k.Last = max(k.Last, n)
	r.More = k.Next <= k.Last
	return nil
}

// list reads the numbers of a list.
func (s *source) list(k *kept, r *collect.Result, asked *collect.Request, got *collect.Answer, missing bool) error {
	if from, err := strconv.ParseInt(asked.Query.Get("disclosureIndex"), 10, 64); err != nil || from != k.Next {
		return fmt.Errorf("it is not the list from %d on that was asked for", k.Next)
	}
	var rows *[]struct {
		Number scalar       `json:"disclosureIndex"`
		Types  many[scalar] `json:"acceptedDataFileTypes"`
	}
	if !missing {
		if err := json.Unmarshal(got.Body, &rows); err != nil {
			return err
		}
		if rows == nil || len(*rows) > mostListed {
			return fmt.Errorf("a list must have at most %d rows", mostListed)
		}
	}
	if missing || len(*rows) == 0 {
		r.More = !s.unlisted(k, got.At)
		return nil
	}
	next := k.Next
	for i, row := range *rows {
		n, err := row.Number.number()
		if err != nil {
			return fmt.Errorf("row %d: disclosureIndex %w", i+1, err)
		}
		if n < next {
			return fmt.Errorf("row %d: %d is not after those before, and not from %d on", i+1, n, k.Next)
		}
		html := len(row.Types) > 0 && !slices.ContainsFunc(row.Types, func(t scalar) bool { return t != "html" })
		k.Queue, next = append(k.Queue, entry{N: n, HTML: html}), n+1
	}
	k.Next, k.Last, k.Since = next, max(k.Last, next-1), time.Time{}
	return nil
}

// read reads a disclosure: the first of the queue, or a late one.
func (s *source) read(k *kept, r *collect.Result, asked *collect.Request, got *collect.Answer, missing bool) error {
	n, err := number(asked.Path)
	if err != nil {
		return err
	}
	queued := len(k.Queue) > 0 && k.Queue[0].N == n
	late := slices.IndexFunc(k.Late, func(e entry) bool { return e.N == n })
	if !queued && late < 0 {
		return errors.New("nobody waits for it")
	}
	if missing {
		if queued {
			r.More = !s.missing(k, got.At)
		} else if k.Late[late].Asked = got.At; got.At.Sub(k.Late[late].Since) >= dropLate {
			k.Late = slices.Delete(k.Late, late, late+1)
		}
		return nil
	}
	fields, files, err := disclosure(got.Body, n, asked.Query.Get("fileType"), k.Blocked)
	if err != nil {
		return err
	}
	r.Records = []collect.Record{{Kind: "disclosure", Fields: fields}}
	if s.folder != "" {
		k.Files = append(k.Files, files...)
	}
	if queued {
		k.Queue, k.Since = k.Queue[1:], time.Time{}
	} else {
		k.Late = slices.Delete(k.Late, late, late+1)
	}
	return nil
}

// frame begins an attachment that Java wrote as an array of bytes; its length follows.
var frame = []byte("\xac\xed\x00\x05ur\x00\x02[B\xac\xf3\x17\xf8\x06\x08T\xe0\x02\x00\x00xp")

// file reads an attachment.
func (s *source) file(k *kept, r *collect.Result, asked *collect.Request, got *collect.Answer, missing bool) error {
	id := asked.Path[strings.LastIndex(asked.Path, "/")+1:]
	if len(k.Files) == 0 || k.Files[0] != id || !hex32.MatchString(id) {
		return errors.New("nobody waits for it")
	}
	if missing {
		if k.FileAt.IsZero() {
			k.FileAt = got.At
		}
		if r.More = got.At.Sub(k.FileAt) >= s.hold; !r.More {
			return nil
		}
	} else {
		body, err := unframed(got.Body)
		if err != nil {
			return err
		}
		r.Files = []collect.File{{Path: filepath.Join(s.folder, filepath.FromSlash(location(id))), Body: body}}
	}
	k.Files, k.FileAt = k.Files[1:], time.Time{}
	return nil
}

// unframed returns the file in an answer.
func unframed(body []byte) ([]byte, error) {
	rest, framed := bytes.CutPrefix(body, frame)
	if framed {
		if len(rest) < 4 || uint64(binary.BigEndian.Uint32(rest)) != uint64(len(rest)-4) {
			return nil, errors.New("the file is not as long as its frame says")
		}
		rest = rest[4:]
	}
	start := bytes.ToLower(bytes.TrimSpace(rest[:min(len(rest), 100)]))
	if bytes.HasPrefix(start, []byte("<!doctype html")) || bytes.HasPrefix(start, []byte("<html")) {
		return nil, errors.New("it is a page instead of a file")
	}
	return rest, nil
}

// block reads which disclosures must not be shown.
func (k *kept) block(got *collect.Answer, missing bool) error {
	var rows *[]struct {
		Number scalar `json:"disclosureIndex"`
	}
	k.BlockAt, k.Blocked = got.At, nil
	if missing {
		return nil
	}
	if err := json.Unmarshal(got.Body, &rows); err != nil {
		return err
	}
	if rows == nil || len(*rows) > mostBlocked {
		return fmt.Errorf("it must be a list of at most %d rows", mostBlocked)
	}
	for _, row := range *rows {
		n, err := row.Number.number()
		if err != nil {
			return fmt.Errorf("disclosureIndex %w", err)
		}
		k.Blocked = append(k.Blocked, n)
	}
	return nil
}

// lastSegment returns what the path of an address ends with; its host is of no account.
func lastSegment(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Path[strings.LastIndex(u.Path, "/")+1:]
}
