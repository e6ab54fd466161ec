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

// cell is a text, a number, or a coded text, which is an object.
type cell string

// UnmarshalJSON implements json.Unmarshaler.
func (c *cell) UnmarshalJSON(text []byte) error {
	var plain scalar
	var coded struct {
		Text scalar `json:"text"`
	}
	err := json.Unmarshal(text, &plain)
	if text[0] == '{' {
		err = json.Unmarshal(text, &coded)
		plain = coded.Text
	}
	if *c = cell(strings.TrimSpace(string(plain))); *c == "-" {
		*c = ""
	}
	return err
}

// reader collects what is read of the details, and which parts cannot be.
type reader struct {
	fields map[scalar]field
	odd    []string
}

// read reads the value of a part; it stays as it is if there is none.
func (p *reader) read(key scalar, into any) {
	value := p.fields["kpy41_"+key].Value
	if len(value) == 0 || string(bytes.TrimSpace(value)) == `""` {
		return
	}
	if json.Unmarshal(value, into) != nil { // what it has instead may be personal
		p.odd = append(p.odd, fmt.Sprintf("kpy41_%s has another form than usual", key))
	}
}

// text adds a text to a record.
func (p *reader) text(record map[string]any, member string, key scalar) {
	var c cell
	if p.read(key, &c); c != "" {
		record[member] = c
	}
}

// figure adds a number to a record.
func (p *reader) figure(record map[string]any, member string, key scalar, c cell) {
	if c == "" {
		return
	}
	n, err := turkish(string(c))
	if err != nil {
		p.odd = append(p.odd, fmt.Sprintf("kpy41_%s: %v", key, err))
		return
	}
	record[member] = n
}

// date adds a day to a record, if it is one.
func date(record map[string]any, member string, c cell) {
	for _, layout := range []string{"02/01/2006", "02.01.2006", "02/01/2006 15:04:05"} {
		if day, err := time.Parse(layout, string(c)); err == nil {
			record[member] = day.Format(time.DateOnly)
		}
	}
}

// turkishNumber is a number whose thousands a point separates, and whose decimals a comma.
var turkishNumber = regexp.MustCompile(`^%?\s*((?:\d{1,3}(?:\.\d{3})+|\d+)(?:,\d+)?)$`)

// turkish returns a number as records write it, digit for digit.
func turkish(text string) (string, error) {
	m := turkishNumber.FindStringSubmatch(text)
	if m == nil {
		return "", fmt.Errorf("must be a number such as 1.250.000,50; got %.50q", text)
	}
	return strings.NewReplacer(".", "", ",", ".").Replace(m[1]), nil
}

// total is what tables call their last row.
const total = "TOPLAM"

// profile adds what the details say of a company to its record, and returns what cannot be read.
func (f firm) profile(record map[string]any, body []byte) ([]string, error) {
	var rows *[]field
	if err := json.Unmarshal(body, &rows); err != nil {
		return nil, err
	}
	if rows == nil || len(*rows) == 0 {
		return nil, errors.New("it has no fields")
	}
	p := &reader{fields: map[scalar]field{}}
	newest := time.Time{}
	for i, one := range *rows {
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
	p.shareGroups(record, f.Traded)
	p.people(record, "board", board)
	p.people(record, "executives", executives)
	return p.odd, nil
}

// published reads when a part of the details was.
func published(text scalar) (time.Time, error) {
	return time.ParseInLocation("02/01/2006 15:04:05", string(text), collect.Istanbul)
}

// capital adds the capital, whose ceiling the list of securities may state.
func (p *reader) capital(record map[string]any) {
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

// freeFloat adds the part of the capital that trades freely. Where shares have several, none is
// that of the company.
func (p *reader) freeFloat(record map[string]any) {
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

// shareholders adds who holds the capital directly.
func (p *reader) shareholders(record map[string]any) {
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

// shareGroups adds the groups of shares. The list of securities says which are traded.
func (p *reader) shareGroups(record map[string]any, traded map[string]bool) {
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

// independent is what the service says of directors.
var independent = map[cell]bool{"bağımsız üye": true, "bağımsız üye değil": false}

// Parts that name people.
const (
	board      = "acc6_yonetim_kurulu_uyeleri"
	executives = "acc6_yonetimde_soz_sahibi"
)

// person is what is read of a director or a manager. The service says more.
type person struct {
	Name        cell `json:"nameSurname"`
	Title       cell `json:"title"`
	Chosen      cell `json:"firstChosenDate"`
	Independent cell `json:"independentBoardMemberOrNot"`
}

// people adds directors or managers.
func (p *reader) people(record map[string]any, member string, key scalar) {
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
