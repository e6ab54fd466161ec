package fundamentals

import "piyasa/internal/value"

// Reasons why a figure is null, beside those of package value: a missing input
// may also be a zero or a null one, and a P/B that is not between 0.001 and 1000
// is out of range.
const (
	ZeroInSource            = "zero_in_source"            // the source states 0, which means nothing
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

// uncombined are the reasons why filings cannot be combined; the first that applies counts.
var uncombined = []string{MissingInputPeriod, MeasuringUnitMismatch, AccountingBasisMismatch, TemplateMismatch, value.MeaningChanged}
