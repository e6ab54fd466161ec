package main

import (
	"context"
	"sort"
	"strconv"

	"piyasa/test/bench/dataset"
)

// memory holds the data set as structs, and writes each answer from them.
type memory struct {
	quotes    map[string]dataset.Quote
	bars      map[string][]dataset.Bar
	disclosed map[string][]dataset.Disclosure // by symbol, newest first
}

func newMemory() *memory {
	m := &memory{map[string]dataset.Quote{}, map[string][]dataset.Bar{}, map[string][]dataset.Disclosure{}}
	for n := range dataset.Stocks {
		q := dataset.QuoteOf(n)
		m.quotes[q.Instrument.ID] = q
	}
	for n := range dataset.Charted {
		m.bars[dataset.Chart(n).ID] = dataset.BarsOf(n)
	}
	for n := dataset.Disclosures - 1; n >= 0; n-- {
		d := dataset.DisclosureOf(n)
		for _, symbol := range d.Symbols {
			m.disclosed[symbol] = append(m.disclosed[symbol], d)
		}
	}
	return m
}

func (m *memory) quote(_ context.Context, to []byte, id string) ([]byte, error) {
	q, found := m.quotes[id]
	if !found {
		return to, errNotFound
	}
	to = appendMember(to, `{"instrument_id":`, q.Instrument.ID)
	to = appendMember(to, `,"symbol":`, q.Instrument.Symbol)
	to = append(to, `,"ticker":null`...)
	to = appendMember(to, `,"market":`, q.Instrument.Market)
	to = appendMember(to, `,"currency":`, q.Instrument.Currency)
	to = appendMember(to, `,"last":`, q.Last)
	to = appendMember(to, `,"prev_close":`, q.PrevClose)
	to = appendMember(to, `,"change":`, q.Change)
	to = appendMember(to, `,"change_pct":`, q.ChangePct)
	to = appendMember(to, `,"open":`, q.Open)
	to = appendMember(to, `,"high":`, q.High)
	to = appendMember(to, `,"low":`, q.Low)
	to = appendMember(to, `,"bid":`, q.Bid)
	to = appendMember(to, `,"ask":`, q.Ask)
	to = appendMember(to, `,"volume":`, q.Volume)
	to = appendMember(to, `,"turnover":`, q.Turnover)
	to = appendMember(to, `,"limit_up":`, q.LimitUp)
	to = appendMember(to, `,"limit_down":`, q.LimitDown)
	to = append(to, `,"market_cap":null`...)
	to = appendMember(to, `,"as_of":`, q.AsOfText)
	return append(to, `,"data_delay_seconds":900}`...), nil
}

func (m *memory) candles(_ context.Context, to []byte, id, from, until string) ([]byte, error) {
	bars, found := m.bars[id]
	if !found {
		return to, errNotFound
	}
	first := sort.Search(len(bars), func(i int) bool { return bars[i].T[:10] >= from })
	end := sort.Search(len(bars), func(i int) bool { return bars[i].T[:10] > until })
	to = appendMember(to, `{"instrument_id":`, id)
	to = append(to, `,"resolution":"1d","currency":"USD","bars":[`...)
	for i, b := range bars[first:end] {
		if i > 0 {
			to = append(to, ',')
		}
		to = appendMember(to, `{"t":`, b.T)
		to = appendMember(to, `,"open":`, b.Open)
		to = appendMember(to, `,"high":`, b.High)
		to = appendMember(to, `,"low":`, b.Low)
		to = appendMember(to, `,"close":`, b.Close)
		to = appendMember(to, `,"volume":`, b.Volume)
		to = appendMember(to, `,"turnover":`, b.Turnover)
		to = append(strconv.AppendInt(append(to, `,"trade_count":`...), int64(b.Trades), 10), '}')
	}
	return append(strconv.AppendInt(append(to, `],"count":`...), int64(end-first), 10), '}'), nil
}

func (m *memory) disclosures(_ context.Context, to []byte, symbol string, after position, limit int) ([]byte, error) {
	all := m.disclosed[symbol]
	first := 0
	if after.published != "" {
		first = sort.Search(len(all), func(i int) bool { return all[i].Index < after.index }) // numbers grow with time
	}
	end := min(len(all), first+limit)
	to = append(to, `{"items":[`...)
	for i, d := range all[first:end] {
		if i > 0 {
			to = append(to, ',')
		}
		to = strconv.AppendInt(append(to, `{"disclosure_index":`...), int64(d.Index), 10)
		to = appendMember(to, `,"type":`, d.Type)
		to = appendMember(to, `,"class":`, d.Type)
		to = appendList(to, `,"symbols":`, d.Symbols)
		to = appendList(to, `,"filer_codes":`, d.Symbols[:1])
		to = appendMember(to, `,"filer_title":`, d.FilerTitle)
		to = appendMember(to, `,"published_at":`, d.PublishedAt)
		to = appendMember(to, `,"reason":`, d.Reason)
		if to = append(to, `,"related_index":`...); d.RelatedIndex == 0 {
			to = append(to, "null"...)
		} else {
			to = strconv.AppendInt(to, int64(d.RelatedIndex), 10)
		}
		to = appendBoth(to, `,"subject":`, d.SubjectTr, d.SubjectEn)
		to = appendBoth(to, `,"summary":`, d.SummaryTr, d.SummaryEn)
		to = appendMember(to, `,"link":`, d.Link)
		to = strconv.AppendInt(append(to, `,"attachment_count":`...), int64(d.AttachmentCount), 10)
		to = appendMember(to, `,"year":`, d.Year)
		to = appendMember(to, `,"period":`, d.Period)
		to = append(appendMember(to, `,"consolidation":`, d.Statement), '}')
	}
	var last position
	if end > first {
		last = position{all[end-1].PublishedAt, all[end-1].Index}
	}
	return appendPageEnd(to, end-first, end < len(all), last), nil
}

func appendList(to []byte, name string, texts []string) []byte {
	to = append(append(to, name...), '[')
	for i, text := range texts {
		if i > 0 {
			to = append(to, ',')
		}
		to = appendText(to, text)
	}
	return append(to, ']')
}
