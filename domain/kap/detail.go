package kap

import (
	"context"
	"crypto/hmac"
	"encoding/base64"
	"fmt"
	"strconv"
	"time"

	"piyasa/access"
	"piyasa/domain/market"
	"piyasa/problem"
)

// Detail is everything about one disclosure but its body.
type Detail struct {
	Disclosure
	Attachments []*Attachment `json:"attachments"`
	Facts       []*Fact       `json:"facts"`    // null but for financial reports
	Contexts    []*Context    `json:"contexts"` // null but for financial reports
	HasBody     bool          `json:"has_body"`
	BodyFormat  *string       `json:"body_format"` // flatData, presentation or html; null without a body
}

// Attachment is a document of a disclosure and a link to it that works for a
// while.
type Attachment struct {
	Name        string         `json:"name"`
	ContentType *string        `json:"content_type"`
	SizeBytes   *int           `json:"size_bytes"`
	URL         string         `json:"url"`
	ExpiresAt   market.Instant `json:"expires_at"` // up to, not including
}

// linkLife is how long a link to an attachment works.
const linkLife = 15 * time.Minute

// Disclosure is one disclosure by the platform's number. Needs kap. Problems:
// not-found.
func (s *Service) Disclosure(ctx context.Context, index int) (*Detail, error) {
	if err := access.Enter(ctx, access.KAP); err != nil {
		return nil, err
	}
	r, err := s.known(ctx, index)
	if err != nil {
		return nil, err
	}
	access.Charge(ctx, unit)
	return s.detail(r, s.Now().Add(linkLife)), nil
}

// detail shows a record; the links to its attachments work until expires.
func (s *Service) detail(r *Record, expires market.Instant) *Detail {
	d := &Detail{Disclosure: r.Disclosure, Attachments: make([]*Attachment, len(r.Attachments))}
	for i, a := range r.Attachments {
		d.Attachments[i] = &Attachment{a.Name, a.ContentType, a.SizeBytes, s.link(r.DisclosureIndex, i+1, expires), expires}
	}
	if r.Type == FR {
		d.Facts, d.Contexts = list(r.Facts), list(r.Contexts)
	} else if r.Body != nil {
		d.HasBody, d.BodyFormat = true, &r.Body.SourceFormat
	}
	return d
}

func (s *Service) known(ctx context.Context, index int) (*Record, error) {
	found, err := s.Store.DisclosureRecords(ctx, []int{index})
	if err != nil {
		return nil, err
	}
	if found[index] == nil {
		return nil, unknownNumber(index)
	}
	return found[index], nil
}

func unknownNumber(index int) error {
	return problem.New(problem.NotFound, "%d is an unknown disclosure number.", index)
}

// list is of, never nil.
func list[T any](of []T) []T {
	if of == nil {
		return []T{}
	}
	return of
}

// link is the signed address of the nth attachment, counted from 1.
func (s *Service) link(index, n int, expires market.Instant) string {
	at := expires.Time().UnixMilli()
	return fmt.Sprintf("%s/v1/kap-feed/disclosures/%d/attachments/%d?expires=%d&signature=%s", s.BaseURL, index, n, at, s.signature(index, n, at))
}

// signature is the text that vouches for a link.
func (s *Service) signature(index, n int, at int64) string {
	return base64.RawURLEncoding.EncodeToString(s.Signer.Sign("attachment", index, n, at))
}

// Attachment is the document behind a signed link, which is all that it takes:
// there is no key. Problems: not-found, for a link that is damaged or expired
// as for one that never was.
func (s *Service) Attachment(ctx context.Context, index, n int, expires, signature string) (*Document, error) {
	at, err := strconv.ParseInt(expires, 10, 64)
	if err != nil || !hmac.Equal([]byte(signature), []byte(s.signature(index, n, at))) { // text, since base64 has several spellings
		return nil, problem.New(problem.NotFound, "This is not a link to an attachment.")
	}
	if !s.Now().Before(market.At(time.UnixMilli(at))) {
		return nil, problem.New(problem.NotFound, "This link has expired; the disclosure has a new one.")
	}
	r, err := s.known(ctx, index)
	if err != nil {
		return nil, err
	}
	if n < 1 || n > len(r.Attachments) {
		return nil, problem.New(problem.NotFound, "Disclosure %d has no attachment %d.", index, n)
	}
	return &r.Attachments[n-1], nil
}
