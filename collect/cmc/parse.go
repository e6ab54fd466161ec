package cmc

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"piyasa/collect"
)

// Parse implements collect.Source.
func (s *source) Parse(text json.RawMessage, request *collect.Request, got *collect.Answer) (*collect.Result, error) {
	k, err := readKept(text)
	if err != nil {
		return nil, err
	}
	if strings.HasPrefix(request.Path, logos) {
		return k.logo(request, got)
	}
	data, credits, err := openAnswer(got, s.key)
	if err != nil {
		return nil, err
	}
	coins, err := coinsOf(data)
	if err != nil {
		return nil, err
	}
	if len(coins) == 0 {
		return nil, errors.New("it has no coins")
	}
	var wanted []string
	if request.Path == quotes {
		wanted = strings.Split(request.Query.Get("id"), ",")
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
		lines, err := k.records(c)
		if err != nil {
			return nil, fmt.Errorf("coin %d: %w", c.ID, err)
		}
		records = append(records, lines...)
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

// records returns the instrument of a coin, if it is new or has changed, and the quote.
func (k *kept) records(c coin) (all []collect.Record, err error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	sum := sha256.Sum256([]byte(c.Symbol + "\n" + c.Name))
	before := k.Coins[c.ID]
	now := before
	now.Slug, now.Sum = c.Slug, hex.EncodeToString(sum[:6])
	if before != now {
		k.Coins[c.ID] = now
		all = append(all, collect.Record{Kind: "instrument", Fields: map[string]any{
			"instrument_id": c.InstrumentID(), "symbol": strconv.Itoa(c.ID), "ticker": c.Symbol, "name": c.Name, "slug": now.Slug,
			"cmc_id": c.ID,
			"market": "crypto", "asset_type": "CRYPTO", "currency": quoteCurrency, "source": "CoinMarketCap",
		}})
	}
	quote, err := c.Quote()
	return append(all, quote...), err
}
