package ingest

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"text/tabwriter"

	"piyasa/db"
)

// Counts counts the outcomes of records.
type Counts struct {
	Read      int `json:"read"`
	Stored    int `json:"stored"`
	Unchanged int `json:"unchanged"`
	Stale     int `json:"stale"`
	Rejected  int `json:"rejected"`
	LeftOut   int `json:"left_out,omitempty"` // stored with impossible figures, which are not shown
	OffDays   int `json:"off_days,omitempty"` // bars of days without trading, which are not shown
}

// Summary counts the outcome of every record, by kind and in total. Lines without a known kind
// count only in the total.
type Summary struct {
	Kinds map[string]*Counts `json:"kinds"`
	Counts
	Seconds float64 `json:"seconds"`
}

func newSummary() *Summary { return &Summary{Kinds: map[string]*Counts{}} }

func (s *Summary) add(l *line) {
	s.Counts.add(l)
	if l.kind == nil {
		return
	}
	of := s.Kinds[l.kind.name]
	if of == nil {
		of = &Counts{}
		s.Kinds[l.kind.name] = of
	}
	of.add(l)
}

func (c *Counts) add(l *line) {
	c.Read++
	if l.fault == nil && !l.withdrawn && l.contradicts() {
		c.LeftOut++
	}
	if l.fault == nil && l.outcome.OffDay {
		c.OffDays++
	}
	switch {
	case l.fault != nil:
		c.Rejected++
	case l.outcome.Result == db.Stored:
		c.Stored++
	case l.outcome.Result == db.Unchanged:
		c.Unchanged++
	case l.outcome.Result == db.Stale:
		c.Stale++
	}
}

// WriteTable prints the summary for a person.
func (s *Summary) WriteTable(w io.Writer) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	row := func(name string, c Counts) {
		fmt.Fprintf(t, "%s\t%d\t%d\t%d\t%d\t%d\t\n", name, c.Read, c.Stored, c.Unchanged, c.Stale, c.Rejected)
	}
	fmt.Fprintln(t, "kind\tread\tstored\tunchanged\tstale\trejected\t")
	for _, name := range slices.Sorted(maps.Keys(s.Kinds)) {
		row(name, *s.Kinds[name])
	}
	row("total", s.Counts)
	_ = t.Flush()
	if s.LeftOut > 0 {
		fmt.Fprintf(w, "records with figures that cannot be, such as a low above the high, which are not shown: %d\n", s.LeftOut)
	}
	if s.OffDays > 0 {
		fmt.Fprintf(w, "bars of days on which their market does not trade, which are not shown: %d\n", s.OffDays)
	}
	fmt.Fprintf(w, "%.1f s\n", s.Seconds)
}
