package ingest

import (
	"bytes"
	"encoding/base64"
	"errors"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"piyasa/domain/market"
)

// The records that are checked and not stored by this version. A shape moves
// to its domain when the domain begins to store it.

type marketMetrics struct {
	InstrumentID market.ID      `json:"instrument_id" record:"required"`
	Date         market.Date    `json:"date" record:"required"`
	MarketCap    market.Decimal `json:"market_cap"`
	PeRatio      market.Decimal `json:"pe_ratio"`
	AsOf         market.Instant `json:"as_of"`
	Source       *string        `json:"source"`
}

type statement struct {
	InstrumentID market.ID       `json:"instrument_id" record:"required"`
	FiscalYear   int             `json:"fiscal_year" record:"required" range:"1900 2200"`
	FiscalMonth  int             `json:"fiscal_month" record:"required" one:"3 6 9 12"`
	Currency     string          `json:"currency" record:"required"`
	EndDate      market.Date     `json:"end_date" record:"required"`
	Basis        string          `json:"basis" record:"required" one:"nominal inflation_adjusted"`
	Template     string          `json:"template" record:"required" one:"industrial bank insurer"`
	FiledAt      market.Instant  `json:"filed_at" record:"required"`
	Items        []statementItem `json:"items" record:"required"`
}

type statementItem struct {
	Code    string         `json:"code" record:"required"`
	LabelTr string         `json:"label_tr" record:"required"`
	Group   string         `json:"group" record:"required" one:"income_statement balance_sheet cash_flow"`
	Kind    string         `json:"kind" record:"required" one:"flow stock per_share"`
	Value   market.Decimal `json:"value"`
	Role    *string        `json:"role" one:"revenue operating_profit depreciation_and_amortisation net_profit_parent equity_attributable_to_parent total_equity minority_interest short_term_financial_debt long_term_financial_debt cash_and_equivalents short_term_financial_investments eps"`
}

type dividend struct {
	InstrumentID  market.ID      `json:"instrument_id" record:"required"`
	ExDate        market.Date    `json:"ex_date" record:"required"`
	Installment   *int           `json:"installment" range:"1 100"`
	PaymentDate   market.Date    `json:"payment_date"`
	GrossPerShare market.Decimal `json:"gross_per_share"`
	NetPerShare   market.Decimal `json:"net_per_share"`
	Currency      string         `json:"currency" record:"required"`
}

type country struct {
	Name string `json:"name" record:"required"`
	Code string `json:"code" record:"required"`
}

type calendarEvent struct {
	EventID    int     `json:"event_id" record:"required"`
	Name       string  `json:"name" record:"required"`
	Country    country `json:"country" record:"required"`
	Currency   string  `json:"currency" record:"required"`
	Importance int     `json:"importance" record:"required" range:"1 3"`
	IsSpeaking bool    `json:"is_speaking" record:"required"`
}

type calendarItem struct {
	EventID  int            `json:"event_id" record:"required"`
	Time     market.Instant `json:"time" record:"required"`
	Actual   number         `json:"actual"`
	Forecast number         `json:"forecast"`
	Previous number         `json:"previous"`
	Unit     anyText        `json:"unit"`
}

type inflationPoint struct {
	SeriesID  string         `json:"series_id" record:"required" one:"YI_UFE TUFE"`
	Month     month          `json:"month" record:"required"`
	Value     market.Decimal `json:"value"`
	Unit      *string        `json:"unit"`
	Source    *string        `json:"source"`
	FetchedAt market.Instant `json:"fetched_at"`
}

type bilingual struct {
	Tr *anyText `json:"tr"`
	En *anyText `json:"en"`
}

type document struct {
	Name        string  `json:"name" record:"required"`
	ContentType *string `json:"content_type"`
	SizeBytes   *int    `json:"size_bytes"`
	Location    string  `json:"location" record:"required"`
}

type disclosureBody struct {
	SourceFormat string         `json:"source_format" record:"required" one:"flatData presentation html"`
	FileType     string         `json:"file_type" record:"required"`
	Content      jsontext.Value `json:"content" record:"required"`
}

type disclosure struct {
	DisclosureIndex int              `json:"disclosure_index" record:"required" range:"0 9007199254740992"`
	Type            string           `json:"type" record:"required" one:"FR ODA DG DUY CA FON"`
	Class           string           `json:"class" record:"required"`
	Symbols         []string         `json:"symbols" record:"required"`
	FilerCodes      []string         `json:"filer_codes" record:"required"`
	FilerTitle      *string          `json:"filer_title"`
	CompanyID       *string          `json:"company_id"`
	PublishedAt     market.Instant   `json:"published_at"`
	Reason          *string          `json:"reason" one:"NEW UPD CORR CANC"`
	RelatedIndex    *int             `json:"related_index"`
	Subject         *bilingual       `json:"subject"`
	Summary         *bilingual       `json:"summary"`
	Link            *string          `json:"link"`
	Year            *string          `json:"year"`
	Period          *string          `json:"period"`
	Consolidation   *string          `json:"consolidation"`
	Attachments     []document       `json:"attachments"`
	AttachmentCount *int             `json:"attachment_count"`
	Facts           []jsontext.Value `json:"facts"`
	Contexts        []jsontext.Value `json:"contexts"`
	Body            *disclosureBody  `json:"body"`
}

type companyIdentity struct {
	Title           string      `json:"title" record:"required"`
	CompanyID       *string     `json:"company_id"`
	Codes           []string    `json:"codes"`
	TradeRegistryNo *string     `json:"trade_registry_no"`
	FoundedAt       market.Date `json:"founded_at"`
	Address         *string     `json:"address"`
	Website         *string     `json:"website"`
	Auditor         *string     `json:"auditor"`
}

type companyCapital struct {
	PaidIn            market.Decimal `json:"paid_in"`
	RegisteredCeiling market.Decimal `json:"registered_ceiling"`
	Currency          string         `json:"currency" record:"required"`
}

type freeFloat struct {
	Pct    market.Decimal `json:"pct"`
	Amount market.Decimal `json:"amount"`
	AsOf   market.Instant `json:"as_of"`
}

type shareholder struct {
	Name        string         `json:"name" record:"required"`
	ShareAmount market.Decimal `json:"share_amount"`
	SharePct    market.Decimal `json:"share_pct"`
	VotingPct   market.Decimal `json:"voting_pct"`
}

type shareGroup struct {
	Group        string         `json:"group" record:"required"`
	NominalValue market.Decimal `json:"nominal_value"`
	Amount       market.Decimal `json:"amount"`
	SharePct     market.Decimal `json:"share_pct"`
	Privileged   *bool          `json:"privileged"`
	Traded       *bool          `json:"traded"`
}

type person struct {
	Name          string      `json:"name" record:"required"`
	Title         *string     `json:"title"`
	AppointedAt   market.Date `json:"appointed_at"`
	IsIndependent *bool       `json:"is_independent"`
}

type company struct {
	CompanyID    string           `json:"company_id" record:"required"`
	Codes        []string         `json:"codes" record:"required"`
	Symbol       *string          `json:"symbol"`
	Identity     *companyIdentity `json:"identity"`
	Sector       *string          `json:"sector"`
	Capital      *companyCapital  `json:"capital"`
	FreeFloat    *freeFloat       `json:"free_float"`
	Shareholders []shareholder    `json:"shareholders"`
	ShareGroups  []shareGroup     `json:"share_groups"`
	Board        []person         `json:"board"`
	Executives   []person         `json:"executives"`
	AsOf         market.Instant   `json:"as_of"`
}

type filingLine struct {
	Code      string         `json:"code" record:"required"`
	Label     bilingual      `json:"label" record:"required"`
	Value     market.Decimal `json:"value"`
	ValueType string         `json:"value_type" record:"required" one:"monetary per_share non_monetary"`
}

type filing struct {
	DisclosureIndex int          `json:"disclosure_index" record:"required" range:"0 9007199254740992"`
	Symbol          string       `json:"symbol" record:"required"`
	Year            string       `json:"year" record:"required"`
	Period          string       `json:"period" record:"required"`
	EndDate         market.Date  `json:"end_date" record:"required"`
	Consolidation   string       `json:"consolidation" record:"required" one:"CS NC"`
	Currency        string       `json:"currency" record:"required"`
	Template        string       `json:"template" record:"required"`
	Tms29Applied    bool         `json:"tms29_applied" record:"required"`
	MeasuringMonth  month        `json:"measuring_month"`
	BalanceSheet    []filingLine `json:"balance_sheet" record:"required"`
	IncomeStatement []filingLine `json:"income_statement" record:"required"`
	CashFlow        []filingLine `json:"cash_flow" record:"required"`
}

type fundReturns struct {
	W1 market.Decimal `json:"1w"`
	W2 market.Decimal `json:"2w"`
	M1 market.Decimal `json:"1m"`
	M3 market.Decimal `json:"3m"`
	M6 market.Decimal `json:"6m"`
	Y1 market.Decimal `json:"1y"`
	Y3 market.Decimal `json:"3y"`
	Y5 market.Decimal `json:"5y"`
}

type fund struct {
	Code             string         `json:"code" record:"required"`
	InstrumentID     market.ID      `json:"instrument_id"`
	Name             string         `json:"name" record:"required"`
	Founder          *string        `json:"founder"`
	Category         *string        `json:"category"`
	Currency         string         `json:"currency" record:"required"`
	Price            market.Decimal `json:"price"`
	PriceDate        market.Date    `json:"price_date"`
	PortfolioSize    market.Decimal `json:"portfolio_size"`
	InvestorCount    *int           `json:"investor_count"`
	ShareCount       market.Decimal `json:"share_count"`
	ManagementFeePct market.Decimal `json:"management_fee_pct"`
	RiskLevel        *int           `json:"risk_level"`
	IsParticipation  *bool          `json:"is_participation"`
	InceptionDate    market.Date    `json:"inception_date"`
	AsOf             market.Instant `json:"as_of"`
	Returns          *fundReturns   `json:"returns"`
}

type fundFlow struct {
	Code          string         `json:"code" record:"required"`
	Date          market.Date    `json:"date" record:"required"`
	NetFlow       market.Decimal `json:"net_flow" record:"required"`
	Inflow        market.Decimal `json:"inflow"`
	Outflow       market.Decimal `json:"outflow"`
	InvestorCount *int           `json:"investor_count"`
}

type fundHolding struct {
	FundCode     string         `json:"fund_code" record:"required"`
	InstrumentID market.ID      `json:"instrument_id" record:"required"`
	ReportMonth  month          `json:"report_month" record:"required"`
	WeightPct    market.Decimal `json:"weight_pct"`
	MarketValue  market.Decimal `json:"market_value"`
}

type ipo struct {
	ID                 string         `json:"id" record:"required"`
	Company            string         `json:"company" record:"required"`
	Symbol             *string        `json:"symbol"`
	InstrumentID       market.ID      `json:"instrument_id"`
	Price              market.Decimal `json:"price"`
	PriceLow           market.Decimal `json:"price_low"`
	PriceHigh          market.Decimal `json:"price_high"`
	Currency           string         `json:"currency" record:"required"`
	Lots               market.Decimal `json:"lots"`
	OfferSize          market.Decimal `json:"offer_size"`
	DemandStart        market.Date    `json:"demand_start"`
	DemandEnd          market.Date    `json:"demand_end"`
	FirstTradeDate     market.Date    `json:"first_trade_date"`
	LeadUnderwriter    *string        `json:"lead_underwriter"`
	AsOf               market.Instant `json:"as_of"`
	DistributionMethod *string        `json:"distribution_method"`
	UseOfProceeds      *string        `json:"use_of_proceeds"`
	DiscountPct        market.Decimal `json:"discount_pct"`
	FreeFloatPct       market.Decimal `json:"free_float_pct"`
	Documents          []document     `json:"documents"`
}

type sourceStatus struct {
	Source string         `json:"source" record:"required"`
	Up     bool           `json:"up" record:"required"`
	AsOf   market.Instant `json:"as_of" record:"required"`
}

type sentiment struct {
	Label string         `json:"label" record:"required"`
	Score market.Decimal `json:"score"`
}

type news struct {
	NewsID      string         `json:"news_id" record:"required"`
	Title       string         `json:"title" record:"required"`
	PublishedAt market.Instant `json:"published_at" record:"required"`
	Symbols     []string       `json:"symbols" record:"required"`
	Summary     *string        `json:"summary"`
	Sentiment   *sentiment     `json:"sentiment"`
	Link        *string        `json:"link"`
}

type logo struct {
	InstrumentID market.ID `json:"instrument_id"`
	Founder      string    `json:"founder"`
	PNG          png       `json:"png" record:"required"`
}

// anyText is text that may be empty.
type anyText string

func (a *anyText) UnmarshalText(text []byte) error {
	*a = anyText(text)
	return nil
}

// month is YYYY-MM.
type month string

func (m *month) UnmarshalText(text []byte) error {
	*m = month(text)
	if _, err := time.Parse("2006-01", string(text)); err != nil {
		return errors.New("must be a month such as 2026-03 (YYYY-MM)")
	}
	return nil
}

// png is a PNG image in base64.
type png []byte

func (p *png) UnmarshalText(text []byte) error {
	raw, err := base64.StdEncoding.DecodeString(string(text))
	if err != nil || !bytes.HasPrefix(raw, []byte("\x89PNG\r\n\x1a\n")) {
		return errors.New("must be a PNG image in base64")
	}
	*p = raw
	return nil
}
