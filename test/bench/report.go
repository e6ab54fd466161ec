package main

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"

	"piyasa/test/bench/dataset"
)

// report writes what was measured as Markdown.
func (b *bench) report() string {
	var t strings.Builder
	b.writeHead(&t)
	b.writeGoals(&t)
	for _, w := range b.works {
		b.writeWork(&t, w)
	}
	b.writeDeliveries(&t)
	b.writeRest(&t)
	b.writeServers(&t)
	return t.String()
}

func (b *bench) writeHead(t *strings.Builder) {
	fmt.Fprintf(t, `# Beside its peers

`+"`make bench-peers`"+
		` writes this page: it starts piyasa and other servers on one data set, compares their answers, and measures them in turns. Compare the
ratios of one run, not figures of different machines.

- **Data**: %s stocks with quotes and statements, %d with %s daily bars each, %s disclosures. piyasa ingested the records into Postgres; the servers
  that read SQL have the same values in tables made for them, where valuations are stored as piyasa computes them.
- **Cores**: the server and Postgres share one core, the side that asks has another (%s). Answers are not compressed.
- **Rounds**: %d, each with %g s of every work of every server after %g s of warming up. Figures are medians of the rounds, with the least and the most.
- **Honest work**: before anything is measured, every answer is compared with piyasa's, value by value, and while it is measured every answer
  must have the same length again (of the fresh works, about that length). Every client of a stream checks that each disclosure arrives, in order.
- **Versions**: %s, Postgres %s, %s.
`,
		thousands(dataset.Stocks), dataset.Charted, thousands(dataset.Days), thousands(dataset.Disclosures), b.version.processor,
		b.rounds, b.seconds.Seconds(), b.warm.Seconds(), b.version.piyasa, b.version.postgres, runtime.Version())
	if b.others > quiet {
		fmt.Fprintf(t, "- **Others used the machine**: up to %.0f %% of a core during a measurement, and the run was "+
			"forced. So it judges no "+
			"goal. Trust figures for a second of\n"+
			"  processor time more than those for a second, and neither much.\n", b.others*100)
	}
	fmt.Fprintf(t, "- **Command**: `%s`\n", commandLine())
}

func commandLine() string {
	words := append([]string{"cd bench && go run ."}, os.Args[1:]...)
	return strings.Join(words, " ")
}

func (b *bench) writeGoals(t *strings.Builder) {
	t.WriteString("\n## Ratios\n\n| piyasa | goal | measured | for a second of processor time | met |\n| --- | ---: | " +
		"---: | ---: | --- |\n")
	for _, g := range goals() {
		ratios := g.judge(&b.results)
		if len(ratios) == 0 {
			continue
		}
		cost := "–"
		if g.cost != nil {
			cost = optional(g.cost.judge(&b.results))
		}
		met := "no"
		switch {
		case b.others > quiet:
			met = "disturbed"
		case g.isMet(ratios):
			met = "yes"
		}
		fmt.Fprintf(t, "| %s | %s | %s | %s | %s |\n", g.text, g.wanted(), spread(ratios, number), cost, met)
	}
}

func (b *bench) writeWork(t *strings.Builder, w work) {
	title := fmt.Sprintf("\n## %s: %s, %s\n\n", w.name, w.what, w.api)
	for _, s := range b.servers {
		samples := b.results.requests[pair{w.name, s.name}]
		if len(samples) == 0 {
			continue
		}
		if title != "" {
			connections := w.connections
			if b.connections > 0 {
				connections = b.connections
			}
			fmt.Fprintf(t, "%s%d connections, %s different requests.\n\n| server | requests/s | beside piyasa | per "+
				"second of processor time "+
				"| median, p99 | server, Postgres, load | bytes |\n"+
				"| --- | ---: | ---: | ---: | ---: | ---: | ---: |\n", title, connections,
				thousands(len(b.ready[pair{w.name, piyasaName}].requests)))
			title = ""
		}
		of := func(figure func(sample) float64) []float64 {
			return b.results.figuresOf(pair{w.name, s.name}, figure)
		}
		beside := goal{ours: perSecond(w.name, s.name), theirs: perSecond(w.name, piyasaName)}.judge(&b.results)
		percent := func(figure func(use) float64) float64 {
			return 100 * middle(of(func(m sample) float64 { return figure(m.use) }))
		}
		fmt.Fprintf(t, "| %s | %s | %s | %s | %s, %s ms | %.0f, %.0f, %.0f %% | %s |\n",
			s.name, spread(of(func(m sample) float64 { return m.perSecond }), number),
			optional(beside), number(middle(of(sample.perProcessor))),
			number(middle(of(func(m sample) float64 { return milliseconds(m.median) }))),
			number(middle(of(func(m sample) float64 { return milliseconds(m.p99) }))),
			percent(func(u use) float64 { return u.server }), percent(func(u use) float64 { return u.postgres }),
			percent(func(u use) float64 { return u.load }),
			thousands(samples[0].bytes))
	}
}

func optional(figures []float64) string {
	if len(figures) == 0 {
		return "–"
	}
	return number(middle(figures))
}

func (b *bench) writeDeliveries(t *strings.Builder) {
	if len(b.results.streams) == 0 {
		return
	}
	fmt.Fprintf(t, `
## W5: deliveries of disclosures

Saturated: %d disclosures are on their way to some client at any time. Paced: %s deliveries a second; the time is from publishing to receiving, and for
piyasa it begins with the line that `+"`piyasa ingest`"+
		` reads, so it contains the commit. centrifuge and NATS store nothing, and loop does nothing but
write. Memory is what the process grew by, %g s after all clients had connected, authenticated and subscribed.

| server, sockets | deliveries/s | per second of processor time | paced median, p99 | KiB a socket | server, Postgres, load: saturated | paced |
| --- | ---: | ---: | ---: | ---: | ---: | ---: |
`, b.outstanding, thousands(pacedRate), b.settle.Seconds())
	for _, clients := range b.clients {
		for _, s := range b.streamers {
			of := func(figure func(delivered) float64) []float64 { return ofStream(clients, s.name, figure)(&b.results) }
			half := func(figure func(delivered) float64) float64 { return middle(of(figure)) }
			fmt.Fprintf(t, "| %s, %s | %s | %s | %s, %s ms | %s | %s | %s |\n", s.name, thousands(clients),
				spread(of(func(m delivered) float64 { return m.perSecond }), number),
				number(half(func(m delivered) float64 { return m.perProcessor() })),
				number(half(func(m delivered) float64 { return milliseconds(m.pacedMedian) })),
				number(half(func(m delivered) float64 { return milliseconds(m.paced) })),
				number(half(func(m delivered) float64 { return m.perSocket / 1024 })),
				percents(half, func(m delivered) use { return m.use }), percents(half, func(m delivered) use { return m.pacedUse }))
		}
	}
}

// percents writes the shares of a core that the server, Postgres and the load had.
func percents(half func(func(delivered) float64) float64, of func(delivered) use) string {
	return fmt.Sprintf("%.0f, %.0f, %.0f %%", 100*half(func(m delivered) float64 { return of(m).server }),
		100*half(func(m delivered) float64 { return of(m).postgres }), 100*half(func(m delivered) float64 { return of(m).load }))
}

func (b *bench) writeRest(t *strings.Builder) {
	if len(b.results.replays) > 0 {
		fmt.Fprintf(t, "\n## A replay of %s disclosures\n\nFrom the request to the last of them, one client at a time. "+
			"centrifuge has them "+
			"in memory.\n\n| server | median |\n| --- | ---: |\n", thousands(replayed))
		for _, s := range b.streamers {
			if all := b.results.replays[s.name]; len(all) > 0 {
				fmt.Fprintf(t, "| %s | %s ms |\n", s.name, number(middle(inMilliseconds(all))))
			}
		}
	}
	if len(b.results.starts) > 0 {
		t.WriteString("\n## Cold start\n\nFrom starting the process to its first right answer.\n\n| server | time |\n| --- | ---: |\n")
		for _, s := range b.servers {
			if all := b.results.starts[s.name]; len(all) > 0 {
				fmt.Fprintf(t, "| %s | %s ms |\n", s.name, spread(inMilliseconds(all), number))
			}
		}
	}
}

func (b *bench) writeServers(t *strings.Builder) {
	t.WriteString("\n## The servers\n\n")
	npm := func(names ...string) string {
		var all []string
		for _, name := range names {
			all = append(all, name+" "+b.version.packages[name])
		}
		return strings.Join(all, ", ")
	}
	module := func(name string) string { return b.version.modules[name] }
	for _, line := range [][2]string{
		{piyasaName, "with every check: key, rate limit, scope, parameters, cost. It keeps whole answers and gives them " +
			"again while nothing " +
			"that they were made of changes, as here; the works named fresh show what a new answer costs"},
		{"constant", "net/http that answers with the bytes of piyasa's answer and does nothing else: what a Go server can do at most"},
		{"constant-headers",
			"the same with the headers that piyasa sends (limits, cost, ETag, caching): what is left for piyasa's checks is what " +
				"lies between the two"},
		{"handwritten", "three REST routes in Go, each one prepared statement of pgx " + module("github.com/jackc/pgx/v5") +
			" whose texts are copied into the answer; no keys, limits or scopes"},
		{"handwritten-memory", "the same routes from structs in memory"},
		{"mercurius", npm("mercurius", "fastify", "postgres", "node") + "; just-in-time compiler, loaders with one statement each"},
		{"yoga", npm("graphql-yoga", "@envelop/graphql-jit", "postgres", "node") + "; the same statements"},
		{"postgraphile", npm("postgraphile", "pg", "node") +
			"; its own schema from the same tables and SQL functions, asked for the same values"},
		{"centrifuge", module("github.com/centrifugal/centrifuge") + ", the library, JSON over WebSockets, broker in memory"},
		{"nats", module("github.com/nats-io/nats-server/v2") + ", the server as a library, its own protocol instead of WebSockets"},
		{"loop", module("github.com/gorilla/websocket") +
			", a loop that writes each frame to every socket in turn: what the kernel and the clients need at the paced rate"},
	} {
		fmt.Fprintf(t, "- **%s**: %s.\n", line[0], line[1])
	}
	fmt.Fprintf(t, "\nMeasured on %s.\n", time.Now().UTC().Format(time.DateOnly))
}
