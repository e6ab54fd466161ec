package market

import (
	"cmp"
	"time"

	"piyasa/internal/value"
)

// Records become answers by these rules of the specification: what a market or
// a sort of instrument never states is null, even if the source sent it.
//
//	catalog
//	  ticker, cmc_id, slug           coins only
//	  region                         indices only
//	  unit                           commodities only
//	  category                       commodities, ETFs, funds
//	  founder, is_participation      ETFs, funds
//	  underlying_index               ETFs
//	  fund_code                      ETFs of bist
//	  segment                        stocks
//	  price_mechanism                bist
//	  sector, sector_code            bist: the sector that lists it; us: as it came
//	  coverage_from                  fx, index, cmdty, crypto: not before the market's documented start;
//	                                 of the first three always stated
//	quotes
//	  ticker, market_cap             coins only
//	  limit_up, limit_down           bist only
//	  prev_close, volume             not coins; of fx a 0 is null: its source does not send them
//	  turnover                       of fx a 0 is null
//	  open, high, low, bid, ask      not coins
//	  data_delay_seconds             coins: 0; others: as observed, else the instrument's delay, else 900
//	bars
//	  open                           not bist 1d, not coins 2h, nor coins 1d before 2026-01-29
//	  high, low                      not bist 5m, not coins 2h, nor coins 1d before 2026-01-29
//	  volume                         not coins; of fx a 0 is null
//	  trade_count                    not coins, not bist 5m
//	  turnover                       not coins 2h; of fx a 0 is null

// delayedSeconds is the publication delay of every market but crypto.
const delayedSeconds = 900

// extremesSince is the first day whose coin bars state more than close and
// turnover.
var extremesSince = value.At(time.Date(2026, time.January, 29, 0, 0, 0, 0, time.UTC))

// shown returns the record as the catalog shows it, completed by what the
// fund's own record says; fund is nil for other instruments. of is the sector
// that lists the instrument, or nil. The logo's address is added later.
func (in *Instrument) shown(fund *Instrument, of *Sector) *Instrument {
	shown := *in
	if fund != nil {
		shown.Founder, shown.Category = cmp.Or(in.Founder, fund.Founder), cmp.Or(in.Category, fund.Category)
		shown.IsParticipation = cmp.Or(in.IsParticipation, fund.IsParticipation)
	}
	isETF, isFund := in.AssetType == ETF, in.AssetType == FundUnit
	keep(&shown.Ticker, in.Market == Crypto)
	keep(&shown.CmcID, in.Market == Crypto)
	keep(&shown.Slug, in.Market == Crypto)
	keep(&shown.Region, in.Market == Index)
	keep(&shown.Unit, in.Market == Cmdty)
	keep(&shown.Category, in.Market == Cmdty || isETF || isFund)
	keep(&shown.Founder, isETF || isFund)
	keep(&shown.IsParticipation, isETF || isFund)
	keep(&shown.UnderlyingIndex, isETF)
	keep(&shown.FundCode, isETF && in.Market == BIST)
	keep(&shown.Segment, in.AssetType == Stock)
	keep(&shown.PriceMechanism, in.Market == BIST)
	keep(&shown.Sector, in.Market == US)
	keep(&shown.SectorCode, in.Market == US)
	if in.Market == BIST && of != nil {
		shown.Sector, shown.SectorCode = &of.Name, &of.Code
	}
	if start := in.Market.historyStart(); !in.CoverageFrom.IsNull() || in.Market != Crypto {
		shown.CoverageFrom = latest(in.CoverageFrom, start)
	}
	return &shown
}

// keep nulls a member unless it applies.
func keep[T any](member **T, applies bool) {
	if !applies {
		*member = nil
	}
}

// keepFigures nulls figures unless they apply.
func keepFigures(applies bool, figures ...*value.Decimal) {
	if applies {
		return
	}
	for _, d := range figures {
		*d = value.Decimal{}
	}
}

// nullZeros nulls figures that are 0 where nothing was counted.
func nullZeros(figures ...*value.Decimal) {
	for _, d := range figures {
		keepFigures(d.Sign() != 0, d)
	}
}

// newQuote returns the quote of an instrument from an observation, which must have a price of
// it. A quote without its own limits has those of its day.
func newQuote(in *Instrument, o *Observation, limits limitsByDate) *Quote {
	q := &Quote{
		InstrumentID: in.InstrumentID, Symbol: in.Symbol, Ticker: in.Ticker, Market: in.Market, Currency: in.Currency,
		Last: o.Last, PrevClose: o.PrevClose, Change: o.Change, ChangePct: o.ChangePct,
		Open: o.Open, High: o.High, Low: o.Low, Bid: o.Bid, Ask: o.Ask, Volume: o.Volume, Turnover: o.Turnover,
		LimitUp: o.LimitUp, LimitDown: o.LimitDown, MarketCap: o.MarketCap,
		AsOf: o.AsOf, DataDelaySeconds: delayedSeconds,
	}
	if in.Market == BIST && in.Currency == string(TRY) && q.LimitUp.IsNull() && q.LimitDown.IsNull() { // limits are in lira
		if l := limits.of(o); l != nil {
			q.LimitUp, q.LimitDown = l.LimitUp, l.LimitDown
		}
	}
	isCoin, isPair := in.Market == Crypto, in.Market == FX
	keep(&q.Ticker, isCoin)
	keepFigures(isCoin, &q.MarketCap)
	keepFigures(in.Market == BIST, &q.LimitUp, &q.LimitDown)
	keepFigures(!isCoin, &q.PrevClose, &q.Open, &q.High, &q.Low, &q.Bid, &q.Ask, &q.Volume)
	if isPair {
		nullZeros(&q.PrevClose, &q.Volume, &q.Turnover)
	}
	switch {
	case isCoin:
		q.DataDelaySeconds = 0
	case o.DataDelaySeconds != nil:
		q.DataDelaySeconds = *o.DataDelaySeconds
	case in.Delay != nil:
		q.DataDelaySeconds = *in.Delay
	}
	return q
}

// present nulls what the market never states at the bar's resolution.
func (b *Bar) present(m Market) {
	isCoin, isDay := m == Crypto, b.Resolution == Day
	extremes := !isCoin || (isDay && !b.T.Before(extremesSince))
	keepFigures(extremes && (m != BIST || !isDay), &b.Open)
	keepFigures(extremes && (m != BIST || isDay), &b.High, &b.Low)
	keepFigures(!isCoin, &b.Volume)
	keepFigures(!isCoin || isDay, &b.Turnover)
	keep(&b.TradeCount, !isCoin && (m != BIST || isDay))
	if m == FX {
		nullZeros(&b.Volume, &b.Turnover)
	}
}
