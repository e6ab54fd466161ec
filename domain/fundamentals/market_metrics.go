package fundamentals

import (
	"cmp"
	"maps"
	"sync/atomic"

	"piyasa/domain/market"
	"piyasa/internal/value"
)

// Metrics is what the data distributor states about a company on a trading day. The newest one
// is the current one; all of them are the history.
type Metrics struct {
	InstrumentID market.ID  `json:"instrument_id" record:"required"`
	Date         value.Date `json:"date" record:"required" time:"past"`
	// in the currency of the company's shares; 0 means none
	MarketCap value.Decimal `json:"market_cap"`
	PeRatio   value.Decimal `json:"pe_ratio"`                            // 0 means none
	AsOf      value.Instant `json:"as_of" record:"required" time:"past"` // when the distributor computed it
	Source    *string       `json:"source"`
}

// Validate returns the value.Invalid of the metrics, if any.
func (m *Metrics) Validate() error {
	if err := cmp.Or(checkCompany(m.InstrumentID), value.CheckDay("date", m.Date), value.CheckMoment("as_of", m.AsOf)); err != nil {
		return err
	}
	if m.MarketCap.Sign() < 0 {
		return value.Invalidf("market_cap", "must be 0 or above")
	}
	if day := value.TurkeyDay(m.AsOf); day.Before(m.Date) {
		return value.Invalidf("date", "must not be after the day of as_of, %s; got %s", day, m.Date)
	}
	return nil
}

// Live holds the newest metrics of every company.
type Live struct {
	newest atomic.Pointer[map[market.ID]*Metrics]
}

// NewLive returns a Live without metrics.
func NewLive() *Live {
	l := &Live{}
	l.newest.Store(&map[market.ID]*Metrics{})
	return l
}

// SetMetrics replaces all metrics with the newest of each company.
func (l *Live) SetMetrics(all []*Metrics) { l.put(map[market.ID]*Metrics{}, all) }

// PutMetrics applies new or changed metrics, and ignores older ones. Only one goroutine may
// call it at a time.
func (l *Live) PutMetrics(changed []*Metrics) { l.put(maps.Clone(*l.newest.Load()), changed) }

func (l *Live) put(next map[market.ID]*Metrics, metrics []*Metrics) {
	for _, m := range metrics {
		if known := next[m.InstrumentID]; known == nil || !m.Date.Before(known.Date) {
			next[m.InstrumentID] = m
		}
	}
	l.newest.Store(&next)
}

// metrics returns the newest metrics of a company, or nil.
func (l *Live) metrics(id market.ID) *Metrics { return (*l.newest.Load())[id] }
