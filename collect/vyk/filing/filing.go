// Package filing makes the statements of a filing from those of a financial report.
package filing

import (
	"regexp"
	"slices"
	"strings"

	"piyasa/collect/vyk/report"
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

// Heading is what a disclosure says of its report. What is empty is not known.
type Heading struct {
	Number        int64  // of the disclosure
	Symbol        string // the code of the filer
	Year          string
	Period        *string // as records name it; nil: not known
	Consolidation string
}

// Of returns the members of a filing, of the statements that a report has; nil where something is
// not known that a filing must say.
func Of(h Heading, statements []*report.Statement) map[string]any {
	find := func(roles []string) *report.Statement {
		i := slices.IndexFunc(statements, func(s *report.Statement) bool { return slices.Contains(roles, s.Role) })
		if i < 0 {
			return nil
		}
		return statements[i]
	}
	sheet, income, cash := find(balanceSheets), find(incomeStatements), find(cashFlows)
	if sheet == nil || income == nil || h.Symbol == "" || h.Year == "" || h.Period == nil || h.Consolidation == "" {
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
		"disclosure_index": h.Number, "symbol": h.Symbol, "year": h.Year, "period": *h.Period, "end_date": end, "consolidation": h.Consolidation, "template": industrial,
	}
	currency := ""
	restated := false
	for member, s := range map[string]*report.Statement{"balance_sheet": sheet, "income_statement": income, "cash_flow": cash} {
		lines := []map[string]any{}
		if s != nil {
			for _, p := range s.Current {
				if p.Last() != end {
					return nil
				}
			}
			for _, l := range s.Lines {
				if l.Opening {
					continue // the code is that of the line that a period ends with
				}
				kind := "non_monetary"
				if l.Currency != "" {
					kind = "monetary"
					if currency != "" && currency != l.Currency {
						return nil
					}
					currency = l.Currency
				}
				if name := local(l.Name); strings.Contains(name, "PerShare") {
					kind = "per_share"
				} else if name == monetaryPosition && strings.Trim(l.Value, "-0.") != "" {
					restated = true
				}
				one := map[string]any{"code": l.Name, "label": l.Label, "value_type": kind}
				switch {
				case l.Value == "" || l.Value == "-":
				case !plain.MatchString(l.Value), kind != "per_share" && either.MatchString(l.Value):
					if kind == "monetary" {
						return nil
					}
					continue // a text
				default:
					one["value"] = l.Value
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
