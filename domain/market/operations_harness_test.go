package market_test

import (
	"context"
	"strings"

	"piyasa/domain/market"
)

// operation is one question to the service.
type operation func(context.Context, *fixture) error

func quoteOf(id string, currency ...market.Currency) operation {
	return func(ctx context.Context, d *fixture) error {
		_, err := d.Quote(ctx, id, one(currency))
		return err
	}
}

func quotesOf(ids string, currency ...market.Currency) operation {
	return func(ctx context.Context, d *fixture) error {
		_, err := d.Quotes(ctx, split(ids), one(currency))
		return err
	}
}

func watchlistOf(ids string) operation {
	return func(ctx context.Context, d *fixture) error {
		_, err := d.Watchlist(ctx, split(ids))
		return err
	}
}

func instrumentOf(id string) operation {
	return func(ctx context.Context, d *fixture) error {
		_, err := d.Instrument(ctx, id)
		return err
	}
}

func parse(id string) operation {
	return func(ctx context.Context, d *fixture) error {
		_, err := d.ParseID(ctx, id)
		return err
	}
}

func listing(limit int) operation {
	return func(ctx context.Context, d *fixture) error {
		_, err := d.Instruments(ctx, market.InstrumentFilter{}, &limit)
		return err
	}
}

func moversOf(limit int, currency ...market.Currency) operation {
	return func(ctx context.Context, d *fixture) error {
		_, err := d.Movers(ctx, &limit, one(currency))
		return err
	}
}

func status(ctx context.Context, d *fixture) error {
	_, err := d.Status(ctx)
	return err
}

// one is the first of list, if there is one.
func one[T any](list []T) *T {
	if len(list) == 0 {
		return nil
	}
	return &list[0]
}

// split cuts a comma-separated list; empty text is an empty list.
func split(list string) []string {
	if list == "" {
		return nil
	}
	return strings.Split(list, ",")
}

// hundredAndOne is a list of one id too many.
var hundredAndOne = strings.Repeat("bist:DMOST,", 100) + "crypto:1"
