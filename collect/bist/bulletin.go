package bist

import (
	"encoding/json"

	"piyasa/collect"
)

// firstBulletin is the first day with one session; earlier days have two sessions and two
// files.
const firstBulletin = "2015-12-01"

// bulletin reads the daily bulletin of the equity market of Borsa Istanbul.
type bulletin struct {
	daily
	instruments bool
}

// NewBulletin returns the source of a configuration.
func NewBulletin(text json.RawMessage) (collect.Source, error) {
	in, err := collect.Settings[struct {
		Licensed    bool   `json:"licensed"`
		From        string `json:"from"`
		Instruments bool   `json:"instruments"`
	}](text)
	switch {
	case err != nil:
		return nil, err
	case !in.Licensed:
		return nil, errLicence
	}
	daily := daily{Form: "data/thb/2006/01/thb20060102", End: "1.zip", From: in.From, Earliest: 13, Latest: 20} // half days end early
	return &bulletin{daily, in.Instruments}, checkFrom(in.From, firstBulletin)
}

// Plan implements collect.Source: from the publication until it is certain that there is none.
func (*bulletin) Plan() collect.Plan {
	at := []collect.Clock{collect.At(8, 0), collect.At(14, 0), collect.At(18, 36), collect.At(18, 50), collect.At(19, 20),
		collect.At(20, 5)}
	return collect.Plan{Base: baseURL, Pace: pace, MaxBytes: maxBytes, Schedule: collect.Schedule{At: at}}
}

// Parse implements collect.Source.
func (s *bulletin) Parse(text json.RawMessage, request *collect.Request, got *collect.Answer) (*collect.Result, error) {
	return s.daily.Parse(text, request, got, s.records)
}
