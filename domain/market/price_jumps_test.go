package market_test

import (
	"testing"

	"piyasa/domain/market"
	"piyasa/internal/value"
)

func TestJumpsThatLackAnAction(t *testing.T) {
	d := value.MustDecimal
	split := func(day string) []*market.CorporateAction {
		return []*market.CorporateAction{{InstrumentID: "bist:A", Kind: market.Split, ExDate: value.MustDate(day), New: d("10"),
			Old: d("1")}}
	}
	for _, c := range []struct {
		id, before, day, from, to, limits string
		actions                           []*market.CorporateAction
		want                              bool
	}{
		{"bist:A", "2026-02-27", "2026-03-02", "400", "40", "", nil, true},
		{"bist:A", "2026-02-27", "2026-03-02", "40", "400", "", nil, true},
		{"bist:A", "2026-02-27", "2026-03-02", "400", "40", "", split("2026-03-02"), false},
		{"bist:A", "2026-02-27", "2026-03-02", "400", "40", "", split("2026-02-28"), false}, // a Saturday
		{"bist:A", "2026-02-27", "2026-03-02", "400", "40", "", split("2026-02-27"), true},
		{"bist:A", "2026-02-27", "2026-03-02", "400", "40", "", split("2026-03-03"), true},
		{"bist:A", "2026-03-02", "2026-03-03", "100", "80", "", nil, false},
		{"bist:A", "2026-03-02", "2026-03-03", "100", "79.99", "", nil, true},
		{"bist:A", "2026-03-02", "2026-03-03", "80", "100", "", nil, false},
		{"bist:A", "2026-03-02", "2026-03-03", "79.99", "100", "", nil, true},
		{"bist:A", "2026-03-02", "2026-03-03", "100", "70", "20", nil, false}, // twice its limit of 20 %
		{"bist:A", "2026-03-02", "2026-03-03", "100", "59.99", "20", nil, true},
		{"bist:A", "2026-03-02", "2026-03-04", "100", "64", "", nil, false}, // two sessions
		{"us:A", "2026-03-02", "2026-03-03", "100", "60", "", nil, false},
		{"us:A", "2026-03-02", "2026-03-03", "100", "50", "", nil, true},
		{"us:A", "2026-03-02", "2026-03-03", "100", "0", "", nil, false},
	} {
		j := market.PriceJump{InstrumentID: market.ID(c.id), Before: value.MustDate(c.before), Day: value.MustDate(c.day), From: d(c.from),
			To: d(c.to)}
		if c.limits == "20" {
			j.LimitUp, j.LimitDown = d("120"), d("80")
		}
		if got := j.LacksAction(c.actions); got != c.want {
			t.Errorf("%+v: %t", c, got)
		}
	}
}
