package vyk

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"piyasa/collect"
)

// Redact implements collect.Discreet: personal data is not kept beyond what records have, nor is
// a file that may have some.
func (s *source) Redact(asked *collect.Request, got *collect.Answer) []byte {
	switch service, _, _ := strings.Cut(strings.TrimPrefix(asked.Path, "vyk/"), "/"); service {
	case "memberDetail":
		if got.Status != http.StatusOK {
			return got.Body
		}
		return redactProfile(got.Body)
	case "disclosureDetail":
	default:
		return got.Body
	}
	var d detail
	all := map[string]json.RawMessage{}
	if json.Unmarshal(got.Body, &d) != nil || json.Unmarshal(got.Body, &all) != nil {
		if bytes.Contains(bytes.ToUpper(got.Body), []byte(personalForm)) {
			return nil
		}
		return got.Body
	}
	if !d.personal() {
		return got.Body
	}
	delete(all, "presentation")
	delete(all, "htmlMessages")
	delete(all, "attachmentUrls")
	all["flatData"] = json.RawMessage(`[{"id":"` + personalForm + `"}]`)
	body, err := json.Marshal(all)
	if err != nil {
		return nil
	}
	return body
}

// Parts of the details of a company that are read, and those of them that name people.
var (
	readParts = []scalar{
		"acc1_int_addres", "acc1_merkez_adresi", "acc2_bdk", "acc2_sektor", "acc4_tescil_tarihi", "acc4_ticaret_sicil_numarasi", "acc5_fiili_dolasimdaki_pay",
		"acc5_kayitli_sermaye_tavani", "acc5_odenmis_sermaye", "acc5_sermayede_dogrudan", "acc5_sermayeyi_temsil_eden", board, executives,
	}
	peopleParts = []scalar{board, executives}
)

// redactProfile returns the details of a company with what is read of them; nil where they cannot
// be.
func redactProfile(body []byte) []byte {
	var all, left []field
	if json.Unmarshal(body, &all) != nil {
		return nil
	}
	for _, one := range all {
		part, _ := strings.CutPrefix(string(one.Key), "kpy41_")
		if !slices.Contains(readParts, scalar(part)) {
			one.Value = nil
		} else if slices.Contains(peopleParts, scalar(part)) {
			var rows many[person]
			if json.Unmarshal(one.Value, &rows) != nil {
				rows = nil
			}
			one.Value, _ = json.Marshal(rows) // texts always can be
		}
		left = append(left, one)
	}
	text, err := json.Marshal(left)
	if err != nil {
		return nil
	}
	return text
}
