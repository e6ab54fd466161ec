package demo

import (
	"embed"
	"errors"
	"io/fs"
	"strings"

	"piyasa/site/web"
)

// queries holds TITLE.graphql for each tab and TITLE.json for its variables, if it has any.
//
//go:embed queries
var queries embed.FS

// tabs are the titles of GraphiQL's tabs, in their order.
var tabs = []string{
	"MarketStatus", "Quote", "Watchlist", "Movers", "CatalogSearch", "CrossRate", "Chart",
	"Fundamentals", "Analytics", "Economy", "FundsAndIPOs", "Graph", "Disclosures", "LiveQuotes", "LiveDisclosures",
}

// watchlist is the watchlist of the home page on a first visit: something of each market.
var watchlist = []string{"bist:DMOST", "bist:DMBNK", "bist:DMALTF", "crypto:900001", "fx:USDTRY", "fx:EURTRY", "index:DMUS500", "cmdty:XAU",
	"us:DMCH", "fund:DMF"}

// Pages returns the initial settings of the pages: the key, a watchlist, and queries.
func Pages() web.Settings {
	settings := web.Settings{Key: string(Secret), Watchlist: watchlist}
	for _, title := range tabs {
		settings.Tabs = append(settings.Tabs, web.Tab{Title: title, Query: query(title + ".graphql"),
			Variables: strings.TrimSpace(query(title + ".json"))})
	}
	return settings
}

// query reads a file of the tabs; empty if there is none.
func query(name string) string {
	text, err := fs.ReadFile(queries, "queries/"+name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		panic(err)
	}
	return string(text)
}
