package rest

import (
	"slices"
	"strconv"

	"piyasa/value"
)

// Series are long, and encoding/json spends most of its time on finding out
// what they are. Their bodies are appended here as it would write them.

func (s *candleSeries) json() []byte { return s.appendJSON(nil) }

func (s *candleSeries) appendJSON(b []byte) []byte {
	b = appendMember(b, `{"instrument_id":`, s.InstrumentID)
	b = appendMember(b, `,"resolution":`, s.Resolution)
	b = appendMember(b, `,"currency":`, s.Currency)
	b = appendRows(append(b, `,"bars":`...), s.Bars)
	return appendEnd(b, s.Count, s.AvailableFrom)
}

func (s *eodSeries) json() []byte {
	b := appendMember(nil, `{"instrument_id":`, s.InstrumentID)
	b = appendMember(b, `,"currency":`, s.Currency)
	b = appendRows(append(b, `,"records":`...), s.Records)
	return appendEnd(b, s.Count, s.AvailableFrom)
}

// appendEnd appends what follows the rows of a series.
func appendEnd(b []byte, count int, availableFrom value.Date) []byte {
	b = appendMember(b, `,"count":`, count)
	if !availableFrom.IsNull() {
		b = appendMember(b, `,"available_from":`, availableFrom)
	}
	return append(b, '}')
}

func (c *candlesBatch) json() []byte {
	b := []byte(`{"series":[`)
	for i, s := range c.Series {
		if i > 0 {
			b = append(b, ',')
		}
		b = s.appendJSON(b)
	}
	b = appendMember(b, `],"count":`, c.Count)
	b = appendMember(b, `,"not_found":`, c.NotFound)
	return append(appendMember(b, `,"not_found_reasons":`, c.NotFoundReasons), '}')
}

func appendRows[R row](b []byte, rows []R) []byte {
	b = append(slices.Grow(b, rowSize*len(rows)), '[')
	for i, r := range rows {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(append(b, `{"`...), r.timeName()...), `":"`...)
		b = append(append(b, r.time()...), '"')
		f := r.figures()
		for j, d := range f.decimals {
			b = append(append(append(b, `,"`...), figureNames[j]...), `":`...)
			b = d.AppendJSON(b)
		}
		b = append(b, `,"trade_count":`...)
		if f.count == nil {
			b = append(b, "null"...)
		} else {
			b = strconv.AppendInt(b, int64(*f.count), 10)
		}
		if f.rate != nil {
			b = f.rate.AppendJSON(append(b, `,"fx_rate":`...))
		}
		b = append(b, '}')
	}
	return append(b, ']')
}

// appendMember appends a member's name and its value, which is short.
func appendMember(b []byte, name string, of any) []byte {
	b, err := value.AppendJSON(append(b, name...), of)
	if err != nil {
		panic(err) // a type of ours that cannot be encoded; answered as internal
	}
	return b
}
