// Package attachment describes the documents of disclosures and IPOs, and the signed links to
// them. Package content reads their bytes.
package attachment

import "piyasa/internal/value"

// Document is a document as stored.
type Document struct {
	Name        string  `json:"name" record:"required"`
	ContentType *string `json:"content_type"`
	SizeBytes   *int    `json:"size_bytes" range:"0 2147483647"`
	Location    string  `json:"location" record:"required"` // where its bytes are; answers never show it
}

// Attachment is a document as answers show it, with a signed link that works until ExpiresAt.
type Attachment struct {
	Name        string        `json:"name"`
	ContentType *string       `json:"content_type"`
	SizeBytes   *int          `json:"size_bytes"`
	URL         string        `json:"url"`
	ExpiresAt   value.Instant `json:"expires_at"` // when the link stops working
}
