package bist

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"strings"
	"time"

	"piyasa/collect"
)

// Columns that are read.
const (
	cDate = iota
	cCode
	cName
	cMarket
	cGroup
	cMethod
	cLow
	cHigh
	cClose
	cTurnover
	cVolume
	cCount
)

var bulletinColumns = [][2]string{
	{"TARIH", "TRADE DATE"}, {"ISLEM KODU", "INSTRUMENT SERIES CODE"}, {"BULTEN ADI", "INSTRUMENT NAME"}, {"PAZAR", "MARKET SEGMENT"},
	{"ENSTRUMAN GRUBU", "INSTRUMENT GROUP"}, {"ISLEM YONTEMI", "TRADING METHOD"}, {"EN DUSUK FIYAT", "LOWEST PRICE"},
	{"EN YUKSEK FIYAT", "HIGHEST PRICE"},
	{"KAPANIS FIYATI", "CLOSING PRICE"}, {"TOPLAM ISLEM HACMI", "TOTAL TRADED VALUE"}, {"TOPLAM ISLEM ADEDI", "TOTAL TRADED VOLUME"},
	{"TOPLAM SOZLESME SAYISI", "TOTAL NUMBER OF CONTRACTS"},
}

var (
	decimals = regexp.MustCompile(`^(0|[1-9][0-9]{0,17})(\.[0-9]{1,10})?$`)
	types    = map[string]string{"EQT": "STOCK", "ETF": "ETF"}
	segments = map[string]string{
		"Z": "YILDIZ PAZAR", "N": "ANA PAZAR", "T": "ALT PAZAR", "W": "YAKIN İZLEME PAZARI", "S": "PİYASA ÖNCESİ İŞLEM PLATFORMU",
	}
	mechanisms = map[string]string{"SI": "continuous", "PY": "continuous", "TF": "auction"}
)

// records returns the records of shares and exchange traded funds in a table.
func (s *bulletin) records(day time.Time, table string) (all []collect.Record, err error) {
	lines := strings.Split(strings.TrimRight(table, "\r\n"), "\n")
	header := splitCells(lines[0])
	at, err := findColumns(header, bulletinColumns)
	if err != nil {
		return nil, err
	}
	seen := map[string]string{}
	for i, line := range lines[1:] {
		row := splitCells(line)
		if len(row) != len(header) {
			return nil, fmt.Errorf("line %d has %d cells, its header has %d", i+2, len(row), len(header))
		}
		cell := func(c int) string { return foldBlanks(row[at[c]]) }
		if code := cell(cCode); i == 0 && (code == bulletinColumns[cCode][0] || code == bulletinColumns[cCode][1]) {
			continue // the header in the other language
		}
		if date := cell(cDate); date != day.Format(time.DateOnly) && date != day.Format("02-01-2006") {
			return nil, fmt.Errorf("line %d is of %q, the file of %s", i+2, date, day.Format(time.DateOnly))
		}
		symbol, kind := strings.TrimSuffix(cell(cCode), ".E"), types[cell(cGroup)]
		if kind == "" || strings.Contains(symbol, ".") {
			continue
		}
		if !symbolForm.MatchString(symbol) {
			return nil, fmt.Errorf("ISLEM KODU must be a code such as ORNEK.E; got %q", cell(cCode))
		}
		var cells []string
		for c := range bulletinColumns {
			cells = append(cells, cell(c))
		}
		if before, ok := seen[symbol]; ok {
			if before != strings.Join(cells, ";") {
				return nil, fmt.Errorf("two rows of %s differ", symbol)
			}
			continue
		}
		seen[symbol] = strings.Join(cells, ";")
		bar, err := figures(cell)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", symbol, err)
		}
		if s.instruments {
			all = append(all, instrument(symbol, kind, cell))
		}
		if bar != nil {
			maps.Copy(bar, map[string]any{"instrument_id": "bist:" + symbol, "resolution": "1d", "t": day.UTC().Format(time.RFC3339),
				"adjustment": "unadjusted"})
			all = append(all, collect.Record{Kind: "bar", Fields: bar})
		}
	}
	if len(seen) == 0 {
		return nil, errors.New("it has no row of a share")
	}
	return all, nil
}

// figures returns the figures of a row; nil: there was no trade.
func figures(cell func(int) string) (map[string]any, error) {
	out := map[string]any{}
	zeros := map[string]bool{}
	for _, of := range []struct {
		member string
		column int
	}{{"high", cHigh}, {"low", cLow}, {"close", cClose}, {"volume", cVolume}, {"turnover", cTurnover}, {"trade_count", cCount}} {
		member, c := of.member, of.column
		text := cell(c)
		if !decimals.MatchString(text) {
			return nil, fmt.Errorf("%s must be a number such as 10.25; got %q", bulletinColumns[c][0], text)
		}
		if whole, fraction, _ := strings.Cut(text, "."); c == cVolume || c == cCount {
			if strings.Trim(fraction, "0") == "" {
				text = whole
			} else if c == cCount {
				return nil, fmt.Errorf("%s must be whole; got %q", bulletinColumns[c][0], text)
			}
		}
		zeros[member] = strings.Trim(text, "0.") == ""
		out[member] = text
	}
	out["trade_count"] = json.Number(out["trade_count"].(string))
	switch {
	case zeros["volume"] && zeros["trade_count"]:
		return nil, nil
	case zeros["volume"] || zeros["trade_count"]:
		return nil, fmt.Errorf("it has %s shares traded in %s contracts", out["volume"], out["trade_count"])
	case zeros["close"] || zeros["high"] || zeros["low"]:
		return nil, errors.New("it was traded, and has a price of zero")
	}
	return out, nil
}

func instrument(symbol, kind string, cell func(int) string) collect.Record {
	f := map[string]any{"instrument_id": "bist:" + symbol, "symbol": symbol, "name": cell(cName), "market": "bist", "asset_type": kind,
		"currency": "TRY"}
	if segment := segments[cell(cMarket)]; segment != "" && kind == "STOCK" {
		f["segment"] = segment
	}
	if mechanism := mechanisms[cell(cMethod)]; mechanism != "" {
		f["price_mechanism"] = mechanism
	}
	return collect.Record{Kind: "instrument", Fields: f}
}
