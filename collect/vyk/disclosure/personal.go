package disclosure

import (
	"bytes"
	"encoding/json"
	"strings"

	"piyasa/collect/vyk/answer"
)

// personalForm is the form of a company's general information, which names people.
const personalForm = "KPY41"

// personal reports whether a disclosure has the form with personal data.
func (d detail) personal() bool {
	if bytes.Contains(bytes.ToUpper(d.FlatData), []byte(personalForm)) {
		return true
	}
	for _, part := range []json.RawMessage{d.Presentation, d.HTML} {
		var blocks answer.Many[struct {
			ID answer.Scalar `json:"id"`
		}]
		if answer.Has(part) && json.Unmarshal(part, &blocks) != nil {
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

// Redact returns what may be kept of an answer, from which Read makes the same records: without the
// content of the form with personal data. It returns nil where that cannot be told apart.
func Redact(body []byte) []byte {
	var d detail
	all := map[string]json.RawMessage{}
	if json.Unmarshal(body, &d) != nil || json.Unmarshal(body, &all) != nil {
		if bytes.Contains(bytes.ToUpper(body), []byte(personalForm)) {
			return nil
		}
		return body
	}
	if !d.personal() {
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
