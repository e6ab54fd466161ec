package market_test

import (
	"maps"
	"testing"

	"piyasa/domain/market"
	"piyasa/internal/value"
)

// Only what can still change a bar is kept: as many days as there are windows
// of the short bars, in the calendar of the market.
func TestKept(t *testing.T) {
	for _, c := range []struct {
		now  string
		want map[market.Market]string
	}{
		{"2026-03-18T12:00:00Z", map[market.Market]string{
			market.BIST: "2026-03-11T21:00:00Z", market.FX: "2026-03-11T21:00:00Z", market.Index: "2026-03-12T00:00:00Z",
			market.Cmdty: "2026-03-12T00:00:00Z", market.Crypto: "2025-12-17T00:00:00Z",
		}},
		{"2026-03-18T21:00:00Z", map[market.Market]string{ // a new day in Istanbul
			market.BIST: "2026-03-12T21:00:00Z", market.FX: "2026-03-12T21:00:00Z", market.Index: "2026-03-12T00:00:00Z",
			market.Cmdty: "2026-03-12T00:00:00Z", market.Crypto: "2025-12-17T00:00:00Z",
		}},
	} {
		got := map[market.Market]string{}
		for m, since := range market.Kept(value.MustInstant(c.now)) {
			got[m] = since.String()
			if !m.Recorded() {
				t.Errorf("%s is not recorded and kept", m)
			}
		}
		if !maps.Equal(got, c.want) {
			t.Errorf("at %s: got %v, want %v", c.now, got, c.want)
		}
	}
}
