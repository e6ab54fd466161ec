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
	"strings"

	"piyasa/collect"
)

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
	service, _, _ := strings.Cut(strings.TrimPrefix(asked.Path, "vyk/"), "/")
	listed := slices.Contains([]string{"members", "memberSecurities", "memberDetail", "funds"}, service)
	missing := false
	if got.Trouble == nil {
		if missing, err = refused(asked, got); err != nil {
			return err
		}
	} else if !listed {
		return k.without(r, asked, got)
	}
	switch service {
	case "lastDisclosureIndex":
		err = s.last(k, r, got, missing)
	case "disclosures":
		err = s.readList(k, r, asked, got, missing)
	case "disclosureDetail":
		err = s.read(k, r, asked, got, missing)
	case "downloadAttachment":
		err = s.file(k, r, asked, got, missing)
	case "blockedDisclosures":
		err = s.block(k, r, got, missing)
	default:
		if err = errors.New("nothing like it was asked for"); listed {
			err = k.Catalog.read(r, service, asked, got, missing)
		}
	}
	if err != nil {
		return fmt.Errorf("%s: %w", asked.Path, err)
	}
	return nil
}

// refused reports whether the answer is that there is nothing; any other refusal is a Trouble.
func refused(asked *collect.Request, got *collect.Answer) (missing bool, err error) {
	if got.Status == http.StatusOK {
		return false, nil
	}
	if got.Status == http.StatusNotFound && (strings.HasPrefix(asked.Path, "vyk/disclosureDetail/") || strings.HasPrefix(asked.Path, "vyk/downloadAttachment/")) {
		return true, nil
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

// frame begins an attachment that Java wrote as an array of bytes; its length follows.
var frame = []byte("\xac\xed\x00\x05ur\x00\x02[B\xac\xf3\x17\xf8\x06\x08T\xe0\x02\x00\x00xp")

// file reads an attachment.
func (s *source) file(k *kept, r *collect.Result, asked *collect.Request, got *collect.Answer, missing bool) error {
	id := asked.Path[strings.LastIndex(asked.Path, "/")+1:]
	isLate := func(e entry) bool { return e.File == id }
	first := len(k.Files) > 0 && k.Files[0] == id
	late := slices.IndexFunc(k.Late, isLate)
	if !hex32.MatchString(id) || !first && late < 0 {
		return errors.New("nothing waits for it")
	}
	var body []byte
	if !missing {
		var err error
		if body, err = unframed(got.Body); err != nil {
			got.Trouble = &collect.Trouble{What: err.Error()}
			return k.without(r, asked, got)
		}
		// What is cut now may be whole later; what still is after a day came so.
		missing = cut(got.Body) && (late < 0 || got.At.Sub(k.Late[late].Since) < cutFor)
	}
	if missing && late < 0 && k.full() != "" {
		r.Warning, r.More = k.full(), false
		return nil
	}
	if first {
		k.Files = k.Files[1:]
	}
	if missing {
		if late < 0 {
			k.leave(entry{File: id, Since: got.At}, got.At)
		} else if k.again(late, got.At) {
			r.Warning = fmt.Sprintf("the service has had no attachment %s for 30 days: it is given up", id)
		}
		return nil
	}
	r.Files = []collect.File{{Path: filepath.Join(s.folder, filepath.FromSlash(location(id))), Body: body}}
	k.Late = slices.DeleteFunc(k.Late, isLate)
	return nil
}

// Ends of files: a PDF has its end in the last 1,024 bytes, a ZIP its directory before a comment.
const (
	pdfEnd   = 1024
	zipLeast = 22
	zipEnd   = zipLeast + 1<<16
)

// cut reports whether an answer ends within the frame, or a file without one too early for its
// format.
func cut(body []byte) bool {
	tail := func(n int) []byte { return body[max(0, len(body)-n):] }
	switch {
	case bytes.HasPrefix(frame, body):
		return true
	case bytes.HasPrefix(body, []byte("%PDF-")):
		return !bytes.Contains(tail(pdfEnd), []byte("%%EOF"))
	case bytes.HasPrefix(body, []byte("PK\x03\x04")):
		end := tail(zipEnd)
		at := bytes.LastIndex(end, []byte("PK\x05\x06"))
		return at < 0 || len(end)-at < zipLeast
	}
	return false
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
	if collect.IsPage(rest) {
		return nil, errors.New("it is a page instead of a file")
	}
	return rest, nil
}

// block reads which disclosures must not be shown.
func (s *source) block(k *kept, r *collect.Result, got *collect.Answer, missing bool) error {
	before, first := k.Blocked, k.BlockAt.IsZero()
	k.BlockAt, k.Blocked = got.At, nil
	if missing {
		return nil
	}
	var rows *[]struct {
		Number scalar `json:"disclosureIndex"`
	}
	if err := json.Unmarshal(got.Body, &rows); err != nil {
		return err
	}
	if rows == nil || len(*rows) > mostBlocked {
		return fmt.Errorf("it must be a list of at most %d rows", mostBlocked)
	}
	var shown []int64
	for _, row := range *rows {
		n, err := row.Number.number()
		if err != nil {
			return fmt.Errorf("disclosureIndex %w", err)
		}
		k.Blocked = append(k.Blocked, n)
		if !first && n >= s.from && k.read(n) && !slices.Contains(before, n) {
			shown = append(shown, n)
		}
	}
	if len(shown) > 0 {
		r.Warning = fmt.Sprintf("the service has blocked disclosures that may be stored with their content: %v", shown[:min(len(shown), 20)])
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
