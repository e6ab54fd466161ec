package rest

import (
	"encoding"
	"slices"
	"strconv"
	"strings"

	"piyasa/domain/market"
	"piyasa/internal/value"
)

// No field needs quotes: ids, times, decimals and currencies hold neither
// commas nor quotes. A null is an empty field.

func (s *candleSeries) csv() []byte {
	return s.appendLines(header("t", s.of.Converted), s.of.Converted)
}

func (s *candleSeries) appendLines(b []byte, converted bool) []byte {
	b = slices.Grow(b, rowSize*s.Count)
	bars := s.of.BarsInTurn()
	for i := range bars.Len() {
		bar := bars.At(i)
		b = appendLine(b, s.InstrumentID, bar.T, bar, s.Currency, converted)
	}
	return b
}

func (s *eodSeries) csv() []byte {
	b := slices.Grow(header("date", s.of.Converted), rowSize*s.Count)
	for _, r := range s.of.Records {
		figures := r.Figures()
		b = appendLine(b, s.InstrumentID, r.Date, &figures, s.Currency, s.of.Converted)
	}
	return b
}

// One table: when any series is converted, every line has the column of rates.
func (c *candlesBatch) csv() []byte {
	converted := slices.ContainsFunc(c.Series, func(s *candleSeries) bool { return s.of.Converted })
	lines := header("t", converted)
	for _, s := range c.Series {
		lines = s.appendLines(lines, converted)
	}
	return lines
}

func (*candleSeries) missing() []string   { return nil }
func (*eodSeries) missing() []string      { return nil }
func (c *candlesBatch) missing() []string { return c.NotFound }

// tabled names the columns of a route whose body writes its table itself.
func (r Route) tabled(time string) Route {
	r.Columns = strings.Split(strings.TrimSuffix(string(header(time, true)), "\n"), ",")
	return r
}

// header returns the line of names.
func header(time string, converted bool) []byte {
	names := "instrument_id," + time + ",open,high,low,close,volume,turnover,trade_count,currency"
	if converted {
		names += ",fx_rate"
	}
	return []byte(names + "\n")
}

// appendLine appends the line of a time and its figures.
func appendLine[T encoding.TextAppender](b []byte, id market.ID, t T, f *market.Bar, currency string, converted bool) []byte {
	b, _ = t.AppendText(append(append(b, id...), ',')) // ours do not fail
	for _, d := range [...]value.Decimal{f.Open, f.High, f.Low, f.Close, f.Volume, f.Turnover} {
		b = append(append(b, ','), d.String()...)
	}
	b = append(b, ',')
	if f.TradeCount != nil {
		b = strconv.AppendInt(b, int64(*f.TradeCount), 10)
	}
	b = append(append(b, ','), currency...)
	if converted {
		b = append(append(b, ','), f.FxRate.String()...)
	}
	return append(b, '\n')
}
