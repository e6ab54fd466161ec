package rest

import (
	"bytes"
	"encoding/json"
	"testing"

	"piyasa/domain/market"
	"piyasa/internal/value"
	"piyasa/test/fixture/need"
)

// What is appended is what encoding/json makes of the same body.
func TestAppendedBodies(t *testing.T) {
	d, count := value.MustDecimal, 51234
	full := &market.Bar{T: value.MustInstant("2026-03-16T21:00:00.500Z"), Open: d("-0.10"), High: d("302.50"), Low: d("1"), Close: d("2"),
		Volume: d("3"), Turnover: d("4"), TradeCount: &count, FxRate: d("0.5")}
	empty := &market.Bar{T: value.MustInstant("2026-03-16T21:00:00Z")}
	plain := market.NewCandleSeries("bist:D&M", market.Day, "TRY", false, []*market.Bar{full, empty})
	converted := market.NewCandleSeries("us:A", market.FiveMinutes, "USD", true, []*market.Bar{empty, full})
	none := &market.CandleSeries{InstrumentID: "us:B", Resolution: market.Day, Currency: "USD", AvailableFrom: value.MustDate("2020-01-01")}
	record := &market.EodRecord{Date: value.MustDate("2026-03-16"), Close: d("300.00"), TradeCount: &count}
	for _, body := range []table{
		candleSeriesView(plain), candleSeriesView(converted), candleSeriesView(none),
		candlesBatchView(&market.CandlesBatch{Series: []*market.CandleSeries{plain, converted, none}, Count: 3,
			NotFound: []value.NotFound{{ID: `<"ş`, Reason: "unknown_id"}, {ID: "a", Reason: "unknown_id"}}}),
		candlesBatchView(&market.CandlesBatch{}),
		eodSeriesView(&market.EodSeries{InstrumentID: "bist:A", Currency: "TRY", Records: []*market.EodRecord{record}, Count: 1}),
		eodSeriesView(&market.EodSeries{InstrumentID: "bist:A", Currency: "TRY", AvailableFrom: value.MustDate("2024-01-01")}),
		eodSeriesView(&market.EodSeries{InstrumentID: "bist:A", Currency: "USD", Records: []*market.EodRecord{record, record}, Count: 2,
			Converted: true}),
	} {
		describe(body)
		var want bytes.Buffer
		e := json.NewEncoder(&want)
		e.SetEscapeHTML(false)
		need.NoError(t, e.Encode(body))
		if got := bytes.Join(answerOf(body, JSON).Body.([][]byte), nil); !bytes.Equal(got, want.Bytes()) {
			t.Errorf("got  %s\nwant %s", got, want.Bytes())
		}
	}
}

// describe fills the members of a body that only its description has.
func describe(body table) {
	switch body := body.(type) {
	case *candleSeries:
		for _, b := range body.of.Bars() {
			one := bar{Bar: b}
			if body.of.Converted {
				one.FxRate = &b.FxRate
			}
			body.Bars = append(body.Bars, one)
		}
		if body.Bars == nil {
			body.Bars = []bar{}
		}
	case *eodSeries:
		for _, r := range body.of.Records {
			one := eodRecord{EodRecord: r}
			if body.of.Converted {
				one.FxRate = &r.FxRate
			}
			if body.Adjust != nil {
				one.Complete = &r.Complete
			}
			body.Records = append(body.Records, one)
		}
		if body.Records == nil {
			body.Records = []eodRecord{}
		}
	case *candlesBatch:
		for _, s := range body.Series {
			describe(s)
		}
	}
}
