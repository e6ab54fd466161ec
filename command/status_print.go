package command

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"piyasa/domain/coverage"
	"piyasa/domain/market"
	"piyasa/internal/problem"
	"piyasa/internal/value"
	"piyasa/serve/deliver"
)

// shownGaps is how many gaps of a row are printed, except for a single instrument.
const shownGaps = 3

// print writes the status for people, in lines of at most 80 characters if the names are short
// enough.
func (f *status) print(out io.Writer, c *statusCommand) error {
	p := &printer{w: out}
	p.line("%s", f.Asked)
	if f.Version != nil {
		p.line("  version   %s", *f.Version)
	}
	if f.Ready != nil {
		state := "ready"
		if !*f.Ready {
			state = "not ready"
		}
		if f.Reason != nil {
			state += ": " + oneLine(*f.Reason)
		}
		p.wrapped("  state     ", state)
	}
	if f.LagSeconds != nil {
		p.line("  behind    %g s", *f.LagSeconds)
	}
	if f.Streams != nil {
		var open []string
		for _, transport := range slices.Sorted(maps.Keys(f.Streams)) {
			open = append(open, fmt.Sprintf("%d %s", f.Streams[transport], transport))
		}
		p.wrapped("  streams   ", strings.Join(open, ", "))
	}
	if f.Engine != nil {
		p.line("  database  %s, schema %s, %s", *f.Engine, *f.Schema, size(*f.Bytes))
		p.line("  servers   %d", *f.Servers)
	}
	p.stored(f.Coverage)
	p.gaps(f.Coverage.Rows, c)
	p.sources(f)
	p.sinks(f)
	p.backups(f.Backups)
	if w := f.Webhooks; w != nil && w.Registered > 0 {
		p.title("Webhooks of keys")
		told := "a process delivers them"
		if !w.Delivers {
			told = `no process delivers them: "webhooks_of_keys" of the file of serve --deliver`
		}
		p.line("  %d registered, %d failing, %d disabled; %s", w.Registered, w.Failing, w.Disabled, told)
	}
	p.use(f)
	if len(f.Unknown) > 0 {
		p.title("Not known here")
		for _, name := range slices.Sorted(maps.Keys(f.Unknown)) {
			p.wrapped(fmt.Sprintf("  %-12s ", name), f.Unknown[name])
		}
	}
	return p.err
}

// printer writes until an error.
type printer struct {
	w   io.Writer
	err error
}

func (p *printer) line(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format+"\n", args...)
	}
}

func (p *printer) title(text string) { p.line("\n%s", text) }

// table writes rows in columns. Columns of figures are right-aligned.
func (p *printer) table(head []string, figures []string, rows [][]string) {
	if p.err != nil {
		return
	}
	widths := make([]int, len(head))
	for _, row := range append([][]string{head}, rows...) {
		for i, cell := range row {
			widths[i] = max(widths[i], len([]rune(cell)))
		}
	}
	t := tabwriter.NewWriter(p.w, 0, 0, 2, ' ', 0)
	for _, row := range append([][]string{head}, rows...) {
		cells := make([]string, len(row))
		for i, cell := range row {
			if slices.Contains(figures, head[i]) {
				cell = strings.Repeat(" ", widths[i]-len([]rune(cell))) + cell
			}
			cells[i] = cell
		}
		fmt.Fprintln(t, "  "+strings.TrimRight(strings.Join(cells, "\t"), "\t "))
	}
	p.err = t.Flush()
}

// stored writes what is stored. Kinds without records are named at the end.
func (p *printer) stored(r *coverage.Report) {
	p.title("What is stored, counted at " + r.AsOf.String())
	var rows [][]string
	var none []string
	for _, row := range r.Rows {
		if row.Records == 0 && row.InstrumentID == nil {
			none = append(none, row.Kind)
			continue
		}
		of, kind := "-", row.Kind
		switch {
		case row.InstrumentID != nil:
			of = string(*row.InstrumentID)
		case row.Market != nil:
			of = string(*row.Market)
		case row.Series != nil:
			of = *row.Series
		}
		if row.Series != nil && of != *row.Series {
			kind = kindOf(row)
		}
		newest := dash(row.LastDay) // a bar's day says more than its first moment
		if !row.Newest.IsNull() && row.Kind != "bar" {
			newest = row.Newest.Time().Format("2006-01-02 15:04Z")
		}
		subjects := ""
		if row.Subjects != nil {
			subjects = grouped(*row.Subjects)
		}
		rows = append(rows, []string{of, kind, grouped(row.Records), subjects, dash(row.FirstDay), newest})
	}
	p.table([]string{"OF", "KIND", "RECORDS", "EACH OF", "FIRST", "NEWEST"}, []string{"RECORDS", "EACH OF"}, rows)
	if len(none) > 0 {
		p.wrapped("  none of: ", strings.Join(none, ", "))
	}
	if r.NextCursor != nil {
		p.line("  %d of %d rows are shown; --instrument shows one", r.Count, r.Total)
	}
}

// kindOf returns the subject of a row.
func kindOf(row *coverage.Row) string {
	if row.Series != nil {
		return row.Kind + " " + *row.Series
	}
	return row.Kind
}

func dash(d value.Date) string {
	if d.IsNull() {
		return "-"
	}
	return d.String()
}

// reasons explain gaps for people.
var reasons = map[string]map[string]string{
	coverage.InTradingDays: {
		coverage.NotStored:       "others have a bar: a halt, or missed",
		coverage.Ended:           "others go on: delisted, or missed",
		coverage.MarketSilent:    "no bar in the market: holiday or missed",
		coverage.HolidaysUnknown: "a weekday; holidays are not known",
	},
	coverage.InNumbers: {
		coverage.NotStored: "not collected, or never published",
		coverage.Cancelled: "cancelled by a later disclosure",
	},
	coverage.InMonths: {
		coverage.NotStored: "not collected, or never published",
		coverage.Ended:     "nothing newer",
		coverage.NoValue:   "the source skipped it",
	},
}

// counted returns a number with its noun.
func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return grouped(n) + " " + many
}

// lacking returns how many days, numbers or months are missing.
func lacking(n int, in string) string {
	switch in {
	case coverage.InTradingDays:
		return counted(n, "trading day", "trading days")
	case coverage.InNumbers:
		return counted(n, "number", "numbers")
	}
	return counted(n, "month", "months")
}

// gaps writes what is missing.
func (p *printer) gaps(rows []*coverage.Row, c *statusCommand) {
	p.title("Gaps, newest first")
	found := false
	for _, row := range rows {
		if row.Missing == nil || (*row.Missing == 0 && (row.WithGaps == nil || *row.WithGaps == 0)) {
			continue
		}
		found = true
		subject, shown := kindOf(row), row.Gaps
		switch {
		case row.InstrumentID != nil:
			subject = string(*row.InstrumentID) + " " + subject
		case row.Market != nil:
			subject = string(*row.Market) + " " + subject
		}
		if c.Instrument == "" {
			if row.InstrumentID != nil { // gaps of the market are printed once
				shown = slices.DeleteFunc(slices.Clone(shown), func(g *coverage.Gap) bool { return g.Reason == coverage.MarketSilent })
				if len(shown) == 0 && len(row.Gaps) == *row.GapCount {
					continue
				}
			}
			shown = shown[:min(shownGaps, len(shown))]
		}
		if *row.Missing > 0 {
			subject += ": " + lacking(*row.Missing, *row.GapsIn) + " without a record, in " + counted(*row.GapCount, "run", "runs")
		}
		p.line("  %s", subject)
		for _, g := range shown {
			span := g.From
			if g.To != g.From {
				span += " to " + g.To
			}
			reason := reasons[*row.GapsIn][g.Reason]
			if g.Reason == coverage.MarketSilent && *row.Market == market.Crypto { // coins have no holidays
				reason = "no bar in the market: missed"
			}
			p.line("    %-24s %7s  %s", span, grouped(g.Count), reason)
		}
		if more := *row.GapCount - len(shown); more > 0 && row.InstrumentID == nil || more > 0 && c.Instrument != "" {
			p.line("    and %s", counted(more, "older run", "older runs"))
		}
		if row.WithGaps != nil && *row.WithGaps > 0 {
			p.line("    %s of %s lack records of days on which others have one", grouped(*row.WithGaps), grouped(*row.Subjects))
			if c.Market == "" && row.Kind == "bar" {
				p.line("    (--market %s lists them)", *row.Market)
			}
		}
	}
	if !found {
		p.line("  none")
	}
}

func (p *printer) sources(f *status) {
	p.title("Sources")
	if len(f.Sources) == 0 {
		p.line("  none: no source_status is stored")
		return
	}
	rows := make([][]string, len(f.Sources))
	for i, s := range f.Sources {
		state, lag, newest := "up", "-", "-"
		if !s.Up {
			state = "down"
		}
		if s.LagSeconds != nil {
			lag = grouped(*s.LagSeconds) + " s"
		}
		if !s.NewestRecord.IsNull() {
			newest = s.NewestRecord.String()
		}
		words := ""
		if s.Error != nil {
			words = short(oneLine(*s.Error), 24)
		}
		rows[i] = []string{oneLine(s.Name), state, lag, newest, words}
	}
	p.table([]string{"NAME", "STATE", "LATE", "NEWEST RECORD", "ERROR"}, []string{"LATE"}, rows)
}

// sinks writes the state of the sinks, if any.
func (p *printer) sinks(f *status) {
	if len(f.Sinks) == 0 {
		return
	}
	p.title("Sinks")
	rows := make([][]string, len(f.Sinks))
	for i, s := range f.Sinks {
		state, words, caughtUp := "up", "", "-"
		switch {
		case s.Disabled != nil:
			state, words = "disabled", *s.Disabled
		case s.Failures > 0:
			state, words = fmt.Sprint("failed ", s.Failures, "x"), *s.Error
		}
		if s.CaughtUp != nil {
			caughtUp = s.CaughtUp.Format(time.RFC3339)
		}
		rows[i] = []string{oneLine(s.Name), state, grouped(int(s.Backlog)), caughtUp, short(oneLine(words), 24)}
	}
	p.table([]string{"NAME", "STATE", "BACKLOG", "HAD ALL", "ERROR"}, []string{"BACKLOG"}, rows)
}

// backups writes the state of the scheduled backups, if any.
func (p *printer) backups(r *deliver.BackupReport) {
	if r == nil {
		return
	}
	p.title("Backups by schedule")
	p.line("  %s", newestBackup(r))
	if r.Overdue > 0 {
		p.line("  the next one is due since %s", r.Due.Format(time.RFC3339))
	} else {
		p.line("  %d kept, the next one is due at %s", r.Kept, r.Due.Format(time.RFC3339))
	}
	if r.Failures > 0 {
		p.wrapped(fmt.Sprintf("  failed %dx: ", r.Failures), oneLine(*r.Error))
	}
}

// newestBackup describes the newest backup.
func newestBackup(r *deliver.BackupReport) string {
	if r.Newest == nil {
		return "none was made yet"
	}
	age := time.Duration(*r.Age * float64(time.Second)).Round(time.Minute)
	return fmt.Sprintf("%s, %s, verified, %s old", r.Newest.Name, size(r.Newest.Bytes), age)
}

func (p *printer) use(f *status) {
	switch {
	case f.Usage != nil:
		quota := "no quota"
		if f.Usage.UnitsPerMonth != nil {
			quota = "of " + grouped(int(*f.Usage.UnitsPerMonth))
		}
		p.title("Use of this key in " + f.Usage.Month.String())
		p.line("  plan %s: %s request units, %s", f.Usage.Plan, grouped(int(f.Usage.Units)), quota)
	case len(f.Plans) == 0:
		p.title("Plans")
		p.line("  no key; `piyasa keys create` makes one")
	default:
		p.title("Plans and their use in " + f.Plans[0].Month.String())
		rows := make([][]string, len(f.Plans))
		for i, u := range f.Plans {
			rows[i] = []string{u.Plan, grouped(u.Keys), grouped(int(u.Units))}
		}
		p.table([]string{"PLAN", "KEYS", "REQUEST UNITS"}, []string{"KEYS", "REQUEST UNITS"}, rows)
	}
}

// wrapped writes words in lines of at most 80 characters.
func (p *printer) wrapped(first, text string) {
	line, begun := first, false
	for word := range strings.FieldsSeq(text) {
		if begun && len(line)+len(word) > 79 {
			p.line("%s", strings.TrimRight(line, " "))
			line = strings.Repeat(" ", len(first))
		}
		line, begun = line+word+" ", true
	}
	p.line("%s", strings.TrimRight(line, " "))
}

// oneLine returns foreign text without terminal controls.
func oneLine(text string) string { return strings.Trim(strconv.Quote(problem.Masked(text)), `"`) }

func short(text string, most int) string {
	if r := []rune(text); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return text
}

// grouped returns a number with commas between its thousands.
func grouped(n int) string {
	text := strconv.Itoa(n)
	for i := len(text) - 3; i > 0 && text[i-1] != '-'; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// size formats a number of bytes for people.
func size(bytes int64) string {
	figure, units := float64(bytes), []string{"bytes", "KiB", "MiB", "GiB", "TiB"}
	for len(units) > 1 && figure >= 1024 {
		figure, units = figure/1024, units[1:]
	}
	return strconv.FormatFloat(figure, 'f', 1, 64) + " " + units[0]
}
