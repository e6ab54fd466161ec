package kap

import (
	"piyasa/domain/market"
	"piyasa/domain/segment"
	"piyasa/internal/value"
)

// FilingBasis says in which money the amounts of a filing are.
type FilingBasis string

// The bases.
const (
	AsReported    FilingBasis = "as_reported"    // as filed
	TUFEAdjusted  FilingBasis = "tufe_adjusted"  // in the money of a target month, by consumer prices
	YIUFEAdjusted FilingBasis = "yiufe_adjusted" // in the money of a target month, by producer prices
)

var _ = value.Enum(AsReported, TUFEAdjusted, YIUFEAdjusted)

// FilingUnit is the unit of the amounts of a filing.
type FilingUnit string

// The units.
const (
	One      FilingUnit = "one"
	Thousand FilingUnit = "thousand"
	Million  FilingUnit = "million"
)

var _ = value.Enum(One, Thousand, Million)

// Consolidation selects the group's statements or the company's own. A filing
// itself is CS or NC.
type Consolidation string

// The consolidations.
const (
	Consolidated Consolidation = "consolidated" // CS, or NC where only that was filed
	Solo         Consolidation = "solo"         // NC, or CS where only that was filed
	CS           Consolidation = "CS"           // the group's only
	NC           Consolidation = "NC"           // the company's own only
)

var _ = value.Enum(Consolidated, Solo, CS, NC)

// The kinds of figures in a filing; only monetary ones are restated and scaled.
const monetary = "monetary"

// FilingLine is one line of a statement.
type FilingLine struct {
	Code       string        `json:"code" record:"required"`
	Label      Localized     `json:"label" record:"required"`
	Value      value.Decimal `json:"value"`
	ValueType  string        `json:"value_type" record:"required" one:"monetary per_share non_monetary"`
	NullReason *string       `json:"null_reason" record:"-"`

	// MeaningChanged is the index change without a bridge, for the reason value.MeaningChanged.
	MeaningChanged *segment.Change `json:"meaning_changed,omitempty" record:"-" csv:"any"`
}

// Restatement is how the amounts of a filing were converted to the money of
// another month.
type Restatement struct {
	Index     string        `json:"index"`
	FromMonth value.Month   `json:"from_month"`
	ToMonth   value.Month   `json:"to_month"`
	Factor    value.Decimal `json:"factor"` // 12 significant digits; amounts are restated by the exact ratio

	Bridges []*segment.Bridge `json:"bridges,omitempty" csv:"any"` // between the bases of the two levels
}

// Filing is the financial statements of one period, as filed or restated.
type Filing struct {
	DisclosureIndex int           `json:"disclosure_index" record:"required" range:"0 2147483647"`
	PublishedAt     value.Instant `json:"published_at" record:"-" bun:"-"`
	Year            string        `json:"year" record:"required"`   // fiscal year as filed
	Period          string        `json:"period" record:"required"` // label as filed
	EndDate         value.Date    `json:"end_date" record:"required" time:"past"`
	Consolidation   string        `json:"consolidation" record:"required" one:"CS NC"`
	Currency        string        `json:"currency" record:"required"`
	Template        string        `json:"template" record:"required"`
	Tms29Applied    bool          `json:"tms29_applied" record:"required"` // the inflation standard
	MeasuringMonth  value.Month   `json:"measuring_month" time:"past"`     // in whose money the amounts are filed
	Restatement     *Restatement  `json:"restatement" record:"-" bun:"-"`  // null when nothing was restated
	BalanceSheet    []*FilingLine `json:"balance_sheet" record:"required"`
	IncomeStatement []*FilingLine `json:"income_statement" record:"required"`
	CashFlow        []*FilingLine `json:"cash_flow" record:"required"`
}

// FilingRecord is a filing as it is ingested.
type FilingRecord struct {
	Filing
	Symbol string `json:"symbol" record:"required"` // a code of the company
}

// Validate returns the value.Invalid of the record, if any.
func (r *FilingRecord) Validate() error {
	if err := market.CheckCurrencyCode(r.Currency); err != nil {
		return err
	}
	if !codeGrammar.MatchString(r.Symbol) {
		return value.Invalidf("symbol", "must be a code of 2 to 10 letters A-Z and digits")
	}
	return nil
}

// FilingSummary is the facts of a filing from which choose picks the one to show.
type FilingSummary struct {
	DisclosureIndex int
	Year, Period    string
	EndDate         value.Date
	Consolidation   Consolidation
	PublishedAt     value.Instant
	Seq             int64
	Cancelled       bool // a disclosure cancels it, or it cancels another one
	Corrects        *int // the nearest filing that its disclosure corrects, skipping corrections without a filing; nil: none
}

// FilingPage is one page of filings and how their amounts are stated.
type FilingPage struct {
	Symbol        string        `json:"symbol"`
	Basis         FilingBasis   `json:"basis"`
	Unit          FilingUnit    `json:"unit"`
	AsOfMonth     value.Month   `json:"as_of"` // whose money the adjusted amounts are in; null as reported
	Consolidation Consolidation `json:"consolidation"`
	Items         []*Filing     `json:"items"`
	Count         int           `json:"count"`
	NextCursor    *string       `json:"next_cursor"` // null: there is no more

	MissingReason *value.MissingReason `json:"-"` // nil unless it is empty or cut
}
