package demo

import "piyasa/site/reference"

// Samples are requests that the demonstration can answer, in place of recorded examples about
// data that it lacks.
var Samples = reference.Samples{
	Requests: map[string]string{
		"calendarEvent":      "/v1/calendar/events/900001",
		"candlesBatch":       "/v1/candles?ids=bist:DMOST,crypto:DMC",
		"company":            "/v1/kap-feed/companies/DMOST",
		"disclosure":         "/v1/kap-feed/disclosures/1500001",
		"getDisclosureBody":  "/v1/kap-feed/disclosures/1500001/body",
		"indexConstituents":  "/v1/indices/XD030/constituents",
		"indexPeriodic":      "/v1/indices/XD030/periodic",
		"ipo":                "/v1/ipo/dmdep",
		"newsItem":           "/v1/kap/demo-12",
		"getParseInstrument": "/v1/instruments/crypto:dmc/parse",
		"quotes":             "/v1/quotes?ids=crypto:DMC,bist:DMBNK,bist:NOPE",
	},
	Messages: map[string]string{
		"disclosures": `{"action": "subscribe", "ids": ["all"], "last_seen_index": 1500050}`,
		"prices":      `{"action": "subscribe", "ids": ["crypto:DMC", "bist:DMALT", "foo:BAR"]}`,
	},
}
