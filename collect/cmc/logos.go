package cmc

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"path"
	"strconv"
	"strings"
	"time"

	"piyasa/collect"
)

// Logos are on a host of their own, which needs no key and costs no credits.
const (
	images     = "https://s2.coinmarketcap.com/"
	logos      = "static/img/coins/128x128/"
	logoWait   = 10 * time.Second
	mostLogo   = 1 << 20        // bytes, the most of a record
	logoDays   = 30             // until a logo, or a missing one, is requested again
	logoLater  = 7              // the same after an unusable answer or a refusal
	logoAgain  = 1              // the same if the host was down
	logosPause = time.Hour      // after either, for all logos
	mostPause  = 2 * time.Hour  // a longer pause comes from a clock that was wrong
	aDay       = 24 * time.Hour // of UTC
)

// day returns the number of a UTC day since 1970.
func day(t time.Time) int { return int(t.Unix() / int64(aDay/time.Second)) }

// Extra implements collect.Extras: the logo that is due, new coins first.
func (s *source) Extra(text json.RawMessage, now time.Time) (*collect.Request, error) {
	k, err := readKept(text)
	if err != nil || !s.logos || k.Pause.After(now) && k.Pause.Sub(now) <= mostPause {
		return nil, err
	}
	id, today := 0, day(now)
	for other, c := range k.Coins {
		if c.Logo > today && c.Logo <= today+logoDays {
			continue
		}
		if id == 0 || c.Logo < k.Coins[id].Logo || c.Logo == k.Coins[id].Logo && other < id {
			id = other
		}
	}
	if id == 0 {
		return nil, nil
	}
	request := &collect.Request{
		Path: logos + strconv.Itoa(id) + ".png", Header: http.Header{}, Expect: collect.PNG, Second: true, Spare: true, Within: logoWait,
		MaxBytes: mostLogo,
		Also:     []int{http.StatusNotModified, http.StatusNotFound, http.StatusGone},
	}
	if c := k.Coins[id]; c.Logo > 0 && !c.Bare {
		since := time.Unix(int64(c.Logo-logoDays-1)*int64(aDay/time.Second), 0) // a day before the last request
		request.Header.Set("If-Modified-Since", since.UTC().Format(http.TimeFormat))
	}
	return request, nil
}

// logo reads the answer to a request for a logo.
func (k *kept) logo(request *collect.Request, got *collect.Answer) (*collect.Result, error) {
	id, err := strconv.Atoi(strings.TrimSuffix(path.Base(request.Path), ".png"))
	if err != nil {
		return nil, errors.New("nothing like it was asked for")
	}
	r := &collect.Result{}
	c, known := k.Coins[id]
	bare := c.Bare || c.Logo == 0
	wrong := func(what string) { r.Warning = fmt.Sprintf("the logo of coin %d (%s): %s", id, c.Slug, what) }
	again := logoDays
	c.Bare = true
	switch t := got.Trouble; {
	case t != nil:
		wrong(t.What)
		if t.TooLarge {
			break
		}
		k.Pause = got.At.Add(max(logosPause, boundedWait(t.Wait)))
		if again = logoAgain; t.Final || got.Status == http.StatusOK {
			again = logoLater
		}
	case got.Status == http.StatusNotModified:
		c.Bare = bare
	case got.Status != http.StatusOK:
		wrong(fmt.Sprintf("there is none (status %d)", got.Status))
	default:
		c.Bare = false
		r.Records = []collect.Record{{Kind: "logo", Fields: map[string]any{
			"instrument_id": "crypto:" + strconv.Itoa(id), "png": base64.StdEncoding.EncodeToString(got.Body),
		}}}
	}
	if c.Logo = day(got.At) + again; known {
		k.Coins[id] = c
	}
	r.Keep, err = json.Marshal(k)
	return r, err
}
