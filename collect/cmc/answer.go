package cmc

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"piyasa/collect"
)

// coin is a coin of an answer. Some answers have its tags as objects, others as text: they are
// not read.
type coin struct {
	ID     int             `json:"id"`
	Name   string          `json:"name"`
	Symbol string          `json:"symbol"`
	Slug   string          `json:"slug"`
	Quote  json.RawMessage `json:"quote"`
}

// Parse implements collect.Source.
func (s *source) Parse(text json.RawMessage, asked *collect.Request, got *collect.Answer) (*collect.Result, error) {
	k, err := readKept(text)
	if err != nil {
		return nil, err
	}
	if strings.HasPrefix(asked.Path, logos) {
		return k.logo(asked, got)
	}
	data, credits, err := s.open(got)
	if err != nil {
		return nil, err
	}
	coins, err := decode(data)
	if err != nil {
		return nil, err
	}
	if len(coins) == 0 {
		return nil, errors.New("it has no coins")
	}
	var wanted []string
	if asked.Path == quotes {
		wanted = strings.Split(asked.Query.Get("id"), ",")
	}
	there := map[int]bool{}
	var records []collect.Record
	for _, c := range coins {
		if there[c.ID] {
			return nil, fmt.Errorf("coin %d is there twice", c.ID)
		}
		there[c.ID] = true
		if wanted != nil && !slices.Contains(wanted, strconv.Itoa(c.ID)) {
			return nil, fmt.Errorf("coin %d was not asked for", c.ID)
		}
		told, err := c.records(k.Coins)
		if err != nil {
			return nil, fmt.Errorf("coin %d: %w", c.ID, err)
		}
		records = append(records, told...)
	}
	if len(k.Coins) > mostKnown {
		maps.DeleteFunc(k.Coins, func(id int, _ known) bool { return !there[id] })
	}
	k.After = 0
	if wanted != nil {
		last, err := strconv.Atoi(wanted[len(wanted)-1])
		if err != nil {
			return nil, fmt.Errorf("the numbers that were asked for: %w", err)
		}
		if len(s.ids) > 0 && last < s.ids[len(s.ids)-1] {
			k.After = last
		}
	}
	if now := got.At.UTC().Format(month); k.Month != now {
		k.Month, k.Used = now, 0
	}
	k.Used += credits
	keep, err := json.Marshal(k)
	return &collect.Result{Records: records, Keep: keep, More: k.After > 0}, err
}

// open returns the data of an answer, and its cost. The service calls an error by its code,
// whatever the status; the code is text in version 3, and a number before.
func (s *source) open(got *collect.Answer) (data json.RawMessage, credits int, err error) {
	var in struct {
		Status *struct {
			Code    json.RawMessage `json:"error_code"`
			Message *string         `json:"error_message"`
			Credits *int            `json:"credit_count"`
		} `json:"status"`
		Data json.RawMessage `json:"data"`
	}
	err = json.Unmarshal(got.Body, &in)
	code, wrong := 0, error(nil)
	if err == nil && in.Status != nil {
		code, wrong = strconv.Atoi(strings.Trim(string(in.Status.Code), `"`))
	}
	if got.Status != 200 && (err != nil || in.Status == nil || wrong != nil) {
		return nil, 0, trouble(got, 0, "") // a page of a server before the service
	}
	switch {
	case err != nil:
		return nil, 0, err
	case in.Status == nil:
		return nil, 0, errors.New("it has no status")
	case wrong != nil:
		return nil, 0, fmt.Errorf("error_code must be a number; got %.50s", in.Status.Code)
	case got.Status != 200 || code != 0:
		message := ""
		if in.Status.Message != nil {
			message = strings.ReplaceAll(*in.Status.Message, s.key.Reveal(), "…")
		}
		return nil, 0, trouble(got, code, message)
	case in.Status.Credits == nil || *in.Status.Credits < 0 || *in.Status.Credits > mostBudget:
		return nil, 0, errors.New("credit_count must say what the answer costs")
	}
	return in.Data, *in.Status.Credits, nil
}

// trouble returns what the service says is wrong.
func trouble(got *collect.Answer, code int, message string) error {
	t := &collect.Trouble{What: fmt.Sprintf("the service refused (status %d)", got.Status)}
	if code != 0 {
		t.What = fmt.Sprintf("the service refused (status %d, error_code %d): %.200q", got.Status, code, message)
	}
	now := got.At.UTC()
	tomorrow := time.Date(now.Year(), now.Month(), now.Day()+1, 0, 0, 0, 0, time.UTC)
	switch {
	case code == 1009: // of the day
		t.Wait = bounded(tomorrow.Sub(now))
	case code == 1010: // of the month
		t.Wait = bounded(time.Date(now.Year(), now.Month()+1, 1, 0, 0, 0, 0, time.UTC).Sub(now))
	case code == 1008, code == 1011, got.Status == 429: // of the minute, of the address
		t.Wait = time.Minute
	case got.Status != 500 && got.Status != 200, code >= 1001 && code <= 1007, code == 400:
		t.Final = true
	}
	return t
}

// decode returns the coins of an answer: a list; or an object by number, or by symbol, which
// has lists, since symbols repeat.
func decode(data json.RawMessage) (coins []coin, err error) {
	data = bytes.TrimSpace(data)
	if len(data) == 0 || data[0] != '{' {
		if err := json.Unmarshal(data, &coins); err != nil {
			return nil, fmt.Errorf("data must be a list or an object: %w", err)
		}
		return coins, nil
	}
	var by map[string]json.RawMessage
	if err := json.Unmarshal(data, &by); err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(by)) {
		var all []coin
		if by[name][0] == '[' {
			err = json.Unmarshal(by[name], &all)
		} else {
			all = make([]coin, 1)
			if err = json.Unmarshal(by[name], &all[0]); err == nil && name != strconv.Itoa(all[0].ID) {
				err = fmt.Errorf("it is coin %d", all[0].ID)
			}
		}
		if err != nil {
			return nil, fmt.Errorf("%.50q: %w", name, err)
		}
		coins = append(coins, all...)
	}
	return coins, nil
}

// records returns the instrument, if it is new or has changed, and the quote.
func (c coin) records(coins map[int]known) (all []collect.Record, err error) {
	if c.ID < 1 || c.Name == "" || c.Symbol == "" || c.Slug == "" {
		return nil, errors.New("id, name, symbol and slug must not be empty")
	}
	number := strconv.Itoa(c.ID)
	id := "crypto:" + number
	sum := sha256.Sum256([]byte(c.Symbol + "\n" + c.Name))
	before := coins[c.ID]
	now := before
	now.Slug, now.Sum = cmp.Or(before.Slug, c.Slug), hex.EncodeToString(sum[:6])
	if before != now {
		coins[c.ID] = now
		all = append(all, collect.Record{Kind: "instrument", Fields: map[string]any{
			"instrument_id": id, "symbol": number, "ticker": c.Symbol, "name": c.Name, "slug": now.Slug, "cmc_id": c.ID,
			"market": "crypto", "asset_type": "CRYPTO", "currency": currency, "source": "CoinMarketCap",
		}})
	}
	q, err := c.quote()
	if err != nil {
		return nil, err
	}
	fields := map[string]any{"instrument_id": id, "currency": currency, "data_delay_seconds": 0}
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
	if last, ok := fields["last"].(string); !ok || isZero(last) { // nobody trades it
		return all, nil
	}
	var text string
	if err := json.Unmarshal(q["last_updated"], &text); err != nil {
		return nil, fmt.Errorf("last_updated must be a moment; got %.50s", q["last_updated"])
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return nil, fmt.Errorf("last_updated must be a moment; got %.50q", text)
	}
	fields["as_of"] = at.UTC().Format("2006-01-02T15:04:05.000Z")
	return append(all, collect.Record{Kind: "quote", Fields: fields}), nil
}

// quote returns the members of the quote in dollars, of a list or of an object by currency.
func (c coin) quote() (q map[string]json.RawMessage, err error) {
	var list []map[string]json.RawMessage
	var by map[string]map[string]json.RawMessage
	if json.Unmarshal(c.Quote, &by) == nil {
		q = by[currency]
	} else if err := json.Unmarshal(c.Quote, &list); err != nil {
		return nil, fmt.Errorf("quote must be a list or an object: %w", err)
	}
	for _, one := range list {
		if string(one["symbol"]) == `"`+currency+`"` {
			q = one
		}
	}
	if q == nil {
		return nil, errors.New("it has no quote in " + currency)
	}
	for _, member := range []string{"price", "volume_24h", "percent_change_24h", "market_cap", "last_updated"} {
		if q[member] == nil {
			return nil, fmt.Errorf("its quote has no %s", member)
		}
	}
	return q, nil
}
