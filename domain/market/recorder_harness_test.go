package market_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"piyasa/domain/market"
	"piyasa/internal/value"
	"piyasa/test/fixture/need"
)

// feedOf reads lines of "as_of last volume turnover", where - is null and
// what is left out at the end is null too.
func feedOf(id market.ID, lines string) []*market.Observation {
	var all []*market.Observation
	for line := range strings.Lines(lines) {
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		o := &market.Observation{InstrumentID: id, AsOf: value.MustInstant(words[0])}
		for i, figure := range []*value.Decimal{&o.Last, &o.Volume, &o.Turnover} {
			if i+1 < len(words) && words[i+1] != "-" {
				*figure = dec(words[i+1])
			}
		}
		all = append(all, o)
	}
	return all
}

// barText returns a bar as "resolution t open high low close volume turnover".
func barText(b *market.Bar) string {
	words := []string{string(b.Resolution), b.T.String()}
	for _, figure := range []value.Decimal{b.Open, b.High, b.Low, b.Close, b.Volume, b.Turnover} {
		word := figure.String()
		if figure.IsNull() {
			word = "-"
		}
		words = append(words, word)
	}
	if b.TradeCount != nil {
		words = append(words, fmt.Sprint(*b.TradeCount))
	}
	return strings.Join(words, " ")
}

// chart is bars by resolution and time, the last word on each.
type chart map[string]string

func (c chart) add(bars ...*market.Bar) {
	for _, b := range bars {
		c[keyOf(b)] = barText(b)
	}
}

func (c chart) remove(b *market.Bar) { delete(c, keyOf(b)) }

func keyOf(b *market.Bar) string { return string(b.Resolution) + " " + b.T.String() }

// String is a line for each bar.
func (c chart) String() string { return strings.Join(slices.Sorted(maps.Values(c)), "\n") }

// of is the part of one resolution.
func (c chart) of(r market.Resolution) chart {
	part := maps.Clone(c)
	maps.DeleteFunc(part, func(at, _ string) bool { return !strings.HasPrefix(at, string(r)) })
	return part
}

// want compares the part of one resolution with lines.
func (c chart) want(t testing.TB, name string, r market.Resolution, lines string) {
	t.Helper()
	if got := c.of(r).String(); got != tidy(lines) {
		t.Errorf("%s: got\n%s\nwant\n%s", name, got, tidy(lines))
	}
}

// recorded is the chart of observations in order of time: recorded at once, and
// one by one by a Recording that is written down in between.
func recorded(t rapid.TB, recorder market.Recorder, observations []*market.Observation) chart {
	t.Helper()
	samples := samplesOf(recorder, observations)
	atOnce, oneByOne := chart{}, chart{}
	var r market.Recording
	atOnce.add(recorder.Record(&r, samples)...)
	r = market.Recording{}
	for _, s := range samples {
		oneByOne.add(recorder.Record(&r, []market.Sample{s})...)
		text, err := json.Marshal(r)
		need.NoError(t, err)
		r = market.Recording{}
		if err := json.Unmarshal(text, &r); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
	}
	if atOnce.String() != oneByOne.String() {
		t.Errorf("at once:\n%s\none by one:\n%s", atOnce, oneByOne)
	}
	return atOnce
}

// samplesOf are the prices among observations.
func samplesOf(recorder market.Recorder, observations []*market.Observation) (samples []market.Sample) {
	for _, o := range observations {
		if s, ok := recorder.Sample(o); ok {
			samples = append(samples, s)
		}
	}
	return samples
}

// recorderOf is the recorder of an instrument whose record says nothing.
func recorderOf(id market.ID) market.Recorder { return market.NewRecorder(id, "", nil, nil) }

// tidy is lines without their margins.
func tidy(lines string) string {
	var out []string
	for line := range strings.Lines(lines) {
		if words := strings.Fields(line); len(words) > 0 {
			out = append(out, strings.Join(words, " "))
		}
	}
	return strings.Join(out, "\n")
}
