package fundamentals

// The reasons why a figure is null.
const (
	ZeroInSource            = "zero_in_source"            // the source says 0, which means nothing
	NotProvidedBySource     = "not_provided_by_source"    // the source says nothing
	MissingInput            = "missing_input"             // a figure that the formula needs is missing, zero or null
	MissingInputPeriod      = "missing_input_period"      // a statement that the formula needs was not filed
	MeasuringUnitMismatch   = "measuring_unit_mismatch"   // the inputs count in the money of different dates
	AccountingBasisMismatch = "accounting_basis_mismatch" // some inputs are inflation-adjusted and some are not
	TemplateMismatch        = "template_mismatch"         // the inputs have different sets of lines
	OutOfRange              = "out_of_range"              // a P/B that is not between 0.001 and 1000
	NonPositiveEV           = "non_positive_ev"
	NonPositiveEBITDATTM    = "non_positive_ebitda_ttm"
	NonPositiveGrowth       = "non_positive_growth"
	NonPositiveBase         = "non_positive_base"        // a quotient over zero or less states nothing
	BankOrInsurerTemplate   = "bank_or_insurer_template" // the metric is defined for industrial companies
	NotCoveredForMarket     = "not_covered_for_market"
)
