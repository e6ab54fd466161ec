package funds

import (
	"context"

	"piyasa/account/access"
	"piyasa/domain/market"
	"piyasa/internal/problem"
	"piyasa/internal/value"
)

// Window is the range of days whose flows are shown.
type Window string

// The windows.
const (
	LastWeek     Window = "1w"
	LastTwoWeeks Window = "2w"
	LastMonth    Window = "1m"
	Range        Window = "range" // between two given days
)

var _ = value.Enum(LastWeek, LastTwoWeeks, LastMonth, Range)

// Flow is the money that investors moved into and out of a fund on a day.
type Flow struct {
	Code          string        `json:"code" record:"required"`
	Date          value.Date    `json:"date" record:"required" time:"past"`
	NetFlow       value.Decimal `json:"net_flow" record:"required"` // in lira
	Inflow        value.Decimal `json:"inflow"`
	Outflow       value.Decimal `json:"outflow"`
	InvestorCount *int          `json:"investor_count" range:"0 2147483647"`
}

// Flows is the money that investors moved into and out of a fund over a window.
type Flows struct {
	InstrumentID market.ID    `json:"instrument_id"`
	Code         string       `json:"code"`
	Window       Window       `json:"window"`
	FromDate     value.Date   `json:"from_date"`
	ToDate       value.Date   `json:"to_date"`
	Currency     string       `json:"currency"` // TRY
	Summary      *Summary     `json:"summary"`
	Points       []*FlowPoint `json:"points"` // by date
	Count        int          `json:"count"`

	MissingReason *value.MissingReason `json:"-"` // nil unless it is empty or cut
}

// Summary holds the sums of a window. A sum is null if a day does not state its part, or if
// there are no days.
type Summary struct {
	NetFlow    value.Decimal `json:"net_flow"`
	Inflow     value.Decimal `json:"inflow"`
	Outflow    value.Decimal `json:"outflow"`
	Days       int           `json:"days"`
	NullReason *string       `json:"null_reason"` // insufficient_history without days, not_provided_by_source if a part is missing
}

// FlowPoint is one day.
type FlowPoint struct {
	Date          value.Date    `json:"date"`
	NetFlow       value.Decimal `json:"net_flow"`
	InvestorCount *int          `json:"investor_count"`
}

// FlowsArgs select the flows of a fund.
type FlowsArgs struct {
	Window   *Window     // default: 1m
	From, To *value.Date // only with range, which needs both
}

// window returns the window asked for; by default the last month.
func (a FlowsArgs) window() Window {
	if a.Window == nil {
		return LastMonth
	}
	return *a.Window
}

// check rejects bounds that do not fit the window.
func (a FlowsArgs) check() error {
	bounded := a.From != nil || a.To != nil
	switch {
	case a.window() == Range && (a.From == nil || a.To == nil):
		return problem.New(problem.ConflictingParameters, "window=range needs both from and to.")
	case a.window() != Range && bounded:
		return problem.New(problem.ConflictingParameters, "from and to need window=range; got window=%s.", a.window())
	}
	return value.CheckOrder(a.From, a.To)
}

// since returns the first day of the window that ends with last.
func (w Window) since(last value.Date) value.Date {
	switch w {
	case LastWeek:
		return last.AddDays(1 - 7)
	case LastTwoWeeks:
		return last.AddDays(1 - 14)
	}
	return last.AddMonths(-1).AddDays(1)
}

// Flows returns the flows of a fund by its code, bare or after fund:. A window ends on the
// newest day that the fund reported, or today if there is none. Needs history. Problems:
// conflicting-parameters, inverted-window, not-found.
func (s *Service) Flows(ctx context.Context, code string, args FlowsArgs) (*Flows, error) {
	if err := access.Enter(ctx, access.History); err != nil {
		return nil, err
	}
	if err := args.check(); err != nil {
		return nil, err
	}
	f, err := s.fund(code)
	if err != nil {
		return nil, err
	}
	flows := &Flows{InstrumentID: f.InstrumentID, Code: f.Code, Window: args.window(), Currency: string(market.TRY), Points: []*FlowPoint{}}
	if args.From != nil {
		flows.FromDate, flows.ToDate = *args.From, *args.To
	} else if flows.FromDate, flows.ToDate, err = s.latest(ctx, f.Code, args.window()); err != nil {
		return nil, err
	}
	days, err := s.Store.Flows(ctx, f.Code, flows.FromDate, flows.ToDate)
	if err != nil {
		return nil, err
	}
	for _, d := range days {
		flows.Points = append(flows.Points, &FlowPoint{d.Date, d.NetFlow, d.InvestorCount})
	}
	flows.Summary, flows.Count = summary(days), len(days)
	if flows.MissingReason = value.MissingFrom(flows.Count, false); flows.Count == 0 && s.Market.Today().Before(flows.FromDate) {
		flows.MissingReason = value.Missing(value.InFuture)
	}
	access.Charge(ctx, access.Unit)
	return flows, nil
}

// latest returns the bounds of a window that ends with the fund's newest day.
func (s *Service) latest(ctx context.Context, code string, w Window) (first, last value.Date, err error) {
	today := s.Market.Today()
	if last, err = s.Store.NewestFlow(ctx, code, today); err != nil {
		return first, last, err
	}
	if last.IsNull() {
		last = today
	}
	return w.since(last), last, nil
}

// summary sums the days. It does not guess a missing part of a day.
func summary(days []*Flow) *Summary {
	s := &Summary{Days: len(days)}
	if len(days) == 0 {
		s.NullReason = new(value.InsufficientHistory)
		return s
	}
	sum := func(of func(*Flow) value.Decimal) value.Decimal {
		total := value.MustDecimal("0")
		for _, d := range days {
			if of(d).IsNull() {
				s.NullReason = new(value.NotProvidedBySource)
				return value.Decimal{}
			}
			total = total.Plus(of(d))
		}
		return total
	}
	s.NetFlow = sum(func(f *Flow) value.Decimal { return f.NetFlow })
	s.Inflow, s.Outflow = sum(func(f *Flow) value.Decimal { return f.Inflow }), sum(func(f *Flow) value.Decimal { return f.Outflow })
	return s
}
