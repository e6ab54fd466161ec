package db_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode"

	"pgregory.net/rapid"

	"piyasa/domain/market"
	"piyasa/internal/value"
)

var background = context.Background()

// encoded returns a record as JSON for messages, because %v shows pointers.
func encoded(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprintf("%+v", v)
	}
	return string(text)
}

// decimals have up to 30 digits, of any scale, of any sign, with leading
// zeros after the point and closing zeros.
var decimals = rapid.Custom(func(t *rapid.T) value.Decimal {
	digits := rapid.StringOfN(rapid.RuneFrom([]rune("0001234567899")), 1, 30, -1).Draw(t, "digits")
	point := rapid.IntRange(0, len(digits)).Draw(t, "point")
	text := strings.TrimLeft(digits[:point], "0")
	if text == "" {
		text = "0"
	}
	if point < len(digits) {
		text += "." + digits[point:]
	}
	if strings.ContainsAny(text, "123456789") && rapid.Bool().Draw(t, "negative") {
		text = "-" + text
	}
	return value.MustDecimal(text)
})

// instants are of any millisecond from 1800 to 2200.
var instants = rapid.Custom(func(t *rapid.T) value.Instant {
	from, to := time.Date(1800, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2200, 12, 31, 23, 59, 59, 0, time.UTC)
	return value.At(time.UnixMilli(rapid.Int64Range(from.UnixMilli(), to.UnixMilli()).Draw(t, "millisecond")))
})

var dates = rapid.Custom(func(t *rapid.T) value.Date {
	return value.NewDate(1900, time.January, 1).AddDays(rapid.IntRange(0, 110_000).Draw(t, "day"))
})

// texts hold what SQL, JSON and Turkish keyboards make of letters.
var texts = rapid.StringOfN(rapid.OneOf(
	rapid.RuneFrom([]rune(`çÇğĞıIİiöÖşŞüÜâÂîûÛ'"\?$%&<>;:-_{}`+"\t\n\u00a0\u2028₺😀")),
	rapid.RuneFrom(nil, unicode.Letter, unicode.Digit),
), 1, 20, -1)

// optional returns a value or, as often, null.
func optional[T any](of *rapid.Generator[T]) *rapid.Generator[*T] {
	return rapid.Ptr(of, true)
}

// figures are decimals or null.
var figures = rapid.OneOf(rapid.Just(value.Decimal{}), decimals)

// anyObservations state anything about an instrument.
func anyObservations(id market.ID) *rapid.Generator[*market.Observation] {
	return rapid.Custom(func(t *rapid.T) *market.Observation {
		o := &market.Observation{
			InstrumentID: id, AsOf: instants.Draw(t, "as_of"), Currency: optional(texts).Draw(t, "currency"),
			DataDelaySeconds: optional(rapid.IntRange(0, 1<<31-1)).Draw(t, "delay"),
		}
		for _, f := range []*value.Decimal{
			&o.Last, &o.PrevClose, &o.Change, &o.ChangePct, &o.Open, &o.High, &o.Low, &o.Bid, &o.Ask, &o.Volume,
			&o.Turnover, &o.LimitUp, &o.LimitDown, &o.MarketCap,
		} {
			*f = figures.Draw(t, "figure")
		}
		if rapid.Bool().Draw(t, "current") {
			o.CurrentUntil = instants.Draw(t, "current_until")
		}
		return o
	})
}

var sessions = rapid.Custom(func(t *rapid.T) market.Session {
	return market.Session{
		Timezone: texts.Draw(t, "timezone"), AlwaysOpen: rapid.Bool().Draw(t, "always"),
		Open: optional(clockTimes).Draw(t, "open"), Close: optional(clockTimes).Draw(t, "close"),
	}
})

var clockTimes = rapid.Custom(func(t *rapid.T) market.ClockTime {
	return market.ClockTime(fmt.Sprintf("%02d:%02d", rapid.IntRange(0, 23).Draw(t, "hour"), rapid.IntRange(0, 59).Draw(t, "minute")))
})

// anyInstruments state anything about an id.
func anyInstruments(id market.ID) *rapid.Generator[*market.Instrument] {
	return rapid.Custom(func(t *rapid.T) *market.Instrument {
		in := &market.Instrument{
			InstrumentID: id, Symbol: id.Symbol(), Name: texts.Draw(t, "name"), Market: id.Market(),
			AssetType: market.Stock, Currency: texts.Draw(t, "currency"), Session: optional(sessions).Draw(t, "session"),
			Delay:           optional(rapid.IntRange(0, 1<<31-1)).Draw(t, "delay"),
			IsParticipation: optional(rapid.Bool()).Draw(t, "participation"),
			CmcID:           optional(rapid.IntRange(1, 999_999_999)).Draw(t, "cmc_id"),
		}
		if rapid.Bool().Draw(t, "covered") {
			in.CoverageFrom = dates.Draw(t, "coverage_from")
		}
		for _, f := range []**string{
			&in.Ticker, &in.Source, &in.Sector, &in.SectorCode, &in.PriceMechanism, &in.FundCode, &in.Founder,
			&in.Category, &in.UnderlyingIndex, &in.Segment, &in.Unit, &in.Region, &in.Slug,
		} {
			*f = optional(texts).Draw(t, "text")
		}
		return in
	})
}
