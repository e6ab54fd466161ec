package fundamentals

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"
	_ "time/tzdata" // New York's calendar, on machines that have no zones, too

	"piyasa/access"
	"piyasa/domain/market"
	"piyasa/problem"
	"piyasa/value"
)

// DividendRecord is what a company pays the holders of its shares on one
// occasion. A later record of the same instrument, ex date and installment
// replaces it.
type DividendRecord struct {
	InstrumentID  market.ID     `json:"instrument_id" record:"required"`
	ExDate        value.Date    `json:"ex_date" record:"required" time:"any"` // the first day on which the share trades without the dividend
	Installment   *int          `json:"installment" range:"1 100"`            // null: paid at once
	PaymentDate   value.Date    `json:"payment_date" time:"any"`
	GrossPerShare value.Decimal `json:"gross_per_share"`
	NetPerShare   value.Decimal `json:"net_per_share"` // after the tax that the company withholds
	Currency      string        `json:"currency" record:"required"`
}

// Validate returns the value.Invalid of the record, if any.
func (r *DividendRecord) Validate() error {
	if err := cmp.Or(market.CheckCurrencyCode(r.Currency), value.CheckDay("ex_date", r.ExDate), value.CheckDay("payment_date", r.PaymentDate)); err != nil {
		return err
	}
	switch {
	case r.GrossPerShare.Sign() < 0:
		return value.Invalidf("gross_per_share", "must be 0 or more")
	case r.NetPerShare.Sign() < 0:
		return value.Invalidf("net_per_share", "must be 0 or more")
	}
	return nil
}

// Number is the number of the installment; 0 when the dividend is paid at once.
func (r *DividendRecord) Number() int {
	if r.Installment == nil {
		return 0
	}
	return *r.Installment
}

// DividendStatus says whether the day of a payment has come.
type DividendStatus string

// The statuses.
const (
	Upcoming DividendStatus = "upcoming"
	Paid     DividendStatus = "paid"
)

// UnmarshalText implements encoding.TextUnmarshaler; only the exact names pass.
func (s *DividendStatus) UnmarshalText(text []byte) error {
	return value.OneOf(s, text, Upcoming, Paid)
}

// Dividend is a DividendRecord as it is shown.
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

// DividendHistory is every known dividend of an instrument, past and announced.
type DividendHistory struct {
	InstrumentID market.ID   `json:"instrument_id"`
	Currency     string      `json:"currency"`  // of the instrument's price
	Dividends    []*Dividend `json:"dividends"` // by ex date, then installment
	Count        int         `json:"count"`
}

// DividendStore is where dividends are read from.
type DividendStore interface {
	// Dividends are the first dividends of each instrument, at most that many
	// of one, the newest ex date first and of one ex date the last installment
	// first.
	Dividends(ctx context.Context, ids []market.ID, first int) (map[market.ID][]*DividendRecord, error)
	// DividendPage are the first q.Limit dividends that q selects, in its
	// order.
	DividendPage(ctx context.Context, q DividendQuery) ([]*DividendRecord, error)
}

// DividendHistory is every known dividend of an instrument of bist or us; ETFs
// of bist have none. An ETF is known by its own id only. Needs history, and a
// key that is not of the test plan. Problems: test-plan, not-found.
func (s *Service) DividendHistory(ctx context.Context, id string) (*DividendHistory, error) {
	if err := enterDividends(ctx); err != nil {
		return nil, err
	}
	if m := market.ID(id).Market(); m != market.BIST && m != market.US { // before a shared ticker of coins is ambiguous
		return nil, problem.New(problem.NotFound, "Only bist: and us: ids have dividends; got %s.", problem.Shown(id))
	}
	in, err := s.company(id)
	if err != nil {
		return nil, err
	}
	all, err := s.newest(ctx, []*market.Instrument{in}, math.MaxInt32)
	if err != nil {
		return nil, err
	}
	slices.Reverse(all[0])
	access.Charge(ctx, access.Unit)
	return &DividendHistory{in.InstrumentID, in.Currency, all[0], len(all[0])}, nil
}

// DividendsOf returns the dividends of instruments in their order, read together:
// of each the first ones, the newest ex date first; none of ETFs of bist and of
// other markets than bist and us. first is within market.EdgeLimit. Needs
// history, and a key that is not of the test plan. Each instrument of bist or
// us costs one unit.
func (s *Service) DividendsOf(ctx context.Context, instruments []*market.Instrument, first *int) ([][]*Dividend, []error) {
	return access.Relation[*market.Instrument, []*Dividend]{
		Enter: enterDividends,
		Read: func(instruments []*market.Instrument) ([][]*Dividend, error) {
			n, err := value.First(first)
			if err != nil {
				return nil, err
			}
			return s.newest(ctx, instruments, n)
		},
		Charged: func(in *market.Instrument, _ []*Dividend) bool { return isCompany(in) },
	}.Answer(ctx, instruments)
}

// enterDividends begins an operation on the dividends of single instruments.
func enterDividends(ctx context.Context) error {
	if err := access.Enter(ctx, access.History); err != nil {
		return err
	}
	if access.CallOf(ctx).Key.Test {
		return problem.New(problem.TestPlan, "The test plan does not include the dividends of one instrument; use the list of dividends.")
	}
	return nil
}

// newest are the first dividends of each instrument, the newest ex date first.
func (s *Service) newest(ctx context.Context, instruments []*market.Instrument, first int) ([][]*Dividend, error) {
	ids := []market.ID{}
	for _, in := range instruments {
		if paysDividends(in) {
			ids = append(ids, in.InstrumentID)
		}
	}
	found, err := s.Store.Dividends(ctx, ids, first)
	if err != nil {
		return nil, err
	}
	now, all := s.Market.Now(), make([][]*Dividend, len(instruments))
	for i, in := range instruments {
		all[i] = shownDividends(found[in.InstrumentID], dividendDay(in.Market, now))
	}
	return all, nil
}

// paysDividends reports whether dividends of the instrument are shown.
func paysDividends(in *market.Instrument) bool {
	only := dividendPayers(in.Market)
	return isCompany(in) && (only == nil || *only == in.AssetType)
}

// dividendPayers are the only sort of instrument of a market whose dividends
// are shown: on bist stocks, in the US any (nil).
func dividendPayers(m market.Market) *market.AssetType {
	if m == market.BIST {
		return new(market.Stock)
	}
	return nil
}

// newYork has daylight saving; Turkey, which has none, is market.TurkeyDay.
var newYork = func() *time.Location {
	zone, err := time.LoadLocation("America/New_York")
	if err != nil {
		panic(err) // the zones are part of the binary
	}
	return zone
}()

// dividendDay is the day of now in the calendar of a market that pays
// dividends.
func dividendDay(m market.Market, now value.Instant) value.Date {
	if m == market.US {
		return value.NewDate(now.Time().In(newYork).Date())
	}
	return value.TurkeyDay(now)
}

// shownDividends shows records as they are on a day of their market.
func shownDividends(records []*DividendRecord, today value.Date) []*Dividend {
	shown := make([]*Dividend, len(records))
	for i, r := range records {
		shown[i] = &Dividend{r.InstrumentID, r.InstrumentID.Symbol(), r.ExDate, r.PaymentDate, r.GrossPerShare, r.NetPerShare, r.Currency, r.Installment, r.status(today)}
	}
	return shown
}

// status is judged by the day of the payment, or by the ex date where no other
// is stated.
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
