package coverage

import (
	"piyasa/domain/market"
	"piyasa/internal/value"
)

// Report is what is stored, or one page of it.
type Report struct {
	AsOf       value.Instant `json:"as_of"` // when it was counted
	Rows       []*Row        `json:"rows"`
	Count      int           `json:"count"`
	Total      int           `json:"total"`       // rows of all pages
	NextCursor *string       `json:"next_cursor"` // null: there is no more
}

// Row is what is stored of one kind of record: in total, in a market, or for an instrument.
type Row struct {
	Kind         string         `json:"kind"`          // as lines of input name it
	Market       *market.Market `json:"market"`        // null: no market
	InstrumentID *market.ID     `json:"instrument_id"` // null: all together
	Series       *string        `json:"series"`        // resolution of bars, or name of a price index; null: not divided into series
	Records      int            `json:"records"`
	Subjects     *int           `json:"subjects"` // how many instruments, codes, … have records; null: the kind has no subjects
	FirstDay     value.Date     `json:"first_day"`
	LastDay      value.Date     `json:"last_day"`
	Newest       value.Instant  `json:"newest"`      // newest time in the records
	NullReason   *string        `json:"null_reason"` // why first and last day are null
	FirstNumber  *int           `json:"first_number"`
	LastNumber   *int           `json:"last_number"`

	Missing    *int    `json:"missing"`     // how many days, numbers or months are missing
	GapsIn     *string `json:"gaps_in"`     // what is missing: trading_days, numbers or months
	GapCount   *int    `json:"gap_count"`   // number of gaps
	WithGaps   *int    `json:"with_gaps"`   // how many instruments lack bars on days on which others of their market have one
	GapsReason *string `json:"gaps_reason"` // why gaps are not known
	Gaps       []*Gap  `json:"gaps"`        // the newest first; gap_count may be larger

	ownGaps bool // whether any gap is its own, not that of a whole market
}

// Gap is a run of days, numbers or months without a record, for one reason.
type Gap struct {
	From   string `json:"from"` // a day, a number or a month
	To     string `json:"to"`
	Count  int    `json:"count"`  // how many are missing, without days on which the market is closed
	Reason string `json:"reason"` // see the constants
}

// Why records are missing.
const (
	NotStored = "not_stored" // not collected, or none exists: a halt, or a number that was never published
	// nothing newer of this instrument or series while its market goes on: delisted, suspended,
	// or no longer collected
	Ended = "ended"
	// no instrument of the market has a bar: a holiday that no trading_day states, or nothing was collected
	MarketSilent    = "market_silent"
	HolidaysUnknown = "holidays_unknown" // a weekday of a market without known holidays
	Cancelled       = "cancelled"        // a later disclosure cancels this number
	NoValue         = "no_value"         // the source skipped the month
	// a corporate action of the day: the series is unadjusted, and jumps by more than its price limit allows
	ActionMissing = "action_missing"
)

// Why a figure is null.
const (
	NoneStored = "none_stored" // there are no records
	NoDay      = "no_day"      // records of this kind have no day
	NotRegular = "not_regular" // records of this kind have no regular schedule
	ShortKept  = "short_kept"  // bars shorter than a day are only kept for a while
)

// What gaps consist of.
const (
	InTradingDays = "trading_days"
	InNumbers     = "numbers"
	InMonths      = "months"
)
