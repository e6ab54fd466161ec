package rest

import "piyasa/domain/market"

// quoteBatch is the batch of quotes with its misses keyed by id.
type quoteBatch struct {
	Quotes          []*market.Quote   `json:"quotes"`
	Count           int               `json:"count"`
	NotFound        []string          `json:"not_found"`
	NotFoundReasons map[string]string `json:"not_found_reasons"`
}

func quoteBatchView(b *market.QuoteBatch) *quoteBatch {
	view := &quoteBatch{b.Quotes, b.Count, make([]string, len(b.NotFound)), make(map[string]string, len(b.NotFound))}
	for i, n := range b.NotFound {
		view.NotFound[i] = n.ID
		view.NotFoundReasons[n.ID] = n.Reason
	}
	return view
}

// instrumentList is the listing with its sizes keyed by market.
type instrumentList struct {
	Instruments []*market.Instrument  `json:"instruments"`
	Count       int                   `json:"count"`
	MarketSizes map[market.Market]int `json:"market_sizes"`
}

func instrumentListView(l *market.InstrumentList) *instrumentList {
	view := &instrumentList{l.Instruments, l.Count, make(map[market.Market]int, len(l.MarketSizes))}
	for _, s := range l.MarketSizes {
		view.MarketSizes[s.Market] = s.Size
	}
	return view
}

// viewOf lets a view take a resolver's two results.
func viewOf[T, V any](view func(*T) *V) func(*T, error) (*V, error) {
	return func(t *T, err error) (*V, error) {
		if err != nil {
			return nil, err
		}
		return view(t), nil
	}
}
