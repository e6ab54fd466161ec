package collect_test

import (
	"testing"
	"time"

	"piyasa/collect"
	"piyasa/domain/market"
)

// A rate states until when it is current as long as its record may.
func TestLongestThatARateIsCurrent(t *testing.T) {
	at := time.Date(2031, time.June, 2, 12, 0, 0, 0, time.UTC)
	for late, want := range map[time.Duration]bool{0: true, time.Second: false} {
		quote := collect.PairQuote("USD", "TRY", at, at.Add(market.MostCurrent+late), "50.1")
		if _, states := quote.Fields["current_until"]; states != want {
			t.Errorf("%s more than the most: stated %t", late, states)
		}
	}
}
