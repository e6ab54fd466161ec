package ingest

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"time"
	_ "time/tzdata" // zones are checked on machines that have none, too

	"piyasa/domain/fundamentals"
	"piyasa/domain/funds"
	"piyasa/domain/ipo"
	"piyasa/domain/kap"
	"piyasa/domain/macro"
	"piyasa/domain/market"
	"piyasa/domain/news"
	"piyasa/problem"
	"piyasa/value"
)

// checkInstrument refuses a record that contradicts its own id.
func checkInstrument(in *market.Instrument) *Fault {
	id := in.InstrumentID
	switch {
	case in.Market != id.Market():
		return fault("market", "must be %s, as the id %s says; got %s", id.Market(), id, in.Market)
	case in.Symbol != id.Symbol():
		return fault("symbol", "must be %s, as the id %s says; got %s", id.Symbol(), id, problem.Shown(in.Symbol))
	case in.Delay != nil && *in.Delay < 0:
		return fault("delay", "must be 0 or more seconds; got %d", *in.Delay)
	case in.Session != nil && !isZone(in.Session.Timezone):
		return fault("session.timezone", "must be an IANA time zone such as Europe/Istanbul; got %s", problem.Shown(in.Session.Timezone))
	case in.Market == market.Crypto && in.CmcID == nil:
		return fault("cmc_id", "is missing: coins must state their number")
	case in.CmcID != nil && id != market.ID("crypto:"+strconv.Itoa(*in.CmcID)):
		return fault("cmc_id", "must be the number in the id %s; got %d", id, *in.CmcID)
	}
	if wrong := checkCurrency(id, in.Currency); wrong != nil {
		return wrong
	}
	if !slices.Contains(assetTypes[in.Market], in.AssetType) {
		return fault("asset_type", "must be one of %v for the market %s; got %s", assetTypes[in.Market], in.Market, in.AssetType)
	}
	return nil
}

// checkNoCoin refuses to withdraw a coin, whose number is never given to another.
func checkNoCoin(in *market.Instrument) *Fault {
	if in.InstrumentID.Market() == market.Crypto {
		return fault("withdrawn", "does not apply to coins: the number of %s is never reused", in.InstrumentID)
	}
	return nil
}

// assetTypes are what the instruments of a market can be.
var assetTypes = map[market.Market][]market.AssetType{
	market.BIST:   {market.Stock, market.ETF},
	market.Crypto: {market.Coin},
	market.FX:     {market.Pair},
	market.Index:  {market.WorldIndex},
	market.Cmdty:  {market.Commodity},
	market.US:     {market.Stock, market.ETF},
	market.Fund:   {market.FundUnit},
}

func isZone(name string) bool {
	_, err := time.LoadLocation(name)
	return err == nil && name != "Local"
}

var currencyCode = regexp.MustCompile(`^[A-Z]{3}$`)

// checkCurrency demands a currency code, and the one that the id itself says:
// of a pair its second leg, of a coin the dollar.
func checkCurrency(id market.ID, currency string) *Fault {
	switch m := id.Market(); {
	case !currencyCode.MatchString(currency):
		return fault("currency", "must be a currency code of three letters such as TRY; got %s", problem.Shown(currency))
	case m == market.FX && currency != id.Symbol()[3:]:
		return fault("currency", "must be %s, the second leg of the pair %s; got %s", id.Symbol()[3:], id, problem.Shown(currency))
	case m == market.Crypto && currency != string(market.USD):
		return fault("currency", "must be USD, the currency of coins; got %s", problem.Shown(currency))
	}
	return nil
}

// checkObservation refuses a delay or a currency that cannot be.
func checkObservation(o *market.Observation) *Fault {
	if wrong := checkMoment("as_of", o.AsOf); wrong != nil {
		return wrong
	}
	if o.DataDelaySeconds != nil && *o.DataDelaySeconds < 0 {
		return fault("data_delay_seconds", "must be 0 or more seconds; got %d", *o.DataDelaySeconds)
	}
	if o.Currency != nil {
		return checkCurrency(o.InstrumentID, *o.Currency)
	}
	return nil
}

var firstDay, lastDay = value.MustDate("1800-01-01"), value.MustDate("2199-12-31")

func checkMoment(field string, t value.Instant) *Fault {
	if !t.IsNull() && (t.Before(value.FirstMoment) || t.After(value.LastMoment)) {
		return fault(field, "must be from %s to %s; got %s", value.FirstMoment, value.LastMoment, t)
	}
	return nil
}

// checkDay is checkMoment for days.
func checkDay(field string, d value.Date) *Fault {
	if !d.IsNull() && (d.Before(firstDay) || lastDay.Before(d)) {
		return fault(field, "must be from %s to %s; got %s", firstDay, lastDay, d)
	}
	return nil
}

func checkBar(b *market.Bar) *Fault { return cmp.Or(checkMoment("t", b.T), checkWhole(b)) }

// checkTradingDay demands both hours or neither, in order.
func checkTradingDay(d *market.TradingDay) *Fault {
	switch {
	case (d.Open == nil) != (d.Close == nil):
		return fault("close", "state both open and close (trading hours) or neither (a holiday)")
	case d.Open != nil && *d.Close <= *d.Open:
		return fault("close", "must be later than open, %s; got %s", *d.Open, *d.Close)
	}
	return nil
}

// maxCode bounds a code: it is a key, and an index of a database has limits.
const maxCode = 100

func checkCode(field, code string) *Fault {
	if len(code) > maxCode {
		return fault(field, "must have at most %d bytes", maxCode)
	}
	return nil
}

func checkSector(s *market.Sector) *Fault   { return cmp.Or(checkCode("code", s.Code), checkWhole(s)) }
func checkIndex(i *market.BistIndex) *Fault { return cmp.Or(checkCode("code", i.Code), checkWhole(i)) }
func checkIndexBar(b *market.IndexBar) *Fault {
	return cmp.Or(checkCode("code", b.Code), checkDay("date", b.Date), checkWhole(b))
}
func checkCompany(c *kap.CompanyRecord) *Fault {
	return cmp.Or(checkCode("company_id", c.CompanyID), checkWhole(c))
}

// checkWhole asks a record what is wrong with it as a whole, which may
// complete it.
func checkWhole(r interface{ Check() (member, wrong string) }) *Fault {
	if member, wrong := r.Check(); wrong != "" {
		return fault(member, "%s", wrong)
	}
	return nil
}

func checkDisclosure(r *kap.Record) *Fault {
	return cmp.Or(checkWhole(r), checkMoment("published_at", r.PublishedAt))
}

func checkFiling(r *kap.FilingRecord) *Fault {
	return cmp.Or(checkMoney(r.Currency), checkWhole(r))
}

func checkNews(i *news.Item) *Fault {
	return cmp.Or(checkCode("news_id", i.NewsID), checkMoment("published_at", i.PublishedAt), checkWhole(i))
}

func checkInflationPoint(p *macro.Point) *Fault {
	return cmp.Or(checkMoment("fetched_at", p.FetchedAt), checkWhole(p))
}

func checkDividend(r *fundamentals.DividendRecord) *Fault {
	return cmp.Or(checkMoney(r.Currency), checkDay("ex_date", r.ExDate), checkDay("payment_date", r.PaymentDate), checkWhole(r))
}

// checkCompanyID demands the id of something that reports and pays.
func checkCompanyID(id market.ID) *Fault {
	if m := id.Market(); m != market.BIST && m != market.US {
		return fault("instrument_id", "must be an id of bist or us; got %s", id)
	}
	return nil
}

func checkMetrics(m *fundamentals.Metrics) *Fault {
	return cmp.Or(checkCompanyID(m.InstrumentID), checkDay("date", m.Date), checkMoment("as_of", m.AsOf), checkWhole(m))
}

func checkStatement(s *fundamentals.Statement) *Fault {
	return cmp.Or(checkMoney(s.Currency), checkCompanyID(s.InstrumentID), checkDay("end_date", s.EndDate), checkMoment("filed_at", s.FiledAt), checkWhole(s))
}

// checkMoney demands a currency code.
func checkMoney(currency string) *Fault {
	if !currencyCode.MatchString(currency) {
		return fault("currency", "must be a currency code of three letters such as TRY; got %s", problem.Shown(currency))
	}
	return nil
}

func checkCalendarEvent(e *macro.CalendarEvent) *Fault {
	return cmp.Or(checkMoney(e.Currency), checkWhole(e))
}

func checkCalendarItem(r *macro.CalendarRecord) *Fault { return checkMoment("time", r.Time) }

func checkFund(f *funds.Fund) *Fault {
	return cmp.Or(checkMoney(f.Currency), checkDay("price_date", f.PriceDate), checkDay("inception_date", f.InceptionDate), checkMoment("as_of", f.AsOf), checkWhole(f))
}

// checkFundCode demands a code that an id of a fund could have.
func checkFundCode(field, code string) *Fault {
	if _, err := market.ParseID(string(market.FundID(code))); err != nil {
		return fault(field, "must be a fund code of capital letters and digits, such as AAL; got %s", problem.Shown(code))
	}
	return nil
}

func checkFundFlow(f *funds.Flow) *Fault {
	return cmp.Or(checkFundCode("code", f.Code), checkDay("date", f.Date))
}

func checkFundHolding(h *funds.Holding) *Fault { return checkFundCode("fund_code", h.FundCode) }

func checkIPO(r *ipo.Record) *Fault {
	return cmp.Or(checkCode("id", r.ID), checkMoney(r.Currency), checkDay("demand_start", r.DemandStart), checkDay("demand_end", r.DemandEnd),
		checkDay("first_trade_date", r.FirstTradeDate), checkMoment("as_of", r.AsOf), checkWhole(r))
}

func checkSource(s *market.SourceStatus) *Fault {
	return cmp.Or(checkCode("source", s.Source), checkMoment("as_of", s.AsOf))
}

func checkLogo(r *market.LogoRecord) *Fault {
	return cmp.Or(checkCode("founder", r.Founder), checkWhole(r))
}
