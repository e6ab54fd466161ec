package fundamentals

import "piyasa/internal/value"

// Null reasons in addition to those of package value. A missing input may also be a zero or a
// null one; a P/B is out of range unless it is between 0.001 and 1000.
const (
	ZeroInSource            = "zero_in_source"            // the source states 0, which means none
	MissingInputPeriod      = "missing_input_period"      // a statement that the formula needs is not stored
	MeasuringUnitMismatch   = "measuring_unit_mismatch"   // the inputs count in the money of different dates
	AccountingBasisMismatch = "accounting_basis_mismatch" // some inputs are inflation-adjusted and some are not
	TemplateMismatch        = "template_mismatch"         // the inputs have different sets of lines
	NonPositiveEV           = "non_positive_ev"
	NonPositiveEBITDATTM    = "non_positive_ebitda_ttm"
	NonPositiveGrowth       = "non_positive_growth"
	BankOrInsurerTemplate   = "bank_or_insurer_template" // the metric is defined for industrial companies
	NotCoveredForMarket     = "not_covered_for_market"
)

// uncombined are the reasons why filings cannot be combined, in order of precedence.
var uncombined = []string{MissingInputPeriod, MeasuringUnitMismatch, AccountingBasisMismatch, TemplateMismatch, value.MeaningChanged}
