package profile

import (
	"encoding/json"
	"slices"
	"strings"

	"piyasa/collect/vyk/answer"
)

// Parts of the details of a company that are read, and those of them that name people.
var (
	readParts = []answer.Scalar{
		"acc1_int_addres", "acc1_merkez_adresi", "acc2_bdk", "acc2_sektor", "acc4_tescil_tarihi", "acc4_ticaret_sicil_numarasi", "acc5_fiili_dolasimdaki_pay",
		"acc5_kayitli_sermaye_tavani", "acc5_odenmis_sermaye", "acc5_sermayede_dogrudan", "acc5_sermayeyi_temsil_eden", board, executives,
	}
	peopleParts = []answer.Scalar{board, executives}
)

// Redact returns the details of a company with what is read of them; nil where they cannot be.
func Redact(body []byte) []byte {
	var all, left []field
	if json.Unmarshal(body, &all) != nil {
		return nil
	}
	for _, one := range all {
		part, _ := strings.CutPrefix(string(one.Key), "kpy41_")
		if !slices.Contains(readParts, answer.Scalar(part)) {
			one.Value = nil
		} else if slices.Contains(peopleParts, answer.Scalar(part)) {
			var rows answer.Many[person]
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
