package bist

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"piyasa/collect"
	"piyasa/internal/value"
)

// firstLimits is the first day with one session.
const firstLimits = "2015-12-01"

// limits reads the price limits from the daily trading rules of Borsa Istanbul. No public
// description names their columns, so the operator names them in the settings.
type limits struct {
	daily
	columns [][2]string // code, limit_up and limit_down
	decimal string      // the decimal mark
}

// Columns that are read.
const (
	limitCode = iota
	limitUp
	limitDown
)

// limitForms are the forms of numbers, by decimal mark.
var limitForms = map[string]*regexp.Regexp{
	".": regexp.MustCompile(`^(0|[1-9][0-9]{0,17})(\.[0-9]{1,10})?$`),
	",": regexp.MustCompile(`^(0|[1-9][0-9]{0,17})(,[0-9]{1,10})?$`),
}

// NewLimits returns the source of a configuration.
func NewLimits(text json.RawMessage) (collect.Source, error) {
	in, err := collect.Settings[struct {
		Licensed  bool    `json:"licensed"`
		From      string  `json:"from"`
		Session   *string `json:"session"`
		Code      string  `json:"code"`
		LimitUp   string  `json:"limit_up"`
		LimitDown string  `json:"limit_down"`
		Decimal   string  `json:"decimal"`
	}](text)
	if err != nil {
		return nil, err
	}
	if !in.Licensed {
		return nil, errLicence
	}
	session := "1"
	if in.Session != nil {
		session = *in.Session
	}
	if in.Decimal == "" {
		in.Decimal = ","
	}
	s := &limits{
		daily: daily{Form: "data/thm/2006/01/thm20060102", End: session + ".zip", From: in.From, Earliest: 0, Latest: 20},
		columns: [][2]string{{"ISLEM KODU", "INSTRUMENT SERIES CODE"}, {foldBlanks(in.LimitUp), foldBlanks(in.LimitUp)},
			{foldBlanks(in.LimitDown), foldBlanks(in.LimitDown)}},
		decimal: in.Decimal,
	}
	if code := foldBlanks(in.Code); code != "" {
		s.columns[limitCode] = [2]string{code, code}
	}
	switch up, down := s.columns[limitUp][0], s.columns[limitDown][0]; {
	case up == "" || down == "" || up == down || up == s.columns[limitCode][0] || down == s.columns[limitCode][0]:
		return nil, errors.New(`"limit_up" and "limit_down" must name two columns of the file, as its header has them`)
	case limitForms[in.Decimal] == nil:
		return nil, fmt.Errorf(`"decimal" must be "," or "."; got %q`, in.Decimal)
	case len(session) > 1 || !strings.Contains("0123", session):
		return nil, fmt.Errorf(`"session" must be the digit at the end of the file's name, "0" to "3", or "" if it has none; got %q`,
			session)
	}
	return s, checkFrom(in.From, firstLimits)
}

// Plan implements collect.Source: before the session and, if the file is late, during it.
func (*limits) Plan() collect.Plan {
	at := []collect.Clock{collect.At(8, 10), collect.At(9, 35), collect.At(10, 5), collect.At(14, 5), collect.At(18, 40),
		collect.At(20, 10)}
	return collect.Plan{Base: baseURL, Pace: pace, MaxBytes: maxBytes, Schedule: collect.Schedule{At: at}}
}

// Parse implements collect.Source.
func (s *limits) Parse(text json.RawMessage, request *collect.Request, got *collect.Answer) (*collect.Result, error) {
	return s.daily.Parse(text, request, got, s.records)
}

// records returns the limits of shares and exchange-traded funds in a table.
func (s *limits) records(day time.Time, table string) (all []collect.Record, err error) {
	lines := strings.Split(strings.TrimRight(table, "\r\n"), "\n")
	header := splitCells(lines[0])
	at, err := findColumns(header, s.columns)
	if err != nil {
		return nil, err
	}
	seen, shares := map[string][2]string{}, 0
	for i, line := range lines[1:] {
		row := splitCells(line)
		if len(row) != len(header) {
			return nil, fmt.Errorf("line %d has %d cells, its header has %d", i+2, len(row), len(header))
		}
		cell := func(c int) string { return foldBlanks(row[at[c]]) }
		symbol, isShare := strings.CutSuffix(cell(limitCode), ".E")
		if !isShare {
			continue // another series, or the header in the other language
		}
		if !symbolForm.MatchString(symbol) {
			return nil, fmt.Errorf("%s must be a code such as ORNEK.E; got %q", s.columns[limitCode][0], cell(limitCode))
		}
		shares++
		stated := [2]string{cell(limitUp), cell(limitDown)}
		if before, ok := seen[symbol]; ok {
			if before != stated {
				return nil, fmt.Errorf("two rows of %s differ", symbol)
			}
			continue
		}
		seen[symbol] = stated
		up, err := s.figure(limitUp, stated[0])
		if err == nil {
			var down string
			if down, err = s.figure(limitDown, stated[1]); err == nil && (up == "") != (down == "") {
				err = fmt.Errorf("it has one limit of two: %q and %q", stated[0], stated[1])
			}
			stated[1] = down
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", symbol, err)
		}
		if up != "" {
			if value.MustDecimal(up).Cmp(value.MustDecimal(stated[1])) < 0 {
				return nil, fmt.Errorf("%s: %s is %s, below %s, %s: are the columns the right ones?",
					symbol, s.columns[limitUp][0], up, s.columns[limitDown][0], stated[1])
			}
			all = append(all, collect.Record{Kind: "price_limits", Fields: map[string]any{
				"instrument_id": "bist:" + symbol, "date": day.Format(time.DateOnly), "limit_up": up, "limit_down": stated[1],
			}})
		}
	}
	switch {
	case shares == 0:
		return nil, errors.New("it has no row of a share")
	case len(all) == 0:
		return nil, fmt.Errorf("no share has limits in %s and %s", s.columns[limitUp][0], s.columns[limitDown][0])
	}
	return all, nil
}

// figure returns the limit in a cell; empty: there is none, if the cell is empty or zero.
func (s *limits) figure(column int, text string) (string, error) {
	if text == "" {
		return "", nil
	}
	if !limitForms[s.decimal].MatchString(text) {
		return "", fmt.Errorf("%s must be a number such as 10%s25; got %q", s.columns[column][0], s.decimal, text)
	}
	if strings.Trim(text, "0.,") == "" {
		return "", nil
	}
	return strings.Replace(text, s.decimal, ".", 1), nil
}
