package kap

import (
	"bytes"
	"cmp"
	"encoding/json"
	"reflect"
	"slices"

	"piyasa/internal/attachment"
	"piyasa/internal/problem"
	"piyasa/internal/value"
)

// Record is a disclosure as it is ingested: the members that lists show, and those that only
// its own page shows.
type Record struct {
	Disclosure
	Attachments []attachment.Document `json:"attachments"`
	Facts       []*Fact               `json:"facts"`
	Contexts    []*Context            `json:"contexts"`
	Body        *Content              `json:"body"`
	Seq         int64                 `json:"-" record:"-"` // its newest number in the store, if it was read from there
}

// Fact is one figure of a structured financial report.
type Fact struct {
	Concept   string     `json:"concept" record:"required"`
	Label     *Localized `json:"label"`
	Value     *string    `json:"value" text:"any"`
	Unit      *string    `json:"unit" text:"any"`
	Decimals  *string    `json:"decimals" text:"any"`
	ContextID string     `json:"context_id" record:"required"`
}

// Context is the period and the part of the company that facts describe.
type Context struct {
	ID         string       `json:"id" record:"required"`
	PeriodType string       `json:"period_type" record:"required"`
	Instant    value.Date   `json:"instant" time:"any"`
	StartDate  value.Date   `json:"start_date" time:"any"`
	EndDate    value.Date   `json:"end_date" time:"any"`
	Dimensions []*Dimension `json:"dimensions"`
}

// Dimension narrows a context.
type Dimension struct {
	Axis   string `json:"axis" record:"required"`
	Member string `json:"member" record:"required"`
}

// Content is the body of a disclosure as the platform sent it.
type Content struct {
	SourceFormat string          `json:"source_format" record:"required" one:"flatData presentation html"`
	FileType     string          `json:"file_type" record:"required"` // the platform's own word
	Content      json.RawMessage `json:"content" record:"required"`   // member order and digits as they came
}

// Normalize completes the record: it adds the filer's codes to the symbols and counts the
// attachments. It drops members that only financial reports have from other disclosures, and
// from an original the disclosure that it claims to change.
func (r *Record) Normalize() {
	r.FilerCodes = Codes(r.FilerCodes)
	listed := Codes(r.Symbols)
	r.Symbols = Codes(slices.Concat(listed, r.FilerCodes))
	r.AddedSymbols = len(r.Symbols) - len(listed)
	if r.AttachmentCount == 0 {
		r.AttachmentCount = len(r.Attachments)
	}
	if r.Reason != nil && *r.Reason == New {
		r.RelatedIndex = nil
	}
	if r.Type != FR {
		r.Year, r.Period, r.Consolidation = nil, nil, nil
	}
}

// Validate returns the value.Invalid of a normalized record, if any.
func (r *Record) Validate() error {
	if n := len(r.Attachments); n > 0 && r.AttachmentCount != n {
		return value.Invalidf("attachment_count", "must be %d, the number of attachments, or left out; got %d", n, r.AttachmentCount)
	}
	if c := r.Consolidation; c != nil && *c != string(CS) && *c != string(NC) {
		return value.Invalidf("consolidation", "must be CS or NC, or left out if the platform did not send it; got %s", problem.Shown(*c))
	}
	return cmp.Or(value.CheckLink("link", r.Link), value.CheckMoment("published_at", r.PublishedAt))
}

// Merge adds what another copy of the disclosure has and r lacks: body, facts, contexts,
// attachments. changed reports whether the copy adds anything. Any other difference is a
// value.Invalid, since a disclosure never changes.
func (r *Record) Merge(next *Record) (merged *Record, changed bool, wrong *value.Invalid) {
	a, b := *r, *next
	a.AddedSymbols, b.AddedSymbols, a.Seq, b.Seq = 0, 0, 0, 0 // these are not part of the disclosure
	if a.AttachmentCount == 0 || b.AttachmentCount == 0 {     // not stated
		a.AttachmentCount, b.AttachmentCount = 0, 0
	}
	a.Attachments, b.Attachments, a.Facts, b.Facts, a.Contexts, b.Contexts, a.Body, b.Body = nil, nil, nil, nil, nil, nil, nil, nil
	if name := difference(reflect.ValueOf(a), reflect.ValueOf(b)); name != "" {
		return nil, false, differs(name)
	}
	merged = new(*r)
	for _, part := range []struct {
		name           string
		stored, coming bool
		same           func() bool
		take           func()
	}{
		{"attachments", len(r.Attachments) > 0, len(next.Attachments) > 0, func() bool {
			return reflect.DeepEqual(r.Attachments, next.Attachments)
		}, func() { merged.Attachments = next.Attachments }},
		{"facts", len(r.Facts) > 0, len(next.Facts) > 0, func() bool {
			return reflect.DeepEqual(r.Facts, next.Facts)
		}, func() { merged.Facts = next.Facts }},
		{"contexts", len(r.Contexts) > 0, len(next.Contexts) > 0, func() bool {
			return reflect.DeepEqual(r.Contexts, next.Contexts)
		}, func() { merged.Contexts = next.Contexts }},
		{"body", r.Body != nil, next.Body != nil, func() bool { return r.Body.same(next.Body) }, func() { merged.Body = next.Body }},
	} {
		switch {
		case !part.coming:
		case !part.stored:
			part.take()
			changed = true
		case !part.same():
			return nil, false, differs(part.name)
		}
	}
	if merged.AttachmentCount < next.AttachmentCount {
		merged.AttachmentCount, changed = next.AttachmentCount, true
	}
	return merged, changed, nil
}

func differs(member string) *value.Invalid {
	return value.Invalidf(member, "differs from the stored disclosure; a stored disclosure never changes")
}

func (c *Content) same(other *Content) bool {
	return c.SourceFormat == other.SourceFormat && c.FileType == other.FileType && bytes.Equal(c.Content, other.Content)
}

// difference names the first member in which two records differ.
func difference(a, b reflect.Value) string {
	for _, f := range reflect.VisibleFields(a.Type()) {
		if !f.Anonymous && !reflect.DeepEqual(a.FieldByIndex(f.Index).Interface(), b.FieldByIndex(f.Index).Interface()) {
			if name := f.Tag.Get("json"); name != "-" {
				return name
			}
			return f.Tag.Get("record")
		}
	}
	return ""
}
