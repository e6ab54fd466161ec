package value

// Null reasons. Domains add their own.
const (
	NotProvidedBySource = "not_provided_by_source" // the source does not state it
	InsufficientHistory = "insufficient_history"   // there are too few bars or days
	MissingInput        = "missing_input"          // a figure that it is computed from is missing
	NonPositiveBase     = "non_positive_base"      // it would be a quotient over zero or less
	MeaningChanged      = "meaning_changed"        // its inputs differ in meaning, and there is no bridge between them
	OutOfRange          = "out_of_range"           // it has more digits than a Decimal may have, or is not plausible
)
