package rest_test

import (
	"testing"

	"piyasa/test/fixture"
)

// A list may be written in either way wherever there is one.
func TestListsAreRepeatedOrSeparated(t *testing.T) {
	a := fixture.New(t)
	for separated, repeated := range map[string]string{
		"/v1/quotes?ids=bist:DMOST,bist:DMBNK":           "/v1/quotes?ids=bist:DMOST&ids=bist:DMBNK",
		"/v1/candles?ids=bist:DMOST,bist:DMBNK,crypto:1": "/v1/candles?ids=bist:DMOST,bist:DMBNK&ids=crypto:1",
		"/v1/periodic?ids=bist:DMOST,bist:DMBNK":         "/v1/periodic?ids=bist:DMOST&ids=bist:DMBNK",
		"/v1/kap-feed/disclosures?symbols=DMOST,DMBNK":   "/v1/kap-feed/disclosures?symbols=DMOST&symbols=DMBNK",
		"/v1/stocks/bist:DMOST/indicators?indicators=sma&periods=20,50": "" +
			"/v1/stocks/bist:DMOST/indicators?indicators=sma&periods=20&periods=50",
		"/v1/stocks/bist:DMOST/indicators?indicators=sma,rsi": "/v1/stocks/bist:DMOST/indicators?indicators=sma&indicators=rsi",
		"/v1/calendar?country=TR,US":                          "/v1/calendar?country=TR&country=US",
	} {
		one, other := a.Get(separated, fixture.All), a.Get(repeated, fixture.All)
		if one.StatusCode != 200 || one.Text != other.Text || one.Text == "" {
			t.Errorf("%s: %d %s\n%s: %d %s", separated, one.StatusCode, one.Text, repeated, other.StatusCode, other.Text)
		}
	}
	if one, all := a.Get("/v1/calendar?country=TR,US", fixture.All), a.Get("/v1/calendar?country=TR", fixture.All); one.Text == all.Text {
		t.Error("the second country is lost")
	}
}
