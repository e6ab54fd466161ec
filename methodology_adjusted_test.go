package main

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"piyasa/account/access"
	"piyasa/db"
	"piyasa/domain/market"
	"piyasa/domain/segment"
	"piyasa/internal/value"
	"piyasa/test/fixture"
	"piyasa/test/fixture/calls"
)

// adjustedExample stores the closes of a share, and what happened to it, and asks for adjusted
// closes.
func adjustedExample(t *testing.T, e example) (func(string) string, error) {
	const id = market.ID("bist:ADJ")
	store, batch := fixture.OpenStore(t, ""), new(db.Batch)
	var actions []*market.StoredAction
	var dividends []market.CashDividend
	first, last := e.inputs[0].name, e.inputs[0].name
	for _, p := range e.inputs {
		at, kind, happened := strings.Cut(p.name, " ")
		day := value.MustDate(at)
		switch {
		case !happened:
			b := &market.Bar{InstrumentID: id, Resolution: market.Day, T: day.Start(value.Turkey), Close: value.MustDecimal(p.text)}
			b.Adjustment = new(market.Unadjusted)
			db.Put(batch, b, new(db.Outcome))
			first, last = min(first, at), max(last, at)
		case kind == string(segment.CashDividend):
			dividends = append(dividends, market.CashDividend{ExDate: day, Amount: value.MustDecimal(p.text), Currency: "TRY"})
		default:
			a := new(market.StoredAction)
			a.InstrumentID, a.Kind, a.ExDate = market.Subject(id), market.ActionKind(kind), day
			var now, before, price string
			if n, _ := fmt.Sscanf(p.text, "%s for %s at %s", &now, &before, &price); n < 2 {
				return nil, fmt.Errorf("%s: not a ratio", p.text)
			}
			a.New, a.Old = value.MustDecimal(now), value.MustDecimal(before)
			if price != "" {
				a.Price, a.Currency = value.MustDecimal(price), new("TRY")
			}
			actions = append(actions, a)
		}
	}
	if err := store.Store(context.Background(), batch); err != nil {
		return nil, err
	}
	live := market.NewLive()
	share := &market.Instrument{InstrumentID: id, Symbol: "ADJ", Market: market.BIST, AssetType: market.Stock, Currency: "TRY"}
	live.PutCatalog([]*market.Instrument{share}, nil)
	live.PutAdjustments([]*market.HistoryAdjustment{{InstrumentID: id, Adjustment: market.Unadjusted}})
	live.PutActions(actions)
	s := &market.Service{Live: live, History: market.NewHistoryCache(store, 0, func() bool { return false }),
		Now: func() value.Instant { return value.MustDate(last).AddDays(1).Start(value.Turkey) },
		Dividends: func(context.Context, []market.ID) (map[market.ID][]market.CashDividend, error) {
			return map[market.ID][]market.CashDividend{id: dividends}, nil
		}}
	from := value.MustDate(first)
	return func(name string) string {
		how, at, _ := strings.Cut(name, " ")
		adjust := market.Adjust(how)
		series, err := s.Candles(calls.Caller(access.History), string(id), market.SeriesArgs{From: &from, Adjust: &adjust})
		if err != nil {
			return err.Error()
		}
		for _, b := range series.Bars() {
			if id.Market().DayOf(b) == value.MustDate(at) {
				return exact(b.Close)
			}
		}
		return "no bar"
	}, nil
}
