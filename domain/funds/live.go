package funds

import (
	"cmp"
	"maps"
	"slices"
	"sync/atomic"
	"time"

	"piyasa/domain/market"
	"piyasa/internal/value"
)

// Live holds the current funds.
type Live struct {
	funds atomic.Pointer[map[string]*Fund] // by code
}

// NewLive returns an empty Live.
func NewLive() *Live {
	l := &Live{}
	l.funds.Store(&map[string]*Fund{})
	return l
}

// SetFunds replaces all funds.
func (l *Live) SetFunds(all []*Fund) { l.put(map[string]*Fund{}, all) }

// PutFunds adds or replaces funds. One writer at a time.
func (l *Live) PutFunds(changed []*Fund) { l.put(maps.Clone(*l.funds.Load()), changed) }

func (l *Live) put(next map[string]*Fund, funds []*Fund) {
	for _, f := range funds {
		if !f.Price.IsNull() && f.Price.Sign() == 0 { // the source states no price
			f.Price, f.PriceDate = value.Decimal{}, value.Date{}
		}
		next[f.Code] = f
	}
	l.funds.Store(&next)
}

// Instruments returns catalog records made from the funds, for funds that the catalog lacks.
func (l *Live) Instruments() []*market.Instrument {
	var all []*market.Instrument
	for _, f := range *l.funds.Load() {
		all = append(all, &market.Instrument{
			InstrumentID: f.InstrumentID, Symbol: f.Code, Name: f.Name, Market: market.Fund, AssetType: market.FundUnit,
			Currency: f.Currency,
			Founder:  f.Founder, Category: f.Category, IsParticipation: f.IsParticipation,
		})
	}
	return all
}

// Prices returns the prices of the funds that state a price and its date.
func (l *Live) Prices() []*market.Observation {
	var all []*market.Observation
	for _, f := range *l.funds.Load() {
		if !f.Price.IsNull() && !f.PriceDate.IsNull() {
			at := f.PriceDate.Start(time.UTC)
			all = append(all, &market.Observation{InstrumentID: f.InstrumentID, AsOf: at, Last: f.Price, Currency: &f.Currency})
		}
	}
	return all
}

// fund returns the fund with a code, or nil.
func (l *Live) fund(code string) *Fund { return (*l.funds.Load())[code] }

// all returns the funds by code.
func (l *Live) all() []*Fund {
	return slices.SortedFunc(maps.Values(*l.funds.Load()), func(a, b *Fund) int { return cmp.Compare(a.Code, b.Code) })
}
