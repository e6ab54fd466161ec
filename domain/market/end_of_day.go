package market

import (
	"context"
	"strconv"

	"piyasa/domain/segment"
	"piyasa/internal/value"
)

// EodSeries is a run of daily records of one instrument.
type EodSeries struct {
	InstrumentID ID
	Currency     string
	Records      []*EodRecord // ascending
	Count        int
	Converted    bool

	// The others are as in CandleSeries.
	Adjust         Adjust
	Factors        []*PriceFactor
	AdjustNote     *string
	Unit           *string
	MeaningChanged *segment.Change
	AvailableFrom  value.Date
	MissingReason  *value.MissingReason
}

// EodRecord is one day of an instrument, with the figures of its daily bar.
type EodRecord struct {
	Date       value.Date    `json:"date"` // of the market's own calendar
	Open       value.Decimal `json:"open"`
	High       value.Decimal `json:"high"`
	Low        value.Decimal `json:"low"`
	Close      value.Decimal `json:"close"`
	Volume     value.Decimal `json:"volume"`
	Turnover   value.Decimal `json:"turnover"`
	TradeCount *int          `json:"trade_count"`
	FxRate     value.Decimal `json:"-"`
	Factor     value.Decimal `json:"-"` // the factor of the prices, if they are adjusted
	Complete   bool          `json:"-"` // whether the day is over
}

// AppendJSON appends the record as REST states it. A converted record has its rate, an adjusted
// one whether its day is over.
func (r *EodRecord) AppendJSON(to []byte, converted, adjusted bool) []byte {
	figures := r.Figures()
	if to = appendFigures(r.Date.AppendJSON(append(to, `{"date":`...)), &figures, converted); !adjusted {
		return to
	}
	return append(strconv.AppendBool(append(to[:len(to)-len("}")], `,"complete":`...), r.Complete), '}')
}

// Figures returns the figures as a bar without a time.
func (r *EodRecord) Figures() Bar {
	return Bar{Open: r.Open, High: r.High, Low: r.Low, Close: r.Close, Volume: r.Volume, Turnover: r.Turnover, TradeCount: r.TradeCount,
		FxRate: r.FxRate}
}

// Eod returns the daily records of an instrument from one day to another, both
// included, with defaults and problems as for Candles. Needs history.
func (s *Service) Eod(ctx context.Context, id string, args SeriesArgs) (*EodSeries, error) {
	daily, err := s.singleSeries(ctx, id, args, Market.eodStart)
	if err != nil {
		return nil, err
	}
	return daily.eod(), nil
}

// EodOf returns the daily records of instruments in their order, as CandlesOf does.
func (s *Service) EodOf(ctx context.Context, instruments []*Instrument, args SeriesArgs) ([]*EodSeries, []error) {
	series, errs := s.seriesOf(ctx, instruments, args, Market.eodStart)
	eod := make([]*EodSeries, len(instruments))
	for i, daily := range series {
		if daily != nil {
			eod[i] = daily.eod()
		}
	}
	return eod, errs
}

// eod turns a daily series into records.
func (c *CandleSeries) eod() *EodSeries {
	eod := &EodSeries{InstrumentID: c.InstrumentID, Currency: c.Currency, Records: make([]*EodRecord, c.Count), Count: c.Count,
		Converted: c.Converted, Adjust: c.Adjust, Factors: c.Factors, AdjustNote: c.AdjustNote, Unit: c.Unit,
		MeaningChanged: c.MeaningChanged, AvailableFrom: c.AvailableFrom, MissingReason: c.MissingReason}
	zone, records, counts := c.InstrumentID.Market().zone(), make([]EodRecord, c.Count), make([]int, c.Count)
	bars := c.BarsInTurn()
	for i := range records {
		b := bars.At(i)
		eod.Records[i] = &records[i]
		records[i] = EodRecord{value.DayIn(b.T, zone), b.Open, b.High, b.Low, b.Close, b.Volume, b.Turnover, nil, b.FxRate,
			c.Factor(i, b.T), c.isOver(b.T)}
		if b.TradeCount != nil {
			counts[i] = *b.TradeCount
			records[i].TradeCount = &counts[i]
		}
	}
	return eod
}
