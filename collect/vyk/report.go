package vyk

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"
)

// oddReport is a financial report that is stored without its figures, because it does not
// have the structure that is known.
type oddReport struct {
	n   int64
	err error
}

// Error implements error.
func (o *oddReport) Error() string {
	return fmt.Sprintf("the report in disclosure %d is stored without facts: %v", o.n, o.err)
}

// report is the figures of a financial report.
type report struct {
	facts      []map[string]any
	contexts   []map[string]any
	statements []*statement
	known      map[string]bool // ids of contexts
}

// statement is one of the blocks of a report, such as a balance sheet.
type statement struct {
	role    string // six digits; empty: none
	current map[string]period
	lines   []line
}

// line is a figure of the current period.
type line struct {
	name     string
	label    map[string]any
	value    string
	currency string
	opening  bool // what a period begins with
}

type period struct {
	Instant string `json:"instant"`
	Start   string `json:"startDate"`
	End     string `json:"endDate"`
}

// end returns the last day.
func (p period) end() string { return p.Instant + p.End }

// item is a line of a block, and those below it.
type item struct {
	Name      string `json:"name"`
	Preferred string `json:"preferredLabel"`
	Langs     struct {
		Lang many[struct {
			Code  string `json:"code"`
			Value scalar `json:"value"`
		}] `json:"lang"`
	} `json:"langs"`
	Values struct {
		Value many[figure] `json:"Value"`
	} `json:"Values"`
	Items many[item] `json:"ReportItem"`
}

type figure struct {
	Context  string  `json:"contextId"`
	Currency string  `json:"currency"`
	Rounding scalar  `json:"rounding"`
	Value    *scalar `json:"value"`
	Measures struct {
		Measure many[struct {
			Axis   string `json:"measureName"`
			Member string `json:"measureValueName"`
		}] `json:"Measure"`
	} `json:"Measures"`
}

// Bounds of a report.
const (
	mostFacts = 100_000
	mostDepth = 60
)

// roleOf finds the number of a statement in the id of its block.
var roleOf = regexp.MustCompile(`(?:^|[^0-9])([0-9]{6})(?:[^0-9]|$)`)

// readReport reads the blocks of a report.
func readReport(text json.RawMessage) (*report, error) {
	var blocks many[struct {
		ID      string `json:"id"`
		Content struct {
			Contexts struct {
				Context many[struct {
					ID     string `json:"id"`
					Key    string `json:"key"`
					Period period `json:"Period"`
				}] `json:"Context"`
			} `json:"ContextList"`
			Items many[item] `json:"ReportItem"`
		} `json:"content"`
	}]
	if err := json.Unmarshal(text, &blocks); err != nil {
		return nil, err
	}
	r := &report{known: map[string]bool{}}
	for _, block := range blocks {
		s := &statement{current: map[string]period{}}
		if m := roleOf.FindStringSubmatch(block.ID); m != nil {
			s.role = m[1]
		}
		periods := map[string]period{}
		for _, c := range block.Content.Contexts.Context {
			if c.ID == "" || !c.Period.valid() {
				return nil, fmt.Errorf("the context %q of %s is neither a day nor a period", c.ID, block.ID)
			}
			if before, twice := periods[c.ID]; twice && before != c.Period {
				return nil, fmt.Errorf("the context %q of %s is there twice", c.ID, block.ID)
			}
			if periods[c.ID] = c.Period; c.Key == "CURR" {
				s.current[c.ID] = c.Period
			}
		}
		if err := r.items(block.Content.Items, s, periods, mostDepth); err != nil {
			return nil, err
		}
		r.statements = append(r.statements, s)
	}
	return r, nil
}

// valid reports whether a period is a day, or begins and ends on days.
func (p period) valid() bool {
	for _, day := range []string{p.Instant, p.Start, p.End} {
		if _, err := time.Parse(time.DateOnly, day); day != "" && err != nil {
			return false
		}
	}
	return (p.Instant != "") != (p.Start != "" && p.End != "") && (p.Instant == "" || p.Start+p.End == "")
}

// items reads lines and those below them.
func (r *report) items(all []item, s *statement, periods map[string]period, deeper int) error {
	if deeper == 0 {
		return errors.New("its lines are nested too deeply")
	}
	for _, one := range all {
		label := map[string]any{}
		for _, l := range one.Langs.Lang {
			if code := strings.ToLower(l.Code); code == "tr" || code == "en" {
				label[code] = l.Value
			}
		}
		for _, f := range one.Values.Value {
			if err := r.figure(one, label, f, s, periods); err != nil {
				return err
			}
		}
		if err := r.items(one.Items, s, periods, deeper-1); err != nil {
			return err
		}
	}
	return nil
}

// figure reads a value of a line: a fact of its context, which measures narrow.
func (r *report) figure(of item, label map[string]any, f figure, s *statement, periods map[string]period) error {
	if f.Value == nil {
		return nil
	}
	id := f.Context
	if id == "" && len(periods) == 1 {
		for only := range periods {
			id = only
		}
	}
	in, ok := periods[id]
	switch {
	case !ok:
		return fmt.Errorf("%s has a value of the unknown context %q", of.Name, f.Context)
	case of.Name == "":
		return errors.New("a value has no name")
	case len(r.facts) == mostFacts:
		return fmt.Errorf("it has more than %d values", mostFacts)
	}
	dimensions := []map[string]any{}
	own := id
	for _, m := range f.Measures.Measure {
		if m.Axis == "" || m.Member == "" {
			return fmt.Errorf("%s has a value of an unknown measure", of.Name)
		}
		dimensions = append(dimensions, map[string]any{"axis": m.Axis, "member": m.Member})
		own += " " + m.Axis + "=" + m.Member
	}
	if !r.known[own] {
		r.known[own] = true
		c := map[string]any{"id": own, "period_type": "duration", "start_date": in.Start, "end_date": in.End, "dimensions": dimensions}
		if in.Instant != "" {
			c = map[string]any{"id": own, "period_type": "instant", "instant": in.Instant, "dimensions": dimensions}
		}
		r.contexts = append(r.contexts, c)
	}
	fact := map[string]any{"concept": of.Name, "value": *f.Value, "context_id": own}
	if len(label) > 0 {
		fact["label"] = label
	}
	stated(fact, "unit", scalar(f.Currency))
	stated(fact, "decimals", f.Rounding)
	r.facts = append(r.facts, fact)
	if _, current := s.current[id]; current && len(dimensions) == 0 {
		s.lines = append(s.lines, line{of.Name, label, string(*f.Value), f.Currency, strings.HasPrefix(of.Preferred, "periodStart")})
	}
	return nil
}
