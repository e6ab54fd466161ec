package market_test

import (
	"strings"
	"testing"

	"piyasa/domain/market"
	"piyasa/internal/value/valuetest"
)

func TestLogoRecordIsOfOneOwner(t *testing.T) {
	for _, c := range []struct {
		id, founder, says string
	}{
		{"bist:DMOST", "", ""},
		{"crypto:1", "", ""},
		{"", "Demo Portföy", ""},
		{"", "", "either instrument_id or founder"},
		{"bist:DMOST", "Demo Portföy", "either instrument_id or founder"},
		{"fund:DMF", "", "so state founder instead"},
	} {
		r := market.LogoRecord{LogoOwner: market.LogoOwner{InstrumentID: market.ID(c.id), Founder: c.founder}}
		err := r.Validate()
		if member := valuetest.InvalidMember(t, err); (c.says == "") != (err == nil) ||
			(err != nil && (member != "instrument_id" || !strings.Contains(err.Error(), c.says))) {
			t.Errorf("%q %q: %v", c.id, c.founder, err)
		}
	}
}
