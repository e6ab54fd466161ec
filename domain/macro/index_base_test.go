package macro_test

import (
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"piyasa/domain/macro"
	"piyasa/domain/segment"
	"piyasa/internal/value"
	"piyasa/internal/value/valuetest"
	"piyasa/test/fixture/need"
)

func TestBase(t *testing.T) {
	for note, want := range map[string]string{
		"2003=100": "2003=100", "2003 = 100": "2003=100", " 2003=100 TL": "2003=100", "(2003=100)": "2003=100", "2003=100,00": "2003=100",
		"2003\u00a0=\u00a0100.0": "2003=100", "2003 = 100 try": "2003=100", "1938=1000": "1938=1000", "2003-01=100": "2003-01=100",
		"2003=100 (revised)": "2003=100 (revised)", "2003=1": "2003=1", "2003=100,5": "2003=100,5", "Base  2003=100": "Base 2003=100",
		"2003=100 USD": "2003=100 USD", "": "", " \t": "",
	} {
		if got := macro.Base(note); got != want {
			t.Errorf("%q is %q, want %q", note, got, want)
		}
	}
}

// series are points of producer prices, each "month level unit".
func series(all ...string) []*macro.Point {
	list := make([]*macro.Point, len(all))
	for i, text := range all {
		month, rest, _ := strings.Cut(text, " ")
		level, unit, stated := strings.Cut(rest, " ")
		list[i] = points(macro.YIUFE, map[string]string{month: level})[0]
		if stated {
			list[i].Unit = &unit
		}
	}
	return list
}

// link is a link between bases of producer prices.
func link(from, to, factor, divisor, month string) *macro.IndexLink {
	l := &macro.IndexLink{SeriesID: macro.YIUFE, FromBase: from, ToBase: to, Factor: value.MustDecimal(factor), Source: new("TÜİK")}
	if divisor != "" {
		l.Divisor = value.MustDecimal(divisor)
	}
	if month != "" {
		l.Month = value.MustMonth(month)
	}
	return l
}

// told is what a restatement from one month to another says.
func told(prices *macro.Prices, from, to string) string {
	ratio, crossed, published := prices.Between(macro.YIUFE, value.MustMonth(from), value.MustMonth(to))
	words := func(base *string) string { return value.Or(base, "?") }
	if !published {
		return "not published"
	}
	if c := crossed.Unbridged(); c != nil {
		return fmt.Sprintf("%s %s to %s on %s", c.What, words(c.From), words(c.To), c.On)
	}
	text := ratio.Factor().String()
	for i, b := range crossed.Bridges() {
		text += fmt.Sprintf(", %s %s to %s on %s by %s", b.Kind, words(crossed[i].From), words(crossed[i].To), b.On, b.Factor)
	}
	return text
}

func TestBetweenBases(t *testing.T) {
	rebased := series("2025-06 4300 2003=100", "2025-09 4500 2003=100", "2025-12 104 2025=100", "2026-03 108 2025=100")
	silent := series("2025-06 4300", "2025-09 4500 2003=100", "2025-10 4600", "2025-11 105", "2025-12 104 2025=100", "2026-03 108")
	nothing := series("2025-06 4300", "2025-09 4500", "2025-12 104", "2026-03 108")
	returned := series("2025-03 100 a", "2025-06 200 b", "2025-09 150 a", "2025-12 300 b")
	const changed = "base 2003=100 to 2025=100 on 2025-12-01"
	for _, c := range []struct {
		name     string
		points   []*macro.Point
		links    []*macro.IndexLink
		from, to string
		want     string
	}{
		{"one base", rebased, nil, "2025-06", "2025-09", "1.04651162791"},
		{"back in time", rebased, nil, "2026-03", "2025-12", "0.962962962963"},
		{"two bases", rebased, nil, "2025-06", "2025-12", changed},
		{"two bases, back in time", rebased, nil, "2026-03", "2025-06", changed},
		{"wording", series("2025-06 10 2003 = 100", "2025-09 20 2003=100 TL"), nil, "2025-06", "2025-09", "2"},
		{"linked", rebased, []*macro.IndexLink{link("2003=100", "2025=100", "0.02", "", "")}, "2025-06", "2025-12",
			"1.20930232558, index_link 2003=100 to 2025=100 on 2025-12-01 by 0.02"},
		{"linked, back in time", rebased, []*macro.IndexLink{link("2003=100", "2025=100", "0.02", "", "")}, "2025-12", "2025-06",
			"0.826923076923, index_link 2003=100 to 2025=100 on 2025-12-01 by 0.02"},
		{"by an exact quotient", rebased, []*macro.IndexLink{link("2003 = 100", "2025=100", "100", "4321.5", "")}, "2025-06", "2025-12",
			"1.0452, index_link 2003=100 to 2025=100 on 2025-12-01 by 0.0231401133866"},
		{"stated the other way", rebased, []*macro.IndexLink{link("2025=100", "2003=100", "43.215", "", "2026-01")}, "2025-06", "2025-12",
			"1.0452, index_link 2003=100 to 2025=100 on 2025-12-01 by 0.0231401133866"},
		{"over a third base", rebased, []*macro.IndexLink{link("2015=100", "2025=100", "0.2", "", ""),
			link("2003=100", "2015=100", "0.1", "", "2025-10")}, "2025-06", "2025-12",
			"1.20930232558, index_link 2003=100 to 2015=100 on 2025-10-01 by 0.1, index_link 2015=100 to 2025=100 on 2025-12-01 by 0.2"},
		{"a link of other bases", rebased, []*macro.IndexLink{link("2003=100", "2015=100", "0.1", "", "")}, "2025-06", "2025-12", changed},
		{"before all that states a base", silent, nil, "2025-06", "2025-09", "1.04651162791"},
		{"behind all that states a base", silent, nil, "2025-12", "2026-03", "1.03846153846"},
		{"into what nobody knows", silent, nil, "2025-09", "2025-10", "base 2003=100 to ? on 2025-10-01"},
		{"further into it", silent, nil, "2025-09", "2025-11", "base 2003=100 to ? on 2025-10-01"},
		{"out of it", silent, nil, "2025-11", "2026-03", "base ? to 2025=100 on 2025-12-01"},
		{"within it", silent, nil, "2025-10", "2025-11", "base ? to ? on 2025-11-01"},
		{"over it", silent, nil, "2025-09", "2026-03", changed},
		{"known by the month of a link", silent, []*macro.IndexLink{link("2003=100", "2025=100", "0.0225", "", "2025-11")}, "2025-10",
			"2025-11", "1.01449275362, index_link 2003=100 to 2025=100 on 2025-11-01 by 0.0225"},
		{"a series that states nothing", nothing, nil, "2025-06", "2026-03", "0.0251162790698"},
		{"but a link does", nothing, []*macro.IndexLink{link("2003=100", "2025=100", "0.02", "", "2025-12")}, "2025-09", "2026-03",
			"1.2, index_link 2003=100 to 2025=100 on 2025-12-01 by 0.02"},
		{"within one base, with another between", returned, nil, "2025-03", "2025-09", "1.5"},
		{"the newer of two changes", returned, nil, "2025-03", "2025-12", "base a to b on 2025-12-01"},
		{"a month without a level", series("2025-06 10 a", "2025-07  b"), nil, "2025-06", "2025-07", "not published"},
	} {
		t.Run(c.name, func(t *testing.T) {
			live := macro.NewLive()
			live.PutPoints(c.points, c.links...)
			if got := told(live.Prices(), c.from, c.to); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// The points say their bases; the series states one, and which links lead over its changes, only
// as far as they are shown.
func TestBasesOfTheAnswer(t *testing.T) {
	e := newEconomy()
	e.Live.PutPoints(series("2025-06 4300 2003=100", "2025-09 4500", "2025-12 104 2025 = 100", "2026-01 105 2025=100"),
		link("2003=100", "2025=100", "100", "4321.5", "2025-12"))
	for _, c := range []struct {
		from, to, want string
	}{
		{"", "", `null [2025=100 2025 = 100 - - - - - 2003=100] [{"from_base":"2003=100","to_base":"2025=100","factor":"100","divisor":"4321.5",` +
			`"month":"2025-12","source":"TÜİK"}]`},
		{"2025-12", "", `"2025=100" [2025=100 2025 = 100] null`},
		{"", "2025-09", `"2003=100" [- - - 2003=100] null`},
		{"2025-09", "2025-09", `"2003=100" [-] null`},
		{"2030-01", "", `"2025=100" [] null`},
	} {
		s, err := e.ProducerPriceIndex(reader(), month(c.from), month(c.to), nil)
		need.NoError(t, err)
		bases := []string{}
		for _, p := range s.Points {
			bases = append(bases, value.Or(p.Base, "-"))
		}
		unit, _ := json.Marshal(s.Unit)
		links, _ := json.Marshal(s.Links)
		if got := fmt.Sprintf("%s %v %s", unit, bases, links); got != c.want {
			t.Errorf("%q to %q:\ngot  %s\nwant %s", c.from, c.to, got, c.want)
		}
	}
}

func TestIndexLinkValidate(t *testing.T) {
	for _, c := range []struct {
		link  *macro.IndexLink
		wrong string
	}{
		{link("2003=100", "2025=100", "0.02", "", ""), ""},
		{link("2003=100", "2025=100", "100", "4321.5", "2026-01"), ""},
		{link("2003=100", "2003 = 100 TL", "1", "", ""), "to_base"},
		{link(" ", "2025=100", "1", "", ""), "from_base"},
		{link("2003=100", " ", "1", "", ""), "to_base"},
		{link("2003=100", "2025=100", "0", "", ""), "factor"},
		{link("2003=100", "2025=100", "-0.02", "", ""), "factor"},
		{link("2003=100", "2025=100", "1", "0.0", ""), "divisor"},
	} {
		if got := valuetest.InvalidMember(t, c.link.Validate()); got != c.wrong {
			t.Errorf("%+v: %q is wrong, want %q", c.link, got, c.wrong)
		}
	}
}

func TestCheckLink(t *testing.T) {
	rebased := series("2025-09 4500 2003=100", "2025-12 104 2025=100")
	first, second := link("2003=100", "2025=100", "0.023", "", ""), link("2025=100", "2030=100", "0.5", "", "")
	for _, c := range []struct {
		name   string
		points []*macro.Point
		others []*macro.IndexLink
		next   *macro.IndexLink
		wrong  string
	}{
		{"plausible", rebased, nil, first, ""},
		{"a year of high inflation", series("2024-12 100 a", "2025-12 10 b"), nil, link("a", "b", "0.02", "", ""), ""},
		{"the wrong way round", rebased, nil, link("2003=100", "2025=100", "43.2", "", ""), "factor: must agree with the stored points: " +
			"4500 of 2025-09 (2003=100) would be about 194400 in 2025=100, of which 104 is stored for 2025-12"},
		{"none at all", rebased, nil, link("2003=100", "2025=100", "1", "", ""), "factor"},
		{"twice as much", rebased, nil, link("2003=100", "2025=100", "0.046", "", ""), "factor"},
		{"stated from the new base", rebased, nil, link("2025=100", "2003=100", "43.2", "", ""), ""},
		{"stated from the new base, wrong", rebased, nil, link("2025=100", "2003=100", "0.023", "", ""), "factor"},
		{"of bases that no points have", rebased, nil, link("1994=100", "2003=100", "1000", "", ""), ""},
		{"a chain", rebased, []*macro.IndexLink{link("2003=100", "2015=100", "0.2", "", "")},
			link("2015=100", "2025=100", "0.115", "", ""), ""},
		{"a chain that cannot be", rebased, []*macro.IndexLink{link("2003=100", "2015=100", "0.2", "", "")},
			link("2015=100", "2025=100", "11.5", "", ""), "factor"},
		{"the same back", nil, []*macro.IndexLink{first}, link("2025=100", "2003=100", "43", "", ""),
			"to_base: must be a base to which no link leads yet: one leads 2025=100 to 2003=100, and links count in both directions; " +
				"withdraw one of them first"},
		{"a circle", nil, []*macro.IndexLink{first, second},
			link("2030=100", "2003=100", "80", "", ""), "2030=100 to 2025=100 to 2003=100"},
		{"a second way", nil, []*macro.IndexLink{first, second}, link("2003=100", "2030=100", "0.01", "", ""), "to_base"},
		{"a tree", nil, []*macro.IndexLink{first, second}, link("1994=100", "2025=100", "0.01", "", ""), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := ""
			if wrong := macro.CheckLink(c.points, c.others, c.next); wrong != nil {
				got = wrong.Member + ": " + wrong.Must
			}
			if (got == "") != (c.wrong == "") || !strings.Contains(got, c.wrong) {
				t.Errorf("got %q, want %q", got, c.wrong)
			}
		})
	}
}

// No ratio is made of levels in two bases, but over links between them: it is exactly the
// quotient of the levels and the product of the bridges that are named.
func TestNoRatioMixesBases(t *testing.T) {
	bases := []string{"", "2003=100", "2003 = 100 TL", "2015=100", "2025=100", "2030=100"}
	rapid.Check(t, func(t *rapid.T) {
		var all []*macro.Point
		m := value.MustMonth("2024-01")
		for range rapid.IntRange(2, 14).Draw(t, "months") {
			text := fmt.Sprintf("%s %d.%02d", m, rapid.IntRange(1, 9000).Draw(t, "whole"), rapid.IntRange(0, 99).Draw(t, "fraction"))
			if unit := rapid.SampledFrom(bases).Draw(t, "unit"); unit != "" {
				text += " " + unit
			}
			all = append(all, series(text)...)
			m = m.Next()
		}
		var links []*macro.IndexLink
		factors := map[string]*big.Rat{} // by the bases, in both directions
		for range rapid.IntRange(0, 4).Draw(t, "links") {
			l := link(rapid.SampledFrom(bases[1:]).Draw(t, "from"), rapid.SampledFrom(bases[1:]).Draw(t, "to"),
				fmt.Sprintf("%d", rapid.IntRange(1, 500).Draw(t, "factor")), fmt.Sprintf("%d.%d", rapid.IntRange(1, 500).Draw(t, "divisor"),
					rapid.IntRange(1, 9).Draw(t, "tenths")), "")
			if l.Validate() != nil || macro.CheckLink(nil, links, l.Plain()) != nil {
				continue
			}
			links = append(links, l.Plain())
			factor := new(big.Rat).Quo(l.Factor.Rat(), l.Divisor.Rat())
			factors[macro.Base(l.FromBase)+" "+macro.Base(l.ToBase)] = factor
			factors[macro.Base(l.ToBase)+" "+macro.Base(l.FromBase)] = new(big.Rat).Inv(factor)
		}
		live := macro.NewLive()
		live.PutPoints(all, links...)
		i, j := rapid.IntRange(0, len(all)-1).Draw(t, "from"), rapid.IntRange(0, len(all)-1).Draw(t, "to")
		ratio, crossed, published := live.Prices().Between(macro.YIUFE, all[i].Month, all[j].Month)
		if !published {
			t.Fatal("not published")
		}
		one, other := "", ""
		if all[i].Unit != nil {
			one = macro.Base(*all[i].Unit)
		}
		if all[j].Unit != nil {
			other = macro.Base(*all[j].Unit)
		}
		if change := crossed.Unbridged(); change != nil {
			if one == other && one != "" || one != "" && other != "" && reaches(factors, one, other) {
				t.Fatalf("%s to %s is %+v", one, other, change)
			}
			return
		}
		if one != "" && other != "" && one != other && len(crossed) == 0 {
			t.Fatalf("%s to %s crosses nothing", one, other)
		}
		linked, from := big.NewRat(1, 1), one
		if i > j {
			from = other
		}
		for _, b := range crossed {
			if from != "" && *b.From != from || b.What != segment.Base {
				t.Fatalf("a bridge from %s, not from %s", *b.From, from)
			}
			from = *b.To
			linked.Mul(linked, factors[*b.From+" "+*b.To])
		}
		want := new(big.Rat).Quo(all[j].Value.Rat(), all[i].Value.Rat())
		if i > j {
			want.Mul(want, linked)
		} else {
			want.Quo(want, linked)
		}
		// An amount so large that its cents show more digits than a rounded factor has.
		amount := value.MustDecimal("123456789012345678901234567890")
		exact := new(big.Rat).Mul(want, amount.Rat())
		if got := ratio.Amount(amount); got.String() != trimmed(exact.FloatString(2)) {
			t.Fatalf("%s, want %s", got, exact.FloatString(2))
		}
	})
}

// reaches reports whether links lead from one base to another.
func reaches(factors map[string]*big.Rat, from, to string) bool {
	seen := []string{from}
	for i := 0; i < len(seen); i++ {
		for pair := range factors {
			if a, b, _ := strings.Cut(pair, " "); a == seen[i] && !slices.Contains(seen, b) {
				seen = append(seen, b)
			}
		}
	}
	return slices.Contains(seen, to)
}

// trimmed is a figure without trailing zeros.
func trimmed(text string) string { return strings.TrimSuffix(strings.TrimRight(text, "0"), ".") }
