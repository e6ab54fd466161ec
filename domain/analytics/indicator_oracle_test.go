package analytics_test

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/markcheno/go-talib"

	"piyasa/domain/analytics"
	"piyasa/internal/value"
	"piyasa/test/fixture/need"
)

// An implementation that others wrote, on floats, agrees with ours.

var oraclePeriods = []int{20, 50, 200}

// priced are the figures that are prices; the others do not change with the
// scale of the prices.
var priced = map[analytics.Indicator]bool{
	analytics.MACD: true, analytics.Bollinger: true, analytics.SMA: true, analytics.EMA: true, analytics.ATR: true,
}

// ticks are prices as floats that are whole numbers, so that equal distances
// between them are equal; a tick is that part of 1.
type ticks struct {
	close, high, low, volume []float64
	tick                     float64
}

func newTicks(t *testing.T, p analytics.Prices) ticks {
	t.Helper()
	places := 0
	for _, d := range slices.Concat(p.Close, p.High, p.Low) {
		_, fraction, _ := strings.Cut(d.String(), ".")
		places = max(places, len(fraction))
	}
	column := func(figures []value.Decimal, places int) (all []float64) {
		for _, d := range figures {
			f := 0.0 // null
			if !d.IsNull() {
				var err error
				if f, err = strconv.ParseFloat(d.Shifted(int32(places)).String(), 64); err != nil || f != math.Trunc(f) || f >= 1<<53 {
					t.Fatalf("%s has no whole number of ticks: %v", d, err)
				}
			}
			all = append(all, f)
		}
		return all
	}
	return ticks{column(p.Close, places), column(p.High, places), column(p.Low, places), column(p.Volume, 0), math.Pow10(-places)}
}

// agree compares our value with an oracle's, which counts prices in ticks.
func agree(v *analytics.IndicatorValue, want, tick float64) error {
	if priced[v.Indicator] {
		want *= tick
	}
	got, err := strconv.ParseFloat(v.Value.String(), 64)
	if err != nil {
		return fmt.Errorf("%s is %s, want %v", labelOf(v), shownValue(v), want)
	}
	relative := 1e-9
	if v.Indicator == analytics.Bollinger { // TA-Lib takes the difference of two large squares
		relative = 1e-6
	}
	if off := math.Abs(got - want); !(off <= 1e-6+relative*math.Abs(want)) {
		return fmt.Errorf("%s is %v, want %v", labelOf(v), got, want)
	}
	return nil
}

// taLib is what go-talib says of every bar, by label. It differs in three
// things: its OBV starts with the first volume and ours with 0; its %K starts
// with its %D; and it seeds the fast average of MACD with bars 15 to 26, so that
// the two MACDs agree only once the seeds are forgotten.
func taLib(b ticks) map[string][]float64 {
	all := map[string][]float64{
		"rsi":          talib.Rsi(b.close, 14),
		"roc":          talib.Roc(b.close, 12),
		"atr":          talib.Atr(b.high, b.low, b.close, 14),
		"adx adx":      talib.Adx(b.high, b.low, b.close, 14),
		"adx plus_di":  talib.PlusDI(b.high, b.low, b.close, 14),
		"adx minus_di": talib.MinusDI(b.high, b.low, b.close, 14),
	}
	all["macd macd"], all["macd signal"], all["macd histogram"] = talib.Macd(b.close, 12, 26, 9)
	all["bbands upper"], all["bbands middle"], all["bbands lower"] = talib.BBands(b.close, 20, 2, 2, talib.SMA)
	all["stoch k"], all["stoch d"] = talib.Stoch(b.high, b.low, b.close, 14, 3, talib.SMA, 3, talib.SMA)
	for _, n := range oraclePeriods {
		if n <= len(b.close) {
			all[fmt.Sprint("sma ", n)], all[fmt.Sprint("ema ", n)] = talib.Sma(b.close, n), talib.Ema(b.close, n)
		}
	}
	if b.volume != nil {
		all["obv"] = talib.Obv(b.close, b.volume)
		start := b.volume[0]
		for i := range all["obv"] {
			all["obv"][i] -= start
		}
	}
	return all
}

// comparableFrom is how many bars a figure needs for go-talib to say the same.
func comparableFrom(i analytics.Indicator) int {
	switch i {
	case analytics.MACD:
		return 250 // the seeds are forgotten
	case analytics.Stochastic:
		return 18
	}
	return 0
}

func TestIndicatorsAgreeWithTALib(t *testing.T) {
	for seed, step := range []int64{1, 20, 500, 5000} {
		p := randomWalk(uint64(seed), 700, step)
		b := newTicks(t, p)
		want := taLib(b)
		compared := 0
		for bars := 1; bars <= len(p.Close); bars += 1 + bars/50 {
			for _, v := range analytics.Compute(firstBars(p, bars), analytics.Indicators, oraclePeriods) {
				if v.NullReason != nil && *v.NullReason == "insufficient_history" || bars < comparableFrom(v.Indicator) {
					continue
				}
				compared++
				if err := agree(v, want[labelOf(v)][bars-1], b.tick); err != nil {
					t.Errorf("%d bars of walk %d: %v", bars, seed, err)
				}
			}
		}
		if compared < 2000 {
			t.Errorf("only %d figures were compared", compared)
		}
	}
}

// The daily history of every listed stock agrees with TA-Lib, in full and cut
// in the middle. PIYASA_REAL_DATA names the folder that holds it.
func TestIndicatorsOfRealHistory(t *testing.T) {
	folder := os.Getenv("PIYASA_REAL_DATA")
	if folder == "" {
		t.Skip("PIYASA_REAL_DATA names no folder")
	}
	files, err := filepath.Glob(filepath.Join(folder, "30-bars-bist-1d-*.ndjson.gz"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no bars in %s: %v", folder, err)
	}
	histories := map[string]*analytics.Prices{}
	for _, file := range files {
		readBars(t, file, histories)
	}
	compared, flat := 0, 0
	for id, whole := range histories {
		for _, bars := range []int{len(whole.Close), len(whole.Close) / 2} {
			if bars < 40 { // go-talib panics on short runs
				continue
			}
			p := firstBars(*whole, bars)
			b := newTicks(t, p)
			want := taLib(b)
			for _, v := range analytics.Compute(p, analytics.Indicators, oraclePeriods) {
				switch {
				case v.NullReason == nil && bars >= comparableFrom(v.Indicator):
					compared++
					if err := agree(v, want[labelOf(v)][bars-1], b.tick); err != nil {
						t.Errorf("%d bars of %s: %v", bars, id, err)
					}
				case v.NullReason != nil && *v.NullReason == "non_positive_base":
					flat++
				}
			}
		}
	}
	t.Logf("%d histories, %d figures compared, %d without a base", len(histories), compared, flat)
	if compared < 10*len(histories) || flat > compared/1000 {
		t.Errorf("of %d histories only %d figures were compared; %d have no base", len(histories), compared, flat)
	}
}

// readBars adds the bars of a file to the histories of their instruments.
func readBars(t *testing.T, file string, histories map[string]*analytics.Prices) {
	t.Helper()
	f, err := os.Open(file)
	need.NoError(t, err)
	defer func() { _ = f.Close() }()
	unzipped, err := gzip.NewReader(f)
	need.NoError(t, err)
	lines := bufio.NewScanner(unzipped)
	for lines.Scan() {
		var bar struct {
			InstrumentID             string `json:"instrument_id"`
			Close, High, Low, Volume *value.Decimal
		}
		if err := json.Unmarshal(lines.Bytes(), &bar); err != nil {
			t.Fatalf("%s: %v", lines.Bytes(), err)
		}
		if bar.Close == nil {
			continue
		}
		p := histories[bar.InstrumentID]
		if p == nil {
			p = &analytics.Prices{}
			histories[bar.InstrumentID] = p
		}
		stated := func(d *value.Decimal) value.Decimal {
			if d == nil {
				return value.Decimal{}
			}
			return *d
		}
		p.Close, p.High = append(p.Close, stated(bar.Close)), append(p.High, stated(bar.High))
		p.Low, p.Volume = append(p.Low, stated(bar.Low)), append(p.Volume, stated(bar.Volume))
	}
	need.NoError(t, lines.Err())
}
