package kap

import (
	"context"
	"errors"
	"slices"
	"strings"

	"piyasa/access"
	"piyasa/problem"
)

// BodyFormat is a way to read a body.
type BodyFormat string

// The formats.
const (
	AsFields BodyFormat = "fields" // opened into fields
	AsKAP    BodyFormat = "kap"    // the platform's structure as it came
	AsHTML   BodyFormat = "html"   // the document as text
)

// UnmarshalText implements encoding.TextUnmarshaler; only the exact names pass.
func (f *BodyFormat) UnmarshalText(text []byte) error {
	switch *f = BodyFormat(text); *f {
	case AsFields, AsKAP, AsHTML:
		return nil
	}
	return errors.New("must be one of fields, kap, html")
}

// FieldsStatus says whether a body could be opened into fields.
type FieldsStatus string

// The states.
const (
	FieldsOK          FieldsStatus = "ok"
	FieldsUnavailable FieldsStatus = "unavailable" // an HTML document
	FieldsUnsupported FieldsStatus = "unsupported" // a structure that nobody has described
)

// The containers that bodies come in.
const (
	flatData     = "flatData"
	presentation = "presentation"
	htmlDocument = "html"
)

// Field is one statement of a body, in the platform's own text.
type Field struct {
	Key   string    `json:"key"`
	Label Localized `json:"label"`
	Value Localized `json:"value"`
	Group *string   `json:"group"` // the table it stands in
	Row   *int      `json:"row"`   // of the table, from 0
}

// Body is a body in one format; what belongs to the others is null.
type Body struct {
	DisclosureIndex int
	Format          BodyFormat
	SourceFormat    string
	FieldsStatus    *string    // fields
	Fields          []*Field   // fields
	FileType        *string    // kap
	Body            JSON       // kap
	HTML            *Localized // html
}

// Body is what a disclosure says, in the given format or as fields. Needs kap.
// Problems: not-found (no such number, a financial report, or nothing stored;
// the detail tells which), format-not-available, body-unreadable,
// content-store-unavailable.
func (s *Service) Body(ctx context.Context, index int, format *BodyFormat) (*Body, error) {
	if err := access.Enter(ctx, access.KAP); err != nil {
		return nil, err
	}
	as := AsFields
	if format != nil {
		as = *format
	}
	r, err := s.known(ctx, index)
	if _, told := errors.AsType[*problem.Error](err); told {
		return nil, err
	} else if err != nil {
		return nil, contentUnavailable(err)
	}
	if r.Type == FR {
		return nil, problem.New(problem.NotFound, "Disclosure %d: financial reports have no body.", index)
	}
	if r.Body == nil {
		return nil, problem.New(problem.NotFound, "Disclosure %d: body not stored.", index)
	}
	if available := formatsOf(r.Body.SourceFormat); !slices.Contains(available, string(as)) {
		e := problem.New(problem.FormatNotAvailable, "Disclosure %d has no %s: its body is %s, which is available as %s.", index, as, r.Body.SourceFormat, strings.Join(available, " and "))
		e.Members.Available = available
		return nil, e
	}
	content, err := s.Store.Content(ctx, index)
	if err != nil || content == nil {
		return nil, contentUnavailable(err)
	}
	body, err := open(content, as)
	if err != nil {
		return nil, problem.New(problem.BodyUnreadable, "The stored body of disclosure %d cannot be read. Trying again does not help; please report the number.", index).Because(err)
	}
	body.DisclosureIndex = index
	access.Charge(ctx, unit)
	return body, nil
}

// contentUnavailable is the problem of a store that does not answer.
func contentUnavailable(cause error) error {
	e := problem.New(problem.ContentStoreUnavailable, "The stored bodies cannot be reached now; try again later.").Because(cause)
	e.RetryAfter = retryContent
	return e
}

// retryContent is after how many seconds a body is worth asking for again.
const retryContent = 5

// formatsOf are the formats that a container can be read in.
func formatsOf(container string) []string {
	if container == htmlDocument {
		return []string{string(AsFields), string(AsKAP), string(AsHTML)}
	}
	return []string{string(AsFields), string(AsKAP)}
}

// open reads content in a format its container has.
func open(c *Content, as BodyFormat) (*Body, error) {
	body := &Body{Format: as, SourceFormat: c.SourceFormat}
	var err error
	switch as {
	case AsKAP:
		body.FileType, body.Body = &c.FileType, JSON(c.Content)
		_, err = c.document() // what is handed on can be read
	case AsHTML:
		body.HTML, err = openHTML(c.Content)
	default:
		status := FieldsUnavailable
		body.Fields = []*Field{}
		if c.SourceFormat != htmlDocument {
			body.Fields, status, err = openFields(c)
		}
		body.FieldsStatus = (*string)(&status)
	}
	return body, err
}
