package market

import "piyasa/internal/value"

// LogoOwner identifies the owner of a logo: exactly one member is set.
type LogoOwner struct {
	InstrumentID ID     `json:"instrument_id"`
	Founder      string `json:"founder"` // of funds, written as in their records
}

// LogoRecord is the logo of an instrument, or that of a founder, which its
// funds share.
type LogoRecord struct {
	LogoOwner
	PNG PNG `json:"png" record:"required"`
}

// Validate returns the value.Invalid of the record, if any.
func (r *LogoRecord) Validate() error {
	if err := value.CheckKey("founder", r.Founder); err != nil {
		return err
	}
	switch {
	case (r.InstrumentID == "") == (r.Founder == ""):
		return value.Invalidf("instrument_id", "state either instrument_id or founder")
	case r.InstrumentID.Market() == Fund:
		return value.Invalidf("instrument_id", "must not be a fund's: funds show their founder's logo, so state founder instead")
	}
	return nil
}

// LogoTag identifies the version of an owner's logo.
type LogoTag struct {
	LogoOwner
	ETag string // lower-case hexadecimal SHA-256 of the bytes
}

// LogoImage is one version of a logo.
type LogoImage struct {
	ETag string // lower-case hexadecimal SHA-256 of the bytes
	PNG  []byte
}
