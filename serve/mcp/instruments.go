package mcp

import (
	"context"
	"strings"

	"piyasa/internal/problem"
)

// rankedQuery searches for instruments by text. It asks for one more than is shown, to know whether
// there are more.
const rankedQuery = `query ($market: Market, $search: String!, $limit: Int!) {
  instruments(market: $market, search: $search, ranked: true, limit: $limit) { instruments {
    instrument_id: instrumentId ticker name asset_type: assetType currency sector delay_seconds: delay coverage_from: coverageFrom
  } }
}`

// maxSearch is how long a search may be, in bytes.
const maxSearch = 200

func (h *Handler) searchInstruments(ctx context.Context, in arguments) (string, error) {
	text := in.text("query")
	if len(text) > maxSearch {
		return "", problem.Parameter("query", text, "at most 200 bytes long")
	}
	limit := in.number("limit")
	variables := map[string]any{"search": text, "limit": limit + 1}
	if of := in.text("market"); of != "" {
		variables["market"] = strings.ToUpper(of)
	}
	data, err := h.ask(ctx, rankedQuery, variables)
	if err != nil {
		return "", err
	}
	found := data.get("instruments", "instruments").items
	shown := found[:min(len(found), limit)]
	rows := listNode()
	for _, row := range shown {
		rows.items = append(rows.items, withoutNulls(row))
	}
	out := obj(member{"instruments", rows}, member{"count", wholeNode(len(shown))})
	switch {
	case len(found) > len(shown):
		out.members = append(out.members, member{"more", textNode("There are more; say more words, a market, or a higher limit.")})
	case len(found) == 0:
		out.members = append(out.members, member{"hint",
			textNode("Nothing has all these words in its name, symbol or ticker. Say fewer words, leave the market out, or " +
				"look into coverage.")})
	}
	return fit(out, "Say more words, or a lower limit; the whole catalog: "+h.address("/v1/instruments", [2]string{"limit", "5000"})+
		" with the header X-API-Key.")
}

// withoutNulls returns an object without its members that are null.
func withoutNulls(n *node) *node {
	short := obj()
	for _, m := range n.members {
		if !m.of.isNull() {
			short.members = append(short.members, m)
		}
	}
	return short
}
