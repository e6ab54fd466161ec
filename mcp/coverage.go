package mcp

import (
	"context"
	"fmt"

	"piyasa/value"
)

const marketsQuery = `{
  catalog: instruments(limit: 1) { market_sizes: marketSizes { market size } }
  source_list: sources { sources { name up as_of: asOf newest_record: newestRecord lag_seconds: lagSeconds error } }
  bist_status: marketStatus { state is_open: isOpen trading_day: tradingDay next_open_at: nextOpenAt data_delay_seconds: dataDelaySeconds as_of: asOf }
}`

const historyQuery = `query ($ids: [ID!]!, $from: Date!) {
  watchlist(ids: $ids) {
    instrument_id: instrumentId name market asset_type: assetType currency delay_seconds: delay coverage_from: coverageFrom adjustment
    session { timezone open close always_open: alwaysOpen } of: eod(from: $from) { records { date } }
  }
}`

// historyBegins is the first day that any history has.
const historyBegins = "2020-01-01"

func (h *Handler) coverage(ctx context.Context, in arguments) (string, error) {
	ids := in.list("ids")
	if ids == nil {
		data, err := h.ask(ctx, marketsQuery, nil)
		if err != nil {
			return "", err
		}
		out := obj(member{"markets", data.get("catalog", "market_sizes")}, member{"bist_status", data.get("bist_status")}, member{"sources", data.get("source_list", "sources")})
		return fit(out, "All sources, with the header X-API-Key: "+h.address("/v1/sources"))
	}
	data, err := h.ask(ctx, historyQuery, map[string]any{"ids": ids, "from": historyBegins})
	if err != nil {
		return "", err
	}
	known, unknown := listNode(), listNode()
	for i, of := range data.get("watchlist").items {
		if of.isNull() {
			unknown.items = append(unknown.items, textNode(ids[i]))
			continue
		}
		known.items = append(known.items, covered(of))
	}
	out := obj(member{"instruments", known})
	if len(unknown.items) > 0 {
		out.members = append(out.members, member{"unknown_ids", unknown})
	}
	return fit(out, "Ask for fewer ids; the days themselves are in series.")
}

// gapDays is from how many days without a record a gap is told; no market closes for as long.
const gapDays = 7

// covered returns what is said of an instrument, with the first and last day of its records
// in place of these.
func covered(of *node) *node {
	said := without(of, "of")
	records := of.get("of", "records")
	if records == nil || len(records.items) == 0 {
		said.members = append(said.members, member{"days", wholeNode(0)}, member{"empty_reason", textNode("no daily record is stored since " + historyBegins)})
		return said
	}
	gaps := listNode()
	var before value.Date
	for i, r := range records.items {
		var day value.Date
		if day.UnmarshalText([]byte(r.get("date").string())) == nil && i > 0 && before.AddDays(gapDays).Before(day) {
			gaps.items = append(gaps.items, textNode(fmt.Sprintf("%s to %s", before.AddDays(1), day.AddDays(-1))))
		}
		before = day
	}
	said.members = append(said.members,
		member{"first_day", records.items[0].get("date")}, member{"last_day", records.items[len(records.items)-1].get("date")},
		member{"days", wholeNode(len(records.items))}, member{"gaps_over_7_days", gaps})
	return said
}
