package market

// Adjustments of histories: whether their prices are adjusted for corporate actions, such as
// dividends and splits.
const (
	Adjusted   = "adjusted"
	Unadjusted = "unadjusted" // as they were traded
)

// HistoryAdjustment is the adjustment that the bars of an instrument stated.
type HistoryAdjustment struct {
	InstrumentID ID
	Adjustment   string
}
