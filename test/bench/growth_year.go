package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"piyasa/db"
	"piyasa/ingest"
	"piyasa/internal/value"
	"piyasa/test/bench/dataset"
)

// The world of which records are sent every day for a year.
const (
	yearStocks   = 500
	yearIndices  = 60
	yearSectors  = 50
	yearMembers  = 60 // of an index
	yearQuarters = 20 // statements of a company
	yearLines    = 150
)

// yearly is what a year of records of a kind leaves in a database.
type yearly struct {
	store, what   string
	lines, stored int   // records that were sent, and those that changed something
	bytes         int64 // by which the database has grown
	took          time.Duration
}

// yearSource is what is sent in a year; it returns the records of a day.
type yearSource struct {
	what string
	day  func(n int, at time.Time) []string
}

// each returns n lines.
func eachLine(n int, line func(i int) string) []string {
	lines := make([]string, n)
	for i := range lines {
		lines[i] = line(i)
	}
	return lines
}

func yearInstrument(i int, name string) string {
	return fmt.Sprintf(`{"record":"instrument","instrument_id":"bist:Y%04d","symbol":"Y%04d","name":"%s %d Sanayi ve Ticaret A.Ş.","market":"bist",`+
		`"asset_type":"STOCK","currency":"TRY","segment":"Yıldız Pazar","session":{"timezone":"Europe/Istanbul","open":"10:00","close":"18:00",`+
		`"always_open":false}}`, i, i, name, i)
}

func yearSector(i, without int) string {
	var members []string
	for m := range yearStocks / yearSectors {
		if m != without {
			members = append(members, fmt.Sprintf(`"bist:Y%04d"`, i*yearStocks/yearSectors+m))
		}
	}
	return fmt.Sprintf(`{"record":"sector","code":"sector-%s","name":"Sektör %d","members":[%s]}`, strings.Repeat("a", i+1), i,
		strings.Join(members, ","))
}

func yearIndex(i int, at time.Time) string {
	var members []string
	for m := range yearMembers {
		members = append(members, fmt.Sprintf(`{"symbol":"Y%04d"}`, (i*7+m)%yearStocks))
	}
	return fmt.Sprintf(`{"record":"index","code":"XY%02d","name":"Endeks %d","verified":true,"synced_at":"%s","members":[%s]}`, i, i,
		at.Format(time.RFC3339), strings.Join(members, ","))
}

// yearStatement is a filing of a company, under the same time whichever version it is.
func yearStatement(company, quarter, version int) string {
	year, month := 2020+quarter/4, 3*(quarter%4+1)
	var items []string
	for l := range yearLines {
		items = append(items, fmt.Sprintf(`{"code":"%d%03d","label_tr":"Kalem %d","group":"balance_sheet","kind":"stock","value":"%d"}`,
			1+l/75, l, l, (company*7919+quarter*104729+l*1299709+version)%1_000_000_000))
	}
	return fmt.Sprintf(`{"record":"statement","instrument_id":"bist:Y%04d","fiscal_year":%d,"fiscal_month":%d,"currency":"TRY","end_date":"%d-%02d-28",`+
		`"basis":"nominal","template":"industrial","filed_at":"%d-%02d-28T15:00:00Z","items":[%s]}`, company, year, month, year, month, year, month,
		strings.Join(items, ","))
}

func yearMetrics(company, n int, at time.Time) string {
	return fmt.Sprintf(`{"record":"market_metrics","instrument_id":"bist:Y%04d","date":"%s","market_cap":"%d","pe_ratio":"%d.%02d","as_of":"%s"}`,
		company, at.Format(time.DateOnly), 1_000_000_000+company*7919+n*104729, 5+company%20, n%100, at.Format(time.RFC3339))
}

// yearSources lists what is sent, the first day being that of the world.
func yearSources() []yearSource {
	return []yearSource{
		{"instruments and sectors, every day the same", func(int, time.Time) []string {
			return append(eachLine(yearStocks, func(i int) string { return yearInstrument(i, "Şirket") }),
				eachLine(yearSectors, func(i int) string { return yearSector(i, -1) })...)
		}},
		{"the same, with two other names and one other sector a day", func(n int, _ time.Time) []string {
			return append(eachLine(yearStocks, func(i int) string { return yearInstrument(i, fmt.Sprint("Şirket", (n+i)/250)) }),
				eachLine(yearSectors, func(i int) string { return yearSector(i, (n+i)/50%10) })...)
		}},
		{"indices, synchronized every day, with the same members", func(_ int, at time.Time) []string {
			return eachLine(yearIndices, func(i int) string { return yearIndex(i, at) })
		}},
		{"market metrics of every company and day", func(n int, at time.Time) []string {
			return eachLine(yearStocks, func(i int) string { return yearMetrics(i, n, at) })
		}},
		{"one of the twenty statements of every company, restated", func(n int, _ time.Time) []string {
			from, to := n*yearStocks/365, (n+1)*yearStocks/365
			return eachLine(to-from, func(i int) string { return yearStatement(from+i, (from+i)%yearQuarters, 1) })
		}},
	}
}

// measureYears measures what a year of each source leaves.
func (g *growth) measureYears(ctx context.Context, store string) error {
	r := *g.rig
	defer r.close()
	if err := r.prepareEmpty(store); err != nil {
		return err
	}
	begun := time.Date(2025, 11, 28, 18, 0, 0, 0, time.UTC)
	sources := yearSources()
	world := sources[0].day(0, begun)
	for _, s := range sources[2:4] {
		world = append(world, s.day(0, begun)...)
	}
	for c := range yearStocks {
		world = append(world, eachLine(yearQuarters, func(q int) string { return yearStatement(c, q, 0) })...)
	}
	if _, err := r.sendLines(ctx, begun, world); err != nil {
		return err
	}
	for _, s := range sources {
		before, err := r.settled(ctx)
		if err != nil {
			return err
		}
		y, since := yearly{store: store, what: s.what}, time.Now()
		err = r.sendDays(ctx, begun, s, &y)
		if err != nil {
			return err
		}
		y.took = time.Since(since)
		after, err := r.settled(ctx)
		if err != nil {
			return err
		}
		y.bytes = after - before
		g.years = append(g.years, y)
		say("%-8s %-64s %7d sent, %7d stored, %8.2f MB, %.0f s", store, y.what, y.lines, y.stored, float64(y.bytes)/1e6, y.took.Seconds())
	}
	return nil
}

// sendDays sends a year of a source.
func (r *rig) sendDays(ctx context.Context, begun time.Time, s yearSource, y *yearly) error {
	store, err := db.Open(ctx, r.own)
	if err != nil {
		return err
	}
	defer store.Close()
	for n := range 365 {
		at := begun.AddDate(0, 0, n+1)
		lines := s.day(n+1, at)
		stored, err := sendTo(ctx, store, at, lines)
		if err != nil {
			return err
		}
		y.lines, y.stored = y.lines+len(lines), y.stored+stored
	}
	return nil
}

// sendLines stores lines at a moment, and returns how many changed something.
func (r *rig) sendLines(ctx context.Context, at time.Time, lines []string) (int, error) {
	store, err := db.Open(ctx, r.own)
	if err != nil {
		return 0, err
	}
	defer store.Close()
	return sendTo(ctx, store, at, lines)
}

func sendTo(ctx context.Context, store *db.Store, at time.Time, lines []string) (int, error) {
	if len(lines) == 0 {
		return 0, nil
	}
	now, input := value.MustInstant(at.Format(time.RFC3339)), strings.NewReader(strings.Join(lines, "\n")+"\n")
	report, err := ingest.Run(ctx, store, ingest.Options{Paths: []string{ingest.Stdin}, Stdin: input, Messages: io.Discard,
		Now: func() value.Instant { return now }})
	if err != nil {
		return 0, err
	}
	if report.Rejected > 0 {
		return 0, fmt.Errorf("%d lines were rejected, such as some of %s", report.Rejected, lines[0])
	}
	return report.Stored, nil
}

// settled returns the bytes of the database when nothing of it waits to be written or reused.
func (r *rig) settled(ctx context.Context) (int64, error) {
	if !strings.HasPrefix(r.own, "sqlite:") {
		if err := dataset.Vacuum(ctx, r.own); err != nil {
			return 0, err
		}
		connection, err := pgx.Connect(ctx, r.own)
		if err != nil {
			return 0, err
		}
		defer connection.Close(ctx)
		if _, err := connection.Exec(ctx, "CHECKPOINT"); err != nil {
			return 0, err
		}
	}
	return r.stored(ctx)
}

// reportYears writes what was measured of years as a table.
func (g *growth) reportYears(t *strings.Builder) {
	if len(g.years) == 0 {
		return
	}
	fmt.Fprintf(t, `
## A year of snapshots

%d companies with %d statements of %d lines each, %d sectors and %d indices of %d members, sent every day for a year. Records that say what is stored
already cost nothing; of others the version before is kept, for [who asks what was known](methodology.md#what-was-known-when).

| sent for a year | records sent | stored |`, yearStocks, yearQuarters, yearLines, yearSectors, yearIndices, yearMembers)
	for _, store := range g.stores {
		fmt.Fprintf(t, " MB on %s |", storeTitles[store])
	}
	t.WriteString("\n| --- | ---: | ---: |" + strings.Repeat(" ---: |", len(g.stores)) + "\n")
	for _, s := range yearSources() {
		var cells strings.Builder
		var of yearly
		for _, y := range g.years {
			if y.what == s.what {
				of = y
				fmt.Fprintf(&cells, " %.1f |", float64(y.bytes)/1e6)
			}
		}
		fmt.Fprintf(t, "| %s | %s | %s |%s\n", s.what, thousands(of.lines), thousands(of.stored), cells.String())
	}
}
