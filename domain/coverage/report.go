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

// Row is what is stored of one kind of record: of all, of a market, or of an instrument.
type Row struct {
	Kind         string         `json:"kind"`          // as lines of input call it
	Market       *market.Market `json:"market"`        // null: of no market
	InstrumentID *market.ID     `json:"instrument_id"` // null: of all together
	Series       *string        `json:"series"`        // of bars their resolution, of price indices their name; null: there is one
	Records      int            `json:"records"`
	Subjects     *int           `json:"subjects"` // how many instruments, codes, … have records; null: the kind belongs to none
	FirstDay     value.Date     `json:"first_day"`
	LastDay      value.Date     `json:"last_day"`
	Newest       value.Instant  `json:"newest"`      // newest time that records state
	NullReason   *string        `json:"null_reason"` // why there is no day
	FirstNumber  *int           `json:"first_number"`
	LastNumber   *int           `json:"last_number"`

	Missing    *int    `json:"missing"`     // how many days, numbers or months lack
	GapsIn     *string `json:"gaps_in"`     // what they are: trading_days, numbers or months
	GapCount   *int    `json:"gap_count"`   // in how many runs
	WithGaps   *int    `json:"with_gaps"`   // how many instruments lack bars of days on which others of their market have one
	GapsReason *string `json:"gaps_reason"` // why gaps are not known
	Gaps       []*Gap  `json:"gaps"`        // the newest first; gap_count says if there are more

	ownGaps bool // whether any is its own, and not that of a whole market
}

// Gap is a run of days, numbers or months without a record, for one reason.
type Gap struct {
	From   string `json:"from"` // a day, a number or a month
	To     string `json:"to"`
	Count  int    `json:"count"`  // how many lack: days on which the market is closed do not count
	Reason string `json:"reason"` // see the constants
}

// Why something lacks.
const (
	NotStored = "not_stored" // it was not collected, or there is none: a halt, a number that was never published
	// nothing newer of this instrument or series, while its market goes on: delisted, suspended or not collected any more
	Ended = "ended"
	// no instrument of the market has a bar: a holiday that no trading_day states, or nothing was collected
	MarketSilent    = "market_silent"
	HolidaysUnknown = "holidays_unknown" // a weekday of a market whose holidays piyasa does not know
	Cancelled       = "cancelled"        // a later disclosure cancels the one with this number
	NoValue         = "no_value"         // the source skipped the month
	// a corporate action of the day: the series is unadjusted, and jumps by more than its price limit allows
	ActionMissing = "action_missing"
)

// Why a figure is null.
const (
	NoneStored = "none_stored" // there are no records
	NoDay      = "no_day"      // records of this kind have no day
	NotRegular = "not_regular" // records of this kind come when there is something to say
	ShortKept  = "short_kept"  // bars that are shorter than a day are kept for a while only
)

// What gaps are runs of.
const (
	InTradingDays = "trading_days"
	InNumbers     = "numbers"
	InMonths      = "months"
)
