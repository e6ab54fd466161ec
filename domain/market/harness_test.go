package market_test

import (
	"strconv"
	"time"

	"piyasa/domain/market"
	"piyasa/internal/value"
)

// now is the moment at which the tests ask: a Wednesday, 15:00 in Istanbul.
var now = value.MustInstant("2026-03-18T12:00:00Z")

// fixture is the service under test with the Live behind it, filled by hand.
type fixture struct {
	*market.Service
	now value.Instant
}

func newFixture() *fixture {
	d := &fixture{now: now}
	d.Service = &market.Service{Live: market.NewLive(), Now: func() value.Instant { return d.now }, FXMaxAge: time.Hour}
	return d
}

// filled returns a fixture with a small catalog of every market, rates,
// and a quote of almost everything.
func filled() *fixture {
	d := newFixture()
	d.Live.PutCatalog(smallCatalog(), nil)
	d.Live.PutQuotes(observations())
	return d
}

// catalog is the catalog of instruments.
func catalog(instruments ...*market.Instrument) *market.Catalog {
	byID := map[market.ID]*market.Instrument{}
	for _, in := range instruments {
		byID[in.InstrumentID] = in
	}
	return market.NewCatalog(byID)
}

// record is a catalog record with what its id implies; edit adds the rest.
func record(id market.ID, edit ...func(*market.Instrument)) *market.Instrument {
	in := &market.Instrument{InstrumentID: id, Symbol: id.Symbol(), Name: "Name of " + id.Symbol(), Market: id.Market()}
	switch in.Market {
	case market.BIST:
		in.AssetType, in.Currency = market.Stock, "TRY"
	case market.Crypto:
		number, err := strconv.Atoi(in.Symbol)
		if err != nil {
			panic(err)
		}
		in.AssetType, in.Currency, in.CmcID = market.Coin, "USD", &number
	case market.FX:
		in.AssetType, in.Currency = market.Pair, in.Symbol[3:]
	case market.Index:
		in.AssetType, in.Currency = market.WorldIndex, "USD"
	case market.Cmdty:
		in.AssetType, in.Currency = market.Commodity, "USD"
	case market.US:
		in.AssetType, in.Currency = market.Stock, "USD"
	case market.Fund:
		in.AssetType, in.Currency = market.FundUnit, "TRY"
	}
	for _, e := range edit {
		e(in)
	}
	return in
}

func named(name string) func(*market.Instrument) {
	return func(in *market.Instrument) { in.Name = name }
}

func etf(fundCode string) func(*market.Instrument) {
	return func(in *market.Instrument) { in.AssetType, in.FundCode = market.ETF, &fundCode }
}

func coin(ticker, slug string) func(*market.Instrument) {
	return func(in *market.Instrument) { in.Ticker, in.Slug = &ticker, &slug }
}

func in(currency string) func(*market.Instrument) {
	return func(in *market.Instrument) { in.Currency = currency }
}

// smallCatalog returns a catalog with one of every kind of record.
func smallCatalog() []*market.Instrument {
	return []*market.Instrument{
		record("bist:DMOST", named("Demo Otomotiv Şirketi")),
		record("bist:DMBNK", named("Demo Bankası")),
		record("bist:DMALTF", named("Demo Altın Borsa Yatırım Fonu"), etf("DMA")),
		record("crypto:1", named("Bitcoin"), coin("BTC", "bitcoin")),
		record("crypto:2", named("Nameless")),
		record("crypto:90001", named("Harmony"), coin("ONE", "harmony")),
		record("crypto:90002", named("One Coin"), coin("one", "one-coin")),
		record("fx:USDTRY"), record("fx:EURTRY"), record("fx:EURUSD"), record("fx:USDMYR"),
		record("index:SPX", named("S&P 500")),
		record("cmdty:XAU"), record("cmdty:PALM", in("MYR")), record("cmdty:RAWX"),
		record("us:DMAP"), record("us:DMX"),
		record("fund:DMF"), record("fund:DMX"), record("fund:DMA"),
	}
}

// dec is the Decimal of text.
var dec = value.MustDecimal

// seen is an observation with nothing but its price.
func seen(id market.ID, last, at string) *market.Observation {
	o := &market.Observation{InstrumentID: id, AsOf: value.MustInstant(at)}
	if last != "" {
		o.Last = dec(last)
	}
	return o
}

func observations() []*market.Observation {
	stock := seen("bist:DMOST", "305.25", "2026-03-18T11:45:00Z")
	stock.PrevClose, stock.Change, stock.ChangePct = dec("300.00"), dec("5.25"), dec("1.75")
	stock.Open, stock.High, stock.Low, stock.Bid, stock.Ask = dec("301.00"), dec("306.75"), dec("299.50"), dec("305.25"), dec("305.50")
	stock.Volume, stock.Turnover, stock.LimitUp, stock.LimitDown = dec("4050000"), dec("1234567890.50"), dec("330.00"), dec("270.00")
	bitcoin := seen("crypto:1", "68250.12", "2026-03-18T11:59:00Z")
	bitcoin.Change, bitcoin.ChangePct = dec("-1249.88"), dec("-1.798388")
	bitcoin.Turnover, bitcoin.MarketCap = dec("31250000000.5"), dec("1351234567890.12")
	return []*market.Observation{
		stock, bitcoin,
		seen("bist:DMALTF", "41.20", "2026-03-18T11:45:00Z"),
		seen("fx:USDTRY", "41.25", "2026-03-18T11:44:30Z"),
		seen("fx:EURTRY", "44.82", "2026-03-18T11:44:20Z"),
		seen("fx:EURUSD", "1.0865", "2026-03-18T11:44:10Z"),
		seen("fx:USDMYR", "4.40", "2026-03-18T11:40:00Z"),
		seen("index:SPX", "5712.35", "2026-03-17T20:00:00Z"),
		seen("cmdty:XAU", "2990.10", "2026-03-18T11:44:00Z"),
		seen("cmdty:PALM", "4125", "2026-03-18T10:00:00Z"),
		seen("cmdty:RAWX", "", "2026-03-18T10:00:00Z"),
		seen("us:DMAP", "214.10", "2026-03-17T20:00:00Z"),
		seen("fund:DMF", "3.141592", "2026-03-18T06:30:00Z"),
		seen("fund:DMA", "41.20", "2026-03-18T06:30:00Z"),
	}
}

// ids are the ids of instruments; the null ones are "-".
func ids(instruments []*market.Instrument) []string {
	list := []string{}
	for _, in := range instruments {
		if in == nil {
			list = append(list, "-")
			continue
		}
		list = append(list, string(in.InstrumentID))
	}
	return list
}
