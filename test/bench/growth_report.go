package main

import (
	"fmt"
	"runtime"
	"strings"

	"piyasa/test/bench/dataset"
)

// report writes what was measured as Markdown.
func (g *growth) report() string {
	var t strings.Builder
	fmt.Fprintf(&t, `# Growth

What piyasa takes when ten and a hundred times as much is stored. The data is generated: %s stocks, their disclosures, and their bars of five minutes. One
connection asks each kind of request for %g s, most of them hardly ever twice the same, of a server that keeps no bars in memory; then %d connections ask all of
them at once, of one that does, after %g s of the same. The server and Postgres share one core, the side that asks has another. Each cell states the median and
the 99th percentile.

`+"`%s`"+`, %s.
`, thousands(dataset.Stocks), g.seconds.Seconds(), mixedClients, (mixedWarm * g.warm).Seconds(), commandLine(), runtime.Version())
	if g.others > quiet {
		fmt.Fprintf(&t, "\nOthers used up to %.0f %% of a core during a measurement, and the run was forced.\n", g.others*100)
	}
	for _, store := range g.stores {
		g.writeStore(&t, store)
	}
	g.reportYears(&t)
	return t.String()
}

var storeTitles = map[string]string{"sqlite": "SQLite", "postgres": "Postgres"}

func (g *growth) writeStore(t *strings.Builder, store string) {
	var sizes []grown
	for _, m := range g.grown {
		if m.store == store {
			sizes = append(sizes, m)
		}
	}
	if sizes == nil {
		return
	}
	fmt.Fprintf(t, "\n## %s\n\n| |", storeTitles[store])
	line := func(name string, cell func(m grown) string) {
		fmt.Fprintf(t, "| %s |", name)
		for _, m := range sizes {
			fmt.Fprintf(t, " %s |", cell(m))
		}
		t.WriteByte('\n')
	}
	for _, m := range sizes {
		fmt.Fprintf(t, " × %d |", m.size.Times)
	}
	t.WriteString("\n| --- |" + strings.Repeat(" ---: |", len(sizes)) + "\n")
	line("disclosures", func(m grown) string { return thousands(m.size.Disclosures()) })
	line("bars", func(m grown) string { return thousands(m.size.Bars()) })
	line("stored, MB", func(m grown) string { return thousands(int(m.stored / 1e6)) })
	if len(sizes) > 0 {
		for _, w := range growthWorks(sizes[0].size) {
			line(w.what+", ms", func(m grown) string { return medianAndP99(m.works[w.name]) })
		}
	}
	line(fmt.Sprintf("all of these at once, %d connections, ms", mixedClients), func(m grown) string { return medianAndP99(m.mixed) })
	line("the same, requests a second", func(m grown) string { return thousands(int(m.mixed.perSecond)) })
	for _, what := range []string{"disclosures", "bars"} {
		line("new "+what+" stored a second", func(m grown) string { return thousands(int(m.ingested[what])) })
	}
	line("from starting the server to its first answer, ms", func(m grown) string { return fmt.Sprintf("%.0f", milliseconds(m.started)) })
	line("resident memory of the server at the end, MB", func(m grown) string { return thousands(int(m.resident / 1e6)) })
}

func medianAndP99(m sample) string {
	return fmt.Sprintf("%.2f / %.2f", milliseconds(m.median), milliseconds(m.p99))
}
