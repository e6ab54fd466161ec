package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"piyasa/account/access"
	"piyasa/domain/fundamentals"
	"piyasa/domain/market"
	"piyasa/internal/value"
	"piyasa/test/fixture/need"
)

// library is everything that the services of the examples read, in memory.
type library struct {
	filings   []*fundamentals.Filed
	metrics   []*fundamentals.Metrics
	dividends map[market.ID]*fundamentals.DividendRecord
}

// Statements implements fundamentals.StatementStore.
func (l *library) Statements(_ context.Context, keys []fundamentals.HistoryKey) (map[fundamentals.HistoryKey][]*fundamentals.Filed,
	int64, error) {
	return map[fundamentals.HistoryKey][]*fundamentals.Filed{keys[0]: l.filings}, 0, nil
}

// Metrics implements fundamentals.MetricsStore.
func (l *library) Metrics(_ context.Context, _ []market.ID, first, last value.Date) ([][]*fundamentals.Metrics, error) {
	within := slices.DeleteFunc(slices.Clone(l.metrics), func(m *fundamentals.Metrics) bool {
		return m.Date.Before(first) || last.Before(m.Date)
	})
	return [][]*fundamentals.Metrics{within}, nil
}

// Dividends implements fundamentals.DividendStore.
func (l *library) Dividends(_ context.Context, ids []market.ID, _ int) (map[market.ID][]*fundamentals.DividendRecord, error) {
	return map[market.ID][]*fundamentals.DividendRecord{ids[0]: {l.dividends[ids[0]]}}, nil
}

// DividendPage implements fundamentals.DividendStore.
func (*library) DividendPage(context.Context, fundamentals.DividendQuery) ([]*fundamentals.StoredDividend, error) {
	return nil, errors.New("no example asks for a page")
}

// service is a service that knows some companies and the rates of an example,
// which were observed just now.
func (e example) service(l *library, now string, companies ...market.ID) *fundamentals.Service {
	s := &fundamentals.Service{
		Market: &market.Service{Live: market.NewLive(), Now: func() value.Instant { return value.MustInstant(now) }, FXMaxAge: time.Hour},
		Store:  l, Histories: fundamentals.NewHistoryCache(l, 0, nil), Live: fundamentals.NewLive(), Lines: fundamentals.ShippedLines(),
	}
	var catalog []*market.Instrument
	for _, id := range companies {
		in := &market.Instrument{InstrumentID: id, Symbol: id.Symbol(), Market: id.Market(), AssetType: market.Stock, Currency: "TRY"}
		if in.Market == market.US {
			in.Currency = "USD"
		}
		catalog = append(catalog, in)
	}
	var rates []*market.Observation
	for _, p := range e.inputs {
		if regexp.MustCompile(`^[A-Z]{6}$`).MatchString(p.name) {
			id := market.ID("fx:" + p.name)
			catalog = append(catalog, &market.Instrument{InstrumentID: id, Symbol: p.name, Market: market.FX, AssetType: market.Pair,
				Currency: p.name[3:]})
			rates = append(rates, &market.Observation{InstrumentID: id, AsOf: value.MustInstant(now), Last: value.MustDecimal(p.text)})
		}
	}
	s.Market.Live.PutCatalog(catalog, nil)
	s.Market.Live.PutQuotes(rates)
	return s
}

const (
	exampleNow     = "2026-03-18T12:00:00Z"
	exampleCompany = market.ID("bist:DMOST")
)

// asker is a request with the scope that the examples need.
func asker() context.Context {
	ctx, _ := access.WithCall(context.Background(), &access.Key{Scopes: []access.Scope{access.History}})
	return ctx
}

// orNull is text, null when there is none.
func orNull(text *string) string {
	if text == nil {
		return "null"
	}
	return *text
}

// exact is a figure, null when it is null.
func exact(d value.Decimal) string {
	if d.IsNull() {
		return "null"
	}
	return d.String()
}

// exactOr is a figure, or ! and the reason why there is none.
func exactOr(d value.Decimal, reason *string) string {
	if reason != nil {
		return "!" + *reason
	}
	return exact(d)
}

// stated is the figure of a text of the page.
func stated(text string) (value.Decimal, error) {
	if text == "null" {
		return value.Decimal{}, nil
	}
	return value.ParseDecimal(text)
}

// period is the year and month of "2025 9M" or "2025 FY".
func period(text string) (year, month int, err error) {
	text = strings.Replace(text, "FY", "12M", 1)
	_, err = fmt.Sscanf(text, "%d %dM", &year, &month)
	return year, month, err
}

// filing is a statement as it is usually filed.
func filing(id market.ID, template string, year, month int, items []fundamentals.Item) *fundamentals.Filed {
	s := &fundamentals.Statement{Items: items, Heading: fundamentals.Heading{
		InstrumentID: id, Currency: "TRY", FiscalYear: year, FiscalMonth: month,
		EndDate: value.NewDate(year, time.Month(month)+1, 1).AddDays(-1),
		Basis:   fundamentals.Nominal, Template: fundamentals.Template(template),
	}}
	if year >= 2024 && id.Market() == market.BIST {
		s.Basis = fundamentals.InflationAdjusted
	}
	s.FiledAt = s.EndDate.TurkeyStart()
	return &fundamentals.Filed{Heading: s.Heading, Layout: fundamentals.NewLayout(s.Lines()), Figures: s.Figures()}
}

// statementLines are the lines of examples that are no flows.
var statementLines = map[string]fundamentals.LineKind{"total_assets": fundamentals.Stock, "eps": fundamentals.PerShare}

func statementsExample(_ *testing.T, e example) (func(string) string, error) {
	l := new(library)
	for _, p := range e.inputs[1:] {
		if p.name == "basis" {
			continue
		}
		year, month, err := period(p.name)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.name, err)
		}
		var items []fundamentals.Item
		for _, text := range strings.Split(p.text, ", ") {
			code, value, _ := strings.Cut(text, " ")
			figure, err := stated(value)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", text, err)
			}
			items = append(items,
				fundamentals.Item{Line: fundamentals.Line{Code: code, Kind: cmp.Or(statementLines[code], fundamentals.Flow),
					Group: fundamentals.IncomeStatement}, Value: figure})
		}
		f := filing(exampleCompany, "industrial", year, month, items)
		if e.get("basis", "") == "nominal" {
			f.Basis = fundamentals.Nominal
		}
		if _, end, ok := strings.Cut(p.name, " to "); ok {
			f.EndDate = value.MustDate(end)
			f.FiledAt = f.EndDate.TurkeyStart()
		}
		if words := strings.Fields(p.name); len(words) == 3 {
			f.Consolidation = words[2]
		}
		l.filings = append(l.filings, f)
	}
	timeframe, err := value.Word[fundamentals.Timeframe](e.get("timeframe", ""))
	if err != nil {
		return nil, err
	}
	series, err := e.service(l, exampleNow, exampleCompany).Financials(asker(), string(exampleCompany),
		fundamentals.FinancialsArgs{Timeframe: &timeframe})
	if err != nil {
		return nil, err
	}
	return func(name string) string {
		for _, p := range series.Periods {
			part, of := strings.CutPrefix(name, fmt.Sprint(p.FiscalPeriod, " ", p.FiscalYear))
			switch {
			case !of:
			case part == " formula":
				return *p.Formula
			case part == " source_periods":
				return strings.Join(p.SourcePeriods, " ")
			case p.NullReason != nil:
				return "!" + *p.NullReason
			default:
				var items []string
				for _, i := range p.Items {
					items = append(items, i.Code+" "+exact(i.Value))
				}
				return strings.Join(items, ", ")
			}
		}
		return "no period"
	}, nil
}

// balanceSheet are the roles of stocks.
var balanceSheet = []string{
	"short_term_financial_debt", "long_term_financial_debt", "cash_and_equivalents", "short_term_financial_investments",
	"equity_attributable_to_parent", "total_equity", "minority_interest",
}

func valuationExample(_ *testing.T, e example) (func(string) string, error) {
	id := market.ID(e.get("id", string(exampleCompany)))
	metrics := &fundamentals.Metrics{InstrumentID: id, Date: value.MustDate("2026-03-18")}
	filings := map[string][]fundamentals.Item{}
	newest := e.get("statement", "")
	for _, p := range e.inputs {
		if slices.Contains([]string{"id", "template", "statement", "currency"}, p.name) {
			continue
		}
		figure, err := stated(p.text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.name, err)
		}
		label, labelled := strings.CutPrefix(p.name, "line ")
		role, of, _ := strings.Cut(p.name, " of ")
		switch {
		case p.name == "market_cap":
			metrics.MarketCap = figure
		case p.name == "pe_ratio":
			metrics.PeRatio = figure
		case labelled:
			filings[newest] = append(filings[newest],
				fundamentals.Item{Line: fundamentals.Line{Code: label, LabelTr: label, Group: fundamentals.BalanceSheet,
					Kind: fundamentals.Stock}, Value: figure})
		case !regexp.MustCompile(`^[A-Z]{6}$`).MatchString(p.name):
			line := fundamentals.Line{Code: role, LabelTr: role, Group: fundamentals.IncomeStatement, Kind: fundamentals.Flow,
				Role: new(fundamentals.Role(role))}
			if slices.Contains(balanceSheet, role) {
				line.Group, line.Kind = fundamentals.BalanceSheet, fundamentals.Stock
			}
			of = cmp.Or(of, newest)
			filings[of] = append(filings[of], fundamentals.Item{Line: line, Value: figure})
		}
	}
	l := new(library)
	for text, items := range filings {
		year, month, err := period(text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", text, err)
		}
		l.filings = append(l.filings, filing(id, e.get("template", "industrial"), year, month, items))
	}
	s := e.service(l, exampleNow, id)
	s.Live.PutMetrics([]*fundamentals.Metrics{metrics})
	var currency *market.Currency
	if text := e.get("currency", ""); text != "" {
		currency = new(market.Currency(text))
	}
	v, err := s.Valuation(asker(), string(id), currency)
	if err != nil {
		return nil, err
	}
	all := map[string]*fundamentals.Metric{
		"pe_ratio": v.PeRatio, "pb_ratio": v.PbRatio, "ebitda": v.EBITDA, "net_debt": v.NetDebt, "ev": v.EV, "ebitda_ttm": v.EBITDATTM,
		"ev_ebitda": v.EVEBITDA, "eps_growth_pct": v.EPSGrowthPct, "peg": v.PEG,
	}
	return func(name string) string {
		switch name {
		case "market_cap":
			return exactOr(v.MarketCap.Value, v.MarketCap.NullReason)
		case "billions":
			return exact(v.MarketCap.Billions)
		case "category":
			return orNull(v.MarketCap.Category)
		case "fx_rate":
			return exact(v.FxRate)
		}
		metric, part, _ := strings.Cut(name, " ")
		m := all[metric]
		switch {
		case m == nil:
			return "no metric"
		case part == "note":
			return orNull(m.Note)
		}
		return exactOr(m.Value, m.NullReason)
	}, nil
}

func historyExample(_ *testing.T, e example) (func(string) string, error) {
	l := new(library)
	for _, p := range e.inputs[1:] {
		f := strings.Fields(strings.ReplaceAll(p.text, ",", "")) // market_cap 1 pe_ratio 2
		l.metrics = append(l.metrics, &fundamentals.Metrics{InstrumentID: exampleCompany, Date: value.MustDate(p.name),
			MarketCap: value.MustDecimal(f[1]), PeRatio: value.MustDecimal(f[3])})
	}
	h, err := e.service(l, e.get("today", "")+"T12:00:00Z", exampleCompany).ValuationHistory(asker(), string(exampleCompany),
		fundamentals.ValuationHistoryArgs{})
	if err != nil {
		return nil, err
	}
	var points []string
	for _, p := range h.Points {
		points = append(points, p.Date.String()+" "+exact(p.MarketCap)+" "+exact(p.PeRatio))
	}
	return func(name string) string {
		return map[string]string{"from_date": h.FromDate.String(), "to_date": h.ToDate.String(), "points": strings.Join(points, ", ")}[name]
	}, nil
}

func dividendsExample(t *testing.T, e example) (func(string) string, error) {
	l := &library{dividends: map[market.ID]*fundamentals.DividendRecord{}}
	var companies []market.ID
	for _, p := range e.inputs[1:] {
		id := market.ID(p.name)
		r := &fundamentals.DividendRecord{InstrumentID: id, Currency: "TRY"}
		for _, text := range strings.Split(p.text, ", ") {
			name, date, _ := strings.Cut(text, " ")
			switch name {
			case "ex":
				r.ExDate = value.MustDate(date)
			case "payment":
				r.PaymentDate = value.MustDate(date)
			default:
				return nil, fmt.Errorf("%s is no date of a dividend", name)
			}
		}
		l.dividends[id], companies = r, append(companies, id)
	}
	s := e.service(l, e.get("now", ""), companies...)
	return func(name string) string {
		h, err := s.DividendHistory(asker(), name)
		need.NoError(t, err)
		return string(h.Dividends[0].Status)
	}, nil
}

func conversionExample(_ *testing.T, e example) (func(string) string, error) {
	to := market.Currency(e.get("to", ""))
	rate, err := e.service(new(library), exampleNow).Market.Converter(&to).From(e.get("from", ""))
	if err != nil {
		return nil, err
	}
	price, wrong := stated(e.get("price", "null"))
	amount, alsoWrong := stated(e.get("amount", "null"))
	return func(name string) string {
		return map[string]string{"fx_rate": exact(rate.Factor), "price": exact(rate.Price(price)),
			"amount": exact(rate.Amount(amount))}[name]
	}, errors.Join(wrong, alsoWrong)
}
