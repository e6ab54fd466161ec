package bulk

import (
	"fmt"
	"reflect"

	"piyasa/db"
	"piyasa/domain/market"
)

// dayMembers names, for each kind with a time, the member by whose day or month files are divided.
var dayMembers = map[string]string{
	"bar": "t", "index_bar": "date", "quote": "as_of", "trading_day": "date", "price_limits": "date",
	"corporate_action": "ex_date", "market_metrics": "date", "statement": "filed_at", "dividend": "ex_date",
	"calendar_item": "time", "inflation_point": "month", "disclosure": "published_at", "filing": "end_date",
	"fund_flow": "date", "fund_holding": "report_month", "news": "published_at",
}

// Dated reports whether records of a kind have a time.
func Dated(kind string) bool { return dayMembers[kind] != "" }

// DayOf returns the UTC day of a change, YYYY-MM-DD, or its month if the kind has months; empty: it
// has none, or is a withdrawal that does not state it.
func DayOf(c *db.Change) string {
	l, err := layoutOf(c.Kind)
	if err != nil {
		return ""
	}
	text := l.day.of(c)
	return text[:min(len(text), len("2006-01-02"))]
}

// MarketOf returns the market of a change's instrument, or the market that it states; empty: it has
// none.
func MarketOf(c *db.Change) string {
	if id := IDOf(c); id != "" {
		return string(id.Market())
	}
	l, err := layoutOf(c.Kind)
	if err != nil {
		return ""
	}
	return l.market.of(c)
}

// IDOf returns the instrument of a change; empty: it has none.
func IDOf(c *db.Change) market.ID {
	l, err := layoutOf(c.Kind)
	if err != nil {
		return ""
	}
	return market.ID(l.id.of(c))
}

// of returns the value of a change as text; empty: it has none, or c is nil.
func (c *column) of(change *db.Change) string {
	switch {
	case c == nil:
	case change.Record != nil:
		if v, ok := c.Of(change.Record); ok {
			if v.Kind() == reflect.String {
				return v.String()
			}
			return fmt.Sprint(v.Interface())
		}
	default:
		for _, m := range change.Key {
			if m.Name == c.Name {
				return m.Value
			}
		}
	}
	return ""
}
