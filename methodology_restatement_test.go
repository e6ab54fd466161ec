package main

import (
	"fmt"
	"strings"
	"testing"

	"piyasa/domain/macro"
	"piyasa/internal/value"
)

// restatementExample restates an amount from month to month by an index, of which the example
// states levels with their bases, and links between bases.
func restatementExample(_ *testing.T, e example) (func(string) string, error) {
	var points []*macro.Point
	var links []*macro.IndexLink
	amount, err := stated(e.get("amount", "null"))
	if err != nil {
		return nil, err
	}
	for _, in := range e.inputs {
		from, to, linked := strings.Cut(in.name, " to ")
		switch {
		case linked:
			factor, divisor, _ := strings.Cut(in.text, " / ")
			l := &macro.IndexLink{SeriesID: macro.YIUFE, FromBase: from, ToBase: to, Factor: value.MustDecimal(factor)}
			if divisor != "" {
				l.Divisor = value.MustDecimal(divisor)
			}
			if err := l.Validate(); err != nil {
				return nil, err
			}
			links = append(links, l)
		case in.name != "amount":
			level, base, noted := strings.Cut(in.text, " ")
			p := &macro.Point{SeriesID: macro.YIUFE, Month: value.MustMonth(in.name), Value: value.MustDecimal(level)}
			if noted {
				p.Unit = &base
			}
			points = append(points, p)
		}
	}
	live := macro.NewLive()
	live.PutPoints(points, links...)
	return func(name string) string {
		from, to, _ := strings.Cut(name, " to ")
		ratio, crossed, published := live.Prices().Between(macro.YIUFE, value.MustMonth(from), value.MustMonth(to))
		if !published {
			return "!index_not_published"
		}
		if c := crossed.Unbridged(); c != nil {
			return fmt.Sprintf("!meaning_changed %s %s to %s on %s", c.What, value.Or(c.From, "?"), value.Or(c.To, "?"), c.On)
		}
		text := exact(ratio.Amount(amount))
		for _, b := range crossed.Bridges() {
			text += fmt.Sprintf(" over %s from %s", b.Factor, b.On)
		}
		return text
	}, nil
}
