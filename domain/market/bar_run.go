package market

import (
	"slices"
	"strconv"
	"sync/atomic"
	"time"
	"unsafe"

	"piyasa/internal/value"
)

// The figures of a bar, in the order of its JSON.
const (
	openFigure = iota
	highFigure
	lowFigure
	closeFigure
	volumeFigure
	turnoverFigure
	figures
)

// beforeTime, beforeFigure and beforeCount are the JSON before the values of a bar.
const (
	beforeTime  = `{"t":`
	beforeCount = `,"trade_count":`
)

var beforeFigure = [figures]string{`,"open":`, `,"high":`, `,"low":`, `,"close":`, `,"volume":`, `,"turnover":`}

// namesBefore has the total length of the member names before each figure, and before the trade
// count.
var namesBefore = func() (lengths [figures + 1]int) {
	length := len(beforeTime)
	for which, before := range beforeFigure {
		length += len(before)
		lengths[which] = length
	}
	lengths[figures] = length + len(beforeCount)
	return lengths
}()

// figures returns the places of the figures in the bar.
func (b *Bar) figures() [figures]*value.Decimal {
	return [figures]*value.Decimal{&b.Open, &b.High, &b.Low, &b.Close, &b.Volume, &b.Turnover}
}

// AppendJSON appends the bar as REST states it; a converted bar has its rate.
func (b *Bar) AppendJSON(to []byte, converted bool) []byte {
	to = b.T.AppendJSON(append(to, beforeTime...))
	return appendFigures(to, b, converted)
}

// appendFigures appends the members of a bar after its time.
func appendFigures(to []byte, b *Bar, converted bool) []byte {
	for which, figure := range b.figures() {
		to = figure.AppendJSON(append(to, beforeFigure[which]...))
	}
	to = append(to, beforeCount...)
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

// barRun is a run of bars of one series by time, as answers show them, packed: their JSON and
// the places of the figures in it. It has no pointers for each bar, so the garbage collector
// has nothing to scan. Requests share runs, so a run never changes.
type barRun struct {
	of     seriesKey
	dated  bool   // each bar has its date and complete, as dayAndComplete does
	rows   []byte // the bars in JSON, separated by commas
	text   string // the same memory as rows
	times  []value.Instant
	places []barPlace

	scaledSplits, scaledAll atomic.Pointer[scaledRun] // the latest adjusted forms
}

// barPlace says where a bar is in the rows of its run.
type barPlace struct {
	end   uint32
	time  uint8          // the length of its time
	sizes [figures]uint8 // the lengths of its figures, each with its quotes
}

// rowSize is the approximate length of a bar in JSON.
const rowSize = 160

// newRun packs bars as answers show them.
func newRun(of seriesKey, bars []*Bar) *barRun { return barPart{run: &barRun{of: of}}.with(bars) }

// dayAndComplete is what follows the trade count of a dated bar.
const dayAndComplete = `,"date":"2026-03-18","complete":true}`

// tail returns the length of the members of a bar after its trade count, with its end.
func (r *barRun) tail() int {
	if r.dated {
		return len(dayAndComplete)
	}
	return len("}")
}

// weight returns how many bytes of memory the run and its adjusted forms take.
func (r *barRun) weight() int {
	adjusted := 0
	for _, kept := range []*scaledRun{r.scaledSplits.Load(), r.scaledAll.Load()} {
		if kept != nil {
			adjusted += kept.run.weight()
		}
	}
	return adjusted + len(r.rows) + len(r.times)*int(unsafe.Sizeof(value.Instant{})+unsafe.Sizeof(barPlace{}))
}

// start returns where the JSON of a bar begins.
func (r *barRun) start(i int) int {
	if i == 0 {
		return 0
	}
	return int(r.places[i-1].end) + len(",")
}

// figure returns a figure of a bar; it shares the memory of the run.
func (r *barRun) figure(i, which int) value.Decimal {
	place := &r.places[i]
	at := r.start(i) + namesBefore[which] + int(place.time)
	for _, size := range place.sizes[:which] {
		at += int(size)
	}
	return value.DecimalOfJSON(r.text[at : at+int(place.sizes[which])])
}

// tradeCount writes the trade count of a bar to to, and reports whether the bar has one.
func (r *barRun) tradeCount(i int, to *int) bool {
	place := &r.places[i]
	at := r.start(i) + namesBefore[figures] + int(place.time)
	for _, size := range place.sizes {
		at += int(size)
	}
	return r.count(at, place, to)
}

// count reads the trade count that begins at at.
func (r *barRun) count(at int, place *barPlace, to *int) bool {
	if r.text[at] == 'n' { // null; parsing it would allocate an error
		return false
	}
	*to, _ = strconv.Atoi(r.text[at : int(place.end)-r.tail()]) // strconv wrote it
	return true
}

// unpack writes a bar to to, and its trade count to count, which the bar then points to.
func (r *barRun) unpack(i int, to *Bar, count *int) {
	place := &r.places[i]
	at := r.start(i) + len(beforeTime) + int(place.time)
	to.InstrumentID, to.Resolution, to.T = r.of.id, r.of.resolution, r.times[i]
	to.Open, at = r.next(at, place, openFigure)
	to.High, at = r.next(at, place, highFigure)
	to.Low, at = r.next(at, place, lowFigure)
	to.Close, at = r.next(at, place, closeFigure)
	to.Volume, at = r.next(at, place, volumeFigure)
	to.Turnover, at = r.next(at, place, turnoverFigure)
	to.TradeCount = nil
	if r.count(at+len(beforeCount), place, count) {
		to.TradeCount = count
	}
}

// next returns the figure whose name begins at at, and where the figure ends.
func (r *barRun) next(at int, place *barPlace, which int) (value.Decimal, int) {
	at += len(beforeFigure[which])
	end := at + int(place.sizes[which])
	return value.DecimalOfJSON(r.text[at:end]), end
}

// from returns the place of the first bar at t or later.
func (r *barRun) from(t value.Instant) int {
	at, _ := slices.BinarySearchFunc(r.times, t, value.Instant.Compare)
	return at
}

// within returns the part of the run in a span.
func (r *barRun) within(span Span) barPart {
	from, to := r.from(span.First), len(r.times)
	if to > 0 && r.times[to-1].After(span.Last) {
		to = r.from(span.Last.Add(time.Millisecond))
	}
	return barPart{r, from, max(from, to)}
}

// barPart is the bars of a run from one place up to but not including another. The zero part
// has none.
type barPart struct {
	run      *barRun
	from, to int
}

// count returns how many bars there are.
func (p barPart) count() int { return p.to - p.from }

// rows returns the bars in JSON, separated by commas.
func (p barPart) rows() []byte {
	if p.count() == 0 {
		return nil
	}
	start, end := p.run.start(p.from), p.run.places[p.to-1].end
	return p.run.rows[start:end:end]
}

// with returns a run of the part followed by bars.
func (p barPart) with(bars []*Bar) *barRun {
	n, before := p.count()+len(bars), p.rows()
	r := &barRun{of: p.run.of, dated: p.run.dated, times: append(make([]value.Instant, 0, n), p.run.times[p.from:p.to]...),
		places: append(make([]barPlace, 0, n), p.run.places[p.from:p.to]...)}
	for i := range r.places {
		r.places[i].end -= uint32(p.run.start(p.from))
	}
	rows := append(make([]byte, 0, len(before)+rowSize*len(bars)), before...)
	for _, b := range bars {
		if len(rows) > 0 {
			rows = append(rows, ',')
		}
		var place barPlace
		rows = append(rows, beforeTime...)
		start := len(rows)
		rows = b.T.AppendJSON(rows)
		place.time = uint8(len(rows) - start)
		if rows = appendFigures(rows, b, false); r.dated {
			rows = appendDated(rows, r.of.id.Market().DayAt(b.T), true)
		}
		place.end = uint32(len(rows))
		for which, figure := range b.figures() {
			place.sizes[which] = uint8(figure.JSONSize())
		}
		r.times, r.places = append(r.times, b.T), append(r.places, place)
	}
	r.rows = slices.Clip(slices.Clone(rows))
	r.text = unsafe.String(unsafe.SliceData(r.rows), len(r.rows))
	return r
}
