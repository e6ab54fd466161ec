// Package attachment is the documents that disclosures and IPOs come with, and
// the signed links that lead to them. Their bytes are elsewhere (package
// content).
package attachment

import "piyasa/internal/value"

// Document is a document as it is stored.
type Document struct {
	Name        string  `json:"name" record:"required"`
	ContentType *string `json:"content_type"`
	SizeBytes   *int    `json:"size_bytes" range:"0 2147483647"`
	Location    string  `json:"location" record:"required"` // where its bytes are; answers never show it
}

// Attachment is a document as answers show it: with a link that works for a
// while.
type Attachment struct {
	Name        string        `json:"name"`
	ContentType *string       `json:"content_type"`
	SizeBytes   *int          `json:"size_bytes"`
	URL         string        `json:"url"`
	ExpiresAt   value.Instant `json:"expires_at"` // from then on the link does not work
}
