package rest

import (
	"piyasa/domain/kap"
	"piyasa/domain/market"
	"piyasa/value"
)

// quoteBatch is the batch of quotes with its misses keyed by id.
type quoteBatch struct {
	Quotes          []*market.Quote   `json:"quotes"`
	Count           int               `json:"count"`
	NotFound        []string          `json:"not_found"`
	NotFoundReasons map[string]string `json:"not_found_reasons"`
}

func quoteBatchView(b *market.QuoteBatch) *quoteBatch {
	return &quoteBatch{b.Quotes, b.Count, misses(b.NotFound), reasons(b.NotFound)}
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

// bar is a bar that states its rate on converted answers only, null when it is
// unknown.
type bar struct {
	*market.Bar
	FxRate *value.Decimal `json:"fx_rate,omitempty"`
}

type candleSeries struct {
	InstrumentID market.ID         `json:"instrument_id"`
	Resolution   market.Resolution `json:"resolution"`
	Currency     string            `json:"currency"`
	Bars         []bar             `json:"bars"`
	Count        int               `json:"count"`

	AvailableFrom value.Date `json:"available_from,omitzero"`
	converted     bool
}

func candleSeriesView(s *market.CandleSeries) *candleSeries {
	view := &candleSeries{s.InstrumentID, s.Resolution, s.Currency, make([]bar, len(s.Bars)), s.Count, s.AvailableFrom, s.Converted}
	for i, b := range s.Bars {
		if view.Bars[i].Bar = b; s.Converted {
			view.Bars[i].FxRate = &b.FxRate
		}
	}
	return view
}

// candlesBatch is the batch of series with its misses keyed by id.
type candlesBatch struct {
	Series          []*candleSeries   `json:"series"`
	Count           int               `json:"count"`
	NotFound        []string          `json:"not_found"`
	NotFoundReasons map[string]string `json:"not_found_reasons"`
}

func candlesBatchView(b *market.CandlesBatch) *candlesBatch {
	view := &candlesBatch{make([]*candleSeries, len(b.Series)), b.Count, misses(b.NotFound), reasons(b.NotFound)}
	for i, s := range b.Series {
		view.Series[i] = candleSeriesView(s)
	}
	return view
}

// eodRecord is a record that states its rate as a bar does.
type eodRecord struct {
	*market.EodRecord
	FxRate *value.Decimal `json:"fx_rate,omitempty"`
}

type eodSeries struct {
	InstrumentID market.ID   `json:"instrument_id"`
	Currency     string      `json:"currency"`
	Records      []eodRecord `json:"records"`
	Count        int         `json:"count"`

	AvailableFrom value.Date `json:"available_from,omitzero"`
	converted     bool
}

func eodSeriesView(s *market.EodSeries) *eodSeries {
	view := &eodSeries{s.InstrumentID, s.Currency, make([]eodRecord, len(s.Records)), s.Count, s.AvailableFrom, s.Converted}
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

// body is a body with the members of its format.
type body struct {
	DisclosureIndex int            `json:"disclosure_index"`
	Format          kap.BodyFormat `json:"format"`
	SourceFormat    *string        `json:"source_format,omitempty"`
	FieldsStatus    *string        `json:"fields_status,omitempty"`
	Fields          *[]*kap.Field  `json:"fields,omitempty"`
	FileType        *string        `json:"file_type,omitempty"`
	Body            kap.JSON       `json:"body,omitempty"`
	HTML            *kap.Localized `json:"html,omitempty"`
}

func bodyView(b *kap.Body) *body {
	view := &body{DisclosureIndex: b.DisclosureIndex, Format: b.Format, FieldsStatus: b.FieldsStatus, FileType: b.FileType, Body: b.Body, HTML: b.HTML}
	if b.Format != kap.AsHTML {
		view.SourceFormat = &b.SourceFormat
	}
	if b.Format == kap.AsFields {
		view.Fields = &b.Fields
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
