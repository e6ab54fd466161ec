package demo

import (
	"embed"
	"errors"
	"io/fs"
	"strings"

	"piyasa/web"
)

// queries holds TITLE.graphql for each tab and, where it has variables,
// TITLE.json.
//
//go:embed queries
var queries embed.FS

// tabs are the titles of GraphiQL's tabs, in their order.
var tabs = []string{
	"MarketStatus", "Quote", "Watchlist", "Movers", "CatalogSearch", "CrossRate", "Chart",
	"Fundamentals", "Analytics", "Economy", "FundsAndIPOs", "Graph", "Disclosures",
}

// GraphiQL opens the page with the key and queries to begin with.
func GraphiQL() web.Settings {
	settings := web.Settings{Key: string(Secret)}
	for _, title := range tabs {
		settings.Tabs = append(settings.Tabs, web.Tab{Title: title, Query: query(title + ".graphql"), Variables: strings.TrimSpace(query(title + ".json"))})
	}
	return settings
}

// query reads a file of the tabs; empty when there is none.
func query(name string) string {
	text, err := fs.ReadFile(queries, "queries/"+name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		panic(err)
	}
	return string(text)
}
