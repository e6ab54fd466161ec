package market_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"piyasa/domain/market"
	"piyasa/internal/value"
	"piyasa/test/fixture/need"
)

// Kept bars are packed, and say of every part of them what the store says, as objects, as
// columns and in JSON, whatever is null, however long a figure is, and after newer bars have
// come.
func TestPackedBars(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 11))
	figure := func() value.Decimal {
		switch text := [...]string{"", "0", "-0.10", "305.20", "1", strings.Repeat("9", 99), "-" + strings.Repeat("8", 49) + "." +
			strings.Repeat("7", 49)}; random.IntN(3) {
		case 0:
			return value.MustDecimal(fmt.Sprintf("%d.%03d", random.IntN(1_000_000), random.IntN(1000)))
		default:
			if text := text[random.IntN(len(text))]; text != "" {
				return value.MustDecimal(text)
			}
			return value.Decimal{}
		}
	}
	counts := []int{0, 7, -1, math.MaxInt, math.MinInt}
	start := value.MustInstant("2025-12-01T05:00:00Z")
	var stored memory
	grow := func(n int) {
		for range n {
			b := market.Bar{InstrumentID: "us:DMAP", Resolution: market.Day, T: start.Add(time.Duration(len(stored)) * 24 * time.Hour),
				Open: figure(), High: figure(), Low: figure(), Close: figure(), Volume: figure(), Turnover: figure()}
			if len(stored)%3 == 0 {
				b.T = b.T.Add(time.Duration(1 + random.IntN(999)))
			}
			if i := random.IntN(len(counts) + 1); i < len(counts) {
				b.TradeCount = &counts[i]
			}
			stored = append(stored, b)
		}
	}
	grow(25)
	settledTo := &settling{memory: &stored, settled: start.Add(10 * 24 * time.Hour)}
	kept, ctx := charts(&stored)
	kept.History = market.NewHistoryCache(settledTo, 1<<20, func() bool { return true })
	read, _ := charts(&stored)
	for _, s := range []*market.Service{kept, read} {
		s.Live.PutAdjustments([]*market.HistoryAdjustment{{InstrumentID: "us:DMAP", Adjustment: market.Unadjusted}})
		split := market.CorporateAction{InstrumentID: "us:DMAP", Kind: market.Split, ExDate: value.MustDate("2025-12-15"),
			New: value.MustDecimal("3"), Old: value.MustDecimal("1")}
		s.Live.PutActions([]*market.StoredAction{{Seq: 1, CorporateAction: split}})
	}
	compare := func() {
		t.Helper()
		for first := range 12 {
			for _, days := range []int{0, 1, 2, 9, 10, 11, 30, 100} {
				from := value.DayIn(start, time.UTC).AddDays(first - 1)
				to := from.AddDays(days)
				for _, adjust := range []*market.Adjust{nil, new(market.AdjustSplits)} {
					args := market.SeriesArgs{From: &from, To: &to, Adjust: adjust}
					got, want := shownOf(ctx, t, kept, args), shownOf(ctx, t, read, args)
					if got != want {
						t.Fatalf("from %s to %s:\n%s\nwant\n%s", from, to, got, want)
					}
				}
			}
		}
	}
	compare()
	if kept.History.Size() == 0 {
		t.Fatal("nothing is kept")
	}
	for range 2 { // what was recent is settled, and joins the past
		grow(80)
		settledTo.settled = stored[len(stored)-3].T
		kept.History.Changed([]market.BarChange{{Subject: "us:DMAP", Resolution: market.Day}})
		compare()
	}
}

// settling is a memory that says up to when its bars are settled.
type settling struct {
	*memory
	settled value.Instant
}

func (s *settling) Bars(ctx context.Context, r market.Resolution, spans []market.Span) ([]market.StoredBars, error) {
	answers, err := s.memory.Bars(ctx, r, spans)
	for i := range answers {
		answers[i].Settled = s.settled
	}
	return answers, err
}

// shownOf returns everything that a series says, as text.
func shownOf(ctx context.Context, t *testing.T, s *market.Service, args market.SeriesArgs) string {
	t.Helper()
	series, err := s.Candles(ctx, "us:DMAP", args)
	need.NoError(t, err)
	daily, err := s.Eod(ctx, "us:DMAP", args)
	need.NoError(t, err)
	c := series.Columns()
	var all []any
	for _, b := range series.Bars() {
		all = append(all, b, b.InstrumentID, b.Resolution)
	}
	for _, r := range daily.Records {
		all = append(all, r)
	}
	all = append(all, series.Count, c.T(), c.Open(), c.High(), c.Low(), c.Close(), c.Volume(), c.Turnover(), c.TradeCount(), c.FxRate(),
		c.Date(), c.Complete())
	text, err := json.Marshal(all)
	need.NoError(t, err)
	return string(text) + string(bytes.Join(series.Rows(), []byte{','}))
}
