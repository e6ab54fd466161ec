package funds_test

import (
	"encoding/json"
	"testing"

	"piyasa/account/access"
	"piyasa/domain/funds"
	"piyasa/internal/problem"
	"piyasa/test/fixture/calls"
	"piyasa/test/fixture/need"
)

// flow is a day of DMF; an empty part is not stated.
func flow(date, net, inflow, outflow string) *funds.Flow {
	return &funds.Flow{Code: "DMF", Date: *day(date), NetFlow: dec(net), Inflow: dec(inflow), Outflow: dec(outflow)}
}

// FD-03: a window ends with the newest day that the fund stated, not with
// today; both ends count.
func TestWindowsOfFlows(t *testing.T) {
	for _, c := range []struct {
		name, window, from, to string
		days                   []string // that are stored
		first, last            string
		points                 string
	}{
		{"a week", "1w", "", "", []string{"2026-03-10", "2026-03-11", "2026-03-17"}, "2026-03-11", "2026-03-17", "2026-03-11 2026-03-17"},
		{"two weeks", "2w", "", "", []string{"2026-03-03", "2026-03-04", "2026-03-17"}, "2026-03-04", "2026-03-17",
			"2026-03-04 2026-03-17"},
		{"a month", "1m", "", "", []string{"2026-02-17", "2026-02-18", "2026-03-17"}, "2026-02-18", "2026-03-17", "2026-02-18 2026-03-17"},
		{"by default", "", "", "", []string{"2026-02-17", "2026-02-18", "2026-03-17"}, "2026-02-18", "2026-03-17", "2026-02-18 2026-03-17"},
		{"a month from a month's end", "1m", "", "", []string{"2025-03-01", "2025-02-28", "2025-03-31"}, "2025-03-01", "2025-03-31",
			"2025-03-01 2025-03-31"},
		{"long ago", "1w", "", "", []string{"2024-01-02", "2024-01-01"}, "2023-12-27", "2024-01-02", "2024-01-01 2024-01-02"},
		{"what is after today does not count", "1w", "", "", []string{"2026-03-19", "2026-03-12"}, "2026-03-06", "2026-03-12",
			"2026-03-12"},
		{"today counts", "1w", "", "", []string{"2026-03-18"}, "2026-03-12", "2026-03-18", "2026-03-18"},
		{"nothing", "1w", "", "", nil, "2026-03-12", "2026-03-18", ""},
		{"nothing, a month", "1m", "", "", nil, "2026-02-19", "2026-03-18", ""},
		{"a range", "range", "2026-03-11", "2026-03-12", []string{"2026-03-10", "2026-03-12", "2026-03-11", "2026-03-13"}, "2026-03-11",
			"2026-03-12", "2026-03-11 2026-03-12"},
		{"a range of a day", "range", "2026-03-11", "2026-03-11", []string{"2026-03-11"}, "2026-03-11", "2026-03-11", "2026-03-11"},
		{"a range without days", "range", "1999-01-01", "1999-01-02", []string{"2026-03-11"}, "1999-01-01", "1999-01-02", ""},
		{"a range to come", "range", "2026-03-19", "2026-03-31", []string{"2026-03-19"}, "2026-03-19", "2026-03-31", "2026-03-19"},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newFixture(fund("DMF"))
			for _, d := range c.days {
				h.kept.flows = append(h.kept.flows, flow(d, "1", "", ""),
					&funds.Flow{Code: "OTHER", Date: day(d).AddDays(1), NetFlow: dec("9")})
			}
			args := funds.FlowsArgs{From: day(c.from), To: day(c.to)}
			if c.window != "" {
				args.Window = new(funds.Window(c.window))
			}
			ctx := calls.Caller(access.History)
			call := access.CallOf(ctx)
			f, err := h.Flows(ctx, "fund:dmf", args)
			need.NoError(t, err)
			points := ""
			for _, p := range f.Points {
				points += p.Date.String() + " "
			}
			if f.FromDate.String() != c.first || f.ToDate.String() != c.last || points != spaced(c.points) || f.Count != len(f.Points) ||
				f.Points == nil || f.Summary.Days != f.Count || call.Units() != 1 {
				t.Errorf("%s to %s, points %s, count %d, days %d", f.FromDate, f.ToDate, points, f.Count, f.Summary.Days)
			}
			if c.window == "" {
				c.window = "1m"
			}
			if string(f.Window) != c.window || f.Code != "DMF" || f.InstrumentID != "fund:DMF" || f.Currency != "TRY" {
				t.Errorf("%+v", f)
			}
		})
	}
}

// spaced is text with a blank behind each word.
func spaced(text string) string {
	if text == "" {
		return ""
	}
	return text + " "
}

// FD-07: range needs both bounds, the other windows refuse them; 400, before
// the fund is looked for.
func TestBoundsOfFlows(t *testing.T) {
	for _, c := range []struct {
		window   funds.Window
		from, to string
		kind     problem.Kind
	}{
		{funds.Range, "", "", problem.ConflictingParameters},
		{funds.Range, "2026-03-11", "", problem.ConflictingParameters},
		{funds.Range, "", "2026-03-11", problem.ConflictingParameters},
		{funds.Range, "2026-03-12", "2026-03-11", problem.InvertedWindow},
		{funds.LastWeek, "2026-03-11", "2026-03-12", problem.ConflictingParameters},
		{funds.LastTwoWeeks, "2026-03-11", "", problem.ConflictingParameters},
		{funds.LastMonth, "", "2026-03-11", problem.ConflictingParameters},
		{"", "2026-03-12", "2026-03-11", problem.ConflictingParameters},
	} {
		args := funds.FlowsArgs{From: day(c.from), To: day(c.to)}
		if c.window != "" {
			args.Window = &c.window
		}
		ctx := calls.Caller(access.History)
		call := access.CallOf(ctx)
		calls.WantProblem(t, second(newFixture().Flows(ctx, "ZZZ", args)), c.kind)
		if call.Units() != 0 {
			t.Errorf("%+v costs %d", c, call.Units())
		}
	}
	calls.WantProblem(t, second(newFixture().Flows(calls.Anyone(), "ZZZ", funds.FlowsArgs{})), problem.NotFound)
	ctx := calls.Caller(calls.Without(access.History)...)
	calls.WantProblem(t, second(newFixture().Flows(ctx, "ZZZ", funds.FlowsArgs{Window: new(funds.Range)})), problem.MissingScope)
}

// FD-04, FD-05, G-83: the summary is always there; a part that a day does not
// state has no sum, and nothing is rounded.
func TestSummaryOfFlows(t *testing.T) {
	for _, c := range []struct {
		name  string
		flows []*funds.Flow
		want  string
	}{
		{"no days", nil, `{"net_flow":null,"inflow":null,"outflow":null,"days":0,"null_reason":"insufficient_history"}`},
		{"the worked example", []*funds.Flow{flow("2026-03-16", "1000000.5", "2000000.5", "1000000"),
			flow("2026-03-17", "250000", "1000000", "750000")},
			`{"net_flow":"1250000.5","inflow":"3000000.5","outflow":"1750000","days":2,"null_reason":null}`},
		{"a day without parts", []*funds.Flow{flow("2026-03-16", "-5", "1", "6"), flow("2026-03-17", "2.25", "", "")},
			`{"net_flow":"-2.75","inflow":null,"outflow":null,"days":2,"null_reason":"not_provided_by_source"}`},
		{"a day without one part", []*funds.Flow{flow("2026-03-16", "-5", "1", "6"), flow("2026-03-17", "2.25", "", "0")},
			`{"net_flow":"-2.75","inflow":null,"outflow":"6","days":2,"null_reason":"not_provided_by_source"}`},
		{"nothing moved", []*funds.Flow{flow("2026-03-17", "0", "0", "0")},
			`{"net_flow":"0","inflow":"0","outflow":"0","days":1,"null_reason":null}`},
		{"they cancel out", []*funds.Flow{flow("2026-03-16", "1.10", "1.1", "0"), flow("2026-03-17", "-1.1", "0", "1.1")},
			`{"net_flow":"0","inflow":"1.1","outflow":"1.1","days":2,"null_reason":null}`},
		{"digits", []*funds.Flow{flow("2026-03-16", "12345678901234567890.1", "", ""), flow("2026-03-17", "0.000000000000000001", "", "")},
			`{"net_flow":"12345678901234567890.100000000000000001","inflow":null,"outflow":null,"days":2,"null_reason":"not_provided_by_source"}`},
	} {
		h := newFixture(fund("DMF"))
		h.kept.flows = c.flows
		f, err := h.Flows(calls.Anyone(), "DMF", funds.FlowsArgs{})
		need.NoError(t, err)
		if got, _ := json.Marshal(f.Summary); string(got) != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", c.name, got, c.want)
		}
	}
	h := newFixture(fund("DMF"))
	h.kept.flows = []*funds.Flow{flow("2026-03-17", "250000", "", "")}
	h.kept.flows[0].InvestorCount = new(10250)
	f, err := h.Flows(calls.Anyone(), "DMF", funds.FlowsArgs{Window: new(funds.LastWeek)})
	const want = `{"instrument_id":"fund:DMF","code":"DMF","window":"1w","from_date":"2026-03-11","to_date":"2026-03-17","currency":"TRY",` +
		`"summary":{"net_flow":"250000","inflow":null,"outflow":null,"days":1,"null_reason":"not_provided_by_source"},` +
		`"points":[{"date":"2026-03-17","net_flow":"250000","investor_count":10250}],"count":1}`
	if got, _ := json.Marshal(f); err != nil || string(got) != want {
		t.Errorf("%v\ngot  %s\nwant %s", err, got, want)
	}
}
