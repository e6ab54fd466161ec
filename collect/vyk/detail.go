package vyk

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"piyasa/collect"
)

// scalar is a text or a number, which the service writes either way; null is empty.
type scalar string

// UnmarshalJSON implements json.Unmarshaler.
func (s *scalar) UnmarshalJSON(text []byte) error {
	switch {
	case string(text) == "null":
		*s = ""
		return nil
	case text[0] == '"':
		return json.Unmarshal(text, (*string)(s))
	}
	var n json.Number
	if err := json.Unmarshal(text, &n); err != nil {
		return err
	}
	*s = scalar(n)
	return nil
}

// number returns the number of a disclosure.
func (s scalar) number() (int64, error) {
	n, err := strconv.ParseInt(string(s), 10, 64)
	if err != nil || n < 1 || n > mostNumber {
		return 0, fmt.Errorf("must be a number from 1 to %d; got %q", mostNumber, string(s))
	}
	return n, nil
}

// many is a list, of which the service writes a single element without brackets.
type many[T any] []T

// UnmarshalJSON implements json.Unmarshaler.
func (m *many[T]) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		return nil
	}
	if text[0] == '[' {
		return json.Unmarshal(text, (*[]T)(m))
	}
	var one T
	if err := json.Unmarshal(text, &one); err != nil {
		return err
	}
	*m = many[T]{one}
	return nil
}

// bilingual is a text in two languages.
type bilingual struct {
	TR *string `json:"tr"`
	EN *string `json:"en"`
}

// detail is a disclosure as the service has it.
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
	types          = []scalar{"FR", "ODA", "DG", "DUY", "CA", "FON"}
	reasons        = []scalar{"", "NEW", "UPD", "CORR", "CANC"}
	consolidations = []scalar{"", "CS", "NC"}
	hex32          = regexp.MustCompile(`^[0-9a-f]{32}$`)
)

const mostDocuments = 1000

// location is where records say that an attachment is.
func location(id string) string { return "vyk/" + id }

// disclosure returns the records of a disclosure, and the ids of its attachments. The error
// may be an *oddReport beside them.
func disclosure(body []byte, n int64, kind string, blocked []int64) ([]collect.Record, []string, error) {
	var d detail
	if err := json.Unmarshal(body, &d); err != nil {
		return nil, nil, err
	}
	switch own, err := d.Number.number(); {
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
	filer := codes(d.SenderCodes)
	if len(filer) == 0 {
		filer = codes(d.BehalfCodes)
	}
	related := many[scalar]{}
	for _, one := range d.Related {
		related = append(related, one.Code)
	}
	fields := map[string]any{
		"disclosure_index": n, "type": d.Type, "class": d.Class, "filer_codes": filer,
		"symbols": codes(slices.Concat(d.SenderCodes, d.BehalfCodes, related)),
		"subject": d.Subject, "summary": d.Summary,
	}
	stated(fields, "filer_title", d.SenderTitle)
	stated(fields, "company_id", d.SenderID)
	stated(fields, "reason", d.Reason)
	stated(fields, "link", d.Link)
	if d.Type == "FR" {
		stated(fields, "year", d.Year)
		stated(fields, "consolidation", d.Consolidation)
		if d.Period != nil && d.Period.EN != nil {
			stated(fields, "period", scalar(*d.Period.EN))
		}
	}
	if d.RelatedNumber != "" {
		earlier, err := d.RelatedNumber.number()
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
	if has(d.Blocked) || slices.Contains(blocked, n) || d.personal() {
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
	if d.Type != "FR" || !has(d.Presentation) {
		return records, ids, nil
	}
	report, err := readReport(d.Presentation)
	if err != nil {
		return records, ids, &oddReport{n, err}
	}
	if len(report.facts) > 0 {
		fields["facts"], fields["contexts"] = report.facts, report.contexts
	}
	if filing := report.filing(&d, n, filer); filing != nil {
		records = append(records, collect.Record{Kind: "filing", Fields: filing})
	}
	return records, ids, nil
}

// stated adds what the service states.
func stated(fields map[string]any, member string, text scalar) {
	if text != "" {
		fields[member] = text
	}
}

// has reports whether a member is there, and not empty.
func has(text json.RawMessage) bool {
	return len(text) > 0 && !slices.Contains([]string{"null", `""`, "[]", "{}"}, string(text))
}

// codes returns codes, each once. Several may be in one text.
func codes(texts []scalar) []string {
	all := []string{}
	for _, text := range texts {
		for _, code := range strings.Split(string(text), ",") {
			if code = strings.TrimSpace(code); code != "" && !slices.Contains(all, code) {
				all = append(all, code)
			}
		}
	}
	return all
}

// documents returns the attachments and their ids.
func (d detail) documents() (all []map[string]any, ids []string, err error) {
	if len(d.Attachments) > mostDocuments {
		return nil, nil, fmt.Errorf("it has more than %d attachments", mostDocuments)
	}
	for _, a := range d.Attachments {
		id := strings.ToLower(lastSegment(a.URL))
		if !hex32.MatchString(id) {
			return nil, nil, errors.New("the address of an attachment must end in 32 hexadecimal digits")
		}
		name := string(a.Name)
		if name == "" {
			name = id
		}
		all, ids = append(all, map[string]any{"name": name, "location": location(id)}), append(ids, id)
	}
	return all, ids, nil
}

// content returns the body as it came.
func (d detail) content(kind string) map[string]any {
	for _, one := range []struct {
		format  string
		content json.RawMessage
	}{{"presentation", d.Presentation}, {"flatData", d.FlatData}, {"html", d.HTML}} {
		if has(one.content) {
			return map[string]any{"source_format": one.format, "file_type": kind, "content": one.content}
		}
	}
	return nil
}

// personalForm is the form of a company's general information, which names people.
const personalForm = "KPY41"

// personal reports whether a disclosure has the form with personal data.
func (d detail) personal() bool {
	if bytes.Contains(bytes.ToUpper(d.FlatData), []byte(personalForm)) {
		return true
	}
	for _, part := range []json.RawMessage{d.Presentation, d.HTML} {
		var blocks many[struct {
			ID scalar `json:"id"`
		}]
		if has(part) && json.Unmarshal(part, &blocks) != nil {
			return bytes.Contains(bytes.ToUpper(part), []byte(personalForm))
		}
		for _, block := range blocks {
			if strings.Contains(strings.ToUpper(string(block.ID)), personalForm) {
				return true
			}
		}
	}
	return false
}
