package main

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"piyasa/domain/analytics"
	"piyasa/internal/value"
)

// column are the figures of "10, 11 x3, 2 to 5".
func column(text string) ([]value.Decimal, error) {
	var all []value.Decimal
	for _, part := range strings.Split(text, ", ") {
		if part == "" {
			continue
		}
		if from, to, isRange := strings.Cut(part, " to "); isRange {
			first, _ := strconv.Atoi(from)
			last, _ := strconv.Atoi(to)
			for n := first; n <= last; n++ {
				all = append(all, value.MustDecimal(fmt.Sprint(n)))
			}
			continue
		}
		text, times, repeated := strings.Cut(part, " x")
		figure, err := stated(text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", part, err)
		}
		n := 1
		if repeated {
			n, _ = strconv.Atoi(times)
		}
		all = append(all, slices.Repeat([]value.Decimal{figure}, n)...)
	}
	return all, nil
}

func indicatorExample(_ *testing.T, e example) (func(string) string, error) {
	var p analytics.Prices
	for name, to := range map[string]*[]value.Decimal{"close": &p.Close, "high": &p.High, "low": &p.Low, "volume": &p.Volume} {
		var err error
		if *to, err = column(e.get(name, "")); err != nil {
			return nil, err
		}
	}
	return func(name string) string {
		indicator, part, _ := strings.Cut(name, " ")
		periods := []int{1}
		if n, err := strconv.Atoi(part); err == nil {
			periods[0], part = n, ""
		}
		for _, v := range analytics.Compute(p, []analytics.Indicator{analytics.Indicator(indicator)}, periods) {
			if part == "" || v.Component != nil && *v.Component == part {
				return exactOr(v.Value, v.NullReason)
			}
		}
		return "no figure"
	}, nil
}

// days are the days of "date: close 1, high 2, low 3".
func (e example) days() ([]analytics.Day, error) {
	var all []analytics.Day
	for _, p := range e.inputs {
		d := analytics.Day{Date: value.MustDate(p.name)}
		for _, text := range strings.Split(p.text, ", ") {
			name, level, _ := strings.Cut(text, " ")
			to := map[string]*value.Decimal{"close": &d.Close, "high": &d.High, "low": &d.Low}[name]
			if to == nil {
				return nil, fmt.Errorf("%s is no price", name)
			}
			var err error
			if *to, err = stated(level); err != nil {
				return nil, err
			}
		}
		all = append(all, d)
	}
	return all, nil
}

// spelledWindow is the text of a window by its name.
func windowText(windows []*analytics.PeriodicWindow) func(string) string {
	return func(name string) string {
		for _, w := range windows {
			switch {
			case w.Window != name:
			case w.NullReason != nil:
				return "!" + *w.NullReason
			default:
				return fmt.Sprintf("start_date %s, start_price %s, end_price %s, high %s, low %s, change %s, change_pct %s",
					w.StartDate, w.StartPrice, w.EndPrice, w.High, w.Low, w.Change, w.ChangePct)
			}
		}
		return "no window"
	}
}

func windowsExample(_ *testing.T, e example) (func(string) string, error) {
	days, err := e.days()
	return windowText(analytics.Windows(days, nil)), err
}

func startsExample(_ *testing.T, e example) (func(string) string, error) {
	newest := value.MustDate(e.get("newest", ""))
	var days []analytics.Day
	for d := newest.AddDays(-500); !newest.Before(d); d = d.AddDays(1) {
		if d.Weekday() != time.Saturday && d.Weekday() != time.Sunday {
			days = append(days, analytics.Day{Date: d, Close: value.MustDecimal("1")})
		}
	}
	return func(name string) string {
		for _, w := range analytics.Windows(days, nil) {
			if w.Window == name {
				return w.StartDate.String()
			}
		}
		return "no window"
	}, nil
}

// members are the days of each member, of "date: close, close".
func (e example) members() ([][]analytics.Day, error) {
	members := make([][]analytics.Day, strings.Count(e.inputs[0].text, ",")+1)
	for _, p := range e.inputs {
		closes, err := column(p.text)
		if err != nil {
			return nil, err
		}
		for i, c := range closes {
			members[i] = append(members[i], analytics.Day{Date: value.MustDate(p.name), Close: c})
		}
	}
	return members, nil
}

func returnsExample(_ *testing.T, e example) (func(string) string, error) {
	members, err := e.members()
	return func(name string) string {
		for _, p := range returnsOf(members) {
			if p.Date.String() == name {
				return exact(p.Value)
			}
		}
		return "no point"
	}, err
}

func sectorWindowsExample(_ *testing.T, e example) (func(string) string, error) {
	members, err := e.members()
	return windowText(analytics.SectorWindows(members, nil)), err
}

func medianExample(_ *testing.T, e example) (func(string) string, error) {
	var values []*big.Rat
	var err error
	for text := range strings.SplitSeq(e.get("values", ""), ", ") {
		if text == "null" {
			continue
		}
		v, ok := new(big.Rat).SetString(text)
		if !ok {
			err = fmt.Errorf("no figure and no quotient: %q", text)
			break
		}
		values = append(values, v)
	}
	m := analytics.Median(values)
	return func(name string) string {
		return map[string]string{"median": exactOr(m.Median, m.NullReason), "members_counted": fmt.Sprint(m.MembersCounted)}[name]
	}, err
}

// returnsOf returns the series of members without boundaries.
func returnsOf(members [][]analytics.Day) []analytics.SectorReturnPoint {
	points, _ := analytics.Returns(members, nil)
	return points
}
