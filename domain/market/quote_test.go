package market_test

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"piyasa/account/access"
	"piyasa/domain/market"
	"piyasa/internal/problem"
	"piyasa/internal/value"
	"piyasa/test/fixture/calls"
	"piyasa/test/fixture/need"
)

// figures are the figures of a quote by name; null ones are left out.
func figures(q *market.Quote) map[string]string {
	all := map[string]string{}
	for name, d := range map[string]value.Decimal{
		"last": q.Last, "prev_close": q.PrevClose, "change": q.Change, "change_pct": q.ChangePct, "open": q.Open, "high": q.High,
		"low": q.Low,
		"bid": q.Bid, "ask": q.Ask, "volume": q.Volume, "turnover": q.Turnover, "limit_up": q.LimitUp, "limit_down": q.LimitDown,
		"market_cap": q.MarketCap, "fx_rate": q.FxRate,
	} {
		if !d.IsNull() {
			all[name] = d.String()
		}
	}
	return all
}

// full is an observation with every figure stated, each one different.
func full(id market.ID) *market.Observation {
	o := seen(id, "10.10", "2026-03-18T11:45:00.250Z")
	for i, d := range []*value.Decimal{&o.PrevClose, &o.Change, &o.ChangePct, &o.Open, &o.High, &o.Low, &o.Bid, &o.Ask, &o.Volume,
		&o.Turnover, &o.LimitUp, &o.LimitDown, &o.MarketCap} {
		*d = dec("2" + string(rune('0'+i/10)) + string(rune('0'+i%10)) + ".50")
	}
	return o
}

// what a market's feed never states is null, whatever came in.
func TestFiguresByMarket(t *testing.T) {
	every := []string{"ask", "bid", "change", "change_pct", "high", "last", "low", "open", "prev_close", "turnover", "volume"}
	for _, c := range []struct {
		id     market.ID
		stated []string
		delay  int
	}{
		{"bist:DMOST", append([]string{"limit_down", "limit_up"}, every...), 900},
		{"crypto:1", []string{"change", "change_pct", "last", "market_cap", "turnover"}, 0},
		{"fx:USDTRY", every, 900},
		{"index:SPX", every, 900},
		{"cmdty:XAU", every, 900},
		{"us:DMAP", every, 900},
		{"fund:DMF", every, 900},
	} {
		t.Run(string(c.id), func(t *testing.T) {
			d := filled()
			o := full(c.id)
			d.Live.PutQuotes([]*market.Observation{o})
			q, err := d.Quote(calls.Anyone(), string(c.id), nil)
			need.NoError(t, err)
			var stated []string
			for name := range figures(q) {
				stated = append(stated, name)
			}
			slices.Sort(stated)
			slices.Sort(c.stated)
			if !slices.Equal(stated, c.stated) {
				t.Errorf("states %v, want %v", stated, c.stated)
			}
			if q.InstrumentID != c.id || q.Symbol != c.id.Symbol() || q.Market != c.id.Market() || q.AsOf != o.AsOf ||
				q.DataDelaySeconds != c.delay {
				t.Errorf("%+v", q)
			}
			if (q.Ticker != nil) != (c.id.Market() == market.Crypto) {
				t.Errorf("ticker %v", q.Ticker)
			}
			if q.Last != o.Last || q.ChangePct != o.ChangePct || q.Turnover != o.Turnover {
				t.Errorf("the digits changed: %v", figures(q))
			}

			// The other way round: a bare price states nothing else.
			d.Live.PutQuotes([]*market.Observation{seen(c.id, "10.10", "2026-03-18T11:46:00Z")})
			q, err = d.Quote(calls.Anyone(), string(c.id), nil)
			if err != nil || len(figures(q)) != 1 {
				t.Errorf("a bare price states %v, %v", figures(q), err)
			}
		})
	}
}

// every member is there, the two of a conversion only when converted.
func TestQuoteMembers(t *testing.T) {
	members := func(currency *market.Currency) []string {
		q, err := filled().Quote(calls.Anyone(), "bist:DMOST", currency)
		need.NoError(t, err)
		text, err := json.Marshal(q)
		need.NoError(t, err)
		var names []string
		for _, m := range regexp.MustCompile(`[{,]"([a-z_]+)":`).FindAllStringSubmatch(string(text), -1) {
			names = append(names, m[1])
		}
		return names
	}
	plain := strings.Fields("instrument_id symbol ticker market currency last prev_close change change_pct open high low bid ask volume " +
		"turnover limit_up limit_down market_cap as_of data_delay_seconds")
	if got := members(nil); !slices.Equal(got, plain) {
		t.Errorf("got %v", got)
	}
	usd := market.USD
	if got := members(&usd); !slices.Equal(got, append(plain, "fx_rate", "fx_as_of")) {
		t.Errorf("converted: %v", got)
	}
}

func TestCurrencyOfAQuote(t *testing.T) {
	d := filled()
	stated := seen("us:DMX", "5", "2026-03-18T11:45:00Z")
	stated.Currency = new("GBP") // from before the record came: no price of it
	d.Live.PutQuotes([]*market.Observation{stated})
	if q, err := d.Quote(calls.Anyone(), "us:DMX", nil); calls.KindOf(err) != "not-found" {
		t.Errorf("us:DMX: %v, %v", q, err)
	}
	if batch, err := d.Quotes(calls.Anyone(), []string{"us:DMX"}, nil); err != nil || len(batch.NotFound) != 1 ||
		batch.NotFound[0].Reason != market.NoHonestValue {
		t.Errorf("us:DMX: %+v, %v", batch, err)
	}
	for id, want := range map[string]string{
		"bist:DMOST": "TRY", "crypto:1": "USD", "fx:EURUSD": "USD", "fx:USDTRY": "TRY", "fx:USDMYR": "MYR", "index:SPX": "USD",
		"cmdty:PALM": "MYR", "cmdty:XAU": "USD",
	} {
		if q, err := d.Quote(calls.Anyone(), id, nil); err != nil || q.Currency != want {
			t.Errorf("%s: %v, %v, want %s", id, q, err, want)
		}
	}
}

func TestDataDelay(t *testing.T) {
	for _, c := range []struct {
		id             market.ID
		record, stated *int
		want           int
	}{
		{"bist:DMOST", nil, nil, 900},
		{"bist:DMOST", new(0), nil, 0},
		{"us:DMAP", new(1200), nil, 1200},
		{"us:DMAP", new(1200), new(60), 60},
		{"fx:USDTRY", nil, new(0), 0},
		{"crypto:1", new(60), nil, 0}, // of a coin the record states the refresh interval
		{"crypto:1", new(60), new(5), 0},
		{"crypto:1", nil, new(900), 0},
	} {
		d := newFixture()
		d.Live.PutCatalog([]*market.Instrument{record(c.id, func(in *market.Instrument) { in.Delay = c.record })}, nil)
		o := seen(c.id, "1", "2026-03-18T11:45:00Z")
		o.DataDelaySeconds = c.stated
		d.Live.PutQuotes([]*market.Observation{o})
		if q, err := d.Quote(calls.Anyone(), string(c.id), nil); err != nil || q.DataDelaySeconds != c.want {
			t.Errorf("%s: %v, %v, want %d", c.id, q, err, c.want)
		}
	}
}

// a withdrawn quote is 404 and heals.
func TestWithdrawnQuote(t *testing.T) {
	d := filled()
	last := func(id string) string {
		ctx := calls.Caller("quotes:bist", "quotes:cmdty")
		call := access.CallOf(ctx)
		q, err := d.Quote(ctx, id, nil)
		if err != nil {
			if calls.WantProblem(t, err, problem.NotFound); call.Units() != 0 {
				t.Errorf("%s: a failure costs %d", id, call.Units())
			}
			return "none"
		}
		return q.Last.String()
	}
	for _, step := range []struct {
		put  *market.Observation
		id   string
		want string
	}{
		{nil, "cmdty:RAWX", "none"},
		{seen("cmdty:RAWX", "12.50", "2026-03-18T11:00:00Z"), "cmdty:RAWX", "12.50"},
		{seen("cmdty:RAWX", "", "2026-03-18T11:30:00Z"), "cmdty:RAWX", "none"},
		{seen("cmdty:RAWX", "12.75", "2026-03-18T11:31:00Z"), "cmdty:RAWX", "12.75"},
		{seen("bist:DMOST", "", "2026-03-18T11:46:00Z"), "bist:DMOST", "none"},
		{seen("bist:DMOST", "0", "2026-03-18T11:47:00Z"), "bist:DMOST", "0"},
		{nil, "bist:DMBNK", "none"}, // never observed
	} {
		if step.put != nil {
			d.Live.PutQuotes([]*market.Observation{step.put})
		}
		if got := last(step.id); got != step.want {
			t.Errorf("%s: %s, want %s", step.id, got, step.want)
		}
	}
}

// an old value is shown with its own time.
func TestOldQuoteStays(t *testing.T) {
	d := filled()
	d.now = value.MustInstant("2026-03-21T23:00:00Z")
	q, err := d.Quote(calls.Anyone(), "index:SPX", nil)
	if err != nil || q.Last != dec("5712.35") || q.AsOf != value.MustInstant("2026-03-17T20:00:00Z") {
		t.Errorf("%+v, %v", q, err)
	}
}

// ID-02: answers carry the canonical id, whatever was asked.
func TestQuoteByAlias(t *testing.T) {
	d := filled()
	for asked, want := range map[string]market.ID{
		"bist:dmost": "bist:DMOST", "bist:DMALT": "bist:DMALTF", "bist:DMALT.F": "bist:DMALTF", "crypto:btc": "crypto:1",
		"crypto:1": "crypto:1",
	} {
		if q, err := d.Quote(calls.Anyone(), asked, nil); err != nil || q.InstrumentID != want || q.Symbol != want.Symbol() {
			t.Errorf("%s: %v, %v", asked, q, err)
		}
	}
	_, err := d.Quote(calls.Anyone(), "crypto:ONE", nil)
	if e := calls.WantProblem(t, err, problem.AmbiguousTicker); !slices.Equal(e.Members.Candidates,
		[]string{"crypto:90001", "crypto:90002"}) {
		t.Errorf("candidates %v", e.Members.Candidates)
	}
	if q, err := d.Quote(calls.Anyone(), "fund:DMA", nil); err == nil { // it has a price and left the market
		t.Errorf("the twin of an ETF is quoted at %s", q.Last)
	}
}
