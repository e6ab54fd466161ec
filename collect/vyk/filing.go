package vyk

import (
	"regexp"
	"slices"
	"strings"
)

// The statements of a filing, by the numbers of the general taxonomy. Those of banks, insurers
// and others are not known well enough.
var (
	balanceSheets    = []string{"210015"}
	incomeStatements = []string{"310003", "310000"}
	cashFlows        = []string{"520003", "510011"}
)

const (
	industrial = "industrial"

	// Turkey applied no inflation standard from 2005 until this day.
	inflationStandard = "2023-12-31"
	// monetaryPosition is a line that only the inflation standard knows.
	monetaryPosition = "GainsLossesOnNetMonetaryPosition"
)

// plain is a figure that can be read in one way only: three digits behind a point may be
// thousands.
var (
	plain  = regexp.MustCompile(`^-?[0-9]+(\.[0-9]+)?$`)
	either = regexp.MustCompile(`^-?[0-9]{1,3}\.[0-9]{3}$`)
)

// filing returns the members of the statements that a report has; nil where something is not
// known that a filing must say.
func (r *report) filing(d *detail, n int64, filer []string) map[string]any {
	find := func(roles []string) *statement {
		i := slices.IndexFunc(r.statements, func(s *statement) bool { return slices.Contains(roles, s.role) })
		if i < 0 {
			return nil
		}
		return r.statements[i]
	}
	sheet, income, cash := find(balanceSheets), find(incomeStatements), find(cashFlows)
	if sheet == nil || income == nil || len(filer) == 0 || d.Year == "" || d.Period == nil || d.Period.EN == nil || d.Consolidation == "" {
		return nil
	}
	end := ""
	for _, p := range sheet.current {
		if p.Instant == "" || end != "" {
			return nil
		}
		end = p.Instant
	}
	fields := map[string]any{
		"disclosure_index": n, "symbol": filer[0], "year": d.Year, "period": *d.Period.EN, "end_date": end, "consolidation": d.Consolidation, "template": industrial,
	}
	currency := ""
	restated := false
	for member, s := range map[string]*statement{"balance_sheet": sheet, "income_statement": income, "cash_flow": cash} {
		lines := []map[string]any{}
		if s != nil {
			for _, p := range s.current {
				if p.end() != end {
					return nil
				}
			}
			for _, l := range s.lines {
				if l.opening {
					continue // the code is that of the line that a period ends with
				}
				kind := "non_monetary"
				if l.currency != "" {
					kind = "monetary"
					if currency != "" && currency != l.currency {
						return nil
					}
					currency = l.currency
				}
				if name := local(l.name); strings.Contains(name, "PerShare") {
					kind = "per_share"
				} else if name == monetaryPosition && strings.Trim(l.value, "-0.") != "" {
					restated = true
				}
				one := map[string]any{"code": l.name, "label": l.label, "value_type": kind}
				switch {
				case l.value == "" || l.value == "-":
				case !plain.MatchString(l.value), kind != "per_share" && either.MatchString(l.value):
					if kind == "monetary" {
						return nil
					}
					continue // a text
				default:
					one["value"] = l.value
				}
				lines = append(lines, one)
			}
		}
		fields[member] = lines
	}
	switch {
	case currency == "":
		return nil
	case restated:
		fields["tms29_applied"], fields["measuring_month"] = true, end[:len("2006-01")]
	case end < inflationStandard:
		fields["tms29_applied"] = false
	default:
		return nil // the report does not say it
	}
	fields["currency"] = currency
	return fields
}

// local returns the name of an element without its prefix.
func local(name string) string { return name[strings.LastIndexAny(name, "_:")+1:] }
