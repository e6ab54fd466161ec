package kap

import (
	"context"
	"fmt"

	"piyasa/internal/attachment"
	"piyasa/internal/problem"
)

func (s *Service) links() attachment.Links {
	return attachment.Links{Signer: s.Signer, Now: s.Now, BaseURL: s.BaseURL}
}

// attachmentsPath returns the path of a disclosure's attachments.
func attachmentsPath(index int) string {
	return fmt.Sprintf("/v1/kap-feed/disclosures/%d/attachments", index)
}

// Attachment returns the document behind a signed link, which needs no key.
// Problems: not-found, for damaged, expired and unknown links alike.
func (s *Service) Attachment(ctx context.Context, index, n int, expires, signature string) (*attachment.Document, error) {
	if err := s.links().Check(attachmentsPath(index), n, expires, signature); err != nil {
		return nil, err
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
