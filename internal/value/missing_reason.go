package value

// MissingReason says why a list or a series is empty, or shorter than what was asked for.
type MissingReason struct {
	Reason        string
	AvailableFrom Date // first available day, if that is the reason; else null
	Message       string
}

// Why a list or a series is empty. Where several apply, the first of these is stated.
const (
	NotCovered    = "not_covered"    // there is no such data for this subject
	BeforeHistory = "before_history" // all of the range lies before the first day of what is shown
	StartsLater   = "starts_later"   // a part of the range does: the series begins within it
	InFuture      = "in_future"      // the range begins after today
	MarketClosed  = "market_closed"  // the market does not trade on any day of the range
	FilteredOut   = "filtered_out"   // nothing passes the filters of the request
	NotStated     = "not_stated"     // what is stored states no figure to rank by
	NoneStored    = "none_stored"    // nothing is stored for it
)

var missingMessages = map[string]string{
	NotCovered:    "There are none for such a subject.",
	BeforeHistory: "The whole range lies before the first day of what is shown.",
	StartsLater:   "A part of the range lies before the first day of what is shown.",
	InFuture:      "The range begins after today.",
	MarketClosed:  "The market does not trade on any day of the range.",
	FilteredOut:   "Nothing passes the filters of the request.",
	NotStated:     "What is stored states no figure to rank by.",
	NoneStored:    "Nothing is stored for this request.",
}

// Missing returns one of the reasons.
func Missing(reason string) *MissingReason {
	return &MissingReason{Reason: reason, Message: missingMessages[reason]}
}

// MissingUntil returns one of the reasons with the first available day.
func MissingUntil(reason string, from Date) *MissingReason {
	m := Missing(reason)
	m.AvailableFrom = from
	return m
}

// MissingFrom returns why a list with count entries is empty: its filters, or that nothing is
// stored; nil if it is not empty.
func MissingFrom(count int, filtered bool) *MissingReason {
	switch {
	case count > 0:
		return nil
	case filtered:
		return Missing(FilteredOut)
	}
	return Missing(NoneStored)
}
