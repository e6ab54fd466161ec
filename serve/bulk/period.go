package bulk

import (
	"fmt"
	"reflect"

	"piyasa/db"
	"piyasa/domain/market"
)

// dayMembers names the member of each kind by whose day, or month, files are divided; other kinds
// are of no time.
var dayMembers = map[string]string{
	"bar": "t", "index_bar": "date", "quote": "as_of", "trading_day": "date", "price_limits": "date",
	"corporate_action": "ex_date", "market_metrics": "date", "statement": "filed_at", "dividend": "ex_date",
	"calendar_item": "time", "inflation_point": "month", "disclosure": "published_at", "filing": "end_date",
	"fund_flow": "date", "fund_holding": "report_month", "news": "published_at",
}

// Dated reports whether records of a kind are of a time.
func Dated(kind string) bool { return dayMembers[kind] != "" }

// DayOf returns the day of a change in UTC, YYYY-MM-DD, or the month of what is of one; empty: it
// has none, or a withdrawal does not state it.
func DayOf(c *db.Change) string {
	l, err := layoutOf(c.Kind)
	if err != nil {
		return ""
	}
	text := l.day.of(c)
	return text[:min(len(text), len("2006-01-02"))]
}

// MarketOf returns the market of a change, of its instrument or its own; empty: it has none.
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

// IDOf returns the instrument that a change is of; empty: it is of none.
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
