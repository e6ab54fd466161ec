package market

import (
	"slices"
	"strconv"
	"time"
	"unsafe"

	"piyasa/value"
)

// AppendJSON appends the bar as REST states it; a converted one with its rate.
func (b *Bar) AppendJSON(to []byte, converted bool) []byte {
	to = b.T.AppendJSON(append(to, `{"t":`...))
	return appendFigures(to, b, converted)
}

// appendFigures appends the members of a bar after its time.
func appendFigures(to []byte, b *Bar, converted bool) []byte {
	to = b.Open.AppendJSON(append(to, `,"open":`...))
	to = b.High.AppendJSON(append(to, `,"high":`...))
	to = b.Low.AppendJSON(append(to, `,"low":`...))
	to = b.Close.AppendJSON(append(to, `,"close":`...))
	to = b.Volume.AppendJSON(append(to, `,"volume":`...))
	to = b.Turnover.AppendJSON(append(to, `,"turnover":`...))
	to = append(to, `,"trade_count":`...)
	if b.TradeCount == nil {
		to = append(to, "null"...)
	} else {
		to = strconv.AppendInt(to, int64(*b.TradeCount), 10)
	}
	if converted {
		to = b.FxRate.AppendJSON(append(to, `,"fx_rate":`...))
	}
	return append(to, '}')
}

// barRun is bars of one instrument by time, as they are shown, with their JSON.
// Requests share them, so nothing changes them.
type barRun struct {
	bars []*Bar
	rows []byte // their JSON, separated by commas
	ends []int  // of each bar in rows
}

// rowSize is about the length of a bar in JSON.
const rowSize = 160

// newRun returns a run of bars that are shown.
func newRun(bars []*Bar) barRun {
	if len(bars) == 0 {
		return barRun{}
	}
	r := barRun{bars: bars, rows: make([]byte, 0, rowSize*len(bars)), ends: make([]int, len(bars))}
	for i, b := range bars {
		if i > 0 {
			r.rows = append(r.rows, ',')
		}
		r.rows = b.AppendJSON(r.rows, false)
		r.ends[i] = len(r.rows)
	}
	r.rows = slices.Clip(slices.Clone(r.rows))
	return r
}

// weight returns how many bytes of memory the run takes.
func (r barRun) weight() int {
	const each = int(unsafe.Sizeof(Bar{}) + unsafe.Sizeof(&Bar{}) + 2*unsafe.Sizeof(0)) // a bar, its place in bars and in ends, its trade count
	total := len(r.rows)
	for _, b := range r.bars {
		total += each
		for _, d := range [...]value.Decimal{b.Open, b.High, b.Low, b.Close, b.Volume, b.Turnover} {
			total += len(d.String()) + len(" ")
		}
	}
	return total
}

// shownBars are the bars of a span as they are shown, and their JSON where memory
// has it, in pieces that commas separate. Others share them.
type shownBars struct {
	bars []*Bar
	rows [][]byte
}

// within returns the part of the run in a span.
func (r barRun) within(span Span) shownBars {
	from, to := placeOf(r.bars, span.First), len(r.bars)
	if to > 0 && r.bars[to-1].T.After(span.Last) {
		to = placeOf(r.bars, span.Last.Add(time.Millisecond))
	}
	if from >= to {
		return shownBars{}
	}
	start := 0
	if from > 0 {
		start = r.ends[from-1] + len(",")
	}
	return shownBars{r.bars[from:to:to], [][]byte{r.rows[start:r.ends[to-1]:r.ends[to-1]]}}
}

// placeOf returns the place of the first bar at t or later.
func placeOf(bars []*Bar, t value.Instant) int {
	at, _ := slices.BinarySearchFunc(bars, t, func(b *Bar, t value.Instant) int { return b.T.Compare(t) })
	return at
}
