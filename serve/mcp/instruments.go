package mcp

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"piyasa/domain/market"
	"piyasa/internal/problem"
)

// What searchInstruments asks: for the text as a whole, and if that is several words, for the
// longest of them, whose instruments may have the others elsewhere.
const (
	wholeQuery = `query ($market: Market, $whole: String!) {
  whole: instruments(market: $market, search: $whole, limit: 200) { instruments { ...found } }
}` + foundFields
	wordsQuery = `query ($market: Market, $whole: String!, $word: String!) {
  whole: instruments(market: $market, search: $whole, limit: 200) { instruments { ...found } }
  word: instruments(market: $market, search: $word, limit: 500) { instruments { ...found } }
}` + foundFields
	foundFields = `
fragment found on Instrument {
  instrument_id: instrumentId symbol ticker name slug asset_type: assetType currency sector delay_seconds: delay coverage_from: coverageFrom
}`
)

// maxSearch is how long a search may be, in bytes.
const maxSearch = 200

var (
	marketPrefix = regexp.MustCompile(`^(?i)(bist|crypto|fx|index|cmdty|us|fund):\s*(.+)$`)
	otherForms   = regexp.MustCompile(`(?i)^([A-Z0-9]+)\.(IS|E)$`) // of Istanbul symbols, elsewhere
	pair         = regexp.MustCompile(`(?i)^([A-Z]{3})\s*[/-]\s*([A-Z]{3})$`)
)

func (h *Handler) searchInstruments(ctx context.Context, in arguments) (string, error) {
	text := in.text("query")
	if len(text) > maxSearch {
		return "", problem.Parameter("query", text, "at most 200 bytes long")
	}
	of, search := in.text("market"), strings.Trim(text, " $#\"'")
	if m := marketPrefix.FindStringSubmatch(search); m != nil && (of == "" || strings.EqualFold(of, m[1])) {
		of, search = m[1], m[2]
	}
	if m := otherForms.FindStringSubmatch(search); m != nil {
		search = m[1]
	}
	if m := pair.FindStringSubmatch(search); m != nil {
		search = m[1] + m[2]
	}
	words := strings.FieldsFunc(market.Fold(search), func(r rune) bool { return r == ' ' || r == ',' })
	longest := ""
	for _, w := range words {
		if len(w) > len(longest) {
			longest = w
		}
	}
	query, variables := wholeQuery, map[string]any{"whole": search}
	if len(words) > 1 {
		query, variables["word"] = wordsQuery, longest
	}
	if of != "" {
		variables["market"] = strings.ToUpper(of)
	}
	data, err := h.ask(ctx, query, variables)
	if err != nil {
		return "", err
	}
	found := ranked(data, search, words)
	shown := found[:min(len(found), in.number("limit"))]
	rows := listNode()
	for _, row := range shown {
		rows.items = append(rows.items, without(row, "slug", "symbol"))
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

// ranked returns what was found, the closest first: an equal symbol or ticker, then one that
// begins so, then names that begin so, then the others as the catalog orders them.
func ranked(data *node, search string, words []string) []*node {
	var found []*node
	seen := map[string]bool{}
	add := func(rows *node) {
		if rows == nil {
			return
		}
		for _, row := range rows.items {
			if id := row.get("instrument_id").string(); !seen[id] && hasAll(row, words) {
				seen[id] = true
				found = append(found, row)
			}
		}
	}
	add(data.get("whole", "instruments"))
	add(data.get("word", "instruments"))
	key := market.Fold(search)
	rank := func(row *node) int {
		symbol, ticker, name := market.Fold(row.get("symbol").string()), market.Fold(row.get("ticker").string()),
			market.Fold(row.get("name").string())
		switch {
		case symbol == key || ticker == key || name == key:
			return 0
		case strings.HasPrefix(symbol, key) || strings.HasPrefix(ticker, key):
			return 1
		case strings.HasPrefix(name, key):
			return 2
		case strings.Contains(" "+name, " "+key):
			return 3
		}
		return 4
	}
	slices.SortStableFunc(found, func(a, b *node) int { return rank(a) - rank(b) })
	return found
}

// hasAll reports whether an instrument has all words somewhere.
func hasAll(row *node, words []string) bool {
	all := ""
	for _, name := range []string{"instrument_id", "symbol", "ticker", "name", "slug"} {
		all += market.Fold(row.get(name).string()) + "\x00"
	}
	for _, w := range words {
		if !strings.Contains(all, w) {
			return false
		}
	}
	return true
}

// without returns an object without some of its members and without those that are null.
func without(n *node, names ...string) *node {
	short := obj()
	for _, m := range n.members {
		if !slices.Contains(names, m.name) && !m.of.isNull() {
			short.members = append(short.members, m)
		}
	}
	return short
}
