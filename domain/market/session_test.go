package market_test

import (
	"testing"

	"piyasa/domain/market"
)

func TestReadClockTime(t *testing.T) {
	for text, ok := range map[string]bool{"10:00": true, "00:00": true, "23:59": true, "24:00": false, "9:00": false, "10:60": false,
		"10:00:00": false, "10": false, "": false, "10.00": false, " 10:00": false} {
		var c market.ClockTime
		if err := c.UnmarshalText([]byte(text)); (err == nil) != ok || ok && string(c) != text {
			t.Errorf("%q is read as %q, %v", text, c, err)
		}
	}
}
