package vyk

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// personalForm is the form of a company's general information, which names people.
const personalForm = "KPY41"

// isPersonal reports whether a disclosure has the form with personal data.
func (d detail) isPersonal() bool {
	if bytes.Contains(bytes.ToUpper(d.FlatData), []byte(personalForm)) {
		return true
	}
	for _, part := range []json.RawMessage{d.Presentation, d.HTML} {
		var blocks many[struct {
			ID scalar `json:"id"`
		}]
		if hasContent(part) && json.Unmarshal(part, &blocks) != nil {
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

// redactDisclosure returns the part of an answer that may be kept: all but the content of the
// form with personal data. readDisclosure makes the same records from it. It returns nil if
// that content cannot be separated.
func redactDisclosure(body []byte) []byte {
	var d detail
	all := map[string]json.RawMessage{}
	if json.Unmarshal(body, &d) != nil || json.Unmarshal(body, &all) != nil {
		if bytes.Contains(bytes.ToUpper(body), []byte(personalForm)) {
			return nil
		}
		return body
	}
	if !d.isPersonal() {
		return body
	}
	delete(all, "presentation")
	delete(all, "htmlMessages")
	delete(all, "attachmentUrls")
	all["flatData"] = json.RawMessage(`[{"id":"` + personalForm + `"}]`)
	left, err := json.Marshal(all)
	if err != nil {
		return nil
	}
	return left
}

// The parts of a company's details that are read, and those with people's names.
var (
	readParts = []string{
		"acc1_int_addres", "acc1_merkez_adresi", "acc2_bdk", "acc2_sektor", "acc4_tescil_tarihi", "acc4_ticaret_sicil_numarasi",
		"acc5_fiili_dolasimdaki_pay", "acc5_kayitli_sermaye_tavani", "acc5_odenmis_sermaye", "acc5_sermayede_dogrudan",
		"acc5_sermayeyi_temsil_eden", board, executives,
	}
	peopleParts = []string{board, executives}
)

// redactCompany returns only the parts of a company's details that are read, and of people only
// the members that are read; nil if the answer cannot be read.
func redactCompany(body []byte) []byte {
	var all, left []field
	if json.Unmarshal(body, &all) != nil {
		return nil
	}
	for _, one := range all {
		part, _ := strings.CutPrefix(string(one.Key), "kpy41_")
		if !slices.Contains(readParts, part) {
			one.Value = nil
		} else if slices.Contains(peopleParts, part) {
			var rows many[person]
			if json.Unmarshal(one.Value, &rows) != nil {
				rows = nil
			}
			one.Value, _ = json.Marshal(rows) // texts always can be encoded
		}
		left = append(left, one)
	}
	text, err := json.Marshal(left)
	if err != nil {
		return nil
	}
	return text
}
