package server

import (
	"context"
	"io"
	"mime"
	"net/http"
	"strconv"

	"piyasa/internal/attachment"
)

// Attachments opens the bytes of attachments.
type Attachments interface {
	// Open returns the bytes at a location; size is -1 if unknown. The error is a
	// *problem.Error.
	Open(ctx context.Context, location string) (bytes io.ReadCloser, size int64, err error)
}

// The routes of documents, each behind a signed link, which needs no key.
const (
	attachmentPattern  = "/v1/kap-feed/disclosures/{index}/attachments/{n}"
	ipoDocumentPattern = "/v1/ipo/{id}/documents/{n}"
)

// attachment sends an attachment of a disclosure.
func (s *Server) attachment(w http.ResponseWriter, r *http.Request) {
	index, err := strconv.Atoi(r.PathValue("index"))
	if err != nil {
		s.notFound(w, r)
		return
	}
	s.linked(w, r, func(n int, expires, signature string) (*attachment.Document, error) {
		return s.services.KAP.Attachment(r.Context(), index, n, expires, signature)
	})
}

// ipoDocument sends a document of an IPO.
func (s *Server) ipoDocument(w http.ResponseWriter, r *http.Request) {
	s.linked(w, r, func(n int, expires, signature string) (*attachment.Document, error) {
		return s.services.IPO.Document(r.PathValue("id"), n, expires, signature)
	})
}

// linked sends the bytes of the document that find returns for a signed link.
func (s *Server) linked(w http.ResponseWriter, r *http.Request, find func(n int, expires, signature string) (*attachment.Document, error)) {
	n, err := strconv.Atoi(r.PathValue("n"))
	if err != nil {
		s.notFound(w, r)
		return
	}
	query := r.URL.Query()
	document, err := find(n, query.Get("expires"), query.Get("signature"))
	if err != nil {
		s.problems.Write(w, r, err)
		return
	}
	bytes, size, err := s.config.Attachments.Open(r.Context(), document.Location)
	if err != nil {
		s.problems.Write(w, r, err)
		return
	}
	defer bytes.Close()
	describe(w.Header(), document, size)
	if r.Method == http.MethodGet {
		if _, err := io.Copy(w, bytes); err != nil {
			panic(http.ErrAbortHandler) // otherwise half a document would look complete
		}
	}
}

// describe sets the headers of a document. Its bytes come from third parties, so a browser
// must never treat them as one of our pages.
func describe(h http.Header, d *attachment.Document, size int64) {
	kind := "application/octet-stream"
	if d.ContentType != nil {
		if _, _, err := mime.ParseMediaType(*d.ContentType); err == nil {
			kind = *d.ContentType
		}
	}
	h.Set("Content-Type", kind)
	h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": d.Name}))
	h.Set("Content-Security-Policy", harmlessPolicy+"; sandbox")
	h.Set("Cache-Control", "private, no-store")
	if size >= 0 {
		h.Set("Content-Length", strconv.FormatInt(size, 10))
	}
}
