package cmc

import (
	"bytes"
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

// quoteCurrency is the currency of all quotes.
const quoteCurrency = "USD"

// mostCredits is the most credits that an answer, or a month of answers, may cost.
const mostCredits = 100_000_000

// coin is a coin of an answer. Its tags are objects in some answers and text in others, so they are
// not read.
type coin struct {
	ID     int             `json:"id"`
	Name   string          `json:"name"`
	Symbol string          `json:"symbol"`
	Slug   string          `json:"slug"`
	Quotes json.RawMessage `json:"quote"`
}

// openAnswer returns the data of an answer, and its cost in credits. The service identifies an
// error by its code, whatever the status; the code is text in version 3, and a number before.
// Errors quote the service's message without the key.
func openAnswer(got *collect.Answer, key *collect.Secret) (data json.RawMessage, credits int, err error) {
	var in struct {
		Status *struct {
			Code    json.RawMessage `json:"error_code"`
			Message *string         `json:"error_message"`
			Credits *int            `json:"credit_count"`
		} `json:"status"`
		Data json.RawMessage `json:"data"`
	}
	err = collect.ReadJSON(got.Body, &in)
	code, wrong := 0, error(nil)
	if err == nil && in.Status != nil {
		code, wrong = strconv.Atoi(strings.Trim(string(in.Status.Code), `"`))
	}
	if got.Status != 200 && (err != nil || in.Status == nil || wrong != nil) {
		return nil, 0, trouble(got, 0, "") // a page of a proxy in front of the service
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
			message = strings.ReplaceAll(*in.Status.Message, key.Reveal(), "…")
		}
		return nil, 0, trouble(got, code, message)
	case in.Status.Credits == nil || *in.Status.Credits < 0 || *in.Status.Credits > mostCredits:
		return nil, 0, errors.New("credit_count must say what the answer costs")
	}
	return in.Data, *in.Status.Credits, nil
}

// trouble returns the error that the service reports.
func trouble(got *collect.Answer, code int, message string) error {
	t := &collect.Trouble{What: fmt.Sprintf("the service refused (status %d)", got.Status)}
	if code != 0 {
		t.What = fmt.Sprintf("the service refused (status %d, error_code %d): %.200q", got.Status, code, message)
	}
	now := got.At.UTC()
	tomorrow := time.Date(now.Year(), now.Month(), now.Day()+1, 0, 0, 0, 0, time.UTC)
	switch {
	case code == 1009: // limit of the day
		t.Wait = boundedWait(tomorrow.Sub(now))
	case code == 1010: // limit of the month
		t.Wait = boundedWait(time.Date(now.Year(), now.Month()+1, 1, 0, 0, 0, 0, time.UTC).Sub(now))
	case code == 1008, code == 1011, got.Status == 429: // limits of the minute and of the address
		t.Wait = time.Minute
	case got.Status != 500 && got.Status != 200, code >= 1001 && code <= 1007, code == 400:
		t.Final = true
	}
	return t
}

// coinsOf returns the coins of an answer: a list, an object by number, or an object of lists by
// symbol, since coins may share a symbol.
func coinsOf(data json.RawMessage) (coins []coin, err error) {
	data = bytes.TrimSpace(data)
	if len(data) == 0 || data[0] != '{' {
		if err := collect.ReadJSON(data, &coins); err != nil {
			return nil, fmt.Errorf("data must be a list or an object: %w", err)
		}
		return coins, nil
	}
	var by map[string]json.RawMessage
	if err := collect.ReadJSON(data, &by); err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(by)) {
		var all []coin
		if by[name][0] == '[' {
			err = collect.ReadJSON(by[name], &all)
		} else {
			all = make([]coin, 1)
			if err = collect.ReadJSON(by[name], &all[0]); err == nil && name != strconv.Itoa(all[0].ID) {
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

// boundedWait limits a wait to between 0 and an hour, the most that an upstream may ask for.
func boundedWait(d time.Duration) time.Duration { return max(0, min(time.Hour, d)) }
