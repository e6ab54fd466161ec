package vyk

import (
	"regexp"
	"slices"
	"strings"
)

// The statements of a filing, by their numbers in the general taxonomy. The taxonomies of
// banks, insurers and others are not known well enough.
var (
	balanceSheets    = []string{"210015"}
	incomeStatements = []string{"310003", "310000"}
	cashFlows        = []string{"520003", "510011"}
)

const (
	industrial = "industrial"

	// Turkey applied no inflation standard from 2005 until this day.
	inflationStandard = "2023-12-31"
	// monetaryPosition is a line that only the inflation standard has.
	monetaryPosition = "GainsLossesOnNetMonetaryPosition"
)

// plain matches a figure with only one reading. In an ambiguous one, the three digits after the
// point may be thousands.
var (
	plain     = regexp.MustCompile(`^-?[0-9]+(\.[0-9]+)?$`)
	ambiguous = regexp.MustCompile(`^-?[0-9]{1,3}\.[0-9]{3}$`)
)

// filing returns the members of a filing from the statements of the report in a disclosure; nil
// if a required member is not known.
func (d detail) filing(n int64, filer []string, statements []*statement) map[string]any {
	find := func(roles []string) *statement {
		i := slices.IndexFunc(statements, func(s *statement) bool { return slices.Contains(roles, s.Role) })
		if i < 0 {
			return nil
		}
		return statements[i]
	}
	sheet, income, cash := find(balanceSheets), find(incomeStatements), find(cashFlows)
	if sheet == nil || income == nil || len(filer) == 0 || d.Year == "" || d.Period == nil || d.Period.EN == nil || d.Consolidation == "" {
		return nil
	}
	end := ""
	for _, p := range sheet.Current {
		if p.Instant == "" || end != "" {
			return nil
		}
		end = p.Instant
	}
	fields := map[string]any{
		"disclosure_index": n,
		"symbol":           filer[0],
		"year":             string(d.Year),
		"period":           *d.Period.EN,
		"end_date":         end,
		"consolidation":    string(d.Consolidation),
		"template":         industrial,
	}

	f := figures{end: end}
	for member, s := range map[string]*statement{"balance_sheet": sheet, "income_statement": income, "cash_flow": cash} {
		lines, ok := f.lines(s)
		if !ok {
			return nil
		}
		fields[member] = lines
	}
	switch {
	case f.currency == "":
		return nil
	case f.restated:
		fields["tms29_applied"], fields["measuring_month"] = true, end[:len("2006-01")]
	case end < inflationStandard:
		fields["tms29_applied"] = false
	default:
		return nil // the report does not state it
	}
	fields["currency"] = f.currency
	return fields
}

// figures collects what the statements of a filing share.
type figures struct {
	end      string // the last day of all periods
	currency string // of all money
	restated bool   // for inflation
}

// lines returns the lines of a statement; none for a nil statement. ok is false if they do not
// fit those of other statements, or have several readings.
func (f *figures) lines(s *statement) (lines []map[string]any, ok bool) {
	lines = []map[string]any{}
	if s == nil {
		return lines, true
	}
	for _, p := range s.Current {
		if p.last() != f.end {
			return nil, false
		}
	}
	for _, l := range s.Lines {
		if l.Opening {
			continue // the code belongs to the line at the end of the period
		}
		kind := "non_monetary"
		if l.Currency != "" {
			kind = "monetary"
			if f.currency != "" && f.currency != l.Currency {
				return nil, false
			}
			f.currency = l.Currency
		}
		if name := l.Name[strings.LastIndexAny(l.Name, "_:")+1:]; strings.Contains(name, "PerShare") {
			kind = "per_share"
		} else if name == monetaryPosition && strings.Trim(l.Value, "-0.") != "" {
			f.restated = true
		}
		one := map[string]any{"code": l.Name, "label": l.Label, "value_type": kind}
		switch {
		case l.Value == "" || l.Value == "-":
		case !plain.MatchString(l.Value), kind != "per_share" && ambiguous.MatchString(l.Value):
			if kind == "monetary" {
				return nil, false
			}
			continue // a text
		default:
			one["value"] = l.Value
		}
		lines = append(lines, one)
	}
	return lines, true
}
