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

// bar is a bar that states its rate on converted answers only, null when it is
// unknown.
type bar struct {
	*market.Bar
	FxRate *market.Decimal `json:"fx_rate,omitempty"`
}

type candleSeries struct {
	InstrumentID market.ID         `json:"instrument_id"`
	Resolution   market.Resolution `json:"resolution"`
	Currency     string            `json:"currency"`
	Bars         []bar             `json:"bars"`
	Count        int               `json:"count"`
}

func candleSeriesView(s *market.CandleSeries) *candleSeries {
	view := &candleSeries{s.InstrumentID, s.Resolution, s.Currency, make([]bar, len(s.Bars)), s.Count}
	for i, b := range s.Bars {
		if view.Bars[i].Bar = b; s.Converted {
			view.Bars[i].FxRate = &b.FxRate
		}
	}
	return view
}

// eodRecord is a record that states its rate as a bar does.
type eodRecord struct {
	*market.EodRecord
	FxRate *market.Decimal `json:"fx_rate,omitempty"`
}

type eodSeries struct {
	InstrumentID market.ID   `json:"instrument_id"`
	Currency     string      `json:"currency"`
	Records      []eodRecord `json:"records"`
	Count        int         `json:"count"`
}

func eodSeriesView(s *market.EodSeries) *eodSeries {
	view := &eodSeries{s.InstrumentID, s.Currency, make([]eodRecord, len(s.Records)), s.Count}
	for i, r := range s.Records {
		if view.Records[i].EodRecord = r; s.Converted {
			view.Records[i].FxRate = &r.FxRate
		}
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
