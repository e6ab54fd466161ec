package mcp

import (
	"context"
	"fmt"
)

const marketsQuery = `{
  catalog: instruments(limit: 1) { market_sizes: marketSizes { market size } }
  source_list: sources { sources { name up as_of: asOf newest_record: newestRecord lag_seconds: lagSeconds error } }
  stored: coverage(limit: 500) { rows { kind market series records subjects first_day: firstDay last_day: lastDay missing with_gaps: withGaps } }
  bist_status: marketStatus { state is_open: isOpen trading_day: tradingDay next_open_at: nextOpenAt data_delay_seconds: dataDelaySeconds as_of: asOf }
}`

const heldQuery = `query ($ids: [ID!]!) {
  watchlist(ids: $ids) {
    instrument_id: instrumentId name market asset_type: assetType currency delay_seconds: delay coverage_from: coverageFrom adjustment
    session { timezone open close always_open: alwaysOpen }
  }
}`

// rowsOf selects the coverage of an instrument.
const rowsOf = `{ rows { kind series records first_day: firstDay last_day: lastDay missing gap_count: gapCount gaps { from to count reason } } }`

func (h *Handler) coverage(ctx context.Context, in arguments) (string, error) {
	ids := in.list("ids")
	if ids == nil {
		data, err := h.ask(ctx, marketsQuery, nil)
		if err != nil {
			return "", err
		}
		out := obj(member{"markets", data.get("catalog", "market_sizes")}, member{"bist_status", data.get("bist_status")},
			member{"sources", data.get("source_list", "sources")}, member{"stored", data.get("stored", "rows")})
		return fit(out, "All sources and what is stored, with the header X-API-Key: "+h.address("/v1/sources")+" and "+
			h.address("/v1/coverage"))
	}
	data, err := h.ask(ctx, heldQuery, map[string]any{"ids": ids})
	if err != nil {
		return "", err
	}
	known, unknown, variables := listNode(), listNode(), map[string]any{}
	names, fields := "", ""
	for i, of := range data.get("watchlist").items {
		if of.isNull() {
			unknown.items = append(unknown.items, textNode(ids[i]))
			continue
		}
		name := fmt.Sprintf("i%d", len(known.items))
		names, fields, variables[name] = names+" $"+name+": ID!", fields+" "+name+": coverage(instrument: $"+name+") "+rowsOf,
			of.get("instrument_id").string()
		known.items = append(known.items, of)
	}
	if len(known.items) > 0 {
		if data, err = h.ask(ctx, "query ("+names+") {"+fields+" }", variables); err != nil {
			return "", err
		}
		for i, of := range known.items {
			known.items[i] = covered(of, data.get(fmt.Sprintf("i%d", i), "rows").items)
		}
	}
	out := obj(member{"instruments", known})
	if len(unknown.items) > 0 {
		out.members = append(out.members, member{"unknown_ids", unknown})
	}
	return fit(out, "Ask for fewer ids; the days themselves are in series. All gaps of one, with the header X-API-Key: "+
		h.address("/v1/coverage", [2]string{"instrument", ids[0]}))
}

// covered returns the row of an instrument with the extent of its data: the days of its
// daily bars, and the number of records of other kinds.
func covered(of *node, rows []*node) *node {
	row, others := withoutNulls(of), obj()
	for _, r := range rows {
		name := r.get("kind").string()
		if series := r.get("series"); !series.isNull() {
			name += " " + series.string()
		}
		switch {
		case name == "instrument":
		case name != "bar 1d":
			others.members = append(others.members, member{name, r.get("records")})
		case r.get("first_day").isNull():
			row.members = append(row.members, member{"days", wholeNode(0)}, member{"empty_reason", textNode("no daily bar is stored")})
		default:
			row.members = append(row.members, member{"first_day", r.get("first_day")}, member{"last_day", r.get("last_day")},
				member{"days", r.get("records")},
				member{"days_missing", r.get("missing")}, member{"gap_count", r.get("gap_count")}, member{"gaps", r.get("gaps")})
		}
	}
	if len(others.members) > 0 {
		row.members = append(row.members, member{"other_records", others})
	}
	return row
}
