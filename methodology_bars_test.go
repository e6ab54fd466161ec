package main

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"piyasa/domain/market"
	"piyasa/internal/value"
)

// barsExample records observations: "T: price, turnover 5" is one, and
// "from T every 60s: 1 to 9" are several.
func barsExample(_ *testing.T, e example) (func(string) string, error) {
	id, err := market.ParseID(e.get("instrument", ""))
	if err != nil {
		return nil, err
	}
	var session *market.Session
	if words := strings.Fields(e.get("session", "")); len(words) == 3 {
		opens, closes := market.ClockTime(words[1]), market.ClockTime(words[2])
		session = &market.Session{Timezone: words[0], Open: &opens, Close: &closes}
	}
	recorder, bars := market.NewRecorder(id, "", session, nil), map[string]*market.Bar{}
	var at market.Recording
	record := func(s market.Sample) {
		for _, b := range recorder.Record(&at, []market.Sample{s}) {
			name := string(b.Resolution) + " " + b.T.String()
			if b.Resolution == market.Day {
				name = "1d " + value.MustDate(b.T.Add(3 * time.Hour).String()[:10]).String()
			}
			bars[name] = b
		}
	}
	for _, p := range e.inputs {
		start, every, several := strings.Cut(strings.TrimPrefix(p.name, "from "), " every ")
		moment, err := value.ParseInstant(start)
		if err != nil {
			continue // what the instrument is
		}
		price, turnover, _ := strings.Cut(p.text, ", turnover ")
		prices, err := column(price)
		if err != nil {
			return nil, err
		}
		step := time.Duration(0)
		if several {
			if step, err = time.ParseDuration(every); err != nil {
				return nil, err
			}
		}
		for _, last := range prices {
			s := market.Sample{At: moment, Price: last}
			if turnover != "" {
				s.Turnover = value.MustDecimal(turnover)
			}
			record(s)
			moment = moment.Add(step)
		}
	}
	return func(name string) string {
		b := bars[name]
		if b == nil {
			return "none"
		}
		var words []string
		for _, f := range []struct {
			name string
			d    value.Decimal
		}{{"open", b.Open}, {"high", b.High}, {"low", b.Low}, {"close", b.Close}, {"turnover", b.Turnover}} {
			if !f.d.IsNull() {
				words = append(words, fmt.Sprintf("%s %s", f.name, f.d))
			}
		}
		return strings.Join(words, ", ")
	}, nil
}
