package main

import (
	"fmt"
	"math"
	"regexp"
	"runtime"
	"strconv"
	"strings"

	"piyasa/test/bench/load"
)

// costs are what parts cost, by their names.
type costs map[string]float64

// costTexts explain the costs, in the order of the page.
var costTexts = []struct{ name, what, unit string }{
	{"gateway_memory", "memory of a gateway at rest", "MB"},
	{"gateway_start", "processor time of starting one, with what it computes ahead", "s"},
	{"gateway_cpu", "processor time of one at rest", "ms/s"},
	{"gateway_postgres", "Postgres's for one at rest", "ms/s"},
	{"gateway_statements", "its statements", "1/s"},
	{"gateway_connections", "its connections to Postgres at rest", ""},
	{"commit_store", "Postgres: storing a disclosure that comes alone", "µs"},
	{"commit_postgres", "Postgres: telling one gateway of it", "µs"},
	{"commit_gateway", "a gateway: reading it", "µs"},
	{"socket_memory", "an open socket, with the kernel's part left out", "kB"},
	{"socket_open", "opening one: TCP, upgrade, key, subscription", "µs"},
	{"socket_cpu", "one that hears nothing", "µs/s"},
	{"frame_bytes", "a disclosure on its way to a socket", "bytes"},
	{"frame_alone", "sending it, where it is alone", "µs"},
	{"frame_together", "sending it, where many wait", "µs"},
	{"quote_input", "`piyasa ingest`: a quote", "µs"},
	{"quote_postgres", "Postgres: storing it, and telling the first gateway", "µs"},
	{"quote_follow", "Postgres: telling each further gateway", "µs"},
	{"quote_gateway", "a gateway: reading it", "µs"},
	{"quote_alone", "sending it to a socket, as a message", "µs"},
	{"quote_alone_bytes", "", "bytes"},
	{"quote_batched", "sending it in a batch", "µs"},
	{"quote_batched_bytes", "", "bytes"},
	{"quote_compressed", "sending it in a compressed batch", "µs"},
	{"quote_compressed_bytes", "", "bytes"},
	{"quote_rest", "a quote over REST", "µs"},
	{"quote_document", "a quote over GraphQL, 200 a second, each a document of its own", "µs"},
	{"list_graphql", "25 disclosures of a company over GraphQL", "µs"},
	{"chart_graphql", "1,400 bars over GraphQL, asked for again", "µs"},
	{"chart_rest", "1,400 bars over REST, of a range asked for the first time", "µs"},
	{"disclosure_input", "`piyasa ingest`: a disclosure of a file", "µs"},
	{"disclosure_postgres", "Postgres: storing it", "µs"},
	{"disclosure_disk_postgres", "on disk, Postgres", "bytes"},
	{"disclosure_disk_sqlite", "on disk, SQLite", "bytes"},
	{"bar_input", "`piyasa ingest`: a bar of a file", "µs"},
	{"bar_postgres", "Postgres: storing it", "µs"},
	{"bar_disk_postgres", "on disk, Postgres", "bytes"},
	{"bar_disk_sqlite", "on disk, SQLite", "bytes"},
	{"sink_folder", "`piyasa deliver`: a disclosure into files", "µs"},
	{"sink_webhook", "to a webhook", "µs"},
	{"sink_nats", "to NATS JetStream", "µs"},
	{"sink_memory", "memory of `piyasa deliver`, at most", "MB"},
}

// demand is what followers and sources ask of all gateways in a second.
type demand struct {
	gateways, sockets          float64
	disclosures, quotes        float64 // stored
	quoteFrames, reads, charts float64 // quoteFrames: quotes sent
}

// gatewayCores are what all gateways take: of each, what it takes at rest and to follow the
// log, and what their clients take.
func (c costs) gatewayCores(d demand) float64 {
	return d.gateways*c.following(d) + c.clients(d)
}

func (c costs) following(d demand) float64 {
	return c["gateway_cpu"]/1e3 + (d.disclosures*c["commit_gateway"]+d.quotes*c["quote_gateway"])/1e6
}

func (c costs) clients(d demand) float64 {
	return (d.sockets*(c["socket_cpu"]+d.disclosures*c["frame_alone"]) + d.quoteFrames*c["quote_batched"] + d.reads*c["quote_rest"] +
		d.charts*c["chart_graphql"]) / 1e6
}

// postgresCores are what Postgres takes for the log: to store, and to tell every gateway.
func (c costs) postgresCores(d demand) float64 {
	return (d.disclosures*c["commit_store"]+d.quotes*(c["quote_postgres"]-c["quote_follow"]))/1e6 + d.gateways*c.postgresPerGateway(d)
}

func (c costs) postgresPerGateway(d demand) float64 {
	return c["gateway_postgres"]/1e3 + (d.disclosures*c["commit_postgres"]+d.quotes*c["quote_follow"])/1e6
}

// What a machine is filled to.
const (
	machineCores     = 4.0
	full             = 0.6
	mostSockets      = 20_000.0 // PIYASA_MAX_STREAMS
	mostConnections  = 500.0    // of one Postgres server
	exchangeStocks   = 600.0
	watched          = 50.0 // quotes that a follower watches, of one in ten
	yearBars         = exchangeStocks * 96 * 250
	yearDisclosures  = 100_000.0
	networkOfMachine = 10e9 // bits a second
)

// example is a number of followers, and what they take.
type example struct {
	demand
	followers, cores, postgres, bits, memory, hosts float64
}

// follow computes what so many followers take at the peak of a day: each has a socket with
// all disclosures, one in ten watches quotes in batches, and each asks for a quote every ten
// seconds and for a chart every minute.
func (c costs) follow(followers float64) example {
	e := example{followers: followers, demand: demand{sockets: followers, disclosures: dayDisclosures, quotes: exchangeStocks,
		quoteFrames: followers / 10 * watched, reads: followers / 10, charts: followers / 60}}
	spare := machineCores*full - c.following(e.demand)
	e.gateways = max(1, math.Ceil(c.clients(e.demand)/spare), math.Ceil(e.sockets/mostSockets))
	e.bits = 8 * (e.sockets*e.disclosures*c["frame_bytes"] + e.quoteFrames*c["quote_batched_bytes"])
	e.gateways = max(e.gateways, math.Ceil(e.bits/(networkOfMachine*full)))
	e.cores, e.postgres = c.gatewayCores(e.demand), c.postgresCores(e.demand)
	e.memory = c["gateway_memory"] + e.sockets/e.gateways*c["socket_memory"]/1e3
	e.hosts = math.Ceil(e.gateways / c.gatewaysOfHost(e.demand))
	return e
}

// gatewaysOfHost is how many gateways read from one host of Postgres.
func (c costs) gatewaysOfHost(d demand) float64 {
	return math.Floor(min(mostConnections/c["gateway_connections"], machineCores*full/c.postgresPerGateway(d)))
}

func (s *scale) conclude() {
	one, ten := s.fleets[0], s.fleets[1]
	n, c := float64(ten.gateways), s.costs
	between := func(of func(fleetFigures) float64) float64 { return (of(ten) - of(one)) / (n - float64(one.gateways)) }
	c["gateway_postgres"] = ten.idle.postgres / n * 1e3
	c["gateway_statements"] = ten.idle.transactions / n
	c["gateway_connections"] = between(func(f fleetFigures) float64 { return float64(f.connections) })
	c["commit_postgres"] = max(0, between(func(f fleetFigures) float64 { return f.busy.postgres - f.idle.postgres })/s.sizes.pace*1e6)
	c["commit_store"] = max(0, (one.busy.postgres-one.idle.postgres)/s.sizes.pace*1e6-c["commit_postgres"])
	c["commit_gateway"] = max(0, (ten.busy.gateways-ten.idle.gateways)/n/s.sizes.pace*1e6-float64(s.sizes.perGateway)*c["frame_alone"])
	for _, f := range s.fleets[2:] {
		d := demand{gateways: float64(f.gateways), sockets: float64(f.gateways * s.sizes.perGateway)}
		of := fmt.Sprintf("%d gateways", f.gateways)
		s.check(of+": connections", "", d.gateways*c["gateway_connections"], float64(f.connections))
		s.check(of+" at rest: statements", "1/s", d.gateways*c["gateway_statements"], f.idle.transactions)
		s.check(of+" at rest: Postgres", "cores", c.postgresCores(d), f.idle.postgres)
		d.disclosures = s.sizes.pace
		of = fmt.Sprintf("%s, %d sockets, %.0f disclosures a second: ", of, int(d.sockets), s.sizes.pace)
		s.check(of+"Postgres", "cores", c.postgresCores(d), f.busy.postgres)
		s.check(of+"gateways", "cores", c.gatewayCores(d), f.busy.gateways)
	}
	d := demand{gateways: 1, sockets: daySockets, disclosures: dayDisclosures, quotes: float64(len(s.quotes)),
		quoteFrames: dayQuotes * followedQuotes}
	s.check("peak of a day: gateway", "cores", c.gatewayCores(d)+lightRate*c["quote_document"]/1e6, s.peak.gateways)
	s.check("peak of a day: Postgres", "cores", c.postgresCores(d), s.peak.postgres)
	s.check("peak of a day: `piyasa ingest`", "cores", d.quotes*c["quote_input"]/1e6, s.peak.input)
}

func (s *scale) check(what, unit string, predicted, measured float64) {
	s.checks = append(s.checks, check{what, unit, predicted, measured})
	say("%-60s %10.3f %10.3f %s", what, predicted, measured, unit)
}

// sections are the parts of the page that are computed, by their names.
func (c costs) sections() map[string]string {
	return map[string]string{"costs": c.table(), "followers": c.followersTable(), "data": c.dataTable()}
}

func (c costs) table() string {
	var t strings.Builder
	t.WriteString("| coefficient | of | |\n| --- | --- | ---: |\n")
	for _, x := range costTexts {
		fmt.Fprintf(&t, "| `%s` | %s | %s %s |\n", x.name, x.what, digits(c[x.name]), x.unit)
	}
	return t.String()
}

// digits writes a figure with three digits, or as a whole number.
func digits(x float64) string {
	if math.Abs(x) >= 1000 {
		return strconv.FormatFloat(x, 'f', 0, 64)
	}
	return strconv.FormatFloat(x, 'g', 3, 64)
}

var costRow = regexp.MustCompile("(?m)^\\| `([a-z_]+)` \\| .* \\| (-?[0-9.e+-]+) .*\\|$")

// readCosts reads the table of a page.
func readCosts(page string) costs {
	c := costs{}
	for _, row := range costRow.FindAllStringSubmatch(page, -1) {
		c[row[1]], _ = strconv.ParseFloat(row[2], 64)
	}
	return c
}

func (c costs) followersTable() string {
	all := []example{c.follow(1_000), c.follow(100_000), c.follow(10_000_000)}
	var t strings.Builder
	row := func(name string, cell func(e example) string) {
		t.WriteString("| " + name + " |")
		for _, e := range all {
			t.WriteString(" " + cell(e) + " |")
		}
		t.WriteByte('\n')
	}
	row("followers", func(e example) string { return thousands(int(e.followers)) })
	t.WriteString("| --- |" + strings.Repeat(" ---: |", len(all)) + "\n")
	plain := func(of func(e example) float64, unit string) func(e example) string {
		return func(e example) string { return strconv.FormatFloat(of(e), 'f', 2, 64) + unit }
	}
	row("clients: cores", plain(func(e example) float64 { return c.clients(e.demand) }, ""))
	row("following the log, of each gateway: cores", plain(func(e example) float64 { return c.following(e.demand) }, ""))
	row("sent: Gbit/s", plain(func(e example) float64 { return e.bits / 1e9 }, ""))
	row("**gateways**", func(e example) string { return thousands(int(e.gateways)) })
	row("memory of each: MB", func(e example) string { return thousands(int(e.memory)) })
	row("connections to Postgres", func(e example) string { return thousands(int(e.gateways * c["gateway_connections"])) })
	row("Postgres, all on one: cores", plain(func(e example) float64 { return e.postgres }, ""))
	row("**hosts of Postgres to read from**", func(e example) string { return thousands(int(e.hosts)) })
	return t.String()
}

func (c costs) dataTable() string {
	var t strings.Builder
	t.WriteString("| a year of | × 1 | × 10 | × 100 |\n| --- | ---: | ---: | ---: |\n")
	row := func(name string, of float64, format string) {
		fmt.Fprintf(&t, "| %s |", name)
		for _, times := range []float64{1, 10, 100} {
			fmt.Fprintf(&t, " "+format+" |", of*times)
		}
		t.WriteByte('\n')
	}
	row("bars, millions", yearBars/1e6, "%.1f")
	row("disclosures, millions", yearDisclosures/1e6, "%.1f")
	row("Postgres: GB", (yearBars*c["bar_disk_postgres"]+yearDisclosures*c["disclosure_disk_postgres"])/1e9, "%.1f")
	row("SQLite: GB", (yearBars*c["bar_disk_sqlite"]+yearDisclosures*c["disclosure_disk_sqlite"])/1e9, "%.1f")
	row("storing it from files: minutes of processor", (yearBars*(c["bar_input"]+c["bar_postgres"])+
		yearDisclosures*(c["disclosure_input"]+c["disclosure_postgres"]))/60e6, "%.0f")
	row("quotes of each second, while the exchange trades: cores", exchangeStocks*(c["quote_input"]+c["quote_postgres"])/1e6, "%.2f")
	return t.String()
}

func (s *scale) checksTable() string {
	var t strings.Builder
	t.WriteString("| | model | measured | |\n| --- | ---: | ---: | --- |\n")
	for _, x := range s.checks {
		fmt.Fprintf(&t, "| %s | %s | %s | %s |\n", x.what, digits(x.predicted), digits(x.measured), x.unit)
	}
	return t.String()
}

func inMS(d load.Deliveries) func(float64) float64 {
	return func(share float64) float64 { return milliseconds(d.Quantile(share)) }
}

func (s *scale) lagTable() string {
	var t strings.Builder
	t.WriteString("| | arrived | p50, ms | p99, ms |\n| --- | ---: | ---: | ---: |\n")
	row := func(what string, arrived int, quantile func(float64) float64) {
		fmt.Fprintf(&t, "| %s | %s | %.1f | %.1f |\n", what, thousands(arrived), quantile(0.5), quantile(0.99))
	}
	for _, f := range s.fleets {
		sockets := f.gateways * s.sizes.perGateway
		for _, x := range []struct {
			rate float64
			lag  load.Deliveries
		}{{s.sizes.pace, f.busyLag}, {s.sizes.burst, f.burstLag}} {
			row(fmt.Sprintf("%d gateways, %d sockets, %.0f disclosures a second", f.gateways, sockets, x.rate), x.lag.All, inMS(x.lag))
		}
	}
	row("peak of a day: disclosures", s.peak.disclosures.All, inMS(s.peak.disclosures))
	row("peak of a day: quotes, in batches", len(s.peak.quotes.Latencies), inMS(s.peak.quotes))
	row("peak of a day: requests", len(s.peak.reads.light), func(q float64) float64 { return milliseconds(s.peak.reads.at(int(q * 100))) })
	return t.String()
}

// report returns the page with new tables.
func (s *scale) report() string {
	parts := readCosts(s.costs.table()).sections() // what follows from the digits that the page shows
	parts["run"] = fmt.Sprintf("%s, %d cores, of which gateways and Postgres share one.", runtime.Version(), runtime.NumCPU())
	if s.others > quiet {
		parts["run"] += fmt.Sprintf(" Others used up to %.0f %% of a core during a measurement, and the run was forced.", s.others*100)
	}
	parts["run"] += "\n"
	parts["checks"], parts["lags"] = s.checksTable(), s.lagTable()
	return withSections(s.page, parts)
}

var section = regexp.MustCompile(`(?s)(<!-- scale: ([a-z]+) -->\n).*?(<!-- end -->)`)

// withSections replaces the parts of a page that have these names.
func withSections(page string, parts map[string]string) string {
	return section.ReplaceAllStringFunc(page, func(old string) string {
		found := section.FindStringSubmatch(old)
		if text, known := parts[found[2]]; known {
			return found[1] + text + found[3]
		}
		return old
	})
}
