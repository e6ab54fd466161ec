package vyk

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"piyasa/collect"
)

// detail is a disclosure as the service sends it.
type detail struct {
	Number        scalar          `json:"disclosureIndex"`
	SenderID      scalar          `json:"senderId"`
	SenderTitle   scalar          `json:"senderTitle"`
	SenderCodes   many[scalar]    `json:"senderExchCodes"`
	BehalfCodes   many[scalar]    `json:"behalfSenderExchCodes"`
	Related       many[stock]     `json:"relatedStocks"`
	Reason        scalar          `json:"disclosureReason"`
	RelatedNumber scalar          `json:"relatedDisclosureIndex"`
	Type          scalar          `json:"disclosureType"`
	Class         scalar          `json:"disclosureClass"`
	Subject       *bilingual      `json:"subject"`
	Summary       *bilingual      `json:"summary"`
	Consolidation scalar          `json:"consolidation"`
	Year          scalar          `json:"year"`
	Period        *bilingual      `json:"period"`
	Time          scalar          `json:"time"`
	Link          scalar          `json:"link"`
	Attachments   many[document]  `json:"attachmentUrls"`
	Blocked       json.RawMessage `json:"blockedStatus"`
	Presentation  json.RawMessage `json:"presentation"`
	FlatData      json.RawMessage `json:"flatData"`
	HTML          json.RawMessage `json:"htmlMessages"`
}

type stock struct {
	Code scalar `json:"code"`
}

type document struct {
	URL  string `json:"url"`
	Name scalar `json:"fileName"`
}

// Words of the service.
var (
	types          = []scalar{financial, "ODA", "DG", "DUY", "CA", "FON"}
	reasons        = []scalar{"", "NEW", "UPD", "CORR", "CANC"}
	consolidations = []scalar{"", "CS", "NC"}
)

// financial is the type of financial reports.
const financial = "FR"

const mostDocuments = 1000

// readDisclosure reads the disclosure n, requested as a kind of file ("data" or "html"). It
// sets the records of the result, and returns the ids of the attachments. A blocked disclosure
// has neither content nor attachments. A financial report of unknown structure is stored
// without its figures, with a warning in the result.
func readDisclosure(r *collect.Result, body []byte, n int64, kind string, blocked bool) (ids []string, err error) {
	var d detail
	if err := collect.ReadJSON(body, &d); err != nil {
		return nil, err
	}
	if err := d.check(n); err != nil {
		return nil, err
	}
	filer := codesOf(d.SenderCodes...)
	if len(filer) == 0 {
		filer = codesOf(d.BehalfCodes...)
	}
	fields, err := d.fields(n, filer)
	if err != nil {
		return nil, err
	}
	r.Records = []collect.Record{{Kind: "disclosure", Fields: fields}}
	if hasContent(d.Blocked) || blocked || d.isPersonal() {
		return nil, nil
	}

	documents, ids, err := d.documents()
	if err != nil {
		return nil, err
	}
	if len(ids) > 0 {
		fields["attachments"] = documents
	}
	if content := d.content(kind); content != nil {
		fields["body"] = content
	}
	if d.Type != financial || !hasContent(d.Presentation) {
		return ids, nil
	}

	figures, err := readReport(d.Presentation)
	if err != nil {
		r.Warning = fmt.Sprintf("the report in disclosure %d is stored without facts: %v", n, err)
		return ids, nil
	}
	if len(figures.Facts) > 0 {
		fields["facts"], fields["contexts"] = figures.Facts, figures.Contexts
	}
	if statements := d.filing(n, filer, figures.Statements); statements != nil {
		r.Records = append(r.Records, collect.Record{Kind: "filing", Fields: statements})
	}
	return ids, nil
}

// check returns an error if the disclosure is not n, or has unknown words.
func (d detail) check(n int64) error {
	switch own, err := d.Number.number("disclosureIndex"); {
	case err != nil:
		return err
	case own != n:
		return fmt.Errorf("it is the disclosure %d", own)
	case !slices.Contains(types, d.Type):
		return fmt.Errorf("disclosureType must be one of %s; got %q", types, string(d.Type))
	case d.Class == "":
		return errors.New("it has no disclosureClass")
	case !slices.Contains(reasons, d.Reason):
		return fmt.Errorf("disclosureReason must be one of %s; got %q", reasons[1:], string(d.Reason))
	case !slices.Contains(consolidations, d.Consolidation):
		return fmt.Errorf("consolidation must be one of %s; got %q", consolidations[1:], string(d.Consolidation))
	}
	return nil
}

// fields returns the members of the record except content and attachments.
func (d detail) fields(n int64, filer []string) (map[string]any, error) {
	symbols := slices.Concat(d.SenderCodes, d.BehalfCodes)
	for _, one := range d.Related {
		symbols = append(symbols, one.Code)
	}
	fields := map[string]any{
		"disclosure_index": n,
		"type":             d.Type,
		"class":            d.Class,
		"filer_codes":      filer,
		"symbols":          codesOf(symbols...),
		"subject":          d.Subject,
		"summary":          d.Summary,
	}
	addText(fields, "filer_title", d.SenderTitle)
	addText(fields, "company_id", d.SenderID)
	addText(fields, "reason", d.Reason)
	if strings.HasPrefix(string(d.Link), "https://") || strings.HasPrefix(string(d.Link), "http://") { // records accept no other links
		addText(fields, "link", d.Link)
	}
	if d.Type == financial {
		addText(fields, "year", d.Year)
		addText(fields, "consolidation", d.Consolidation)
		if d.Period != nil && d.Period.EN != nil {
			addText(fields, "period", scalar(*d.Period.EN))
		}
	}
	if d.RelatedNumber != "" {
		earlier, err := d.RelatedNumber.number("relatedDisclosureIndex")
		if err != nil {
			return nil, err
		}
		fields["related_index"] = earlier
	}
	if d.Time != "" {
		at, err := time.ParseInLocation("02.01.2006 15:04:05", string(d.Time), collect.Istanbul)
		if err != nil {
			return nil, fmt.Errorf("time must be like 30.06.2031 18:05:09; got %q", string(d.Time))
		}
		fields["published_at"] = at.UTC().Format(time.RFC3339)
	}
	return fields, nil
}

// documents returns the attachments and their ids.
func (d detail) documents() (all []map[string]any, ids []string, err error) {
	if len(d.Attachments) > mostDocuments {
		return nil, nil, fmt.Errorf("it has more than %d attachments", mostDocuments)
	}
	for _, a := range d.Attachments {
		id, ok := attachmentIn(a.URL)
		if !ok {
			return nil, nil, errors.New("the address of an attachment must end in 32 hexadecimal digits")
		}
		name := string(a.Name)
		if name == "" {
			name = id
		}
		all, ids = append(all, map[string]any{"name": name, "location": locationOf(id)}), append(ids, id)
	}
	return all, ids, nil
}

// content returns the body unchanged.
func (d detail) content(kind string) map[string]any {
	for _, one := range []struct {
		format  string
		content json.RawMessage
	}{{"presentation", d.Presentation}, {"flatData", d.FlatData}, {"html", d.HTML}} {
		if hasContent(one.content) {
			return map[string]any{"source_format": one.format, "file_type": kind, "content": one.content}
		}
	}
	return nil
}
