package funds_test

import (
	"testing"

	"piyasa/domain/funds"
	"piyasa/domain/market"
	"piyasa/internal/value/valuetest"
)

func TestFundValidate(t *testing.T) {
	for _, c := range []struct{ code, id, member, completed string }{
		{"AAL", "", "", "fund:AAL"},
		{"AC1", "fund:AC1", "", "fund:AC1"},
		{"AAL", "fund:AAV", "instrument_id", "fund:AAV"},
		{"AAL", "bist:AAL", "instrument_id", "bist:AAL"},
		{"aal", "", "code", "fund:aal"},
		{"", "", "code", "fund:"},
		{"A:L", "", "code", "fund:A:L"},
		{"ÇAL", "", "code", "fund:ÇAL"},
	} {
		f := &funds.Fund{Profile: funds.Profile{Code: c.code, InstrumentID: market.ID(c.id), Currency: "TRY"}}
		f.Normalize()
		if err := f.Validate(); valuetest.InvalidMember(t, err) != c.member || string(f.InstrumentID) != c.completed {
			t.Errorf("%+v: %v, id %q", c, err, f.InstrumentID)
		}
	}
}
