package funds

import (
	"piyasa/domain/market"
	"piyasa/value"
)

// Fund is one record of a fund: the newest replaces the one before.
type Fund struct {
	Profile
	Returns *Returns `json:"returns"`
}

// Returns are what a share gained over periods that end with its price date,
// in percent.
type Returns struct {
	W1 value.Decimal `json:"1w"`
	W2 value.Decimal `json:"2w"`
	M1 value.Decimal `json:"1m"`
	M3 value.Decimal `json:"3m"`
	M6 value.Decimal `json:"6m"`
	Y1 value.Decimal `json:"1y"`
	Y3 value.Decimal `json:"3y"`
	Y5 value.Decimal `json:"5y"`
}

// Check completes the id. It returns what is wrong with the fund as a whole:
// the member, and what is allowed.
func (f *Fund) Check() (member, wrong string) {
	id := market.FundID(f.Code)
	if _, err := market.ParseID(string(id)); err != nil {
		return "code", "must be a fund code of capital letters and digits, such as AAL"
	}
	if f.InstrumentID == "" {
		f.InstrumentID = id
	}
	if f.InstrumentID != id {
		return "instrument_id", "must be " + string(id) + ", as the code says"
	}
	switch {
	case f.Price.Sign() < 0:
		return "price", "must be 0 or above"
	case f.ShareCount.Sign() < 0:
		return "share_count", "must be 0 or above"
	}
	return "", ""
}
