package rest

import (
	"encoding"
	"slices"
	"strconv"
	"strings"

	"piyasa/domain/market"
	"piyasa/domain/segment"
	"piyasa/internal/value"
)

// No field of a bar needs quotes: ids, times, decimals and currencies contain neither commas nor
// quotes. A null is an empty field.

func (s *candleSeries) csv() []byte {
	optional := optionalColumns{s.of.Converted, s.Adjust != nil, s.of.Dated(), s.MeaningChanged != nil}
	return s.appendLines(header("t", optional), optional)
}

// optionalColumns states which optional columns a table has.
type optionalColumns struct{ rate, factor, dated, changed bool }

func (s *candleSeries) appendLines(b []byte, optional optionalColumns) []byte {
	b = slices.Grow(b, rowSize*s.Count)
	bars := s.of.BarsInTurn()
	for i := range bars.Len() {
		bar := bars.At(i)
		b = appendLine(b, s.InstrumentID, bar.T, bar, s.Currency, s.of.Factor(i, bar.T), optional)
		if optional.dated {
			b = append(append(b, ','), bar.Date().String()...)
			b = appendComplete(b, bar.Complete())
		}
		if optional.changed {
			b = appendChange(b, s.Unit, s.MeaningChanged)
		}
		b = append(b, '\n')
	}
	return b
}

func (s *eodSeries) csv() []byte {
	optional := optionalColumns{s.of.Converted, s.Adjust != nil, s.Adjust != nil, s.MeaningChanged != nil}
	b := slices.Grow(header("date", optional), rowSize*s.Count)
	for _, r := range s.of.Records {
		figures := r.Figures()
		b = appendLine(b, s.InstrumentID, r.Date, &figures, s.Currency, r.Factor, optional)
		if optional.dated {
			b = appendComplete(b, &r.Complete)
		}
		if optional.changed {
			b = appendChange(b, s.Unit, s.MeaningChanged)
		}
		b = append(b, '\n')
	}
	return b
}

// csv writes one table: if any series is converted, every line has the column of rates.
func (c *candlesBatch) csv() []byte {
	optional := optionalColumns{slices.ContainsFunc(c.Series, func(s *candleSeries) bool { return s.of.Converted }),
		slices.ContainsFunc(c.Series, func(s *candleSeries) bool { return s.Adjust != nil }),
		slices.ContainsFunc(c.Series, func(s *candleSeries) bool { return s.of.Dated() }),
		slices.ContainsFunc(c.Series, func(s *candleSeries) bool { return s.MeaningChanged != nil })}
	lines := header("t", optional)
	for _, s := range c.Series {
		lines = s.appendLines(lines, optional)
	}
	return lines
}

func (*candleSeries) missing() []string   { return nil }
func (*eodSeries) missing() []string      { return nil }
func (c *candlesBatch) missing() []string { return c.NotFound }

// tabled sets the columns of a route whose body writes its own table.
func (r Route) tabled(time string) Route {
	r.figures = []string{"open", "high", "low", "close", "volume", "turnover", "fx_rate", "factor"}
	r.Columns = strings.Split(strings.TrimSuffix(string(header(time, optionalColumns{true, true, true, true})), "\n"), ",")
	return r
}

// header returns the header line.
func header(time string, optional optionalColumns) []byte {
	names := "instrument_id," + time + ",open,high,low,close,volume,turnover,trade_count,currency"
	if optional.rate {
		names += ",fx_rate"
	}
	if optional.factor {
		names += ",factor"
	}
	if optional.dated && time != "date" {
		names += ",date"
	}
	if optional.dated {
		names += ",complete"
	}
	if optional.changed {
		names += ",unit,meaning_changed.what,meaning_changed.from,meaning_changed.to,meaning_changed.on"
	}
	return []byte(names + "\n")
}

// appendLine appends the id, a time and its figures, without the end of the line.
func appendLine[T encoding.TextAppender](b []byte, id market.ID, t T, f *market.Bar, currency string, factor value.Decimal,
	optional optionalColumns) []byte {
	b, _ = t.AppendText(append(append(b, id...), ',')) // our times never fail
	for _, d := range [...]value.Decimal{f.Open, f.High, f.Low, f.Close, f.Volume, f.Turnover} {
		b = append(append(b, ','), d.String()...)
	}
	b = append(b, ',')
	if f.TradeCount != nil {
		b = strconv.AppendInt(b, int64(*f.TradeCount), 10)
	}
	b = append(append(b, ','), currency...)
	if optional.rate {
		b = append(append(b, ','), f.FxRate.String()...)
	}
	if optional.factor {
		b = append(append(b, ','), factor.String()...)
	}
	return b
}

// appendComplete appends a column that says whether days are over.
func appendComplete(b []byte, complete *bool) []byte {
	if b = append(b, ','); complete == nil {
		return b
	}
	return strconv.AppendBool(b, *complete)
}

// appendChange appends the columns of a series whose prices changed their meaning in the range.
func appendChange(b []byte, unit *string, change *segment.Change) []byte {
	if b = append(b, ','); unit != nil {
		b = appendText(b, *unit)
	}
	if change == nil {
		return append(b, ",,,,"...)
	}
	b = append(append(b, ','), change.What...)
	for _, side := range []*string{change.From, change.To} {
		if b = append(b, ','); side != nil {
			b = appendText(b, *side)
		}
	}
	return append(append(b, ','), change.On.String()...)
}
