package db

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"piyasa/domain/macro"
	"piyasa/domain/market"
	"piyasa/internal/value"
)

// rowTime is the time of a row, as its table keeps it.
type rowTime interface {
	sql.Scanner
	fmt.Stringer
}

// figureTable is a table of prices: the names of its rows, and its columns of figures.
type figureTable struct {
	name, subject, kind, at string // kind is an expression for the name of the row in findings
	time                    func() rowTime
	figures                 []string
	contradicts             func(subject string, of map[string]value.Decimal) bool // nil: answers never show its rows
}

func instantOfRow() rowTime { return new(value.Instant) }

var observedFigures = []string{
	"last", "prev_close", "change", "change_pct", "open", "high", "low", "bid", "ask",
	"volume", "turnover", "limit_up", "limit_down", "market_cap",
}

var figureTables = []figureTable{
	{
		"bars", "instrument_id", "resolution || ' bar'", "t", instantOfRow, []string{"open", "high", "low", "close", "volume", "turnover"},
		func(id string, of map[string]value.Decimal) bool {
			return (&market.Bar{InstrumentID: market.ID(id), Open: of["open"], High: of["high"], Low: of["low"],
				Close: of["close"]}).Contradicts()
		},
	},
	{
		"index_bars", "code", "'bar'", "date", func() rowTime { return new(value.Date) }, []string{"open", "high", "low", "close"},
		func(_ string, of map[string]value.Decimal) bool {
			return (&market.IndexBar{Open: of["open"], High: of["high"], Low: of["low"], Close: of["close"]}).Contradicts()
		},
	},
	{
		"quotes", "instrument_id", "'quote'", "as_of", instantOfRow, observedFigures,
		func(id string, of map[string]value.Decimal) bool {
			return (&market.Observation{
				InstrumentID: market.ID(id), Last: of["last"], PrevClose: of["prev_close"], Open: of["open"], High: of["high"],
				Low: of["low"],
				Bid: of["bid"], Ask: of["ask"], LimitUp: of["limit_up"], LimitDown: of["limit_down"],
			}).Contradicts()
		},
	},
	{"observations", "instrument_id", "'observation'", "as_of", instantOfRow, observedFigures, nil},
}

// checkFigures reads every price and finds rows whose figures are no decimals. It counts rows
// with impossible figures, which are not shown, and bars of days without trading.
func (v *verifier) checkFigures(ctx context.Context) (err error) {
	if v.days, err = exceptions(ctx, v.tx); err != nil {
		return err
	}
	var indices []market.ID
	if err := v.tx.NewRaw("SELECT instrument_id FROM instruments WHERE market = ?", market.Index).Scan(ctx, &indices); err != nil {
		return err
	}
	if v.sessions, err = loadRecorders(ctx, v.tx, indices); err != nil {
		return err
	}
	for _, table := range figureTables {
		if err := v.checkFiguresOf(ctx, table); err != nil {
			return err
		}
	}
	return nil
}

func (v *verifier) checkFiguresOf(ctx context.Context, table figureTable) error {
	columns := append([]string{table.subject, table.kind, table.at}, table.figures...)
	rows, err := v.tx.QueryContext(ctx, "SELECT "+strings.Join(columns, ", ")+" FROM "+table.name)
	if err != nil {
		return err
	}
	defer rows.Close()
	var subject, kind string
	var at any
	figures := make([]any, len(table.figures))
	into := []any{&subject, &kind, &at}
	for i := range figures {
		into = append(into, &figures[i])
	}
	of := make(map[string]value.Decimal, len(figures))
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return err
		}
		when := table.time()
		if err := when.Scan(at); err != nil {
			v.unreadable(subject, "the time of a %s cannot be read: %v", kind, err)
		}
		for i, name := range table.figures {
			var figure value.Decimal
			if err := figure.Scan(figures[i]); err != nil {
				v.unreadable(subject, "%s of the %s of %s cannot be read: %v", name, kind, when, err)
			}
			of[name] = figure
		}
		if table.contradicts != nil && table.contradicts(subject, of) {
			v.LeftOut++
		}
		if v.isOffDay(market.ID(subject), kind, when) {
			v.OffDays++
		}
	}
	return rows.Err()
}

// isOffDay reports whether a row is a bar of a day without trading, which is not shown.
func (v *verifier) isOffDay(id market.ID, kind string, when rowTime) bool {
	switch at := when.(type) {
	case *value.Date:
		return !market.CalendarOf(market.BIST, nil, v.days).CanHave(*at)
	case *value.Instant:
		if resolution, isBar := strings.CutSuffix(kind, " bar"); isBar {
			r, known := v.sessions[id]
			if !known {
				r = market.NewRecorder(id, "", nil, v.days)
			}
			return !r.Shows(&market.Bar{InstrumentID: id, Resolution: market.Resolution(resolution), T: *at})
		}
	}
	return false
}

// unreadable reports a row that cannot be read. Its subject is skipped from then on.
func (v *verifier) unreadable(subject, problem string, args ...any) {
	v.finding("figures", subject, problem, args...)
	v.skip[market.ID(subject)] = true
}

// checkIndexLinks reports levels of price indices that contradict the links between their bases.
func (v *verifier) checkIndexLinks(ctx context.Context) error {
	series := []macro.Series{macro.YIUFE, macro.TUFE}
	points, links, err := linkedSeries(ctx, v.tx, series)
	if err != nil {
		return err
	}
	for _, of := range series {
		for _, wrong := range macro.Contradictions(points[of], links[of]) {
			v.finding("figures", string(of), "levels and links contradict each other: %s", wrong)
		}
	}
	return nil
}
