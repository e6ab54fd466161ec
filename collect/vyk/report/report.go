// Package report reads the figures of financial reports in disclosures: facts with their contexts,
// and the lines of statements.
package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"piyasa/collect"
	"piyasa/collect/vyk/answer"
)

// Report is the figures of a financial report, as a record of the disclosure has them.
type Report struct {
	Facts      []map[string]any // members of facts
	Contexts   []map[string]any // members of their contexts
	Statements []*Statement

	known map[string]bool // ids of contexts
}

// Statement is one of the blocks of a report, such as a balance sheet.
type Statement struct {
	Role    string            // six digits; empty: none
	Current map[string]Period // the current ones, by the ids of their contexts
	Lines   []Line
}

// Line is a figure of a current period.
type Line struct {
	Name     string         // of the element, with its prefix
	Label    map[string]any // by language: tr, en
	Value    string         // as the report writes it
	Currency string         // empty: it is no money
	Opening  bool           // what a period begins with
}

// Period is a day, or from a day to another one, as YYYY-MM-DD.
type Period struct {
	Instant string `json:"instant"`
	Start   string `json:"startDate"`
	End     string `json:"endDate"`
}

// Last returns the last day.
func (p Period) Last() string { return p.Instant + p.End }

// item is a line of a block, and those below it.
type item struct {
	Name      string `json:"name"`
	Preferred string `json:"preferredLabel"`
	Langs     struct {
		Lang answer.Many[struct {
			Code  string        `json:"code"`
			Value answer.Scalar `json:"value"`
		}] `json:"lang"`
	} `json:"langs"`
	Values struct {
		Value answer.Many[figure] `json:"Value"`
	} `json:"Values"`
	Items answer.Many[item] `json:"ReportItem"`
}

type figure struct {
	Context  string         `json:"contextId"`
	Currency string         `json:"currency"`
	Rounding answer.Scalar  `json:"rounding"`
	Value    *answer.Scalar `json:"value"`
	Measures struct {
		Measure answer.Many[struct {
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

// Read reads the blocks of a report. An error means that it does not have the structure that is
// known; nothing of it is to be stored then.
func Read(text json.RawMessage) (*Report, error) {
	var blocks answer.Many[struct {
		ID      string `json:"id"`
		Content struct {
			Contexts struct {
				Context answer.Many[struct {
					ID     string `json:"id"`
					Key    string `json:"key"`
					Period Period `json:"Period"`
				}] `json:"Context"`
			} `json:"ContextList"`
			Items answer.Many[item] `json:"ReportItem"`
		} `json:"content"`
	}]
	if err := collect.ReadJSON(text, &blocks); err != nil {
		return nil, err
	}
	r := &Report{known: map[string]bool{}}
	for _, block := range blocks {
		s := &Statement{Current: map[string]Period{}}
		if m := roleOf.FindStringSubmatch(block.ID); m != nil {
			s.Role = m[1]
		}
		periods := map[string]Period{}
		for _, c := range block.Content.Contexts.Context {
			if c.ID == "" || !c.Period.valid() {
				return nil, fmt.Errorf("the context %q of %s is neither a day nor a period", c.ID, block.ID)
			}
			if before, twice := periods[c.ID]; twice && before != c.Period {
				return nil, fmt.Errorf("the context %q of %s is there twice", c.ID, block.ID)
			}
			if periods[c.ID] = c.Period; c.Key == "CURR" {
				s.Current[c.ID] = c.Period
			}
		}
		if err := r.items(block.Content.Items, s, periods, mostDepth); err != nil {
			return nil, err
		}
		r.Statements = append(r.Statements, s)
	}
	return r, nil
}

// valid reports whether a period is a day, or begins and ends on days.
func (p Period) valid() bool {
	for _, day := range []string{p.Instant, p.Start, p.End} {
		if _, err := time.Parse(time.DateOnly, day); day != "" && err != nil {
			return false
		}
	}
	return (p.Instant != "") != (p.Start != "" && p.End != "") && (p.Instant == "" || p.Start+p.End == "")
}

// items reads lines and those below them.
func (r *Report) items(all []item, s *Statement, periods map[string]Period, deeper int) error {
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
func (r *Report) figure(of item, label map[string]any, f figure, s *Statement, periods map[string]Period) error {
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
	case len(r.Facts) == mostFacts:
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
		r.Contexts = append(r.Contexts, c)
	}
	fact := map[string]any{"concept": of.Name, "value": *f.Value, "context_id": own}
	if len(label) > 0 {
		fact["label"] = label
	}
	answer.Add(fact, "unit", answer.Scalar(f.Currency))
	answer.Add(fact, "decimals", f.Rounding)
	r.Facts = append(r.Facts, fact)
	if _, current := s.Current[id]; current && len(dimensions) == 0 {
		s.Lines = append(s.Lines, Line{of.Name, label, string(*f.Value), f.Currency, strings.HasPrefix(of.Preferred, "periodStart")})
	}
	return nil
}
