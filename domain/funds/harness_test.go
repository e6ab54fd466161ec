package funds_test

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"piyasa/domain/funds"
	"piyasa/domain/market"
	"piyasa/internal/value"
)

// now is the moment at which the tests ask: 15:00 in Istanbul.
var now = value.MustInstant("2026-03-18T12:00:00Z")

// fixture is the service under test over records in memory.
type fixture struct {
	*funds.Service
	now  value.Instant
	kept *records
}

// records are a store.
type records struct {
	flows    []*funds.Flow
	holdings []*funds.Holding
	reads    int // of holdings
}

// newHouse knows the stock DMOST, the ETF DMALTF, once the fund DMA, and the
// given funds.
func newFixture(all ...*funds.Fund) *fixture {
	h := &fixture{now: now, kept: &records{}}
	h.Service = &funds.Service{Market: &market.Service{Live: market.NewLive(), Now: func() value.Instant { return h.now }}, Store: h.kept,
		Live: funds.NewLive()}
	h.Market.Live.PutCatalog([]*market.Instrument{
		{InstrumentID: "bist:DMOST", Symbol: "DMOST", Name: "Demo Otomotiv", Market: market.BIST, AssetType: market.Stock, Currency: "TRY"},
		{InstrumentID: "bist:DMALTF", Symbol: "DMALTF", Name: "Demo Altın", Market: market.BIST, AssetType: market.ETF, Currency: "TRY",
			FundCode: new("DMA")},
		{InstrumentID: "us:DMX", Symbol: "DMX", Name: "Demo X", Market: market.US, AssetType: market.Stock, Currency: "USD"},
	}, nil)
	h.put(all...)
	return h
}

// put applies funds as a server does.
func (h *fixture) put(all ...*funds.Fund) {
	h.Live.PutFunds(all)
	h.Market.Live.PutFunds(h.Live.Instruments())
}

// Flows implements funds.Store.
func (r *records) Flows(_ context.Context, code string, first, last value.Date) ([]*funds.Flow, error) {
	var found []*funds.Flow
	for _, f := range r.flows {
		if f.Code == code && !f.Date.Before(first) && !last.Before(f.Date) {
			found = append(found, f)
		}
	}
	slices.SortFunc(found, func(a, b *funds.Flow) int { return a.Date.Compare(b.Date) })
	return found, nil
}

// NewestFlow implements funds.Store.
func (r *records) NewestFlow(_ context.Context, code string, last value.Date) (newest value.Date, err error) {
	for _, f := range r.flows {
		if f.Code == code && !last.Before(f.Date) && newest.Before(f.Date) {
			newest = f.Date
		}
	}
	return newest, nil
}

// Holders implements funds.Store.
func (r *records) Holders(_ context.Context, ids []market.ID) (map[market.ID][]*funds.Holding, error) {
	r.reads++
	newest, held := map[string]string{}, map[market.ID][]*funds.Holding{}
	for _, p := range r.holdings {
		newest[p.FundCode] = max(newest[p.FundCode], p.ReportMonth.String())
	}
	for _, p := range r.holdings {
		if slices.Contains(ids, p.InstrumentID) && p.ReportMonth.String() == newest[p.FundCode] {
			held[p.InstrumentID] = append(held[p.InstrumentID], p)
		}
	}
	for _, list := range held { // in no order
		slices.SortFunc(list, func(a, b *funds.Holding) int { return cmp.Compare(b.FundCode, a.FundCode) })
	}
	return held, nil
}

// Holdings implements funds.Store.
func (r *records) Holdings(_ context.Context, codes []string) (map[string][]*funds.Holding, error) {
	r.reads++
	held := map[string][]*funds.Holding{}
	for _, p := range r.holdings {
		newest := !slices.ContainsFunc(r.holdings, func(o *funds.Holding) bool {
			return o.FundCode == p.FundCode && o.ReportMonth.String() > p.ReportMonth.String()
		})
		if newest && slices.Contains(codes, p.FundCode) {
			held[p.FundCode] = append(held[p.FundCode], p)
		}
	}
	return held, nil
}

// fund is one with nothing optional, but for what edit adds.
func fund(code string, edit ...func(*funds.Fund)) *funds.Fund {
	f := &funds.Fund{Profile: funds.Profile{InstrumentID: market.FundID(code), Code: code, Name: code + " Fonu", Currency: "TRY"}}
	for _, e := range edit {
		e(f)
	}
	return f
}

func gained(monthly string) func(*funds.Fund) {
	return func(f *funds.Fund) { f.Returns = &funds.Returns{M1: value.MustDecimal(monthly)} }
}

func in(category string) func(*funds.Fund) {
	return func(f *funds.Fund) { f.Category = &category }
}

func stated(at string) func(*funds.Fund) {
	return func(f *funds.Fund) { f.AsOf = value.MustInstant(at) }
}

// dec is the Decimal of text; empty text is null.
func dec(text string) value.Decimal {
	if text == "" {
		return value.Decimal{}
	}
	return value.MustDecimal(text)
}

func day(text string) *value.Date {
	if text == "" {
		return nil
	}
	return new(value.MustDate(text))
}

func second[T any](_ T, err error) error { return err }

// words are the words of text.
func words(text string) []string { return append([]string{}, strings.Fields(text)...) }
