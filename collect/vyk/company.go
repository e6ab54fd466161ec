package vyk

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"piyasa/collect"
)

// field is a part of the details of a company.
type field struct {
	Key       scalar          `json:"key"`
	Published scalar          `json:"publishDateTime"`
	Value     json.RawMessage `json:"value,omitempty"`
}

// cell is one value in the details: a text, a number, or a coded text, which is an object. A
// dash is empty.
type cell string

// UnmarshalJSON implements json.Unmarshaler.
func (c *cell) UnmarshalJSON(text []byte) error {
	var plain scalar
	var coded struct {
		Text scalar `json:"text"`
	}
	err := collect.ReadJSON(text, &plain)
	if text[0] == '{' {
		err = collect.ReadJSON(text, &coded)
		plain = coded.Text
	}
	if *c = cell(strings.TrimSpace(string(plain))); *c == "-" {
		*c = ""
	}
	return err
}

// companyReader reads parts of the details, and collects the unreadable ones.
type companyReader struct {
	fields map[scalar]field
	odd    []string
}

// read reads the value of a part. It leaves into unchanged if there is none.
func (p *companyReader) read(key scalar, into any) {
	value := p.fields["kpy41_"+key].Value
	if len(value) == 0 || string(bytes.TrimSpace(value)) == `""` {
		return
	}
	if collect.ReadJSON(value, into) != nil { // the message does not quote the value, which may be personal
		p.odd = append(p.odd, fmt.Sprintf("kpy41_%s has another form than usual", key))
	}
}

// text adds a text to a record.
func (p *companyReader) text(record map[string]any, member string, key scalar) {
	var c cell
	if p.read(key, &c); c != "" {
		record[member] = c
	}
}

// turkish matches a number with points between thousands and a decimal comma.
var turkish = regexp.MustCompile(`^%?\s*((?:\d{1,3}(?:\.\d{3})+|\d+)(?:,\d+)?)$`)

// figure adds a number to a record, digit for digit.
func (p *companyReader) figure(record map[string]any, member string, key scalar, c cell) {
	if c == "" {
		return
	}
	m := turkish.FindStringSubmatch(string(c))
	if m == nil {
		p.odd = append(p.odd, fmt.Sprintf("kpy41_%s: must be a number such as 1.250.000,50; got %.50q", key, string(c)))
		return
	}
	record[member] = strings.NewReplacer(".", "", ",", ".").Replace(m[1])
}

// moment is the format of times in the details of a company.
const moment = "02/01/2006 15:04:05"

// published returns when a part of the details was published.
func published(text scalar) (time.Time, error) {
	return time.ParseInLocation(moment, string(text), collect.Istanbul)
}

// date adds a day to a record, if the cell is one.
func date(record map[string]any, member string, c cell) {
	for _, layout := range []string{"02/01/2006", "02.01.2006", moment} {
		if day, err := time.Parse(layout, string(c)); err == nil {
			record[member] = day.Format(time.DateOnly)
			return
		}
	}
}

// total is the label of the last row of tables.
const total = "TOPLAM"

// readCompany adds the details of a company to its record, which already has the members from
// the lists of companies. traded says which groups of shares are traded. It returns the
// unreadable parts, as texts without personal data.
func readCompany(record map[string]any, body []byte, traded map[string]bool) (odd []string, err error) {
	var rows []field
	if err := collect.ReadJSON(body, &rows); err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, errors.New("it has no fields")
	}
	p := &companyReader{fields: map[scalar]field{}}
	newest := time.Time{}
	for i, one := range rows {
		if one.Key == "" {
			return nil, fmt.Errorf("field %d has no key", i+1)
		}
		p.fields[one.Key] = one
		if at, err := published(one.Published); err == nil && at.After(newest) {
			newest = at
		}
	}
	if !newest.IsZero() {
		record["as_of"] = newest.UTC().Format(time.RFC3339)
	}
	if identity, ok := record["identity"].(map[string]any); ok {
		p.text(identity, "auditor", "acc2_bdk")
		p.text(identity, "address", "acc1_merkez_adresi")
		p.text(identity, "website", "acc1_int_addres")
		p.text(identity, "trade_registry_no", "acc4_ticaret_sicil_numarasi")
		var founded cell
		p.read("acc4_tescil_tarihi", &founded)
		date(identity, "founded_at", founded)
	}
	p.text(record, "sector", "acc2_sektor")
	p.capital(record)
	p.freeFloat(record)
	p.shareholders(record)
	p.shareGroups(record, traded)
	p.people(record, "board", board)
	p.people(record, "executives", executives)
	return p.odd, nil
}

// capital adds the capital. Its ceiling may be in the list of securities.
func (p *companyReader) capital(record map[string]any) {
	capital := map[string]any{"currency": lira}
	if listed, ok := record["capital"].(map[string]any); ok {
		capital = listed
	}
	for member, key := range map[string]scalar{"paid_in": "acc5_odenmis_sermaye", "registered_ceiling": "acc5_kayitli_sermaye_tavani"} {
		var c cell
		p.read(key, &c)
		p.figure(capital, member, key, c)
	}
	if len(capital) > 1 {
		record["capital"] = capital
	}
}

// freeFloat adds the part of the capital that trades freely. If several shares have one, none
// of them counts for the company.
func (p *companyReader) freeFloat(record map[string]any) {
	const key = "acc5_fiili_dolasimdaki_pay"
	var rows many[struct {
		Pct     cell   `json:"actualOutstandingSharesRatio"`
		Amount  cell   `json:"actualSharesOutstanding"`
		Created scalar `json:"creationDate"`
	}]
	if p.read(key, &rows); len(rows) != 1 {
		return
	}
	float := map[string]any{}
	p.figure(float, "pct", key, rows[0].Pct)
	p.figure(float, "amount", key, rows[0].Amount)
	for _, text := range []scalar{p.fields["kpy41_"+key].Published, rows[0].Created} {
		if at, err := published(text); err == nil {
			float["as_of"] = at.UTC().Format(time.RFC3339)
		}
	}
	if len(float) > 0 {
		record["free_float"] = float
	}
}

// shareholders adds the direct holders of the capital.
func (p *companyReader) shareholders(record map[string]any) {
	const key = "acc5_sermayede_dogrudan"
	var rows many[struct {
		Name   cell `json:"shareholder"`
		Amount cell `json:"shareInCapital"`
		Pct    cell `json:"ratioInCapital"`
		Votes  cell `json:"votingRightRatio"`
	}]
	p.read(key, &rows)
	var all []map[string]any
	for _, row := range rows {
		if row.Name == "" || row.Name == total {
			continue
		}
		one := map[string]any{"name": row.Name}
		p.figure(one, "share_amount", key, row.Amount)
		p.figure(one, "share_pct", key, row.Pct)
		p.figure(one, "voting_pct", key, row.Votes)
		all = append(all, one)
	}
	if len(all) > 0 {
		record["shareholders"] = all
	}
}

// shareGroups adds the groups of shares, and which of them are traded.
func (p *companyReader) shareGroups(record map[string]any, traded map[string]bool) {
	const key = "acc5_sermayeyi_temsil_eden"
	var rows many[struct {
		Group  cell `json:"shareGroup"`
		Each   cell `json:"nominalValuePerShare"`
		Amount cell `json:"nominalValueOfShares"`
		Pct    cell `json:"ratioToTotalCapital"`
	}]
	p.read(key, &rows)
	var all []map[string]any
	for _, row := range rows {
		if row.Group == "" || row.Group == total {
			continue
		}
		one := map[string]any{"group": row.Group}
		p.figure(one, "nominal_value", key, row.Each)
		p.figure(one, "amount", key, row.Amount)
		p.figure(one, "share_pct", key, row.Pct)
		if is, known := traded[string(row.Group)]; known {
			one["traded"] = is
		}
		all = append(all, one)
	}
	if len(all) > 0 {
		record["share_groups"] = all
	}
}

// independent maps the service's words for directors.
var independent = map[cell]bool{"bağımsız üye": true, "bağımsız üye değil": false}

// Parts with people's names.
const (
	board      = "acc6_yonetim_kurulu_uyeleri"
	executives = "acc6_yonetimde_soz_sahibi"
)

// person is a director or a manager; the service states more than these members.
type person struct {
	Name        cell `json:"nameSurname"`
	Title       cell `json:"title"`
	Chosen      cell `json:"firstChosenDate"`
	Independent cell `json:"independentBoardMemberOrNot"`
}

// people adds directors or managers.
func (p *companyReader) people(record map[string]any, member string, key scalar) {
	var rows many[person]
	p.read(key, &rows)
	var all []map[string]any
	for _, row := range rows {
		if row.Name == "" {
			continue
		}
		one := map[string]any{"name": row.Name}
		if row.Title != "" {
			one["title"] = row.Title
		}
		date(one, "appointed_at", row.Chosen)
		if is, known := independent[cell(strings.ToLower(string(row.Independent)))]; known {
			one["is_independent"] = is
		}
		all = append(all, one)
	}
	if len(all) > 0 {
		record[member] = all
	}
}
