package market_test

import (
	"context"
	"slices"
	"time"

	"piyasa/account/access"
	"piyasa/domain/market"
	"piyasa/internal/value"
)

// memory is a history of bars in order of time.
type memory []market.Bar

// Bars implements market.History. The 5m bars of pairs are loaded ones, which state rates.
func (m memory) Bars(_ context.Context, r market.Resolution, spans []market.Span) ([]market.StoredBars, error) {
	answers := make([]market.StoredBars, len(spans))
	for i, span := range spans {
		for _, b := range m {
			if at, ok := b.LoadedRate(); ok && r == market.ObservedRates {
				b = market.Bar{InstrumentID: b.InstrumentID, Resolution: r, T: at, Close: b.Close}
			}
			if b.InstrumentID == span.ID && b.Resolution == r && !b.T.Before(span.First) && !b.T.After(span.Last) {
				answers[i].Bars = append(answers[i].Bars, &b)
			}
		}
	}
	return answers, nil
}

// FirstBars implements market.History.
func (m memory) FirstBars(_ context.Context, r market.Resolution, ids []market.ID,
	since value.Instant) (map[market.ID]value.Instant, error) {
	firsts := map[market.ID]value.Instant{}
	for _, b := range m {
		known, ok := firsts[b.InstrumentID]
		if b.Resolution == r && slices.Contains(ids, b.InstrumentID) && !b.T.Before(since) && (!ok || b.T.Before(known)) {
			firsts[b.InstrumentID] = b.T
		}
	}
	return firsts, nil
}

// charts is a service at 2026-03-18T12:00:00Z over a history.
func charts(history market.History) (*market.Service, context.Context) {
	live := market.NewLive()
	instrument := func(id market.ID, currency string, more ...func(*market.Instrument)) *market.Instrument {
		in := &market.Instrument{InstrumentID: id, Symbol: id.Symbol(), Market: id.Market(), Currency: currency}
		for _, f := range more {
			f(in)
		}
		return in
	}
	live.PutCatalog([]*market.Instrument{
		instrument("bist:DMOST", "TRY"), instrument("us:DMAP", "USD"), instrument("fund:DMF", "TRY"), instrument("index:SPX", "USD"),
		instrument("cmdty:PALM", "MYR"), instrument("cmdty:TEA", "GBP"),
		instrument("crypto:1", "USD", func(in *market.Instrument) { in.CoverageFrom = value.MustDate("2025-06-01") }),
		instrument("crypto:2", "USD", func(in *market.Instrument) { in.CoverageFrom = value.MustDate("2013-04-29") }),
		instrument("fx:USDTRY", "TRY"), instrument("fx:EURTRY", "TRY"), instrument("fx:EURUSD", "USD"), instrument("fx:USDMYR", "MYR"),
	}, nil)
	live.PutQuotes([]*market.Observation{{InstrumentID: "fx:USDTRY", AsOf: value.MustInstant("2026-03-18T11:44:30Z"),
		Last: value.MustDecimal("41.25")}})
	ctx, _ := access.WithCall(context.Background(), &access.Key{Scopes: []access.Scope{access.History}})
	return &market.Service{
		Live: live, History: market.NewHistoryCache(history, 0, func() bool { return true }), FXMaxAge: time.Hour,
		Now: func() value.Instant { return value.MustInstant("2026-03-18T12:00:00Z") },
	}, ctx
}

func daily(id market.ID, t, closing string) market.Bar {
	return market.Bar{InstrumentID: id, Resolution: market.Day, T: value.MustInstant(t), Close: value.MustDecimal(closing)}
}

func date(text string) *value.Date {
	if text == "" {
		return nil
	}
	d := value.MustDate(text)
	return &d
}

func to(c market.Currency) *market.Currency { return &c }

// counting is a history that counts its reads of anything.
type counting struct {
	market.History
	reads int
}

// Bars implements market.History.
func (c *counting) Bars(ctx context.Context, r market.Resolution, spans []market.Span) ([]market.StoredBars, error) {
	if len(spans) > 0 {
		c.reads++
	}
	return c.History.Bars(ctx, r, spans)
}

// FirstBars implements market.History.
func (c *counting) FirstBars(ctx context.Context, r market.Resolution, ids []market.ID,
	since value.Instant) (map[market.ID]value.Instant, error) {
	c.reads++
	return c.History.FirstBars(ctx, r, ids, since)
}

// aFewDays is some history of every market, with holes in the pairs.
func aFewDays() memory {
	short := func(b market.Bar, r market.Resolution) market.Bar {
		b.Resolution = r
		return b
	}
	return memory{
		daily("bist:DMOST", "2026-03-15T21:00:00Z", "300.00"), daily("bist:DMOST", "2026-03-16T21:00:00Z", "301.00"),
		daily("bist:DMOST", "2026-03-17T21:00:00Z", "305.25"),
		daily("us:DMAP", "2026-03-16T00:00:00Z", "214.10"), daily("us:DMAP", "2026-03-17T00:00:00Z", "215"),
		daily("index:SPX", "2026-03-16T00:00:00Z", "5700"), daily("cmdty:PALM", "2026-03-16T00:00:00Z", "4125"),
		daily("cmdty:TEA", "2026-03-16T00:00:00Z", "2"),
		daily("crypto:1", "2026-03-16T00:00:00Z", "68000"), daily("crypto:2", "2026-03-17T00:00:00Z", "0.05"),
		daily("fx:USDTRY", "2026-03-15T21:00:00Z", "41.10"), daily("fx:EURTRY", "2026-03-16T21:00:00Z", "44.70"),
		daily("fx:USDMYR", "2026-03-15T21:00:00Z", "4.40"),
		short(daily("bist:DMOST", "2026-03-17T07:00:00Z", "304"), market.FiveMinutes),
		short(daily("fx:USDTRY", "2026-03-17T06:30:00Z", "41.15"), market.FiveMinutes),
		short(daily("index:SPX", "2026-03-17T14:00:00Z", "5710"), market.FiveMinutes),
		short(daily("cmdty:PALM", "2026-03-17T07:00:00Z", "4130"), market.FiveMinutes),
	}
}
