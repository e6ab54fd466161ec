package history

import (
	"cmp"
	"fmt"
	"slices"
)

// Rule is a guarantee of streams. The first six are those of etcd's watches.
type Rule string

// The rules.
const (
	// Ordered: positions rise within a connection and an epoch.
	Ordered Rule = "ordered"
	// Unique: no position comes twice on a connection.
	Unique Rule = "unique"
	// Reliable: every row that the store holds and that a client asked for reached
	// it at least once.
	Reliable Rule = "reliable"
	// Resumable: after a connect with a position, everything after it arrives, and
	// nothing is skipped on the way.
	Resumable Rule = "resumable"
	// Bookmarkable: a position that the server states to be complete is complete.
	Bookmarkable Rule = "bookmarkable"
	// Explicit: what was acknowledged or delivered and is gone from the store was
	// announced, and so was a position from which nobody can go on.
	Explicit Rule = "explicit"
	// Asked: nothing comes that the client's topics do not match.
	Asked Rule = "asked"
	// DurableRows: under the promise Durable, nothing acknowledged or delivered is gone.
	DurableRows Rule = "durable"
	// Dense: the log has no hole and no number twice, except where an epoch began.
	Dense Rule = "dense"
)

// Violation is a rule that a history breaks.
type Violation struct {
	Rule       Rule
	Actor      string // "": everybody
	Connection int    // 0: all
	Text       string
}

// String writes the violation as a line.
func (v Violation) String() string {
	who := ""
	if v.Actor != "" {
		who = " " + v.Actor
	}
	if v.Connection > 0 {
		who += fmt.Sprintf(", connection %d", v.Connection)
	}
	return fmt.Sprintf("%s:%s: %s", v.Rule, who, v.Text)
}

// jump is how far numbers rise at least where an epoch begins.
const jump = 1 << 32

// checker judges a history.
type checker struct {
	rows       map[int]*row // by number
	bySeq      []*row
	top        int64                  // the highest position that anybody knows
	versions   map[int]map[int64]bool // at which positions a row was ever seen
	violations []Violation
}

// row is a row of the store.
type row struct {
	number int
	seq    int64
	topics []string
	late   bool // a row with a higher number was stored before it
}

// Check returns every violation in a history.
func Check(entries []Entry) []Violation {
	c := &checker{rows: map[int]*row{}, versions: map[int]map[int64]bool{}}
	c.readStore(entries)
	c.checkAcknowledged(entries)
	lives := map[string][]Entry{}
	var names []string
	for _, e := range entries {
		if !e.ofConnection() {
			continue
		}
		if lives[e.Actor] == nil {
			names = append(names, e.Actor)
		}
		lives[e.Actor] = append(lives[e.Actor], e)
	}
	for _, name := range names {
		c.checkLife(lives[name])
	}
	return c.violations
}

func (c *checker) report(rule Rule, e Entry, format string, args ...any) {
	c.violations = append(c.violations, Violation{rule, e.Actor, e.Connection, fmt.Sprintf(format, args...)})
}

// readStore reads the content of the store and what was ever seen of its rows, and
// checks that the log is dense.
func (c *checker) readStore(entries []Entry) {
	for _, e := range entries {
		if (e.Kind == Row || e.Kind == Event) && e.Position != nil {
			if c.versions[e.Number] == nil {
				c.versions[e.Number] = map[int64]bool{}
			}
			c.versions[e.Number][e.Position.Seq] = true
			c.top = max(c.top, e.Position.Seq)
		}
		if e.Kind != Row {
			continue
		}
		if c.rows[e.Number] != nil {
			c.report(Dense, Entry{}, "the store has number %d twice", e.Number)
			continue
		}
		r := &row{number: e.Number, seq: e.Position.Seq, topics: e.Topics}
		c.rows[e.Number] = r
		c.bySeq = append(c.bySeq, r)
	}
	slices.SortStableFunc(c.bySeq, func(a, b *row) int { return cmp.Compare(a.seq, b.seq) })
	highest := 0
	for i, r := range c.bySeq {
		r.late = r.number < highest
		highest = max(highest, r.number)
		if i == 0 {
			continue
		}
		switch before := c.bySeq[i-1]; {
		case before.seq == r.seq:
			c.report(Dense, Entry{}, "numbers %d and %d are both at %d", before.number, r.number, r.seq)
		case before.seq+1 != r.seq && r.seq-before.seq < jump:
			c.report(Dense, Entry{}, "nothing is between %d and %d", before.seq, r.seq)
		}
	}
}

// checkAcknowledged looks for acknowledged rows in the store; under the promise
// Durable, for delivered ones too.
func (c *checker) checkAcknowledged(entries []Entry) {
	durable := slices.ContainsFunc(entries, func(e Entry) bool { return e.Kind == Promise && e.Text == Durable })
	var gone, shown some
	seen := map[int]bool{}
	announced, unsaid := false, false // since the last fault; what was acknowledged
	for _, e := range entries {
		switch e.Kind {
		case Acknowledged:
			for _, number := range e.Numbers {
				if c.rows[number] == nil {
					gone.add(number)
					unsaid = !announced
				}
			}
		case Event:
			if c.rows[e.Number] == nil && !seen[e.Number] {
				shown.add(e.Number)
				seen[e.Number] = true
			}
		case Fault:
			announced = false
		case Gap, Notice:
			announced, unsaid = true, false
		}
	}
	if gone.count > 0 && durable {
		c.report(DurableRows, Entry{}, "the store lacks what was acknowledged: %s", gone)
	} else if unsaid {
		c.report(Explicit, Entry{}, "the store lacks what was acknowledged, and nobody was told: %s", gone)
	}
	if shown.count > 0 && durable {
		c.report(DurableRows, Entry{}, "the store lacks what was delivered: %s", shown)
	}
}

// some is a set of numbers that is too large to be printed.
type some struct{ count, first, last int }

func (s *some) add(number int) {
	if s.count == 0 {
		s.first = number
	}
	s.count++
	s.last = number
}

// String says how many there are, and the first and the last.
func (s some) String() string {
	if s.count == 1 {
		return fmt.Sprintf("number %d", s.first)
	}
	return fmt.Sprintf("%d rows, from number %d to %d", s.count, s.first, s.last)
}
