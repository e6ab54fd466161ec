package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"piyasa/access"
	"piyasa/domain/analytics"
	"piyasa/domain/fundamentals"
	"piyasa/domain/market"
)

// example is a block of docs/methodology.md: inputs, and what the program is to
// say about them after "= ". Both are "name: text".
type example struct {
	kind   string
	line   int
	inputs []pair
	want   []pair
}

type pair struct{ name, text string }

// get is the text of an input, or the other one.
func (e example) get(name, other string) string {
	for _, p := range e.inputs {
		if p.name == name {
			return p.text
		}
	}
	return other
}

// kinds are how examples are computed: from the inputs, the text that stands
// after each name of want. An error says what the page has wrong.
var exampleKinds = map[string]func(*testing.T, example) (func(name string) string, error){
	"statements": statementsExample, "valuation": valuationExample, "history": historyExample, "indicator": indicatorExample,
	"windows": windowsExample, "starts": startsExample, "returns": returnsExample, "sector_windows": sectorWindowsExample, "median": medianExample,
	"dividends": dividendsExample, "conversion": conversionExample,
}

func methodology(t *testing.T) []string {
	t.Helper()
	page, err := os.ReadFile("docs/methodology.md")
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(string(page), "\n")
}

// examples are the examples of the page.
func examples(t *testing.T) []example {
	t.Helper()
	var all []example
	var open *example
	for i, text := range methodology(t) {
		kind, starts := strings.CutPrefix(text, "```example ")
		switch {
		case starts:
			open = &example{kind: kind, line: i + 1}
		case open == nil:
		case text == "```":
			all = append(all, *open)
			open = nil
		default:
			wanted, isWant := strings.CutPrefix(text, "= ")
			at := strings.Index(wanted, ": ")
			switch {
			case at < 0 && isWant:
				t.Fatalf("line %d: %q states nothing", i+1, text)
			case at < 0: // a title
			case isWant:
				open.want = append(open.want, pair{wanted[:at], wanted[at+2:]})
			default:
				open.inputs = append(open.inputs, pair{wanted[:at], wanted[at+2:]})
			}
		}
	}
	if open != nil {
		t.Fatalf("line %d: the example does not end", open.line)
	}
	return all
}

// The figures of the page are those of the program.
func TestMethodologyExamples(t *testing.T) {
	seen := map[string]bool{}
	shown := map[string]bool{}
	for _, e := range examples(t) {
		seen[e.kind] = true
		t.Run(fmt.Sprint(e.kind, " in line ", e.line), func(t *testing.T) {
			compute := exampleKinds[e.kind]
			if compute == nil || len(e.want) == 0 {
				t.Fatalf("an example of no kind, or of nothing: %+v", e)
			}
			answer, err := compute(t, e)
			if err != nil {
				t.Fatal(err)
			}
			for _, w := range e.want {
				shown[strings.Fields(w.name)[0]] = true
				if got := answer(w.name); got != w.text {
					t.Errorf("%s: %s, and the page says %s", w.name, got, w.text)
				}
			}
		})
	}
	for kind := range exampleKinds {
		if !seen[kind] {
			t.Errorf("the page has no example of %s", kind)
		}
	}
	names := []string{"market_cap", "pe_ratio", "pb_ratio", "ebitda", "ebitda_ttm", "net_debt", "ev", "ev_ebitda", "eps_growth_pct", "peg", "fx_rate", "points"}
	for _, i := range analytics.Indicators {
		names = append(names, string(i))
	}
	for _, name := range names {
		if !shown[name] {
			t.Errorf("the page has no example of %s", name)
		}
	}
}

// table are the rows of the table whose head starts with these cells.
func table(t *testing.T, head ...string) [][]string {
	t.Helper()
	cells := func(line string) []string {
		var out []string
		for _, c := range strings.Split(strings.Trim(line, "|"), "|") {
			out = append(out, strings.Trim(strings.TrimSpace(c), "`"))
		}
		return out
	}
	var rows [][]string
	inside := false
	for _, line := range methodology(t) {
		if !strings.HasPrefix(line, "|") {
			inside = false
			continue
		}
		row := cells(line)
		switch {
		case len(row) >= len(head) && slices.Equal(row[:len(head)], head):
			inside = true
		case inside && !strings.HasPrefix(row[0], "-"):
			rows = append(rows, row)
		}
	}
	if len(rows) == 0 {
		t.Fatalf("no table of %q", head)
	}
	return rows
}

// Each indicator has a figure from the number of bars on that the page states.
func TestMethodologyBarsNeeded(t *testing.T) {
	const n = 7
	reason := func(bars int, indicator, component string) string {
		var p analytics.Prices
		for i := range bars {
			last := market.MustDecimal(fmt.Sprint(100 + i*i%7))
			p.Close, p.Volume = append(p.Close, last), append(p.Volume, last)
			p.High, p.Low = append(p.High, market.MustDecimal(fmt.Sprint(110+i*i%5))), append(p.Low, market.MustDecimal(fmt.Sprint(90-i%3)))
		}
		for _, v := range analytics.Compute(p, []analytics.Indicator{analytics.Indicator(indicator)}, []int{n}) {
			if component == "–" || v.Component != nil && *v.Component == component {
				return orNull(v.NullReason)
			}
		}
		return "no such component"
	}
	indicator, seen := "", map[string]bool{}
	for _, row := range table(t, "indicator", "component", "bars needed") {
		indicator = cmp.Or(row[0], indicator)
		seen[indicator] = true
		bars, err := strconv.Atoi(row[2])
		if err != nil {
			bars = n
		}
		if got := reason(bars, indicator, row[1]); got != "null" {
			t.Errorf("%s %s of %d bars: %s", indicator, row[1], bars, got)
		}
		if got := reason(bars-1, indicator, row[1]); got != "insufficient_history" {
			t.Errorf("%s %s of %d bars: %s", indicator, row[1], bars-1, got)
		}
	}
	for _, i := range analytics.Indicators {
		if !seen[string(i)] {
			t.Errorf("%s is not in the table", i)
		}
	}
}

// The sizes begin where the page says.
func TestMethodologySizes(t *testing.T) {
	rows := table(t, "category", "market cap in lira, from")
	size := func(value market.Decimal) string {
		e := example{inputs: []pair{{"market_cap", value.String()}}}
		answer, err := valuationExample(t, e)
		if err != nil {
			t.Fatal(err)
		}
		return answer("category")
	}
	for i, row := range rows {
		from := market.MustDecimal(row[1])
		if from.Sign() == 0 {
			from = market.MustDecimal("0.01")
		}
		if got := size(from); got != row[0] {
			t.Errorf("%s is %s, and the page says %s", from, got, row[0])
		}
		if i+1 < len(rows) {
			if got := size(from.Minus(market.MustDecimal("0.01"))); got != rows[i+1][0] {
				t.Errorf("just below %s is %s, and the page says %s", from, got, rows[i+1][0])
			}
		}
	}
}

// Every reason that the page uses is explained in its last table.
func TestMethodologyReasons(t *testing.T) {
	known := map[string]bool{"zero_is_missing": true} // names a list
	for _, row := range table(t, "null_reason", "meaning") {
		for _, name := range strings.Split(row[0], "`, `") {
			known[name] = true
		}
	}
	reason := regexp.MustCompile("(?:!|`)((?:zero|not|missing|measuring|accounting|template|out|non|bank|insufficient|index)_[a-z_]*[a-z])")
	for i, line := range methodology(t) {
		for _, m := range reason.FindAllStringSubmatch(line, -1) {
			if !known[m[1]] {
				t.Errorf("line %d: %s is not explained", i+1, m[1])
			}
		}
	}
}

// library is everything that the services of the examples read, in memory.
type library struct {
	filings   []*fundamentals.Filed
	metrics   []*fundamentals.Metrics
	dividends map[market.ID]*fundamentals.DividendRecord
}

// Statements implements fundamentals.StatementStore.
func (l *library) Statements(_ context.Context, keys []fundamentals.BookKey) (map[fundamentals.BookKey][]*fundamentals.Filed, error) {
	return map[fundamentals.BookKey][]*fundamentals.Filed{keys[0]: l.filings}, nil
}

// Metrics implements fundamentals.MetricsStore.
func (l *library) Metrics(_ context.Context, _ []market.ID, first, last market.Date) ([][]*fundamentals.Metrics, error) {
	within := slices.DeleteFunc(slices.Clone(l.metrics), func(m *fundamentals.Metrics) bool { return m.Date.Before(first) || last.Before(m.Date) })
	return [][]*fundamentals.Metrics{within}, nil
}

// Dividends implements fundamentals.DividendStore.
func (l *library) Dividends(_ context.Context, ids []market.ID, _ int) (map[market.ID][]*fundamentals.DividendRecord, error) {
	return map[market.ID][]*fundamentals.DividendRecord{ids[0]: {l.dividends[ids[0]]}}, nil
}

// DividendPage implements fundamentals.DividendStore.
func (*library) DividendPage(context.Context, fundamentals.DividendQuery) ([]*fundamentals.DividendRecord, error) {
	return nil, errors.New("no example asks for a page")
}

// service is a service that knows some companies and the rates of an example,
// which were observed just now.
func (e example) service(l *library, now string, companies ...market.ID) *fundamentals.Service {
	s := &fundamentals.Service{
		Market: &market.Service{Live: market.NewLive(), Now: func() market.Instant { return market.MustInstant(now) }, FXMaxAge: time.Hour},
		Store:  l, Books: fundamentals.NewBooks(l, 0), Live: fundamentals.NewLive(), Lines: fundamentals.ShippedLines(),
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
			catalog = append(catalog, &market.Instrument{InstrumentID: id, Symbol: p.name, Market: market.FX, AssetType: market.Pair, Currency: p.name[3:]})
			rates = append(rates, &market.Observation{InstrumentID: id, AsOf: market.MustInstant(now), Last: market.MustDecimal(p.text)})
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
func exact(d market.Decimal) string {
	if d.IsNull() {
		return "null"
	}
	return d.String()
}

// exactOr is a figure, or ! and the reason why there is none.
func exactOr(d market.Decimal, reason *string) string {
	if reason != nil {
		return "!" + *reason
	}
	return exact(d)
}

// stated is the figure of a text of the page.
func stated(text string) (market.Decimal, error) {
	if text == "null" {
		return market.Decimal{}, nil
	}
	return market.ParseDecimal(text)
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
		InstrumentID: id, Currency: "TRY", FiscalYear: year, FiscalMonth: month, EndDate: market.NewDate(year, time.Month(month)+1, 1).AddDays(-1),
		Basis: fundamentals.Nominal, Template: fundamentals.Template(template),
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
			items = append(items, fundamentals.Item{Line: fundamentals.Line{Code: code, Kind: cmp.Or(statementLines[code], fundamentals.Flow), Group: fundamentals.IncomeStatement}, Value: figure})
		}
		l.filings = append(l.filings, filing(exampleCompany, "industrial", year, month, items))
	}
	var timeframe fundamentals.Timeframe
	if err := timeframe.UnmarshalText([]byte(e.get("timeframe", ""))); err != nil {
		return nil, err
	}
	series, err := e.service(l, exampleNow, exampleCompany).Financials(asker(), string(exampleCompany), fundamentals.FinancialsArgs{Timeframe: &timeframe})
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
	"short_term_financial_debt", "long_term_financial_debt", "cash_and_equivalents", "short_term_financial_investments", "equity_attributable_to_parent", "total_equity", "minority_interest",
}

func valuationExample(_ *testing.T, e example) (func(string) string, error) {
	id := market.ID(e.get("id", string(exampleCompany)))
	metrics := &fundamentals.Metrics{InstrumentID: id, Date: market.MustDate("2026-03-18")}
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
			filings[newest] = append(filings[newest], fundamentals.Item{Line: fundamentals.Line{Code: label, LabelTr: label, Group: fundamentals.BalanceSheet, Kind: fundamentals.Stock}, Value: figure})
		case !regexp.MustCompile(`^[A-Z]{6}$`).MatchString(p.name):
			line := fundamentals.Line{Code: role, LabelTr: role, Group: fundamentals.IncomeStatement, Kind: fundamentals.Flow, Role: new(fundamentals.Role(role))}
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
		l.metrics = append(l.metrics, &fundamentals.Metrics{InstrumentID: exampleCompany, Date: market.MustDate(p.name), MarketCap: market.MustDecimal(f[1]), PeRatio: market.MustDecimal(f[3])})
	}
	h, err := e.service(l, e.get("today", "")+"T12:00:00Z", exampleCompany).ValuationHistory(asker(), string(exampleCompany), fundamentals.ValuationHistoryArgs{})
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

// column are the figures of "10, 11 x3, 2 to 5".
func column(text string) ([]market.Decimal, error) {
	var all []market.Decimal
	for _, part := range strings.Split(text, ", ") {
		if part == "" {
			continue
		}
		if from, to, isRange := strings.Cut(part, " to "); isRange {
			first, _ := strconv.Atoi(from)
			last, _ := strconv.Atoi(to)
			for n := first; n <= last; n++ {
				all = append(all, market.MustDecimal(fmt.Sprint(n)))
			}
			continue
		}
		value, times, repeated := strings.Cut(part, " x")
		figure, err := stated(value)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", part, err)
		}
		n := 1
		if repeated {
			n, _ = strconv.Atoi(times)
		}
		all = append(all, slices.Repeat([]market.Decimal{figure}, n)...)
	}
	return all, nil
}

func indicatorExample(_ *testing.T, e example) (func(string) string, error) {
	var p analytics.Prices
	for name, to := range map[string]*[]market.Decimal{"close": &p.Close, "high": &p.High, "low": &p.Low, "volume": &p.Volume} {
		var err error
		if *to, err = column(e.get(name, "")); err != nil {
			return nil, err
		}
	}
	return func(name string) string {
		indicator, part, _ := strings.Cut(name, " ")
		periods := []int{1}
		if n, err := strconv.Atoi(part); err == nil {
			periods[0], part = n, ""
		}
		for _, v := range analytics.Compute(p, []analytics.Indicator{analytics.Indicator(indicator)}, periods) {
			if part == "" || v.Component != nil && *v.Component == part {
				return exactOr(v.Value, v.NullReason)
			}
		}
		return "no figure"
	}, nil
}

// days are the days of "date: close 1, high 2, low 3".
func (e example) days() ([]analytics.Day, error) {
	var all []analytics.Day
	for _, p := range e.inputs {
		d := analytics.Day{Date: market.MustDate(p.name)}
		for _, text := range strings.Split(p.text, ", ") {
			name, value, _ := strings.Cut(text, " ")
			to := map[string]*market.Decimal{"close": &d.Close, "high": &d.High, "low": &d.Low}[name]
			if to == nil {
				return nil, fmt.Errorf("%s is no price", name)
			}
			var err error
			if *to, err = stated(value); err != nil {
				return nil, err
			}
		}
		all = append(all, d)
	}
	return all, nil
}

// spelledWindow is the text of a window by its name.
func spelledWindow(windows []*analytics.PeriodicWindow) func(string) string {
	return func(name string) string {
		for _, w := range windows {
			switch {
			case w.Window != name:
			case w.NullReason != nil:
				return "!" + *w.NullReason
			default:
				return fmt.Sprintf("start_date %s, start_price %s, end_price %s, high %s, low %s, change %s, change_pct %s", w.StartDate, w.StartPrice, w.EndPrice, w.High, w.Low, w.Change, w.ChangePct)
			}
		}
		return "no window"
	}
}

func windowsExample(_ *testing.T, e example) (func(string) string, error) {
	days, err := e.days()
	return spelledWindow(analytics.Windows(days)), err
}

func startsExample(_ *testing.T, e example) (func(string) string, error) {
	newest := market.MustDate(e.get("newest", ""))
	var days []analytics.Day
	for d := newest.AddDays(-500); !newest.Before(d); d = d.AddDays(1) {
		if d.Weekday() != time.Saturday && d.Weekday() != time.Sunday {
			days = append(days, analytics.Day{Date: d, Close: market.MustDecimal("1")})
		}
	}
	return func(name string) string {
		for _, w := range analytics.Windows(days) {
			if w.Window == name {
				return w.StartDate.String()
			}
		}
		return "no window"
	}, nil
}

// members are the days of each member, of "date: close, close".
func (e example) members() ([][]analytics.Day, error) {
	members := make([][]analytics.Day, strings.Count(e.inputs[0].text, ",")+1)
	for _, p := range e.inputs {
		closes, err := column(p.text)
		if err != nil {
			return nil, err
		}
		for i, c := range closes {
			members[i] = append(members[i], analytics.Day{Date: market.MustDate(p.name), Close: c})
		}
	}
	return members, nil
}

func returnsExample(_ *testing.T, e example) (func(string) string, error) {
	members, err := e.members()
	return func(name string) string {
		for _, p := range analytics.Returns(members) {
			if p.Date.String() == name {
				return exact(p.Value)
			}
		}
		return "no point"
	}, err
}

func sectorWindowsExample(_ *testing.T, e example) (func(string) string, error) {
	members, err := e.members()
	return spelledWindow(analytics.SectorWindows(members)), err
}

func medianExample(_ *testing.T, e example) (func(string) string, error) {
	values, err := column(e.get("values", ""))
	m := analytics.Median(values)
	return func(name string) string {
		return map[string]string{"median": exactOr(m.Median, m.NullReason), "members_counted": fmt.Sprint(m.MembersCounted)}[name]
	}, err
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
				r.ExDate = market.MustDate(date)
			case "payment":
				r.PaymentDate = market.MustDate(date)
			default:
				return nil, fmt.Errorf("%s is no date of a dividend", name)
			}
		}
		l.dividends[id], companies = r, append(companies, id)
	}
	s := e.service(l, e.get("now", ""), companies...)
	return func(name string) string {
		h, err := s.DividendHistory(asker(), name)
		if err != nil {
			t.Fatal(err)
		}
		return string(h.Dividends[0].Status)
	}, nil
}

func conversionExample(_ *testing.T, e example) (func(string) string, error) {
	to := market.Currency(e.get("to", ""))
	rate, err := e.service(new(library), exampleNow).Market.Spots(&to).From(e.get("from", ""))
	if err != nil {
		return nil, err
	}
	price, wrong := stated(e.get("price", "null"))
	amount, alsoWrong := stated(e.get("amount", "null"))
	return func(name string) string {
		return map[string]string{"fx_rate": exact(rate.Factor), "price": exact(rate.Price(price)), "amount": exact(rate.Amount(amount))}[name]
	}, errors.Join(wrong, alsoWrong)
}
