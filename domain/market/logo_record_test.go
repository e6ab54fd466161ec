package market_test

import (
	"strings"
	"testing"

	"piyasa/domain/market"
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
		member, wrong := r.Check()
		if (c.says == "") != (wrong == "") || !strings.Contains(wrong, c.says) || (wrong != "" && member != "instrument_id") {
			t.Errorf("%q %q: %s %q", c.id, c.founder, member, wrong)
		}
	}
}
