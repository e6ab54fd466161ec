// Package cmc reads coins and their prices from CoinMarketCap.
package cmc

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"piyasa/collect"
)

const (
	base      = "https://pro-api.coinmarketcap.com/"
	quotes    = "v3/cryptocurrency/quotes/latest"
	listings  = "v3/cryptocurrency/listings/latest"
	chunk     = 100  // coins in a request for quotes, which cost one credit
	page      = 200  // coins of a listing that cost one credit
	most      = 5000 // coins
	mostKnown = 4 * most
	freeMonth = 10_000
	month     = "2006-01"
	longMonth = 31 * 24 * time.Hour
)

// source asks for a choice of coins: the given ones, or the largest.
type source struct {
	key    *collect.Secret
	ids    []int // ascending; none: the largest ones
	top    int
	budget int // credits of a month
	logos  bool
}

// New returns the source of a configuration.
func New(text json.RawMessage) (collect.Source, error) {
	in, err := collect.Settings[struct {
		Key    *collect.Secret `json:"key"`
		IDs    []int           `json:"ids"`
		Top    *int            `json:"top"`
		Budget *int            `json:"credits_per_month"`
		Logos  *bool           `json:"logos"`
	}](text)
	if err != nil {
		return nil, err
	}
	s := &source{key: in.Key, ids: slices.Compact(slices.Sorted(slices.Values(in.IDs))), budget: freeMonth,
		logos: in.Logos == nil || *in.Logos}
	if in.Top != nil {
		s.top = *in.Top
	}
	if in.Budget != nil {
		s.budget = *in.Budget
	}
	switch {
	case in.Key == nil:
		return nil, errors.New(`"key" must be the key of the service, such as {"env": "CMC_KEY"}; registration there is free`)
	case (in.IDs == nil) == (in.Top == nil):
		return nil, errors.New(`must have either "ids", such as [1, 1027], or "top", such as 200`)
	case in.Top != nil && (*in.Top < 1 || *in.Top > most):
		return nil, fmt.Errorf(`"top" must be a number of coins from 1 to %d; got %d`, most, *in.Top)
	case in.IDs != nil && (len(s.ids) == 0 || len(s.ids) > most || s.ids[0] < 1):
		return nil, fmt.Errorf(`"ids" must have from 1 to %d numbers of coins, which are above 0`, most)
	case len(s.ids) < len(in.IDs):
		return nil, errors.New(`"ids" has a number twice`)
	case s.budget < s.cost() || s.budget > mostCredits:
		return nil, fmt.Errorf(`"credits_per_month" must be from %d, which these coins cost at once, to %d; got %d`,
			s.cost(), mostCredits, s.budget)
	}
	return s, nil
}

// cost returns how many credits it takes to ask for all coins.
func (s *source) cost() int {
	if s.top > 0 {
		return (s.top + page - 1) / page
	}
	return (len(s.ids) + chunk - 1) / chunk
}

// once returns how many credits one request costs.
func (s *source) once() int {
	if s.top > 0 {
		return s.cost()
	}
	return 1
}

// Plan implements collect.Source: as often as the credits of the longest month allow, in whole
// minutes, since prices change once a minute.
func (s *source) Plan() collect.Plan {
	every := time.Duration(int64(longMonth) / int64(s.budget) * int64(s.cost()))
	every = min(7*24*time.Hour, every.Truncate(time.Minute)+time.Minute)
	return collect.Plan{Base: base, Second: images, Pace: 2500 * time.Millisecond, MaxBytes: 64 << 20,
		Schedule: collect.Schedule{Every: every}}
}

// kept is the state kept between requests.
type kept struct {
	Month string        `json:"month"`           // in UTC
	Used  int           `json:"used"`            // credits of the month
	After int           `json:"after,omitempty"` // the last coin requested; 0: all were requested
	Coins map[int]known `json:"coins,omitempty"` // by number
	Pause time.Time     `json:"pause,omitzero"`  // no logo is requested before it
}

// known is the state of a coin.
type known struct {
	Slug string `json:"slug"`
	Sum  string `json:"sum"`            // digest of its symbol and its name
	Logo int    `json:"logo,omitempty"` // the day of the next request for its logo; 0: none was sent yet
	Bare bool   `json:"bare,omitempty"` // the last request for it got none
}

// readKept reads the kept state.
func readKept(text json.RawMessage) (k kept, err error) {
	if len(text) > 0 {
		err = json.Unmarshal(text, &k)
	}
	if k.Coins == nil {
		k.Coins = map[int]known{}
	}
	if k.Used < 0 {
		err = fmt.Errorf("the kept number of credits is %d", k.Used)
	}
	return k, err
}

// Ask implements collect.Source.
func (s *source) Ask(text json.RawMessage, now time.Time) (*collect.Request, error) {
	k, err := readKept(text)
	if err != nil {
		return nil, err
	}
	if now = now.UTC(); k.Month == now.Format(month) && k.Used+s.once() > s.budget {
		end := time.Date(now.Year(), now.Month()+1, 1, 0, 0, 0, 0, time.UTC)
		return nil, &collect.Trouble{
			What: fmt.Sprintf("%d of the %d credits of %s are used (credits_per_month): nothing more is asked until it ends",
				k.Used, s.budget, k.Month),
			Wait: boundedWait(end.Sub(now)), Final: true,
		}
	}
	request := &collect.Request{
		Path: listings, Query: url.Values{"convert": {quoteCurrency}}, Header: http.Header{}, Expect: collect.JSON,
		Also: []int{400, 401, 402, 403, 429, 500}, // their bodies say what is wrong
	}
	request.Header.Set("X-CMC_PRO_API_KEY", s.key.Reveal())
	if s.top > 0 {
		request.Query.Set("start", "1")
		request.Query.Set("limit", strconv.Itoa(s.top))
		return request, nil
	}
	request.Path = quotes
	request.Query.Set("skip_invalid", "true") // otherwise one unknown number fails the whole request
	var numbers []string
	for _, id := range s.next(k.After) {
		numbers = append(numbers, strconv.Itoa(id))
	}
	request.Query.Set("id", strings.Join(numbers, ","))
	return request, nil
}

// next returns the coins to ask for after the coin after.
func (s *source) next(after int) []int {
	i, found := slices.BinarySearch(s.ids, after)
	if found {
		i++
	}
	if i == len(s.ids) {
		i = 0
	}
	return s.ids[i:min(len(s.ids), i+chunk)]
}
