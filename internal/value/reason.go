package value

// Reasons why a figure is null. Domains add those that only they have.
const (
	NotProvidedBySource = "not_provided_by_source" // the source does not state it
	InsufficientHistory = "insufficient_history"   // there are too few bars or days
	MissingInput        = "missing_input"          // a figure that it is computed from is missing
	NonPositiveBase     = "non_positive_base"      // it would be a quotient over zero or less
	MeaningChanged      = "meaning_changed"        // its inputs do not mean the same, and nobody stated what leads from one to the other
	OutOfRange          = "out_of_range"           // it has more digits than a Decimal holds, or is not plausible
)
