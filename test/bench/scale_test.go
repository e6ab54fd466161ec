package main

import (
	"os"
	"strings"
	"testing"
	"time"

	"piyasa/test/fixture/need"
)

const scalePage = "../../docs/scale.md"

// The examples of the page follow from its coefficients.
func TestExamplesFollowFromCoefficients(t *testing.T) {
	text, err := os.ReadFile(scalePage)
	need.NoError(t, err)
	page := string(text)
	c := readCosts(page)
	for _, x := range costTexts {
		if _, found := c[x.name]; !found {
			t.Errorf("%s is not on the page", x.name)
		}
	}
	if again := withSections(page, c.sections()); again != page {
		t.Errorf("what follows from the coefficients:\n%s", again)
	}
	c["frame_alone"] *= 2
	if withSections(page, c.sections()) == page {
		t.Error("nothing follows from what a frame costs")
	}
}

func TestScale(t *testing.T) {
	s := &scale{bench: smallBench(t), path: scalePage, sizes: scaleSizes{
		fleets: []int{1, 2, 3}, sockets: 40, perGateway: 2, quoteSockets: 2, pace: 5, burst: 20,
		idle: 200 * time.Millisecond, run: 2 * time.Second, day: 2 * time.Second,
	}}
	need.NoError(t, s.run(t.Context()))
	for _, x := range costTexts {
		if _, found := s.costs[x.name]; !found {
			t.Errorf("%s is not measured", x.name)
		}
	}
	report := s.report()
	for _, row := range []string{"| 3 gateways: connections |", "| peak of a day: gateway |", "| peak of a day: requests |",
		"| `sink_nats` |"} {
		if strings.Count(report, row) != 1 {
			t.Errorf("%d times %q in:\n%s", strings.Count(report, row), row, report)
		}
	}
	if got := readCosts(report); got["gateway_memory"] <= 0 || got["disclosure_disk_sqlite"] <= 0 || got["frame_bytes"] < 100 {
		t.Errorf("%v", got)
	}
}
