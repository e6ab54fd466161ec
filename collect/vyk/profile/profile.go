// Package profile reads the details of a company as the publication service of KAP gives them, and
// takes what else they say of people out of an answer.
package profile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"piyasa/collect"
	"piyasa/collect/vyk/answer"
)

// field is a part of the details of a company.
type field struct {
	Key       answer.Scalar   `json:"key"`
	Published answer.Scalar   `json:"publishDateTime"`
	Value     json.RawMessage `json:"value,omitempty"`
}

// reader collects what is read of the details, and which parts cannot be.
type reader struct {
	fields map[answer.Scalar]field
	odd    []string
}

// read reads the value of a part; it stays as it is if there is none.
func (p *reader) read(key answer.Scalar, into any) {
	value := p.fields["kpy41_"+key].Value
	if len(value) == 0 || string(bytes.TrimSpace(value)) == `""` {
		return
	}
	if collect.ReadJSON(value, into) != nil { // what it has instead may be personal
		p.odd = append(p.odd, fmt.Sprintf("kpy41_%s has another form than usual", key))
	}
}

// text adds a text to a record.
func (p *reader) text(record map[string]any, member string, key answer.Scalar) {
	var c answer.Cell
	if p.read(key, &c); c != "" {
		record[member] = c
	}
}

// figure adds a number to a record.
func (p *reader) figure(record map[string]any, member string, key answer.Scalar, c answer.Cell) {
	if c == "" {
		return
	}
	n, err := c.Decimal()
	if err != nil {
		p.odd = append(p.odd, fmt.Sprintf("kpy41_%s: %v", key, err))
		return
	}
	record[member] = n
}

// date adds a day to a record, if it is one.
func date(record map[string]any, member string, c answer.Cell) {
	if day := c.Day(); day != "" {
		record[member] = day
	}
}

// total is what tables call their last row.
const total = "TOPLAM"

// Read adds what the details say of a company to its record, and returns what cannot be read, as
// texts without anything personal. The record has what lists of companies state already; traded
// says which groups of shares are.
func Read(record map[string]any, body []byte, traded map[string]bool) (odd []string, err error) {
	var rows *[]field
	if err := collect.ReadJSON(body, &rows); err != nil {
		return nil, err
	}
	if rows == nil || len(*rows) == 0 {
		return nil, errors.New("it has no fields")
	}
	p := &reader{fields: map[answer.Scalar]field{}}
	newest := time.Time{}
	for i, one := range *rows {
		if one.Key == "" {
			return nil, fmt.Errorf("field %d has no key", i+1)
		}
		p.fields[one.Key] = one
		if at, err := answer.Published(one.Published); err == nil && at.After(newest) {
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
		var founded answer.Cell
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

// capital adds the capital, whose ceiling the list of securities may state.
func (p *reader) capital(record map[string]any) {
	capital := map[string]any{"currency": answer.Lira}
	if listed, ok := record["capital"].(map[string]any); ok {
		capital = listed
	}
	for member, key := range map[string]answer.Scalar{"paid_in": "acc5_odenmis_sermaye", "registered_ceiling": "acc5_kayitli_sermaye_tavani"} {
		var c answer.Cell
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
	var rows answer.Many[struct {
		Pct     answer.Cell   `json:"actualOutstandingSharesRatio"`
		Amount  answer.Cell   `json:"actualSharesOutstanding"`
		Created answer.Scalar `json:"creationDate"`
	}]
	if p.read(key, &rows); len(rows) != 1 {
		return
	}
	float := map[string]any{}
	p.figure(float, "pct", key, rows[0].Pct)
	p.figure(float, "amount", key, rows[0].Amount)
	for _, text := range []answer.Scalar{p.fields["kpy41_"+key].Published, rows[0].Created} {
		if at, err := answer.Published(text); err == nil {
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
	var rows answer.Many[struct {
		Name   answer.Cell `json:"shareholder"`
		Amount answer.Cell `json:"shareInCapital"`
		Pct    answer.Cell `json:"ratioInCapital"`
		Votes  answer.Cell `json:"votingRightRatio"`
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
	var rows answer.Many[struct {
		Group  answer.Cell `json:"shareGroup"`
		Each   answer.Cell `json:"nominalValuePerShare"`
		Amount answer.Cell `json:"nominalValueOfShares"`
		Pct    answer.Cell `json:"ratioToTotalCapital"`
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
var independent = map[answer.Cell]bool{"bağımsız üye": true, "bağımsız üye değil": false}

// Parts that name people.
const (
	board      = "acc6_yonetim_kurulu_uyeleri"
	executives = "acc6_yonetimde_soz_sahibi"
)

// person is what is read of a director or a manager. The service says more.
type person struct {
	Name        answer.Cell `json:"nameSurname"`
	Title       answer.Cell `json:"title"`
	Chosen      answer.Cell `json:"firstChosenDate"`
	Independent answer.Cell `json:"independentBoardMemberOrNot"`
}

// people adds directors or managers.
func (p *reader) people(record map[string]any, member string, key answer.Scalar) {
	var rows answer.Many[person]
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
		if is, known := independent[answer.Cell(strings.ToLower(string(row.Independent)))]; known {
			one["is_independent"] = is
		}
		all = append(all, one)
	}
	if len(all) > 0 {
		record[member] = all
	}
}
