package market_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"piyasa/domain/market"
)

// Each instrument is in a batch once, where it is asked for first; so is each
// text that denotes none. Ids of markets that are not covered are not resolved,
// so their shared tickers do no harm.
func TestCatalogBatch(t *testing.T) {
	c := catalog(smallCatalog()...)
	onlyBist := func(m market.Market) bool { return m == market.BIST }
	for _, test := range []struct {
		name   string
		ids    string
		form   market.Form
		covers func(market.Market) bool
		want   string
	}{
		{"in order", "fx:USDTRY bist:DMOST", market.AnyForm, nil, "fx:USDTRY=fx:USDTRY bist:DMOST=bist:DMOST"},
		{"forms of one instrument", "bist:dmalt bist:DMALTF bist:DMALT.F", market.AnyForm, nil, "bist:dmalt=bist:DMALTF"},
		{"canonical forms", "bist:dmalt bist:DMALTF", market.CanonicalForm, nil, "bist:dmalt:unknown_id bist:DMALTF=bist:DMALTF"},
		{"a coin by its ticker and number", "crypto:btc crypto:1", market.AnyForm, nil, "crypto:btc=crypto:1"},
		{"unknown texts", "bist:NOPE nope bist:NOPE bist:nope", market.AnyForm, nil,
			"bist:NOPE:unknown_id nope:unknown_id bist:nope:unknown_id"},
		{"a replaced fund", "fund:DMA", market.AnyForm, nil, "fund:DMA:unknown_id"},
		{"markets that are not covered", "fx:USDTRY nope crypto:ONE bist:DMOST fx:USDTRY", market.AnyForm, onlyBist,
			"fx:USDTRY:market_not_supported nope:unknown_id crypto:ONE:market_not_supported bist:DMOST=bist:DMOST"},
	} {
		asked, err := c.Batch(strings.Fields(test.ids), test.form, test.covers)
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
		}
		var got []string
		for _, a := range asked {
			if a.Instrument == nil {
				got = append(got, fmt.Sprintf("%s:%s", a.ID, a.Reason))
				continue
			}
			got = append(got, fmt.Sprintf("%s=%s%s", a.ID, a.Instrument.InstrumentID, a.Reason))
		}
		if !slices.Equal(got, strings.Fields(test.want)) {
			t.Errorf("%s: %v, want %s", test.name, got, test.want)
		}
	}
}
