package cmc_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"piyasa/collect"
	"piyasa/collect/cmc"
	"piyasa/collect/collecttest"
	"piyasa/collect/standin"
	"piyasa/test/fixture/need"
)

// noted is an answer whose status is noted.
type noted struct {
	http.ResponseWriter
	status int
}

func (n *noted) WriteHeader(status int) {
	n.status = status
	n.ResponseWriter.WriteHeader(status)
}

// How long the connector waits at each limit of the service, and that it goes on afterwards.
func TestLimitsOfTheService(t *testing.T) {
	t.Setenv("CMC_KEY", standin.CMCKey)
	for name, c := range map[string]struct {
		limits       standin.CMCLimits
		begin, every string
		asked        string // times, and the refusals among them
		code         string
	}{
		"1008, of a minute: a minute": {standin.CMCLimits{Minute: 2}, "2031-06-02T12:00:00Z", "20s",
			"12:00:00 12:00:20 12:00:40! 12:01:40 12:02:00 12:02:20!", "1008"},
		"1009, of a day: until midnight in UTC, an hour at a time": {
			standin.CMCLimits{Day: 3}, "2031-06-02T20:30:00Z", "20m",
			"20:30:00 20:40:00 21:00:00 21:20:00! 22:20:00! 23:20:00! 00:00:00 00:20:00", "1009",
		},
		"1010, of a month: until it ends in UTC, an hour at a time": {
			standin.CMCLimits{Month: 3}, "2031-06-30T20:30:00Z", "20m",
			"20:30:00 20:40:00 21:00:00 21:20:00! 22:20:00! 23:20:00! 00:00:00 00:20:00", "1010",
		},
		"1011, of the address: a minute": {standin.CMCLimits{Address: 1}, "2031-06-02T12:00:00Z", "40s",
			"12:00:00 12:00:40! 12:01:40 12:02:00!", "1011"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				begin, err := time.Parse(time.RFC3339, c.begin)
				need.NoError(t, err)
				time.Sleep(time.Until(begin))
				config, err := collect.Read(fmt.Appendf(nil,
					`{"sources": {"coins": {"connector": "cmc", "base": "http://api.example/", "key": {"env": "CMC_KEY"},
					"top": 3, "credits_per_month": 1000000, "logos": false, "schedule": {"every": %q}}}}`, c.every),
					collect.Makers{"cmc": cmc.New})
				need.NoError(t, err)
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				want := strings.Fields(c.asked)
				var asked []string
				service := standin.CMCLimited(time.Now, c.limits)
				network := collecttest.NewNetwork(t,
					map[string]http.Handler{"api.example": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
						at, one := time.Now().UTC().Format(time.TimeOnly), &noted{w, http.StatusOK}
						service.ServeHTTP(one, r)
						if one.status == http.StatusTooManyRequests {
							at += "!"
						}
						if asked = append(asked, at); len(asked) == len(want) {
							time.AfterFunc(time.Second, cancel)
						}
					})})
				store := collecttest.NewStore()
				(&collect.Collector{Config: config, Store: store, Emit: store.Emit, Holder: "one", Agent: "piyasa/test", Now: time.Now,
					Transport: network}).Run(ctx)
				if got := strings.Join(asked, " "); got != c.asked {
					t.Errorf("%s\nwant\n%s", got, c.asked)
				}
				if all := store.All(); !strings.Contains(all, "error_code "+c.code) || strings.Contains(all, standin.CMCKey) {
					t.Errorf("%s", all)
				}
			})
		})
	}
}
