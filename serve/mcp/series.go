package mcp

import (
	"context"
	"fmt"
	"slices"
)

// figures are the columns of series, with the GraphQL fields that they come from.
var figures = []struct{ name, field string }{
	{"open", "open"}, {"high", "high"}, {"low", "low"}, {"close", "close"}, {"volume", "volume"},
	{"turnover", "turnover"}, {"trade_count", "tradeCount"}, {"fx_rate", "fxRate"},
}

func figureNames() (names []string) {
	for _, f := range figures {
		names = append(names, f.name)
	}
	return names
}

// seriesQuery returns the query for daily records, or for bars of another resolution.
func seriesQuery(daily bool) string {
	fields := ""
	for _, f := range figures {
		fields += fmt.Sprintf(" %s: %s @include(if: $%s)", f.name, f.field, f.name)
	}
	rows, parameters := "of: candles(resolution: $resolution, from: $from, to: $to, currency: $currency) { currency count available_from: "+
		"availableFrom columns { t"+fields+" } }", "$resolution: Resolution, "
	if daily {
		rows, parameters = "of: eod(from: $from, to: $to, currency: $currency) { currency count available_from: "+
			"availableFrom records { date"+fields+" } }", ""
	}
	for _, f := range figures {
		parameters += "$" + f.name + ": Boolean!, "
	}
	return "query ($ids: [ID!]!, " + parameters +
		"$from: Date, $to: Date, $currency: Currency) {\n  watchlist(ids: $ids) { instrument_id: instrumentId name " +
		"delay_seconds: delay adjustment " + rows + " }\n}"
}

var dailyQuery, barsQuery = seriesQuery(true), seriesQuery(false)

// resolutions maps the resolutions of series to their GraphQL names.
var resolutions = map[string]string{"5m": "M5", "2h": "H2", "1w": "W1", "1mo": "MO1"}

func (h *Handler) series(ctx context.Context, in arguments) (string, error) {
	resolution, columns := in.text("resolution"), in.list("columns")
	if resolution == "" {
		resolution = "1d"
	}
	if columns == nil {
		columns = []string{"close", "volume"}
	}
	variables, query, time := in.variables("ids", "from", "to", "currency"), dailyQuery, "date"
	for _, f := range figures {
		variables[f.name] = slices.Contains(columns, f.name)
	}
	if of, isBar := resolutions[resolution]; isBar {
		variables["resolution"], query, time = of, barsQuery, "t"
	}
	data, err := h.ask(ctx, query, variables)
	if err != nil {
		return "", err
	}
	var all []*columned
	unknown := listNode()
	for i, of := range data.get("watchlist").items {
		if of.isNull() {
			unknown.items = append(unknown.items, textNode(in.list("ids")[i]))
			continue
		}
		all = append(all, h.columned(of, in, resolution, time, columns))
	}
	return shownSeries(all, unknown)
}

// columned is a series as columns.
type columned struct {
	head    *node // members of the series other than its rows
	names   []string
	columns [][]*node
	rows    int
}

// columned returns the series of an instrument with its columns that are not null
// throughout.
func (h *Handler) columned(of *node, in arguments, resolution, time string, columns []string) *columned {
	series := of.get("of")
	s := &columned{names: append([]string{time}, columns...)}
	s.columns = make([][]*node, len(s.names))
	if records := series.get("records"); records != nil {
		for _, r := range records.items {
			for i, name := range s.names {
				s.columns[i] = append(s.columns[i], r.get(name))
			}
		}
	} else if series != nil && !series.isNull() {
		for i, name := range s.names {
			s.columns[i] = series.get("columns", name).items
		}
	}
	s.rows = len(s.columns[0])
	id := of.get("instrument_id").string()
	path, parameters := "/v1/eod/"+id, [][2]string{{"from", in.text("from")}, {"to", in.text("to")}, {"currency", in.text("currency")},
		{"format", "csv"}}
	if time == "t" {
		path, parameters = "/v1/candles/"+id, append(parameters, [2]string{"resolution", resolution})
	}
	s.head = obj(
		member{"instrument_id", of.get("instrument_id")}, member{"name", of.get("name")}, member{"resolution", textNode(resolution)},
		member{"currency", series.get("currency")}, member{"delay_seconds", of.get("delay_seconds")},
		member{"adjustment", of.get("adjustment")},
		member{"count", wholeNode(s.rows)}, member{"csv", textNode(h.address(path, parameters...))},
	)
	s.dropNulls()
	if s.rows > 0 {
		s.head.members = append(s.head.members, member{"as_of", s.columns[0][s.rows-1]})
	} else if from := series.get("available_from"); !from.isNull() {
		s.head.members = append(s.head.members, member{"available_from", from},
			member{"empty_reason", textNode("the range lies before available_from")})
	} else {
		s.head.members = append(s.head.members, member{"empty_reason", textNode("there is no record in this range")})
	}
	return s
}

// dropNulls removes the columns that are null throughout, and names them in the head.
func (s *columned) dropNulls() {
	var nulls []string
	names, columns := s.names[:1:1], s.columns[:1:1]
	for i, name := range s.names[1:] {
		allNull := s.rows > 0
		for _, v := range s.columns[i+1] {
			allNull = allNull && v.isNull()
		}
		if allNull {
			nulls = append(nulls, name)
			continue
		}
		names, columns = append(names, name), append(columns, s.columns[i+1])
	}
	if s.names, s.columns = names, columns; nulls != nil {
		s.head.members = append(s.head.members, member{"null_columns", textsNode(nulls)},
			member{"null_reason", textNode("not stated for this instrument at this resolution")})
	}
}

// newest returns the series with at most the given number of its newest rows.
func (s *columned) newest(rows int) *node {
	columns := obj()
	for i, name := range s.names {
		values := s.columns[i]
		columns.members = append(columns.members, member{name, listNode(values[max(0, len(values)-rows):]...)})
	}
	shown := obj(s.head.members...)
	if rows < s.rows {
		shown.members = append(shown.members, member{"shown", textNode(fmt.Sprintf("the newest %d of %d rows", rows, s.rows))})
	}
	shown.members = append(shown.members, member{"columns", columns})
	return shown
}

// shownSeries returns series with as many of their newest rows as an answer may have.
func shownSeries(all []*columned, unknown *node) (string, error) {
	longest := 0
	for _, s := range all {
		longest = max(longest, s.rows)
	}
	show := func(rows int) string {
		list := listNode()
		for _, s := range all {
			list.items = append(list.items, s.newest(rows))
		}
		out := obj(member{"series", list})
		if len(unknown.items) > 0 {
			out.members = append(out.members, member{"unknown_ids", unknown})
		}
		if rows < longest {
			out.members = append(out.members, member{"cut",
				obj(member{"rest", textNode("Older rows are left out: ask for them by to, for fewer ids or columns, or " +
					"take the address csv " +
					"with the header X-API-Key.")})})
		}
		return out.json()
	}
	if text := show(longest); len(text) <= maxAnswer || tokens([]byte(text)) <= maxAnswer {
		return text, nil
	}
	low, high := 0, longest // low fits: ids are few
	for high-low > 1 {
		middle := (low + high) / 2
		if shown := show(middle); len(shown) <= 4*maxAnswer && tokens([]byte(shown)) <= maxAnswer {
			low = middle
		} else {
			high = middle
		}
	}
	return show(low), nil
}
