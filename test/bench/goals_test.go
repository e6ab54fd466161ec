package main

import (
	"strings"
	"testing"
	"time"

	"piyasa/test/fixture/need"
)

func TestMiddle(t *testing.T) {
	for want, figures := range map[float64][]float64{0: nil, 7: {7}, 2: {3, 1, 2}, 2.5: {4, 1, 3, 2}} {
		if got := middle(figures); got != want {
			t.Errorf("the median of %v is %g", figures, got)
		}
	}
}

func TestNumbersAreReadable(t *testing.T) {
	for want, f := range map[string]float64{"0.33": 1. / 3, "9.99": 9.99, "12.3": 12.34, "100": 99.96 + 0.04, "1,235": 1234.5,
		"12,000,007": 12_000_007} {
		if got := number(f); got != want {
			t.Errorf("%g is written %s", f, got)
		}
	}
	if got := spread([]float64{3, 1, 2}, number); got != "2.00 (1.00 to 3.00)" {
		t.Error(got)
	}
	if got := spread([]float64{3}, number); got != "3.00" {
		t.Error(got)
	}
}

// TestRatiosAreOfTheSameRound has rounds whose machines differ by ten times.
func TestRatiosAreOfTheSameRound(t *testing.T) {
	b := newBench()
	half, whole := use{server: 0.25, postgres: 0.25}, use{server: 0.5, postgres: 0.5}
	b.results.requests[pair{"W2", piyasaName}] = []sample{{perSecond: 1000, use: half}, {perSecond: 100, use: half},
		{perSecond: 10, use: half}}
	b.results.requests[pair{"W2", "mercurius"}] = []sample{{perSecond: 100, use: whole}, {perSecond: 10, use: whole},
		{perSecond: 1, use: whole}}
	b.results.streams[pair{"W5-1000", piyasaName}] = []delivered{{perSocket: 13 * 1024, paced: time.Second}}
	var text strings.Builder
	b.writeGoals(&text)
	for _, line := range []string{
		"| a watchlist of 100, beside Mercurius | ≥ 10 | 10.0 (10.0 to 10.0) | 20.0 | yes |\n",
		"| KiB of memory a socket, 1,000 sockets | ≤ 12 | 13.0 | – | no |\n",
	} {
		if !strings.Contains(text.String(), line) {
			t.Errorf("no line %s in %s", line, &text)
		}
	}
	if lines := strings.Count(text.String(), "\n| "); lines != 4 { // two of the table's head
		t.Errorf("%d lines, though only two goals were measured: %s", lines, &text)
	}
	b.others = 2 * quiet
	text.Reset()
	if b.writeGoals(&text); strings.Count(text.String(), "| disturbed |") != 2 || strings.Contains(text.String(), "| yes |") {
		t.Errorf("a run that others disturbed judges goals: %s", &text)
	}
}

func TestChoosing(t *testing.T) {
	b := newBench()
	need.NoError(t, b.choose("W3,W5-1,replay", "piyasa,nats"))
	if len(b.works) != 5 || len(b.clients) != 1 || !b.replays || b.starts || len(b.servers) != 1 || len(b.streamers) != 2 {
		t.Errorf("%d works, clients %v, replays %t, starts %t, %d servers, %d streamers",
			len(b.works), b.clients, b.replays, b.starts, len(b.servers), len(b.streamers))
	}
	b = newBench()
	if err := b.choose("", ""); err != nil || len(b.works) != len(works()) || !b.starts || len(b.servers) != len(servers()) {
		t.Errorf("%d works, %d servers, %v", len(b.works), len(b.servers), err)
	}
	if err := newBench().choose("W9", "mercury"); err == nil || !strings.Contains(err.Error(), "W9") ||
		!strings.Contains(err.Error(), "mercury") {
		t.Errorf("unknown names: %v", err)
	}
}
