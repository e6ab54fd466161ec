package main

import (
	"context"
	"strings"
	"testing"
	"time"

	"piyasa/account/access"
	"piyasa/db"
	"piyasa/domain/market"
	"piyasa/internal/value"
	"piyasa/test/fixture"
	"piyasa/test/fixture/calls"
)

// ratesExample stores what pairs state, and bars where a rate is wanted, and asks for the bars
// in another currency.
func ratesExample(t *testing.T, e example) (func(string) string, error) {
	store := fixture.OpenStore(t, "")
	id, err := market.ParseID(e.get("instrument", ""))
	if err != nil {
		return nil, err
	}
	now, to := value.MustInstant(e.get("now", "")), market.Currency(e.get("to", ""))
	batch := new(db.Batch)
	listed := []*market.Instrument{{InstrumentID: id, Symbol: id.Symbol(), Market: id.Market(), Currency: e.get("from", "")}}
	newest := map[market.ID]*market.Observation{}
	for _, p := range e.inputs {
		words := strings.Fields(p.name)
		if len(words) != 3 {
			continue // what the chart is
		}
		pair := market.ID("fx:" + words[0])
		if newest[pair] == nil {
			newest[pair] = market.NeverObserved(pair)
			listed = append(listed, &market.Instrument{InstrumentID: pair, Symbol: words[0], Market: market.FX, Currency: words[0][3:]})
		}
		rate, until, held := strings.Cut(p.text, ", current until ")
		last, err := value.ParseDecimal(rate)
		if err != nil {
			return nil, err
		}
		if words[1] == "close" {
			day, err := value.ParseDate(words[2])
			if err != nil {
				return nil, err
			}
			db.Put(batch, &market.Bar{InstrumentID: pair, Resolution: market.Day, T: day.Start(value.Turkey), Close: last}, new(db.Outcome))
			continue
		}
		o := &market.Observation{InstrumentID: pair, AsOf: value.MustInstant(words[2]), Last: last}
		if held {
			o.CurrentUntil = value.MustInstant(until)
		}
		db.Put(batch, o, new(db.Outcome))
		if !o.AsOf.Before(newest[pair].AsOf) {
			newest[pair] = o
		}
	}
	for _, p := range e.want {
		r, t := barNamed(id, p.name)
		db.Put(batch, &market.Bar{InstrumentID: id, Resolution: r, T: t, Close: value.MustDecimal("1")}, new(db.Outcome))
	}
	if err := store.Store(context.Background(), batch); err != nil {
		return nil, err
	}
	live := market.NewLive()
	live.PutCatalog(listed, nil)
	for _, o := range newest {
		live.PutQuotes([]*market.Observation{o})
	}
	s := &market.Service{Live: live, History: market.NewHistoryCache(store, 0, func() bool { return false }), FXMaxAge: time.Hour,
		Now: func() value.Instant { return now }}
	return func(name string) string {
		r, at := barNamed(id, name)
		day := id.Market().DayAt(at)
		series, err := s.Candles(calls.Caller(access.History), string(id),
			market.SeriesArgs{Resolution: &r, From: &day, To: &day, Currency: &to})
		if err != nil {
			return err.Error()
		}
		for _, b := range series.Bars() {
			if b.T == at {
				return exact(b.FxRate)
			}
		}
		return "no bar"
	}, nil
}

// barNamed reads "5m 2026-03-13T07:30:00Z" or "1d 2026-03-13".
func barNamed(id market.ID, name string) (market.Resolution, value.Instant) {
	r, at, _ := strings.Cut(name, " ")
	if r != string(market.Day) {
		return market.Resolution(r), value.MustInstant(at)
	}
	if day := value.MustDate(at); id.Market() == market.BIST {
		return market.Day, day.Start(value.Turkey)
	}
	return market.Day, value.MustInstant(at + "T00:00:00Z")
}
