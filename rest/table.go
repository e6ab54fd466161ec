package rest

import (
	"piyasa/value"
)

// table is a body that can be written as rows, too.
type table interface {
	json() [][]byte // in pieces, which others may share
	csv() []byte
	missing() []string // ids without an answer, for which there are no rows
}

// row is a bar or a daily record.
type row interface {
	timeName() string
	time() string
	figures() figures
}

// figures are what a bar and a daily record have in common.
type figures struct {
	decimals [6]value.Decimal
	count    *int
	rate     *value.Decimal // nil on unconverted answers
}

// figureNames are the names of the decimals.
var figureNames = [6]string{"open", "high", "low", "close", "volume", "turnover"}

func (bar) timeName() string { return "t" }
func (b bar) time() string   { return b.T.String() }

func (b bar) figures() figures {
	return figures{[6]value.Decimal{b.Open, b.High, b.Low, b.Close, b.Volume, b.Turnover}, b.TradeCount, b.FxRate}
}

func (eodRecord) timeName() string { return "date" }
func (r eodRecord) time() string   { return r.Date.String() }

func (r eodRecord) figures() figures {
	return figures{[6]value.Decimal{r.Open, r.High, r.Low, r.Close, r.Volume, r.Turnover}, r.TradeCount, r.FxRate}
}

// rowSize estimates the length of a row in text.
const rowSize = 200
