package vyk

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"piyasa/collect"
)

// report is the figures of a financial report, in the form of a record of the disclosure.
type report struct {
	Facts      []map[string]any // members of facts
	Contexts   []map[string]any // members of their contexts
	Statements []*statement

	known map[string]bool // ids of contexts
}

// statement is one of the blocks of a report, such as a balance sheet.
type statement struct {
	Role    string            // six digits; empty: none
	Current map[string]period // the current periods, by the ids of their contexts
	Lines   []line
}

// line is a figure of a current period.
type line struct {
	Name     string         // of the element, with its prefix
	Label    map[string]any // by language: tr, en
	Value    string         // as the report writes it
	Currency string         // empty: no money
	Opening  bool           // at the start of a period
}

// period is a day, or from a day to another one, as YYYY-MM-DD.
type period struct {
	Instant string `json:"instant"`
	Start   string `json:"startDate"`
	End     string `json:"endDate"`
}

// last returns the last day.
func (p period) last() string { return p.Instant + p.End }

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

// readReport reads the blocks of a report. An error means that its structure is not known; then
// nothing of it must be stored.
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
	if err := collect.ReadJSON(text, &blocks); err != nil {
		return nil, err
	}
	r := &report{known: map[string]bool{}}
	for _, block := range blocks {
		s := &statement{Current: map[string]period{}}
		if m := roleOf.FindStringSubmatch(block.ID); m != nil {
			s.Role = m[1]
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
func (p period) valid() bool {
	for _, day := range []string{p.Instant, p.Start, p.End} {
		if _, err := time.Parse(time.DateOnly, day); day != "" && err != nil {
			return false
		}
	}
	return (p.Instant != "") != (p.Start != "" && p.End != "") && (p.Instant == "" || p.Start+p.End == "")
}

// items reads lines and the lines below them.
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

// figure reads a value of a line: a fact of its context, narrowed by measures.
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
	addText(fact, "unit", scalar(f.Currency))
	addText(fact, "decimals", f.Rounding)
	r.Facts = append(r.Facts, fact)
	if _, current := s.Current[id]; current && len(dimensions) == 0 {
		s.Lines = append(s.Lines, line{of.Name, label, string(*f.Value), f.Currency, strings.HasPrefix(of.Preferred, "periodStart")})
	}
	return nil
}
