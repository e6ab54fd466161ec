package analytics_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"piyasa/account/access"
	"piyasa/domain/analytics"
	"piyasa/domain/market"
	"piyasa/internal/problem"
	"piyasa/internal/value"
	"piyasa/test/fixture/calls"
)

func TestPeriodicOf(t *testing.T) {
	d, ctx := newFixture(), allowed(t, access.History)
	d.fill()
	for asked, want := range map[string]struct{ id, of, name, currency string }{
		"bist:AAA":  {"bist:AAA", "STOCK", "Name of AAA", "TRY"},
		"bist:aaa":  {"bist:AAA", "STOCK", "Name of AAA", "TRY"},
		"bist:GLD":  {"bist:GLDF", "ETF", "Name of GLDF", "TRY"}, // PD-09
		"us:USX":    {"us:USX", "STOCK", "Name of USX", "USD"},
		"fund:FND":  {"fund:FND", "FUND", "Name of FND", "TRY"},
		"cmdty:XAU": {"cmdty:XAU", "COMMODITY", "Name of XAU", "USD"},
	} {
		p := must[*analytics.Periodic](t)(d.Periodic(ctx, asked, nil, nil))
		if string(*p.InstrumentID) != want.id || p.Code != nil || p.Kind != "instrument" || string(*p.AssetType) != want.of ||
			p.Name != want.name || p.Currency != want.currency || !p.FxRate.IsNull() || !p.FxAsOf.IsNull() {
			t.Errorf("%s: %+v", asked, p)
		}
		names := []string{}
		for _, w := range p.Windows {
			names = append(names, w.Window)
		}
		if p.Count != 6 || strings.Join(names, " ") != "1w 2w 1m 3m 6m 1y" {
			t.Errorf("%s: %d windows, %v", asked, p.Count, names)
		}
	}
	for _, id := range []string{"crypto:1", "crypto:NOSUCH", "fx:USDTRY", "index:SPX", "bist:NOPE", "foo:BAR", "AAA", ""} { // PD-03, PD-04
		_, err := d.Periodic(ctx, id, nil, nil)
		calls.WantProblem(t, err, problem.NotFound)
	}
}

// PD-12: a young symbol has what its days reach.
func TestPeriodicOfTheYoung(t *testing.T) {
	d := newFixture()
	d.put(year("bist:AAA", 100)[380:]...)
	for name, young := range map[string]bool{"1w": false, "2w": false, "1m": true, "1y": true} {
		w := windowOf(t, d, "bist:AAA", name)
		if got := w.NullReason != nil && *w.NullReason == "insufficient_history" && w.StartPrice.IsNull() &&
			w.Change.IsNull(); got != young {
			t.Errorf("%s: %+v", name, w)
		}
	}
	empty := must[*analytics.Periodic](t)(d.Periodic(allowed(t, access.History), "bist:GLDF", nil, nil))
	if !empty.AsOf.IsNull() || empty.Count != 6 || *empty.Windows[0].NullReason != "insufficient_history" {
		t.Errorf("without bars: %+v", empty)
	}
}

func TestPeriodicBatch(t *testing.T) {
	d := newFixture()
	d.fill()
	ctx, call := access.WithCall(t.Context(), &access.Key{Scopes: []access.Scope{access.History}})
	batch := must[*analytics.PeriodicBatch](t)(d.PeriodicBatch(ctx, []string{
		"us:USX", "bist:GLD", "crypto:1", "bist:NOPE", "bist:aaa", "bist:GLDF", "bist:AAA", "fx:USDTRY", "crypto:1", "foo:BAR",
		"index:SPX", "bist:NOPE",
	}, nil, nil))
	var ids []string
	for _, p := range batch.Periodic {
		ids = append(ids, string(*p.InstrumentID))
		if single := must[*analytics.Periodic](t)(d.Periodic(ctx, string(*p.InstrumentID), nil, nil)); !reflect.DeepEqual(single, p) {
			t.Errorf("%s differs from the single answer", *p.InstrumentID)
		}
	}
	if strings.Join(ids, " ") != "us:USX bist:GLDF bist:AAA" || batch.Count != 3 {
		t.Errorf("answers %v, count %d", ids, batch.Count)
	}
	if want := []value.NotFound{{ID: "crypto:1", Reason: "market_not_supported"}, {ID: "bist:NOPE", Reason: "unknown_id"},
		{ID: "fx:USDTRY", Reason: "market_not_supported"}, {ID: "foo:BAR", Reason: "unknown_id"},
		{ID: "index:SPX", Reason: "market_not_supported"}}; !slices.Equal(batch.NotFound, want) {
		t.Errorf("not found %v", batch.NotFound)
	}
	if call.Units() != 1+3 { // the batch, and the single answers above
		t.Errorf("%d units", call.Units())
	}
	none := must[*analytics.PeriodicBatch](t)(d.PeriodicBatch(ctx, []string{"crypto:1"}, new(market.USD), nil))
	if none.Periodic == nil || len(none.Periodic) != 0 || none.Count != 0 || len(none.NotFound) != 1 {
		t.Errorf("only ids without windows: %+v", none)
	}
	_, err := d.PeriodicBatch(ctx, nil, nil, nil)
	calls.WantProblem(t, err, problem.InvalidParameter)
	if _, err = d.PeriodicBatch(ctx, slices.Repeat([]string{"bist:AAA"}, 100), nil, nil); err != nil {
		t.Errorf("100 ids: %v", err)
	}
	_, err = d.PeriodicBatch(ctx, slices.Repeat([]string{"bist:AAA"}, 101), nil, nil)
	calls.WantProblem(t, err, problem.TooManyValues)
}

// A batch reads what it does not know together.
func TestBatchReadsOnce(t *testing.T) {
	d := newFixture()
	d.fill()
	ctx := allowed(t, access.History)
	d.takeReads()
	for _, want := range [][]string{{"bars of 4"}, nil} {
		if _, err := d.PeriodicBatch(ctx, []string{"bist:AAA", "us:USX", "fund:FND", "cmdty:XAU"}, nil, nil); err != nil {
			t.Fatal(err)
		}
		if reads := d.takeReads(); !slices.Equal(reads, want) {
			t.Errorf("reads %v, want %v", reads, want)
		}
	}
}

// An instrument that is withdrawn while a request runs has no figures.
func TestFiguresOfTheWithdrawn(t *testing.T) {
	d := newFixture()
	d.fill()
	in := d.Market.ByID("bist:AAA")
	d.Market.Live.SetCatalog(nil, nil)
	ctx := allowed(t, access.History)
	if all, errs := d.PeriodicOf(ctx, []*market.Instrument{in}, nil, nil); errs[0] != nil || all[0].Count != len(all[0].Windows) ||
		!all[0].AsOf.IsNull() {
		t.Errorf("%+v, %v", all, errs)
	}
	if sets, errs := d.IndicatorsOf(ctx, []*market.Instrument{in}, analytics.IndicatorArgs{}); errs[0] != nil || sets[0].Count != 0 {
		t.Errorf("%+v, %v", sets, errs)
	}
}

// PD-08: prices convert at the spot rate, each from its own currency; the
// change in percent stays.
func TestPeriodicConverts(t *testing.T) {
	d, ctx := newFixture(), allowed(t, access.History)
	d.put(daily("bist:AAA", "2026-03-10", "400"), daily("bist:AAA", "2026-03-17", "410"))
	d.put(daily("cmdty:PALM", "2026-03-10", "4000"), daily("cmdty:PALM", "2026-03-17", "4100"))
	for _, c := range []struct {
		id                                       string
		to                                       market.Currency
		currency, start, end, change, rate, asOf string
	}{
		{"bist:AAA", market.USD, "USD", "10", "10.25", "0.25", "0.025", "2026-03-18T12:00:00Z"},
		{"bist:AAA", market.TRY, "TRY", "400", "410", "10", "", ""},
		{"cmdty:PALM", market.USD, "USD", "1000", "1025", "25", "0.25", "2026-03-18T12:00:00Z"},
		{"cmdty:PALM", market.TRY, "TRY", "40000", "41000", "1000", "10", "2026-03-18T12:00:00Z"},
	} {
		p := must[*analytics.Periodic](t)(d.Periodic(ctx, c.id, &c.to, nil))
		w := window(t, p, "1w")
		if p.Currency != c.currency || w.StartPrice.String() != c.start || w.EndPrice.String() != c.end || w.High.String() != c.end ||
			w.Low.String() != c.end || w.Change.String() != c.change || w.ChangePct.String() != "2.5" || p.FxRate.String() != c.rate {
			t.Errorf("%s in %s: %+v %+v", c.id, c.to, p, w)
		}
		if got := p.FxAsOf; got.IsNull() != (c.asOf == "") || c.asOf != "" && got.String() != c.asOf {
			t.Errorf("%s in %s: fx as of %s", c.id, c.to, got)
		}
		if plain := windowOf(t, d, c.id, "1w"); plain.StartPrice.String() != map[string]string{"bist:AAA": "400",
			"cmdty:PALM": "4000"}[c.id] {
			t.Errorf("converting changed what is kept: %+v", plain)
		}
	}
	_, err := d.Periodic(ctx, "bist:AAA", new(market.EUR), nil)
	calls.WantProblem(t, err, problem.FXRateUnavailable)
	_, err = d.PeriodicBatch(ctx, []string{"bist:AAA", "us:USX"}, new(market.EUR), nil)
	calls.WantProblem(t, err, problem.FXRateUnavailable)
	all, errs := d.PeriodicOf(ctx, []*market.Instrument{d.Market.ByID("crypto:1"), d.Market.ByID("bist:AAA")}, new(market.USD), nil)
	if all[0] != nil || errs[0] != nil || errs[1] != nil || all[1].Currency != "USD" {
		t.Errorf("relation: %v, %v", all, errs)
	}
	all, errs = d.PeriodicOf(ctx, []*market.Instrument{d.Market.ByID("bist:AAA"), d.Market.ByID("us:USX")}, new(market.USD), nil)
	if errs[0] != nil || errs[1] != nil || all[0].Currency != "USD" || all[1].Currency != "USD" {
		t.Errorf("relation: %v, %v", all, errs)
	}
	d.now = value.MustInstant("2026-03-18T15:00:00Z") // when no rate is fresh
	all, errs = d.PeriodicOf(ctx, []*market.Instrument{d.Market.ByID("bist:AAA"), d.Market.ByID("us:USX")}, new(market.USD), nil)
	if calls.WantProblem(t, errs[0], problem.FXRateUnavailable); all[0] != nil || errs[1] != nil || all[1].Currency != "USD" {
		t.Errorf("a missing rate concerns one parent: %v, %v", all, errs)
	}
}

// The newest bar was complete at the close of its session, where that is known.
// While its day goes on it is as of the newest price of the day, if there is
// one; never later than now.
func TestAsOf(t *testing.T) {
	for _, c := range []struct {
		name, id, day, now, want string
	}{
		{"after the session", "bist:AAA", "2026-03-17", "2026-03-18T12:00:00Z", "2026-03-17T15:00:00Z"},
		{"during the session", "bist:AAA", "2026-03-18", "2026-03-18T12:00:00Z", ""},
		{"during the session, with a price", "bist:BBB", "2026-03-18", "2026-03-18T12:00:00Z", "2026-03-18T11:45:00Z"},
		{"with a price of another day", "bist:BBB", "2026-03-19", "2026-03-19T09:00:00Z", ""},
		{"a price after the close", "bist:BBB", "2026-03-18", "2026-03-18T17:00:00Z", "2026-03-18T15:00:00Z"},
		{"a short day", "bist:AAA", "2026-03-19", "2026-03-20T12:00:00Z", "2026-03-19T09:30:00Z"},
		{"on a short day", "bist:AAA", "2026-03-19", "2026-03-19T09:00:00Z", ""},
		{"no bar of a holiday is shown", "bist:AAA", "2026-03-20", "2026-03-21T12:00:00Z", ""},
		{"nor of a Saturday", "bist:AAA", "2026-03-14", "2026-03-18T12:00:00Z", ""},
		{"nor a level of an index", "XU100", "2026-03-20", "2026-03-21T12:00:00Z", ""},
		{"a short day in New York", "us:USX", "2026-03-16", "2026-03-18T12:00:00Z", "2026-03-16T17:00:00Z"},
		{"an index on a short day", "XU100", "2026-03-19", "2026-03-20T12:00:00Z", "2026-03-19T09:30:00Z"},
		{"an index now", "XU100", "2026-03-18", "2026-03-18T12:00:00Z", ""},
		{"a commodity: the end of its day in UTC", "cmdty:XAU", "2026-03-17", "2026-03-18T12:00:00Z", "2026-03-18T00:00:00Z"},
		{"a commodity today", "cmdty:XAU", "2026-03-18", "2026-03-18T12:00:00Z", ""},
		{"a US stock: 16:00 in New York in summer", "us:USX", "2026-03-17", "2026-03-18T12:00:00Z", "2026-03-17T20:00:00Z"},
		{"and in winter", "us:USX", "2026-02-17", "2026-03-18T12:00:00Z", "2026-02-17T21:00:00Z"},
		{"a fund", "fund:FND", "2026-03-17", "2026-03-18T12:00:00Z", "2026-03-18T00:00:00Z"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, ctx := newFixture(), allowed(t, access.History)
			d.at(c.now)
			d.Market.Live.PutQuotes([]*market.Observation{{InstrumentID: "bist:BBB", AsOf: value.MustInstant("2026-03-18T11:45:00Z"),
				Last: value.MustDecimal("9")}})
			d.Market.Live.PutCatalog(nil, []*market.TradingDay{
				{Market: market.BIST, Date: value.MustDate("2026-03-19"), Open: new(market.ClockTime("10:00")),
					Close: new(market.ClockTime("12:30"))},
				{Market: market.BIST, Date: value.MustDate("2026-03-20")},
				{Market: market.US, Date: value.MustDate("2026-03-16"), Open: new(market.ClockTime("09:30")),
					Close: new(market.ClockTime("13:00"))},
			})
			if c.id == "XU100" {
				d.index["XU100"] = []*market.IndexBar{{Code: "XU100", Date: value.MustDate(c.day), Close: value.MustDecimal("9")}}
				if got := must[*analytics.Periodic](t)(d.IndexPeriodic(ctx, "XU100", nil)).AsOf; got.String() != c.want {
					t.Errorf("%s, want %s", got, c.want)
				}
				return
			}
			d.put(daily(market.ID(c.id), c.day, "9"))
			if got := must[*analytics.Periodic](t)(d.Periodic(ctx, c.id, nil, nil)).AsOf; got.String() != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
			if in := d.Market.ByID(market.ID(c.id)); in.Market == market.BIST {
				for _, which := range [][]analytics.Indicator{nil, {analytics.ROC}} {
					if got := must[*analytics.IndicatorSet](t)(d.Indicators(ctx, c.id,
						analytics.IndicatorArgs{Indicators: which})).AsOf; got.String() != c.want {
						t.Errorf("indicators %v: %s, want %s", which, got, c.want)
					}
				}
			}
		})
	}
}

// What was computed while the day went on is reported as of its close once that
// has come, and hours that are corrected count at once.
func TestAsOfMovesToTheClose(t *testing.T) {
	d, ctx := newFixture(), allowed(t, access.History)
	d.put(daily("bist:AAA", "2026-03-18", "9"), daily("bist:BBB", "2026-03-18", "9"))
	d.index["XU100"] = []*market.IndexBar{{Code: "XU100", Date: value.MustDate("2026-03-18"), Close: value.MustDecimal("9")}}
	asOf := func() []string {
		return []string{
			must[*analytics.Periodic](t)(d.Periodic(ctx, "bist:AAA", nil, nil)).AsOf.String(),
			must[*analytics.Periodic](t)(d.SectorPeriodic(ctx, "auto", nil, nil)).AsOf.String(),
			must[*analytics.Periodic](t)(d.IndexPeriodic(ctx, "XU100", nil)).AsOf.String(),
			must[*analytics.IndicatorSet](t)(d.Indicators(ctx, "bist:AAA", analytics.IndicatorArgs{})).AsOf.String(),
			must[*analytics.IndicatorSet](t)(d.Indicators(ctx, "bist:AAA",
				analytics.IndicatorArgs{Indicators: []analytics.Indicator{analytics.SMA}})).AsOf.String(),
		}
	}
	for _, moment := range [][2]string{{"2026-03-18T12:00:00Z", ""}, {"2026-03-18T16:00:00Z", "2026-03-18T15:00:00Z"}} {
		now, want := moment[0], moment[1]
		d.at(now)
		if got := asOf(); !slices.Equal(got, slices.Repeat([]string{want}, 5)) {
			t.Errorf("at %s: %v, want %s", now, got, want)
		}
	}
	d.Market.Live.PutCatalog(nil,
		[]*market.TradingDay{{Market: market.BIST, Date: value.MustDate("2026-03-18"), Open: new(market.ClockTime("10:00")),
			Close: new(market.ClockTime("13:00"))}})
	d.CatalogChanged(nil)
	if got := asOf(); !slices.Equal(got, slices.Repeat([]string{"2026-03-18T10:00:00Z"}, 5)) {
		t.Errorf("after a correction of the hours: %v", got)
	}
}

// PD-10, PD-11: by code, in points.
func TestPeriodicOfGroups(t *testing.T) {
	d, ctx := newFixture(), allowed(t, access.History)
	d.fill()
	index := must[*analytics.Periodic](t)(d.IndexPeriodic(ctx, "xu100", nil))
	if index.InstrumentID != nil || *index.Code != "XU100" || index.Kind != "index" || index.AssetType != nil || index.Name != "BIST 100" ||
		index.Currency != "TRY" || index.Count != 6 || !index.FxRate.IsNull() {
		t.Errorf("%+v", index)
	}
	for _, code := range []string{"XNEW", "XU999", "index:SPX", "SPX"} {
		_, err := d.IndexPeriodic(ctx, code, nil)
		if e := calls.WantProblem(t, err, problem.NotFound); !slices.Equal(e.Members.Available, []string{"XU100"}) {
			t.Errorf("%s: offered %v", code, e.Members.Available)
		}
	}
	for m, currency := range map[market.EquityMarket]string{market.EquityBIST: "TRY", market.EquityUS: "USD"} {
		sector := must[*analytics.Periodic](t)(d.SectorPeriodic(ctx, "auto", &m, nil))
		if sector.InstrumentID != nil || *sector.Code != "auto" || sector.Kind != "sector" || sector.AssetType != nil ||
			sector.Name != "Otomotiv" || sector.Currency != currency {
			t.Errorf("%s: %+v", m, sector)
		}
		for _, w := range sector.Windows {
			if w.StartPrice.String() != "100" {
				t.Errorf("%s %s starts at %s", m, w.Window, w.StartPrice)
			}
		}
	}
	bist, byDefault := must[*analytics.Periodic](t)(d.SectorPeriodic(ctx, "auto", new(market.EquityBIST), nil)),
		must[*analytics.Periodic](t)(d.SectorPeriodic(ctx, "auto", nil, nil))
	if !reflect.DeepEqual(bist, byDefault) {
		t.Error("bist is not the default")
	}
	empty := must[*analytics.Periodic](t)(d.SectorPeriodic(ctx, "bank", new(market.EquityUS), nil))
	if !empty.AsOf.IsNull() || *empty.Windows[0].NullReason != "insufficient_history" {
		t.Errorf("without members: %+v", empty)
	}
	_, err := d.SectorPeriodic(ctx, "old", nil, nil)
	if e := calls.WantProblem(t, err, problem.NotFound); !slices.Equal(e.Members.Successor, []string{"auto"}) {
		t.Errorf("retired: %v", e.Members)
	}
	_, err = d.SectorPeriodic(ctx, "nope", nil, nil)
	if e := calls.WantProblem(t, err, problem.NotFound); !slices.Equal(e.Members.Available, []string{"auto", "bank"}) {
		t.Errorf("unknown: %v", e.Members)
	}
}

// The windows of a sector are those of its whole return series: leaving out the
// days before the longest one changes nothing.
func TestSectorWindowsOfLongHistories(t *testing.T) {
	d := newFixture()
	var members [][]analytics.Day
	for i, id := range []market.ID{"bist:AAA", "bist:BBB"} {
		bars := year(id, 100+50*i)
		if i == 1 {
			bars = slices.Delete(bars, 20, 60) // around the start of the longest window
		}
		d.put(bars...)
		var days []analytics.Day
		for _, b := range bars {
			days = append(days, analytics.Day{Date: market.BIST.DayOf(b), Close: b.Close, High: b.High, Low: b.Low})
		}
		members = append(members, days)
	}
	got := must[*analytics.Periodic](t)(d.SectorPeriodic(allowed(t, access.History), "auto", nil, nil))
	if want := analytics.SectorWindows(members, nil); !reflect.DeepEqual(got.Windows, want) {
		t.Errorf("got %+v, want %+v", got.Windows, want)
	}
}
