// Package disclosure reads disclosures as the publication service of KAP gives them: records, and
// the ids of attachments. It also takes personal data out of an answer.
package disclosure

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"piyasa/collect"
	"piyasa/collect/vyk/answer"
	"piyasa/collect/vyk/attachment"
	"piyasa/collect/vyk/filing"
	"piyasa/collect/vyk/report"
)

// detail is a disclosure as the service has it.
type detail struct {
	Number        answer.Scalar              `json:"disclosureIndex"`
	SenderID      answer.Scalar              `json:"senderId"`
	SenderTitle   answer.Scalar              `json:"senderTitle"`
	SenderCodes   answer.Many[answer.Scalar] `json:"senderExchCodes"`
	BehalfCodes   answer.Many[answer.Scalar] `json:"behalfSenderExchCodes"`
	Related       answer.Many[stock]         `json:"relatedStocks"`
	Reason        answer.Scalar              `json:"disclosureReason"`
	RelatedNumber answer.Scalar              `json:"relatedDisclosureIndex"`
	Type          answer.Scalar              `json:"disclosureType"`
	Class         answer.Scalar              `json:"disclosureClass"`
	Subject       *answer.Bilingual          `json:"subject"`
	Summary       *answer.Bilingual          `json:"summary"`
	Consolidation answer.Scalar              `json:"consolidation"`
	Year          answer.Scalar              `json:"year"`
	Period        *answer.Bilingual          `json:"period"`
	Time          answer.Scalar              `json:"time"`
	Link          answer.Scalar              `json:"link"`
	Attachments   answer.Many[document]      `json:"attachmentUrls"`
	Blocked       json.RawMessage            `json:"blockedStatus"`
	Presentation  json.RawMessage            `json:"presentation"`
	FlatData      json.RawMessage            `json:"flatData"`
	HTML          json.RawMessage            `json:"htmlMessages"`
}

type stock struct {
	Code answer.Scalar `json:"code"`
}

type document struct {
	URL  string        `json:"url"`
	Name answer.Scalar `json:"fileName"`
}

// Words of the service.
var (
	types          = []answer.Scalar{financial, "ODA", "DG", "DUY", "CA", "FON"}
	reasons        = []answer.Scalar{"", "NEW", "UPD", "CORR", "CANC"}
	consolidations = []answer.Scalar{"", "CS", "NC"}
)

// financial is the type of financial reports.
const financial = "FR"

const mostDocuments = 1000

// Types returns the types that a disclosure may have.
func Types() []string {
	all := make([]string, len(types))
	for i, one := range types {
		all[i] = string(one)
	}
	return all
}

// OddReport is the error of a financial report that is stored without its figures, because it does
// not have the structure that is known.
type OddReport struct {
	n   int64 // of the disclosure
	err error
}

// Error implements error.
func (o *OddReport) Error() string {
	return fmt.Sprintf("the report in disclosure %d is stored without facts: %v", o.n, o.err)
}

// Read returns the records of the disclosure n, which was asked for as a kind of file ("data" or
// "html"), and the ids of its attachments. One that is blocked has neither content nor attachments.
// The error may be an *OddReport beside them.
func Read(body []byte, n int64, kind string, blocked bool) ([]collect.Record, []string, error) {
	var d detail
	if err := collect.ReadJSON(body, &d); err != nil {
		return nil, nil, err
	}
	switch own, err := d.Number.Number(); {
	case err != nil:
		return nil, nil, fmt.Errorf("disclosureIndex %w", err)
	case own != n:
		return nil, nil, fmt.Errorf("it is the disclosure %d", own)
	case !slices.Contains(types, d.Type):
		return nil, nil, fmt.Errorf("disclosureType must be one of %s; got %q", types, string(d.Type))
	case d.Class == "":
		return nil, nil, errors.New("it has no disclosureClass")
	case !slices.Contains(reasons, d.Reason):
		return nil, nil, fmt.Errorf("disclosureReason must be one of %s; got %q", reasons[1:], string(d.Reason))
	case !slices.Contains(consolidations, d.Consolidation):
		return nil, nil, fmt.Errorf("consolidation must be one of %s; got %q", consolidations[1:], string(d.Consolidation))
	}
	filer := answer.Codes(d.SenderCodes)
	if len(filer) == 0 {
		filer = answer.Codes(d.BehalfCodes)
	}
	related := answer.Many[answer.Scalar]{}
	for _, one := range d.Related {
		related = append(related, one.Code)
	}
	fields := map[string]any{
		"disclosure_index": n, "type": d.Type, "class": d.Class, "filer_codes": filer,
		"symbols": answer.Codes(slices.Concat(d.SenderCodes, d.BehalfCodes, related)),
		"subject": d.Subject, "summary": d.Summary,
	}
	answer.Add(fields, "filer_title", d.SenderTitle)
	answer.Add(fields, "company_id", d.SenderID)
	answer.Add(fields, "reason", d.Reason)
	if strings.HasPrefix(string(d.Link), "https://") || strings.HasPrefix(string(d.Link), "http://") { // no record has another
		answer.Add(fields, "link", d.Link)
	}
	if d.Type == financial {
		answer.Add(fields, "year", d.Year)
		answer.Add(fields, "consolidation", d.Consolidation)
		if d.Period != nil && d.Period.EN != nil {
			answer.Add(fields, "period", answer.Scalar(*d.Period.EN))
		}
	}
	if d.RelatedNumber != "" {
		earlier, err := d.RelatedNumber.Number()
		if err != nil {
			return nil, nil, fmt.Errorf("relatedDisclosureIndex %w", err)
		}
		fields["related_index"] = earlier
	}
	if d.Time != "" {
		at, err := time.ParseInLocation("02.01.2006 15:04:05", string(d.Time), collect.Istanbul)
		if err != nil {
			return nil, nil, fmt.Errorf("time must be like 30.06.2031 18:05:09; got %q", string(d.Time))
		}
		fields["published_at"] = at.UTC().Format(time.RFC3339)
	}
	records := []collect.Record{{Kind: "disclosure", Fields: fields}}
	if answer.Has(d.Blocked) || blocked || d.personal() {
		return records, nil, nil
	}
	documents, ids, err := d.documents()
	if err != nil {
		return nil, nil, err
	}
	if len(ids) > 0 {
		fields["attachments"] = documents
	}
	if content := d.content(kind); content != nil {
		fields["body"] = content
	}
	if d.Type != financial || !answer.Has(d.Presentation) {
		return records, ids, nil
	}
	figures, err := report.Read(d.Presentation)
	if err != nil {
		return records, ids, &OddReport{n, err}
	}
	if len(figures.Facts) > 0 {
		fields["facts"], fields["contexts"] = figures.Facts, figures.Contexts
	}
	if statements := filing.Of(d.heading(n, filer), figures.Statements); statements != nil {
		records = append(records, collect.Record{Kind: "filing", Fields: statements})
	}
	return records, ids, nil
}

// heading returns what it says of its report.
func (d detail) heading(n int64, filer []string) filing.Heading {
	h := filing.Heading{Number: n, Year: string(d.Year), Consolidation: string(d.Consolidation)}
	if len(filer) > 0 {
		h.Symbol = filer[0]
	}
	if d.Period != nil {
		h.Period = d.Period.EN
	}
	return h
}

// documents returns the attachments and their ids.
func (d detail) documents() (all []map[string]any, ids []string, err error) {
	if len(d.Attachments) > mostDocuments {
		return nil, nil, fmt.Errorf("it has more than %d attachments", mostDocuments)
	}
	for _, a := range d.Attachments {
		id, ok := attachment.ID(a.URL)
		if !ok {
			return nil, nil, errors.New("the address of an attachment must end in 32 hexadecimal digits")
		}
		name := string(a.Name)
		if name == "" {
			name = id
		}
		all, ids = append(all, map[string]any{"name": name, "location": attachment.Location(id)}), append(ids, id)
	}
	return all, ids, nil
}

// content returns the body as it came.
func (d detail) content(kind string) map[string]any {
	for _, one := range []struct {
		format  string
		content json.RawMessage
	}{{"presentation", d.Presentation}, {"flatData", d.FlatData}, {"html", d.HTML}} {
		if answer.Has(one.content) {
			return map[string]any{"source_format": one.format, "file_type": kind, "content": one.content}
		}
	}
	return nil
}
