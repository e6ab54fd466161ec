package cmc

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"piyasa/collect"
)

// Check returns an error if the coin lacks what every coin has.
func (c coin) Check() error {
	if c.ID < 1 || c.Name == "" || c.Symbol == "" || c.Slug == "" {
		return errors.New("id, name, symbol and slug must not be empty")
	}
	return nil
}

// InstrumentID returns the canonical id of the coin.
func (c coin) InstrumentID() string { return fmt.Sprint("crypto:", c.ID) }

// Quote returns the record of the coin's quote in dollars; none if nobody trades it.
func (c coin) Quote() ([]collect.Record, error) {
	q, err := c.dollars()
	if err != nil {
		return nil, err
	}
	fields := map[string]any{"instrument_id": c.InstrumentID(), "currency": quoteCurrency, "data_delay_seconds": 0}
	for _, one := range []struct{ theirs, ours string }{
		{"price", "last"}, {"volume_24h", "turnover"}, {"percent_change_24h", "change_pct"}, {"market_cap", "market_cap"},
	} {
		text, err := decimal(q[one.theirs])
		if err == nil && text != "" && text[0] == '-' && one.ours != "change_pct" {
			err = fmt.Errorf("must not be below 0; got %s", text)
		}
		if err != nil {
			return nil, fmt.Errorf("%s %w", one.theirs, err)
		}
		if text != "" {
			fields[one.ours] = text
		}
	}
	if last, ok := fields["last"].(string); !ok || isZero(last) {
		return nil, nil
	}
	var text string
	if err := collect.ReadJSON(q["last_updated"], &text); err != nil {
		return nil, fmt.Errorf("last_updated must be a moment; got %.50s", q["last_updated"])
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return nil, fmt.Errorf("last_updated must be a moment; got %.50q", text)
	}
	fields["as_of"] = at.UTC().Format("2006-01-02T15:04:05.000Z")
	return []collect.Record{{Kind: "quote", Fields: fields}}, nil
}

// dollars returns the members of the quote in dollars, from a list or from an object by currency.
func (c coin) dollars() (q map[string]json.RawMessage, err error) {
	var list []map[string]json.RawMessage
	var by map[string]map[string]json.RawMessage
	if collect.ReadJSON(c.Quotes, &by) == nil {
		q = by[quoteCurrency]
	} else if err := collect.ReadJSON(c.Quotes, &list); err != nil {
		return nil, fmt.Errorf("quote must be a list or an object: %w", err)
	}
	for _, one := range list {
		if string(one["symbol"]) == `"`+quoteCurrency+`"` {
			q = one
		}
	}
	if q == nil {
		return nil, errors.New("it has no quote in " + quoteCurrency)
	}
	for _, member := range []string{"price", "volume_24h", "percent_change_24h", "market_cap", "last_updated"} {
		if q[member] == nil {
			return nil, fmt.Errorf("its quote has no %s", member)
		}
	}
	return q, nil
}
