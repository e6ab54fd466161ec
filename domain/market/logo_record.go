package market

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

// Check returns what is wrong with the record as a whole: the member, and what
// is allowed.
func (r *LogoRecord) Check() (member, wrong string) {
	switch {
	case (r.InstrumentID == "") == (r.Founder == ""):
		return "instrument_id", "state either instrument_id or founder"
	case r.InstrumentID.Market() == Fund:
		return "instrument_id", "must not be a fund's: funds show their founder's logo, so state founder instead"
	}
	return "", ""
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
