package fundamentals

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"piyasa/account/access"
	"piyasa/domain/market"
	"piyasa/internal/value"
)

// DividendLimit is the range of a page of dividends.
var DividendLimit = value.Limit{Min: 1, Max: 1000, Default: 100}

// MaxDividendSymbols is how many symbols one list of dividends accepts,
// repeated ones counted.
const MaxDividendSymbols = 100

// The default date range of the list in days from today, and the longest range
// in days, both ends included.
const (
	dividendsSince  = -30
	dividendsUntil  = 90
	maxDividendDays = 366
)

// DividendDateField is the date that a list filters and sorts by.
type DividendDateField string

// The date fields.
const (
	ByExDate      DividendDateField = "ex"
	ByPaymentDate DividendDateField = "pay"
)

var _ = value.Enum(ByExDate, ByPaymentDate)

// DividendFilter selects the dividends of a list. A nil member has a default or
// does not restrict.
type DividendFilter struct {
	Market    *market.EquityMarket // default: bist
	From, To  *value.Date          // of the chosen date, both included; default: 30 days before today, and 90 after it
	DateField *DividendDateField   // default: the ex date
	Status    *DividendStatus
	Symbols   []string // codes or canonical ids of the market
}

// DividendQuery is a DividendFilter prepared for the store. It leaves out dividends without the
// chosen date, and those of instruments that are not in the catalog. The order is the chosen
// date, the instrument's id byte by byte, the installment (paid at once comes first), the ex
// date, and the occasion.
type DividendQuery struct {
	Market      market.Market
	AssetType   *market.AssetType // of the instrument; nil: any
	Instruments []market.ID       // any of them; nil: all
	DateField   DividendDateField
	From, To    value.Date // both included
	Status      *DividendStatus
	Today       value.Date     // the status depends on it
	After       *DividendPlace // only dividends after it in the order
	Backward    bool           // the order is reversed
	Limit       int
}

// DividendPlace is the position of a dividend in the list.
type DividendPlace struct {
	Date         value.Date // the chosen one
	InstrumentID market.ID
	Installment  int // 0: paid at once
	ExDate       value.Date
	Occasion     string
}

// DividendPage is one page of dividends.
type DividendPage struct {
	Market     market.EquityMarket `json:"market"`
	FromDate   value.Date          `json:"from_date"`
	ToDate     value.Date          `json:"to_date"`
	Dividends  []*Dividend         `json:"dividends"`
	Count      int                 `json:"count"`
	NotFound   []string            `json:"not_found"`   // symbols that the list does not cover, as written, each once
	NextCursor *string             `json:"next_cursor"` // null: there is no more

	MissingReason *value.MissingReason `json:"-"` // nil unless it is empty or cut
}

// Dividends returns one page of the dividends that match filter, the earliest
// first. Following NextCursor until it is null returns each once: all pages
// have the date range of the first, even if a day ends between them. On bist
// the list covers stocks, not ETFs. A key of the test plan sees the stocks of
// the plan only. Needs history; costs one unit per started 100 rows, at least
// one. Problems: test-plan, invalid-parameter, too-many-values,
// inverted-window, window-too-long, invalid-cursor, position-gone.
func (s *Service) Dividends(ctx context.Context, filter DividendFilter, cursor *string, limit *int) (*DividendPage, error) {
	var rows int
	q, pages, ids, err := s.dividendQuery(ctx, &filter, func() (err error) {
		rows, err = DividendLimit.Of(limit)
		return err
	})
	if err != nil {
		return nil, err
	}
	walk, err := pages.Start(cursor)
	switch {
	case err != nil:
	case walk.Key != "":
		q.resume(walk.Key)
	default:
		q.From, q.To, err = filter.days(q.Today)
	}
	if err != nil {
		return nil, err
	}
	page := &DividendPage{Market: *filter.Market, FromDate: q.From, ToDate: q.To}
	q.Instruments, page.NotFound = s.splitCovered(ids, filter.Symbols)
	q.Limit = rows + 1 // to know whether there are more
	found, err := s.Store.DividendPage(ctx, q)
	if err != nil {
		return nil, err
	}
	found, page.NextCursor = access.Cut(walk, found, rows, q.key)
	page.MissingReason = value.MissingFrom(len(found), filter.Symbols != nil || filter.Status != nil)
	page.Dividends, page.Count = make([]*Dividend, len(found)), len(found)
	for i, stored := range found {
		page.Dividends[i] = stored.shown(q.Today)
	}
	access.Charge(ctx, access.RowUnits(page.Count))
	return page, nil
}

// dividendQuery completes a filter and checks it, with check for further arguments. It returns
// the query without its date range, its pages, and the ids that the symbols denote.
func (s *Service) dividendQuery(ctx context.Context, filter *DividendFilter, check func() error) (q DividendQuery, pages access.Pages,
	ids []market.ID, err error) {
	if err := access.Enter(ctx, access.History); err != nil {
		return q, pages, nil, err
	}
	*filter = filter.withDefaults()
	if ids, err = s.dividendIDs(ctx, *filter); err != nil {
		return q, pages, nil, err
	}
	q = DividendQuery{Market: filter.Market.Market(), DateField: *filter.DateField, Status: filter.Status}
	q.AssetType = dividendPayers(q.Market)
	if err := check(); err != nil {
		return q, pages, nil, err
	}
	if filter.Symbols != nil {
		if err := value.CheckCount("symbols", "symbols", filter.Symbols, MaxDividendSymbols); err != nil {
			return q, pages, nil, err
		}
	}
	q.Today = dividendDay(q.Market, s.Market.Now())
	return q, access.Pages{Signer: s.Signer, Epochs: s.Epochs, List: "dividends", Query: filter.name(ids)}, ids, nil
}

// withDefaults returns f with its defaults, except for the date range, which
// depends on the day.
func (f DividendFilter) withDefaults() DividendFilter {
	f.Market = new(f.Market.OrBIST())
	if f.DateField == nil {
		f.DateField = new(ByExDate)
	}
	return f
}

// dividendIDs returns the ids that the symbols of f denote, known or not; nil
// if f has no symbols. For a key of the test plan it returns those of the plan,
// and a problem if f asks for others.
func (s *Service) dividendIDs(ctx context.Context, f DividendFilter) ([]market.ID, error) {
	var ids []market.ID
	for _, text := range f.Symbols {
		prefix := string(*f.Market) + ":"
		ids = append(ids, market.ID(prefix+value.UpperASCII(strings.TrimPrefix(text, prefix))))
	}
	if access.CallOf(ctx).Key.Test {
		return s.dividendIDsOfTests(f, ids)
	}
	return ids, nil
}

// splitCovered splits ids into those that the list covers and, as they were
// written, the symbols of the others. covered is nil if ids is.
func (s *Service) splitCovered(ids []market.ID, symbols []string) (covered []market.ID, notFound []string) {
	notFound = []string{}
	if ids == nil {
		return nil, notFound
	}
	covered = []market.ID{}
	for i, id := range ids {
		in := s.Market.ByID(id)
		switch {
		case in != nil && in.InstrumentID == id && paysDividends(in): // not one that had the id before
			covered = append(covered, id)
		case symbols != nil && !slices.Contains(notFound, symbols[i]):
			notFound = append(notFound, symbols[i])
		}
	}
	return covered, notFound
}

// days completes and checks the date range as of a day.
func (f DividendFilter) days(today value.Date) (from, to value.Date, err error) {
	first := value.BoundOf(f.From, today.AddDays(dividendsSince), fmt.Sprintf("%d days before today", -dividendsSince))
	last := value.BoundOf(f.To, today.AddDays(dividendsUntil), fmt.Sprintf("%d days after today", dividendsUntil))
	return first.Date, last.Date, value.Range{From: first, To: last}.Check("A range of dividends", maxDividendDays)
}

// name identifies the filter and the order; cursors are bound to it. A missing
// bound stays missing here: the cursor's key holds the dates of the first page.
func (f DividendFilter) name(ids []market.ID) string {
	ids = slices.Compact(slices.Sorted(slices.Values(ids)))
	status := DividendStatus("")
	if f.Status != nil {
		status = *f.Status
	}
	return fmt.Sprintf("%s %v %v %s %q %q", *f.Market, f.From, f.To, *f.DateField, status, ids)
}

// key encodes the date range of q and the place of a dividend for a cursor, and
// returns the dividend's number.
func (q *DividendQuery) key(r *StoredDividend) (key string, seq int64) {
	date := r.ExDate
	if q.DateField == ByPaymentDate {
		date = r.PaymentDate
	}
	return fmt.Sprintf("%s %s %s %s %d %s %s", q.From, q.To, date, r.InstrumentID, r.Number(), r.ExDate, r.Occasion()), r.Seq
}

// resume decodes a key.
func (q *DividendQuery) resume(key string) {
	words := strings.SplitN(key, " ", 7) // an occasion may have spaces
	day := func(i int) value.Date {
		d, _ := value.ParseDate(words[i])
		return d
	}
	installment, _ := strconv.Atoi(words[4])
	occasion := "/" + words[4] // of a cursor of a version without other occasions
	if len(words) > 6 {
		occasion = words[6]
	}
	q.From, q.To = day(0), day(1)
	q.After = &DividendPlace{Date: day(2), InstrumentID: market.ID(words[3]), Installment: installment, ExDate: day(5), Occasion: occasion}
}
