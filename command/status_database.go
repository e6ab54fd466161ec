package command

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"piyasa/account/access"
	"piyasa/db"
	"piyasa/domain/coverage"
	"piyasa/domain/market"
	"piyasa/internal/value"
	"piyasa/serve/deliver"
	"piyasa/serve/stream"
	"piyasa/services"
)

// askDatabase makes the status from a database.
func (c *statusCommand) askDatabase(ctx context.Context, s streams, _ string) (*status, error) {
	clock, err := clockFrom(c.Now)
	if err != nil {
		return nil, err
	}
	store, err := c.openToRead(ctx, s)
	if err != nil {
		return nil, err
	}
	defer store.Close()
	url, _, err := c.database.check()
	if err != nil {
		return nil, err
	}
	is, err := store.Describe(ctx)
	if err != nil {
		return nil, fmt.Errorf("ask the database: %w", err)
	}
	found := &status{Asked: db.Shown(url), Engine: &is.Engine, Schema: &is.Schema, Bytes: &is.Bytes, Unknown: map[string]string{
		"version":     "several versions may serve a database; --url asks a server",
		"ready":       "only a server is ready or not",
		"lag_seconds": "only a server lags behind its database",
		"usage":       "plans has the sums of all keys; `piyasa usage` has each",
		"streams":     "each server counts its own: --url with --metrics-url asks one",
	}}
	others, err := store.OtherServers(ctx, "")
	if err != nil {
		return nil, fmt.Errorf("ask for servers: %w", err)
	}
	found.Servers = new(len(others))
	root := services.New(services.Settings{Clock: clock, Plans: access.ShippedPlans()}, store)
	root.Coverage.Patience = c.Timeout
	for _, feed := range []string{db.FeedCatalog, db.FeedFunds, db.FeedSources} {
		if err := root.Feeds()[feed](ctx, stream.Rows{}); err != nil {
			return nil, fmt.Errorf("read the %s: %w", feed, err)
		}
	}
	found.Sources = root.Market.Sources.At(clock())
	call, _ := access.WithCall(ctx, &access.Key{ID: "status", Scopes: access.Scopes})
	if found.Coverage, err = c.pages(func(cursor *string) (*coverage.Report, error) {
		return root.Coverage.Of(call, coverage.Args{Market: c.market(), Instrument: value.NonEmpty(&c.Instrument), Cursor: cursor,
			Limit: &coverage.Limit.Max})
	}); err != nil {
		return nil, fmt.Errorf("count what is stored: %w", err)
	}
	if found.Sinks, err = deliver.Reports(ctx, store); err != nil {
		return nil, fmt.Errorf("ask for sinks: %w", err)
	}
	if found.Backups, err = deliver.ReportBackups(ctx, store, time.Now()); err != nil {
		return nil, fmt.Errorf("ask for backups: %w", err)
	}
	if found.Backups == nil {
		found.Unknown["backups"] = `none are made by schedule: "backup" of the file of deliver`
	}
	if found.Webhooks, err = deliver.WebhooksOfKeys(ctx, store); err != nil {
		return nil, fmt.Errorf("ask for webhooks of keys: %w", err)
	}
	found.Plans, err = plansInUse(ctx, store, clock)
	return found, err
}

// market returns the requested market, or nil.
func (c *statusCommand) market() *market.Market {
	if c.Market == "" {
		return nil
	}
	return new(market.Market(c.Market))
}

// plansInUse sums the usage of the keys of each plan this month.
func plansInUse(ctx context.Context, store *db.Store, clock value.Clock) ([]planUse, error) {
	keys, err := store.Keys(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the keys: %w", err)
	}
	month := value.DayIn(clock(), time.UTC).Month()
	units, err := store.UsageTotals(ctx, month)
	if err != nil {
		return nil, fmt.Errorf("read what keys have used: %w", err)
	}
	all := []planUse{}
	for _, k := range keys {
		i := slices.IndexFunc(all, func(u planUse) bool { return u.Plan == k.Plan })
		if i < 0 {
			i = len(all)
			all = append(all, planUse{Plan: k.Plan, Month: month})
		}
		all[i].Units += units[k.ID]
		if k.RevokedAt == nil {
			all[i].Keys++
		}
	}
	slices.SortFunc(all, func(a, b planUse) int { return strings.Compare(a.Plan, b.Plan) })
	return all, nil
}
