package rest

import (
	"piyasa/domain/segment"
	"piyasa/internal/value"
)

// Series are long, and encoding/json spends most of its time on reflection. This file writes their
// bodies as encoding/json would, from rows that memory may already hold encoded.

func (s *candleSeries) json() [][]byte { return s.pieces(nil) }

func (s *candleSeries) pieces(to [][]byte) [][]byte {
	b := appendMember(nil, `{"instrument_id":`, s.InstrumentID)
	b = appendMember(b, `,"resolution":`, s.Resolution)
	b = appendMember(b, `,"currency":`, s.Currency)
	to = append(to, append(b, `,"bars":[`...))
	for i, rows := range s.of.Rows() {
		if i > 0 {
			to = append(to, []byte{','})
		}
		to = append(to, rows)
	}
	return append(to, appendEnd([]byte{']'}, s.Count, s.adjusted, s.Unit, s.MeaningChanged, s.AvailableFrom))
}

func (s *eodSeries) json() [][]byte {
	b := appendMember(make([]byte, 0, rowSize*(1+s.Count)), `{"instrument_id":`, s.InstrumentID)
	b = appendMember(b, `,"currency":`, s.Currency)
	b = append(b, `,"records":[`...)
	for i, r := range s.of.Records {
		if i > 0 {
			b = append(b, ',')
		}
		b = r.AppendJSON(b, s.of.Converted, s.Adjust != nil)
	}
	return [][]byte{appendEnd(append(b, ']'), s.Count, s.adjusted, s.Unit, s.MeaningChanged, s.AvailableFrom)}
}

// appendEnd appends the members after the rows of a series.
func appendEnd(b []byte, count int, by adjusted, unit *string, changed *segment.Change, availableFrom value.Date) []byte {
	b = appendMember(b, `,"count":`, count)
	if by.Adjust != nil {
		b = appendMember(b, `,"adjust":`, *by.Adjust)
		b = appendMember(b, `,"factors":`, *by.Factors)
	}
	if by.AdjustNote != nil {
		b = appendMember(b, `,"adjust_note":`, *by.AdjustNote)
	}
	if unit != nil {
		b = appendMember(b, `,"unit":`, *unit)
	}
	if changed != nil {
		b = appendMember(b, `,"meaning_changed":`, changed)
	}
	if !availableFrom.IsNull() {
		b = appendMember(b, `,"available_from":`, availableFrom)
	}
	return append(b, '}')
}

func (c *candlesBatch) json() [][]byte {
	all := [][]byte{[]byte(`{"series":[`)}
	for i, s := range c.Series {
		if i > 0 {
			all = append(all, []byte{','})
		}
		all = s.pieces(all)
	}
	b := appendMember(nil, `],"count":`, c.Count)
	b = appendMember(b, `,"not_found":`, c.NotFound)
	return append(all, append(appendMember(b, `,"not_found_reasons":`, c.NotFoundReasons), '}'))
}

// appendMember appends a member's name and its value, which must be short.
func appendMember(b []byte, name string, of any) []byte {
	b, err := value.AppendJSON(append(b, name...), of)
	if err != nil {
		panic(err) // one of our types cannot be encoded: the answer is the problem internal
	}
	return b
}
