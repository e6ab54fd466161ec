package rest

import (
	"net/url"
	"strconv"

	"piyasa/account/access"
	"piyasa/domain/market"
	"piyasa/internal/value"
)

type instrumentID struct {
	ID string `path:"instrument_id" description:"An id in any accepted form, such as bist:DMOST, crypto:BTC or fx:USDTRY."`
}

type knownAt struct {
	KnownAt *value.Instant `query:"known_at" description:"A moment such as 2026-03-18T12:00:00Z: what was known then. Default: what is known now."`
}

type currency struct {
	Currency *market.Currency `query:"currency" description:"Currency to convert prices and amounts into."`
}

type adjustSeries struct {
	Adjust *market.Adjust `query:"adjust" description:"What to adjust prices for. Default: none, as they are stored."`
}

type adjustFigures struct {
	Adjust *market.Adjust `query:"adjust" description:"What to adjust prices for. Default: splits. With none, what would need a bridge is null."`
}

type days struct {
	From *value.Date `query:"from" description:"First day, in the market's calendar. Default: 365 days of daily bars or 7 of shorter ones, ending at to."`
	To   *value.Date `query:"to" description:"Last day. Default: today."`
}

type stockID struct {
	ID string `path:"id" description:"A bist id, such as bist:DMOST."`
}

type companyID struct {
	ID string `path:"id" description:"A bist or us id, such as bist:DMOST or us:AAPL; ETF aliases are not accepted."`
}

// unitsOfRows returns a function that counts the units of a page of the length asked for.
func unitsOfRows(limit value.Limit) func(url.Values) int {
	return func(q url.Values) int {
		rows, err := strconv.Atoi(q.Get("limit"))
		if err != nil {
			rows = limit.Default
		}
		return access.RowUnits(min(rows, limit.Max))
	}
}

func misses(all []value.NotFound) []string {
	ids := make([]string, len(all))
	for i, n := range all {
		ids[i] = n.ID
	}
	return ids
}

func reasons(all []value.NotFound) map[string]string {
	keyed := make(map[string]string, len(all))
	for _, n := range all {
		keyed[n.ID] = n.Reason
	}
	return keyed
}

// viewOf adapts a view to a resolver's two results.
func viewOf[T, V any](view func(*T) *V) func(*T, error) (*V, error) {
	return func(t *T, err error) (*V, error) {
		if err != nil {
			return nil, err
		}
		return view(t), nil
	}
}
