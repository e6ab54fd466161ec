package kap

import (
	"context"
	"slices"
	"strings"

	"piyasa/account/access"
	"piyasa/internal/problem"
	"piyasa/internal/value"
)

// BodyFormat is the form in which a body is read.
type BodyFormat string

// The formats.
const (
	AsFields BodyFormat = "fields" // opened into fields
	AsKAP    BodyFormat = "kap"    // the platform's structure, unchanged
	AsHTML   BodyFormat = "html"   // the document as text
)

var _ = value.Enum(AsFields, AsKAP, AsHTML)

// FieldsStatus says whether a body could be opened into fields.
type FieldsStatus string

// The states.
const (
	FieldsOK          FieldsStatus = "ok"
	FieldsUnavailable FieldsStatus = "unavailable" // an HTML document
	FieldsUnsupported FieldsStatus = "unsupported" // an unknown structure
)

// The containers that bodies come in.
const (
	flatData     = "flatData"
	presentation = "presentation"
	htmlDocument = "html"
)

// Field is one field of a body, in the platform's own text.
type Field struct {
	Key   string    `json:"key"`
	Label Localized `json:"label"`
	Value Localized `json:"value"`
	Group *string   `json:"group"` // the table that it belongs to
	Row   *int      `json:"row"`   // of the table, from 0
}

// Body is a body in one format; members of other formats are null.
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

// Body returns the body of a disclosure in a format, AsFields if it is nil. Needs kap.
// Problems: not-found (no such number, a financial report, or nothing stored; the detail says
// which), format-not-available, body-unreadable, content-store-unavailable, store-unavailable.
func (s *Service) Body(ctx context.Context, index int, format *BodyFormat) (*Body, error) {
	if err := access.Enter(ctx, access.KAP); err != nil {
		return nil, err
	}
	bodies, errs := s.bodies(ctx, []int{index}, format)
	if errs[0] != nil {
		return nil, errs[0]
	}
	access.Charge(ctx, access.Unit)
	return bodies[0], nil
}

// BodiesOf returns the bodies of disclosures as Body does, read together. Each
// body costs one unit.
func (s *Service) BodiesOf(ctx context.Context, details []*Detail, format *BodyFormat) ([]*Body, []error) {
	return access.Relation[*Detail, *Body]{
		Enter: access.Needs(access.KAP),
		ReadEach: func(details []*Detail) ([]*Body, []error) {
			numbers := make([]int, len(details))
			for i, d := range details {
				numbers[i] = d.DisclosureIndex
			}
			return s.bodies(ctx, numbers, format)
		},
	}.Answer(ctx, details)
}

func (s *Service) bodies(ctx context.Context, numbers []int, format *BodyFormat) ([]*Body, []error) {
	as := value.Or(format, AsFields)
	records, err := s.Store.DisclosureRecords(ctx, numbers)
	if err != nil {
		return make([]*Body, len(numbers)), slices.Repeat([]error{err}, len(numbers))
	}
	errs := make([]error, len(numbers))
	var readable []int
	for i, n := range numbers {
		if errs[i] = records[n].readableAs(as, n); errs[i] == nil {
			readable = append(readable, n)
		}
	}
	bodies := make([]*Body, len(numbers))
	if len(readable) == 0 {
		return bodies, errs
	}
	contents, err := s.Store.Contents(ctx, readable)
	for i, n := range numbers {
		switch content := contents[n]; {
		case errs[i] != nil:
		case err != nil:
			errs[i] = err
		case content == nil:
			errs[i] = contentMissing()
		default:
			bodies[i], errs[i] = opened(content, as, n)
		}
	}
	return bodies, errs
}

// readableAs returns the problem that keeps the body of disclosure n from being read in a
// format, or nil. r is nil if the number is unknown.
func (r *Record) readableAs(as BodyFormat, n int) error {
	switch {
	case r == nil:
		return unknownNumber(n)
	case r.Type == FR:
		return problem.New(problem.NotFound, "Disclosure %d: financial reports have no body.", n)
	case r.Body == nil:
		return problem.New(problem.NotFound, "Disclosure %d: body not stored.", n)
	}
	available := formatsOf(r.Body.SourceFormat)
	if slices.Contains(available, string(as)) {
		return nil
	}
	e := problem.New(problem.FormatNotAvailable, "Disclosure %d is not available as %s: its body is %s, which is available as %s.",
		n, as, r.Body.SourceFormat, strings.Join(available, " and "))
	e.Members.Available = available
	return e
}

// opened returns the body of disclosure n in a format that it has.
func opened(c *Content, as BodyFormat, n int) (*Body, error) {
	body, err := open(c, as)
	if err != nil {
		return nil, problem.New(problem.BodyUnreadable,
			"The stored body of disclosure %d is unreadable. Retrying does not help; please report this disclosure_index to support.",
			n).Because(err)
	}
	body.DisclosureIndex = n
	return body, nil
}

// contentMissing returns the problem of a body that is listed but not stored.
func contentMissing() error {
	e := problem.New(problem.ContentStoreUnavailable, "The stored body is not available now; try again later.")
	e.RetryAfter = retryContent
	return e
}

// retryContent is after how many seconds a client may ask again for a missing body.
const retryContent = 5

// formatsOf returns the formats in which a container can be read.
func formatsOf(container string) []string {
	if container == htmlDocument {
		return []string{string(AsFields), string(AsKAP), string(AsHTML)}
	}
	return []string{string(AsFields), string(AsKAP)}
}

// open reads content in a format that its container has.
func open(c *Content, as BodyFormat) (*Body, error) {
	body := &Body{Format: as, SourceFormat: c.SourceFormat}
	var err error
	switch as {
	case AsKAP:
		body.FileType, body.Body = &c.FileType, JSON(c.Content)
		_, err = c.document() // checks that it is readable
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
