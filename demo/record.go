package demo

import (
	"encoding/json"

	"piyasa/domain/ipo"
	"piyasa/domain/kap"
	"piyasa/domain/market"
)

// appendRecord appends a line of the ingest contract. The members of the
// records are those of the market's own types.
func appendRecord(lines []byte, kind string, record any) []byte {
	body, err := json.Marshal(record)
	if err != nil {
		panic(err) // the records are ours
	}
	lines = append(lines, `{"record":"`+kind+`",`...)
	lines = append(lines, body[len("{"):]...)
	return append(lines, '\n')
}

// appendInstrument leaves out the one member that answers have and records
// have not.
func appendInstrument(lines []byte, in *market.Instrument) []byte {
	return appendRecord(lines, "instrument", struct {
		*market.Instrument
		LogoURL *string `json:"logo_url,omitempty"`
	}{Instrument: in})
}

// appendDisclosure adds the member that answers leave out.
func appendDisclosure(lines []byte, r *kap.Record) []byte {
	return appendRecord(lines, "disclosure", struct {
		*kap.Record
		CompanyID *string `json:"company_id"`
	}{r, r.CompanyID})
}

// appendBar adds the members that the bars of an answer have in common, and
// leave out.
func appendBar(lines []byte, b *market.Bar) []byte {
	return appendRecord(lines, "bar", struct {
		InstrumentID market.ID         `json:"instrument_id"`
		Resolution   market.Resolution `json:"resolution"`
		Adjustment   *string           `json:"adjustment,omitempty"`
		*market.Bar
	}{b.InstrumentID, b.Resolution, b.Adjustment, b})
}

// appendIPO leaves out the id that only a listed share has: its symbol
// leads there.
func appendIPO(lines []byte, r *ipo.Record) []byte {
	return appendRecord(lines, "ipo", struct {
		*ipo.Record
		InstrumentID *market.ID `json:"instrument_id,omitempty"`
	}{Record: r})
}

// appendLogo leaves out the owner that it does not belong to.
func appendLogo(lines []byte, of market.LogoOwner, png []byte) []byte {
	return appendRecord(lines, "logo", struct {
		InstrumentID market.ID `json:"instrument_id,omitempty"`
		Founder      string    `json:"founder,omitempty"`
		PNG          []byte    `json:"png"`
	}{of.InstrumentID, of.Founder, png})
}
