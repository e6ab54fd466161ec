package rest

import (
	"slices"
	"strconv"

	"piyasa/domain/market"
)

// No field needs quotes: ids, times, decimals and currencies hold neither
// commas nor quotes. A null is an empty field.

func (s *candleSeries) csv() []byte {
	return appendLines(header[bar](s.converted), s.InstrumentID, s.Currency, s.Bars, s.converted)
}

func (s *eodSeries) csv() []byte {
	return appendLines(header[eodRecord](s.converted), s.InstrumentID, s.Currency, s.Records, s.converted)
}

// One table: when any series is converted, every line has the column of rates.
func (c *candlesBatch) csv() []byte {
	converted := slices.ContainsFunc(c.Series, func(s *candleSeries) bool { return s.converted })
	lines := header[bar](converted)
	for _, s := range c.Series {
		lines = appendLines(lines, s.InstrumentID, s.Currency, s.Bars, converted)
	}
	return lines
}

func (*candleSeries) missing() []string   { return nil }
func (*eodSeries) missing() []string      { return nil }
func (c *candlesBatch) missing() []string { return c.NotFound }

// header returns the line of names.
func header[R row](converted bool) []byte {
	var r R
	b := append([]byte("instrument_id,"), r.timeName()...)
	for _, name := range figureNames {
		b = append(append(b, ','), name...)
	}
	b = append(b, ",trade_count,currency"...)
	if converted {
		b = append(b, ",fx_rate"...)
	}
	return append(b, '\n')
}

// appendLines appends a line for each row.
func appendLines[R row](b []byte, id market.ID, currency string, rows []R, converted bool) []byte {
	b = slices.Grow(b, rowSize*len(rows))
	for _, r := range rows {
		f := r.figures()
		b = append(append(append(b, id...), ','), r.time()...)
		for _, d := range f.decimals {
			b = append(append(b, ','), d.String()...)
		}
		b = append(b, ',')
		if f.count != nil {
			b = strconv.AppendInt(b, int64(*f.count), 10)
		}
		b = append(append(b, ','), currency...)
		if converted {
			b = append(b, ',')
		}
		if f.rate != nil {
			b = append(b, f.rate.String()...)
		}
		b = append(b, '\n')
	}
	return b
}
