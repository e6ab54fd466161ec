package db_test

import (
	"database/sql"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"piyasa/db/dbtest"
	"piyasa/domain/market"
	"piyasa/internal/value"
	"piyasa/test/fixture/need"
)

// table is the content of the table of bars, as "instrument resolution t" and
// "open high low close volume turnover trades", where - is null; a recorded bar
// ends in "recorded".
type table map[string]string

func (c table) put(b *market.Bar, recorded bool) { c[placeOf(b)] = figuresOf(b, recorded) }

func placeOf(b *market.Bar) string {
	return fmt.Sprintf("%s %s %s", b.InstrumentID, b.Resolution, b.T)
}

func figuresOf(b *market.Bar, recorded bool) string {
	var words []string
	for _, d := range []value.Decimal{b.Open, b.High, b.Low, b.Close, b.Volume, b.Turnover} {
		word := d.String()
		if d.IsNull() {
			word = "-"
		}
		words = append(words, word)
	}
	if b.TradeCount != nil {
		words = append(words, fmt.Sprint(*b.TradeCount))
	} else {
		words = append(words, "-")
	}
	if recorded {
		words = append(words, "recorded")
	}
	return strings.Join(words, " ")
}

// difference lists what turns c into d: "- row", "+ row".
func (c table) difference(d table) []string {
	var lines []string
	for at, row := range c {
		if d[at] != row {
			lines = append(lines, at+" - "+row)
		}
	}
	for at, row := range d {
		if c[at] != row {
			lines = append(lines, at+" + "+row)
		}
	}
	slices.Sort(lines)
	return lines
}

// is compares with what should be there.
func (c table) is(t rapid.TB, want table) {
	t.Helper()
	if wrong := want.difference(c); len(wrong) > 0 {
		t.Fatalf("- what should be there, + what is:\n%s", strings.Join(wrong, "\n"))
	}
}

// rowsOf is everything in the table of bars of instruments whose id holds part.
func rowsOf(t rapid.TB, raw *sql.DB, part string) table {
	t.Helper()
	rows, err := raw.Query("SELECT instrument_id, resolution, t, open, high, low, close, volume, turnover, trade_count, " +
		"recorded FROM bars " +
		"WHERE instrument_id LIKE '%" + part + "%'")
	need.NoError(t, err)
	defer rows.Close()
	c := table{}
	for rows.Next() {
		var b market.Bar
		var recorded bool
		if err := rows.Scan(&b.InstrumentID, &b.Resolution, &b.T, &b.Open, &b.High, &b.Low, &b.Close, &b.Volume, &b.Turnover, &b.TradeCount,
			&recorded); err != nil {
			t.Fatal(err)
		}
		c.put(&b, recorded)
	}
	need.NoError(t, rows.Err())
	return c
}

// everyBar returns the whole table at url.
func everyBar(t testing.TB, url string) table {
	t.Helper()
	raw := dbtest.Raw(t, url)
	defer raw.Close()
	return rowsOf(t, raw, "")
}

// reference makes bars as the contract says it, slowly and from nothing: the
// last line on each moment of an instrument counts.
func reference(lines []*market.Observation) table {
	last := map[string]*market.Observation{}
	for _, o := range lines {
		last[string(o.InstrumentID)+o.AsOf.String()] = o
	}
	c := table{}
	for _, o := range last {
		m, at := o.InstrumentID.Market(), o.AsOf.Time()
		if o.Last.IsNull() || m == market.US || m == market.Fund {
			continue
		}
		slot := minutes(o)
		short := &market.Bar{InstrumentID: o.InstrumentID, Resolution: market.FiveMinutes, T: value.At(slot(at))}
		inSlot := pick(last, o, func(t time.Time) bool { return slot(t).Equal(slot(at)) })
		short.Close = inSlot[len(inSlot)-1].Last
		switch m {
		case market.BIST:
			before := pick(last, o, func(t time.Time) bool { return midnight(o, t).Equal(midnight(o, at)) && t.Before(slot(at)) })
			growth(short, before, inSlot[len(inSlot)-1])
		case market.Crypto: // the first of a slot is its snapshot; a day is made of snapshots
			c.put(&market.Bar{InstrumentID: o.InstrumentID, Resolution: market.TwoHours, T: short.T, Close: inSlot[0].Last}, true)
			start := midnight(o, slot(at))
			var snapshots []*market.Observation
			for _, p := range pick(last, o, func(t time.Time) bool { return midnight(o, slot(t)).Equal(start) }) {
				if n := len(snapshots); n == 0 || !slot(snapshots[n-1].AsOf.Time()).Equal(slot(p.AsOf.Time())) {
					snapshots = append(snapshots, p)
				}
			}
			daily := &market.Bar{InstrumentID: o.InstrumentID, Resolution: market.Day, T: value.At(start),
				Turnover: snapshots[len(snapshots)-1].Turnover}
			extremes(daily, snapshots)
			c.put(daily, true)
			continue
		default:
			extremes(short, inSlot)
		}
		c.put(short, true)
		start := midnight(o, at)
		if weekend := start.Weekday() == time.Saturday || start.Weekday() == time.Sunday; m == market.BIST || (weekend && m != market.FX) {
			continue
		}
		ofDay := pick(last, o, func(t time.Time) bool { return midnight(o, t).Equal(start) })
		daily := &market.Bar{InstrumentID: o.InstrumentID, Resolution: market.Day, T: value.At(start)}
		extremes(daily, ofDay)
		c.put(daily, true)
	}
	return c
}

// pick returns the priced observations of o's instrument at some times, in order.
func pick(last map[string]*market.Observation, o *market.Observation, when func(time.Time) bool) []*market.Observation {
	var picked []*market.Observation
	for _, p := range last {
		if p.InstrumentID == o.InstrumentID && !p.Last.IsNull() && when(p.AsOf.Time()) {
			picked = append(picked, p)
		}
	}
	slices.SortFunc(picked, func(a, b *market.Observation) int { return a.AsOf.Time().Compare(b.AsOf.Time()) })
	return picked
}

// midnight begins the day of t, in Istanbul (three hours before Greenwich) for
// its stocks and for pairs.
func midnight(o *market.Observation, t time.Time) time.Time {
	var ahead time.Duration
	if m := o.InstrumentID.Market(); m == market.BIST || m == market.FX {
		ahead = 3 * time.Hour
	}
	y, m, d := t.Add(ahead).Date()
	return time.Date(y, m, d, 0, 0, 0, 0, time.UTC).Add(-ahead)
}

// minutes returns how slots of o's market begin: at five minutes, or at odd hours.
func minutes(o *market.Observation) func(time.Time) time.Time {
	if o.InstrumentID.Market() == market.Crypto {
		return func(t time.Time) time.Time {
			hour := time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), 0, 0, 0, time.UTC)
			if hour.Hour()%2 == 0 {
				hour = hour.Add(-time.Hour)
			}
			return hour
		}
	}
	return func(t time.Time) time.Time {
		return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute()/5*5, 0, 0, time.UTC)
	}
}

// extremes returns the first, the highest, the lowest and the last price; of equal
// ones the first is stated.
func extremes(b *market.Bar, of []*market.Observation) {
	b.Open, b.High, b.Low, b.Close = of[0].Last, of[0].Last, of[0].Last, of[len(of)-1].Last
	for _, o := range of {
		if number(o.Last).Cmp(number(b.High)) > 0 {
			b.High = o.Last
		}
		if number(o.Last).Cmp(number(b.Low)) < 0 {
			b.Low = o.Last
		}
	}
}

// growth returns the open of a stock's bar and what the day's figures grew by.
func growth(b *market.Bar, before []*market.Observation, now *market.Observation) {
	if len(before) == 0 {
		b.Volume, b.Turnover = now.Volume, now.Turnover
		return
	}
	then := before[len(before)-1]
	b.Open = then.Last
	less := func(now, then value.Decimal) value.Decimal {
		if now.IsNull() || then.IsNull() || number(now).Cmp(number(then)) < 0 {
			return value.Decimal{}
		}
		text := new(big.Rat).Sub(number(now), number(then)).FloatString(12)
		return value.MustDecimal(strings.TrimSuffix(strings.TrimRight(text, "0"), "."))
	}
	b.Volume, b.Turnover = less(now.Volume, then.Volume), less(now.Turnover, then.Turnover)
}

func number(d value.Decimal) *big.Rat {
	r, _ := new(big.Rat).SetString(d.String())
	return r
}
