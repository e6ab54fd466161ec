package fundamentals

import (
	"cmp"
	"regexp"
	"strconv"
	"time"

	"piyasa/domain/market"
	"piyasa/internal/problem"
	"piyasa/internal/value"
)

// DividendRecord is what a company pays its shareholders on one occasion. A
// later record of the same instrument, ex date and occasion replaces it.
type DividendRecord struct {
	InstrumentID market.ID `json:"instrument_id" record:"required"`
	// the first day on which the share trades without the dividend
	ExDate        value.Date    `json:"ex_date" record:"required" time:"any"`
	DividendID    *string       `json:"dividend_id"`               // the source's own, where it has one
	Kind          *string       `json:"kind"`                      // lower-case words, such as special
	Installment   *int          `json:"installment" range:"1 100"` // null: paid at once
	PaymentDate   value.Date    `json:"payment_date" time:"any"`
	GrossPerShare value.Decimal `json:"gross_per_share"`
	NetPerShare   value.Decimal `json:"net_per_share"` // after the tax that the company withholds
	Currency      string        `json:"currency" record:"required"`
}

// Validate returns the value.Invalid of the record, if any.
func (r *DividendRecord) Validate() error {
	if err := cmp.Or(market.CheckCurrencyCode(r.Currency), value.CheckDay("ex_date", r.ExDate),
		value.CheckDay("payment_date", r.PaymentDate)); err != nil {
		return err
	}
	if err := r.checkOccasion(); err != nil {
		return err
	}
	if err := cmp.Or(checkAmount("gross_per_share", r.GrossPerShare), checkAmount("net_per_share", r.NetPerShare)); err != nil {
		return err
	}
	switch {
	case !r.PaymentDate.IsNull() && r.PaymentDate.Before(r.ExDate):
		return value.Invalidf("payment_date", "must not be before ex_date, %s; got %s", r.ExDate, r.PaymentDate)
	case !r.NetPerShare.IsNull() && !r.GrossPerShare.IsNull() && r.NetPerShare.Cmp(r.GrossPerShare) > 0:
		return value.Invalidf("net_per_share", "must not be above gross_per_share, %s; got %s", r.GrossPerShare, r.NetPerShare)
	}
	return nil
}

// checkAmount rejects an amount that nobody can pay.
func checkAmount(member string, amount value.Decimal) error {
	if !amount.IsNull() && amount.Sign() <= 0 {
		return value.Invalidf(member, "must be above 0, or left out while it is not known; got %s", amount)
	}
	return nil
}

// Occasion returns what tells the dividends of one share and ex date apart: the source's id, or
// else kind and installment.
func (r *DividendRecord) Occasion() string {
	if r.DividendID != nil {
		return "id:" + *r.DividendID
	}
	kind := ""
	if r.Kind != nil {
		kind = *r.Kind
	}
	return kind + "/" + strconv.Itoa(r.Number())
}

var dividendKind = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

func (r *DividendRecord) checkOccasion() error {
	if r.DividendID != nil {
		if *r.DividendID == "" {
			return value.Invalidf("dividend_id", "must not be empty; leave it out where there is none")
		}
		if err := value.CheckKey("dividend_id", *r.DividendID); err != nil {
			return err
		}
	}
	if r.Kind == nil {
		return nil
	}
	if !dividendKind.MatchString(*r.Kind) {
		return value.Invalidf("kind", "must be lower-case words of a-z and digits, joined by hyphens, such as special; got %s",
			problem.Shown(*r.Kind))
	}
	return value.CheckKey("kind", *r.Kind)
}

// Number returns the number of the installment, or 0 if the dividend is paid at
// once.
func (r *DividendRecord) Number() int {
	if r.Installment == nil {
		return 0
	}
	return *r.Installment
}

// StoredDividend is a DividendRecord with its number in the store.
type StoredDividend struct {
	DividendRecord
	Seq int64
}

// Dividend is a DividendRecord as answers show it.
type Dividend struct {
	InstrumentID  market.ID      `json:"instrument_id"`
	Symbol        string         `json:"symbol"`
	ExDate        value.Date     `json:"ex_date"`
	PaymentDate   value.Date     `json:"payment_date"`
	GrossPerShare value.Decimal  `json:"gross_per_share"`
	NetPerShare   value.Decimal  `json:"net_per_share"`
	Currency      string         `json:"currency"`
	Installment   *int           `json:"installment"` // null: paid at once
	Status        DividendStatus `json:"status"`
}

// shownDividends returns records as answers show them, as of a day of their market.
func shownDividends(records []*DividendRecord, today value.Date) []*Dividend {
	shown := make([]*Dividend, len(records))
	for i, r := range records {
		shown[i] = r.shown(today)
	}
	return shown
}

// shown returns a record as answers show it, as of a day of its market.
func (r *DividendRecord) shown(today value.Date) *Dividend {
	return &Dividend{r.InstrumentID, r.InstrumentID.Symbol(), r.ExDate, r.PaymentDate, r.GrossPerShare, r.NetPerShare, r.Currency,
		r.Installment, r.status(today)}
}

// DividendStatus says whether the day of the payment has come.
type DividendStatus string

// The statuses.
const (
	Upcoming DividendStatus = "upcoming"
	Paid     DividendStatus = "paid"
)

var _ = value.Enum(Upcoming, Paid)

// status compares a day with the payment date, or with the ex date if there is
// no payment date.
func (r *DividendRecord) status(today value.Date) DividendStatus {
	day := r.PaymentDate
	if day.IsNull() {
		day = r.ExDate
	}
	if today.Before(day) {
		return Upcoming
	}
	return Paid
}

// paysDividends reports whether answers show the dividends of the instrument.
func paysDividends(in *market.Instrument) bool {
	only := dividendPayers(in.Market)
	return isCompany(in) && (only == nil || *only == in.AssetType)
}

// dividendPayers returns the only asset type of a market whose dividends are shown: stocks on
// bist; nil (any type) elsewhere.
func dividendPayers(m market.Market) *market.AssetType {
	if m == market.BIST {
		return new(market.Stock)
	}
	return nil
}

// newYork has daylight saving time.
var newYork = func() *time.Location {
	zone, err := time.LoadLocation("America/New_York")
	if err != nil {
		panic(err) // the zones are part of the binary
	}
	return zone
}()

// dividendDay returns the day of now in the calendar of a market.
func dividendDay(m market.Market, now value.Instant) value.Date {
	if m == market.US {
		return value.NewDate(now.Time().In(newYork).Date())
	}
	return value.TurkeyDay(now)
}
