// Package bulletin reads the daily bulletin of the equity market of Borsa Istanbul.
package bulletin

import (
	"encoding/json"

	"piyasa/collect"
	"piyasa/collect/bist"
)

// firstDay is when there was one session a day; there were two, and two files, a day before.
const firstDay = "2015-12-01"

// source is the daily bulletin of the equity market.
type source struct {
	bist.Daily
	instruments bool
}

// New returns the source of a configuration.
func New(text json.RawMessage) (collect.Source, error) {
	in, err := collect.Settings[struct {
		Licensed    bool   `json:"licensed"`
		From        string `json:"from"`
		Instruments bool   `json:"instruments"`
	}](text)
	switch {
	case err != nil:
		return nil, err
	case !in.Licensed:
		return nil, bist.ErrLicence
	}
	daily := bist.Daily{Form: "data/thb/2006/01/thb20060102", End: "1.zip", From: in.From, Earliest: 13, Latest: 20} // half days end early
	return &source{daily, in.Instruments}, bist.CheckFrom(in.From, firstDay)
}

// Plan implements collect.Source: from the publication on, until it is clear that there is none.
func (*source) Plan() collect.Plan {
	at := []collect.Clock{collect.At(8, 0), collect.At(14, 0), collect.At(18, 36), collect.At(18, 50), collect.At(19, 20), collect.At(20, 5)}
	return collect.Plan{Base: bist.Base, Pace: bist.Pace, MaxBytes: bist.MaxBytes, Schedule: collect.Schedule{At: at}}
}

// Parse implements collect.Source.
func (s *source) Parse(text json.RawMessage, asked *collect.Request, got *collect.Answer) (*collect.Result, error) {
	return s.Daily.Parse(text, asked, got, s.records)
}
