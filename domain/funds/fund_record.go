package funds

import (
	"cmp"
	"piyasa/domain/market"
	"piyasa/internal/problem"
	"piyasa/internal/value"
)

// Fund is one record of a fund. A newer one replaces it.
type Fund struct {
	Profile
	Returns *Returns `json:"returns"`
}

// Returns are the gains of a share, in percent, over periods that end on its price date.
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

// Normalize sets the id from the code.
func (f *Fund) Normalize() {
	if f.InstrumentID == "" {
		f.InstrumentID = market.FundID(f.Code)
	}
}

// Validate returns the value.Invalid of the record, if any.
func (f *Fund) Validate() error {
	if err := cmp.Or(market.CheckCurrencyCode(f.Currency), value.CheckDay("price_date", f.PriceDate),
		value.CheckDay("inception_date", f.InceptionDate), value.CheckMoment("as_of", f.AsOf)); err != nil {
		return err
	}
	id := market.FundID(f.Code)
	if _, err := market.ParseID(string(id)); err != nil {
		return value.Invalidf("code", "must be a fund code of capital letters and digits, such as AAL")
	}
	if f.InstrumentID != id {
		return value.Invalidf("instrument_id", "must be %s, as the code says", id)
	}
	switch {
	case f.Price.Sign() < 0:
		return value.Invalidf("price", "must be 0 or above")
	case f.ShareCount.Sign() < 0:
		return value.Invalidf("share_count", "must be 0 or above")
	}
	return nil
}

// Validate returns the value.Invalid of the flow, if any.
func (f *Flow) Validate() error {
	return cmp.Or(checkCode("code", f.Code), value.CheckDay("date", f.Date))
}

// Validate returns the value.Invalid of the holding, if any.
func (h *Holding) Validate() error { return checkCode("fund_code", h.FundCode) }

// checkCode demands a code that can be part of a fund's id.
func checkCode(member, code string) error {
	if _, err := market.ParseID(string(market.FundID(code))); err != nil {
		return value.Invalidf(member, "must be a fund code of capital letters and digits, such as AAL; got %s", problem.Shown(code))
	}
	return nil
}
