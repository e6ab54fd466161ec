package funds_test

import (
	"testing"

	"piyasa/domain/funds"
	"piyasa/domain/market"
)

func TestFundCheck(t *testing.T) {
	for _, c := range []struct{ code, id, member, completed string }{
		{"AAL", "", "", "fund:AAL"},
		{"AC1", "fund:AC1", "", "fund:AC1"},
		{"AAL", "fund:AAV", "instrument_id", "fund:AAV"},
		{"AAL", "bist:AAL", "instrument_id", "bist:AAL"},
		{"aal", "", "code", ""},
		{"", "", "code", ""},
		{"A:L", "", "code", ""},
		{"ÇAL", "", "code", ""},
	} {
		f := &funds.Fund{Profile: funds.Profile{Code: c.code, InstrumentID: market.ID(c.id)}}
		if member, reason := f.Check(); member != c.member || (reason != "") != (member != "") || string(f.InstrumentID) != c.completed {
			t.Errorf("%+v: %s %s, id %q", c, member, reason, f.InstrumentID)
		}
	}
}
