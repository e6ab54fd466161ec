package funds_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"piyasa/account/access"
	"piyasa/domain/funds"
	"piyasa/internal/problem"
	"piyasa/internal/value"
	"piyasa/test/fixture/calls"
	"piyasa/test/fixture/need"
)

// codes are the codes of a ranking.
func codes(r *funds.Ranking) []string {
	list := []string{}
	for _, i := range r.Items {
		list = append(list, i.Code)
	}
	return list
}

// FD-02, G-83: equal returns go by code in either order; who states none takes
// no part.
func TestRanking(t *testing.T) {
	h := newFixture(
		fund("DDD", gained("5"), in("Hisse")), fund("AAA", gained("-1.5"), in("Hisse")), fund("CCC", gained("5.0"), in("hisse")),
		fund("BBB", gained("10"), in("Altın")),
		fund("EEE", in("Hisse")), fund("FFF", gained("0")),
		fund("GGG", func(f *funds.Fund) { f.Returns = &funds.Returns{Y5: dec("400.25")} }),
	)
	asc, desc := value.Asc, value.Desc
	for _, c := range []struct {
		name string
		args funds.RankingArgs
		want string
		why  string
	}{
		{"by default", funds.RankingArgs{}, "BBB CCC DDD FFF AAA", ""},
		{"best first", funds.RankingArgs{Order: &desc}, "BBB CCC DDD FFF AAA", ""},
		{"worst first", funds.RankingArgs{Order: &asc}, "AAA FFF CCC DDD BBB", ""},
		{"the first two", funds.RankingArgs{Limit: new(2)}, "BBB CCC", ""},
		{"the last two", funds.RankingArgs{Order: &asc, Limit: new(2)}, "AAA FFF", ""},
		{"a category, exactly", funds.RankingArgs{Category: new("Hisse")}, "DDD AAA", ""},
		{"no category", funds.RankingArgs{Category: new("")}, "BBB CCC DDD FFF AAA", ""},
		{"a category of nobody", funds.RankingArgs{Category: new("Hiss")}, "", value.FilteredOut},
		{"another period", funds.RankingArgs{Period: new(funds.FiveYears)}, "GGG", ""},
		{"a period of nobody", funds.RankingArgs{Period: new(funds.OneWeek)}, "", value.NotStated},
		{"a period of nobody in a category", funds.RankingArgs{Period: new(funds.FiveYears), Category: new("Hisse")}, "", value.NotStated},
	} {
		ctx := calls.Caller(access.QuotesFund)
		call := access.CallOf(ctx)
		r, err := h.Ranking(ctx, c.args)
		if err != nil || !slices.Equal(codes(r), words(c.want)) || r.Count != len(r.Items) || r.Items == nil || call.Units() != 1 {
			t.Errorf("%s: %+v, %v, want %s", c.name, r, err, c.want)
			continue
		}
		if why := r.MissingReason; (why != nil) != (c.why != "") || (why != nil && why.Reason != c.why) {
			t.Errorf("%s: empty because of %+v, want %q", c.name, why, c.why)
		}
		for i, item := range r.Items {
			if item.Rank != i+1 {
				t.Errorf("%s: rank %d at %d", c.name, item.Rank, i)
			}
		}
	}
	for _, limit := range []int{0, -1, 101} {
		calls.WantProblem(t, second(h.Ranking(calls.Anyone(), funds.RankingArgs{Limit: &limit})), problem.InvalidParameter)
	}
	ctx := calls.Caller(calls.Without(access.QuotesFund)...)
	calls.WantProblem(t, second(h.Ranking(ctx, funds.RankingArgs{Limit: new(0)})), problem.MissingScope)
}

// Without a limit it is the first 20, at most 100.
func TestLengthOfRanking(t *testing.T) {
	var all []*funds.Fund
	for i := range 130 {
		all = append(all, fund(fmt.Sprintf("F%03d", i), gained("1")))
	}
	h := newFixture(all...)
	for limit, want := range map[int]int{0: 20, 1: 1, 100: 100} {
		args := funds.RankingArgs{}
		if limit > 0 {
			args.Limit = &limit
		}
		r, err := h.Ranking(calls.Anyone(), args)
		if err != nil || r.Count != want || r.Items[want-1].Code != fmt.Sprintf("F%03d", want-1) {
			t.Errorf("limit %d: %d funds, %v", limit, r.Count, err)
		}
	}
}

// Every period has its own figure, and as_of is the newest in the answer, not
// of all funds.
func TestRankingText(t *testing.T) {
	every := &funds.Returns{W1: dec("1"), W2: dec("2"), M1: dec("3"), M3: dec("4"), M6: dec("5"), Y1: dec("6"), Y3: dec("7"),
		Y5: dec("8.0000")}
	h := newFixture(fund("AAA", stated("2026-03-16T18:00:00Z"), func(f *funds.Fund) { f.Returns = every }),
		fund("ZZZ", gained("-5"), stated("2026-03-17T18:00:00Z")))
	for i, p := range strings.Fields("1w 2w 1m 3m 6m 1y 3y 5y") {
		period, err := value.Word[funds.Period](p)
		need.NoError(t, err)
		r, err := h.Ranking(calls.Anyone(), funds.RankingArgs{Period: &period, Limit: new(1)})
		figure := fmt.Sprint(i + 1)
		if p == "5y" {
			figure = "8.0000"
		}
		want := `{"period":"` + p +
			`","order":"desc","items":[{"rank":1,"instrument_id":"fund:AAA","code":"AAA","name":"AAA Fonu","category":null,"return_pct":"` +
			figure + `"}],"count":1,"as_of":"2026-03-16T18:00:00Z"}`
		if got, _ := json.Marshal(r); err != nil || string(got) != want {
			t.Errorf("%v\ngot  %s\nwant %s", err, got, want)
		}
	}
	r, err := h.Ranking(calls.Anyone(), funds.RankingArgs{})
	if err != nil || r.AsOf.String() != "2026-03-17T18:00:00Z" {
		t.Errorf("as_of %s, %v", r.AsOf, err)
	}
	if r, err := newFixture().Ranking(calls.Anyone(), funds.RankingArgs{}); err != nil || !r.AsOf.IsNull() || r.Items == nil {
		t.Errorf("of no funds: %+v, %v", r, err)
	}
	for _, text := range []string{"", "2y", "1M", "1m ", "all"} {
		if _, err := value.Word[funds.Period](text); err == nil {
			t.Errorf("%q is a period", text)
		}
		if _, err := value.Word[funds.Window](text); err == nil {
			t.Errorf("%q is a window", text)
		}
	}
}

// One order is the other one reversed, but for equal returns.
func TestAnyRanking(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var all []*funds.Fund
		for i, figure := range rapid.SliceOfN(rapid.SampledFrom([]string{"-10", "-2.5", "0", "0.00", "2.5", "2.50", "10"}), 0,
			12).Draw(t, "figures") {
			all = append(all, fund(fmt.Sprintf("F%02d", i), gained(figure)))
		}
		h := newFixture(rapid.Permutation(all).Draw(t, "order")...)
		asc, desc := value.Asc, value.Desc
		up, err := h.Ranking(calls.Anyone(), funds.RankingArgs{Order: &asc})
		need.NoError(t, err)
		down, err := h.Ranking(calls.Anyone(), funds.RankingArgs{Order: &desc})
		if err != nil || up.Count != len(all) || down.Count != len(all) {
			t.Fatalf("%v, %d and %d funds of %d", err, up.Count, down.Count, len(all))
		}
		for i := 1; i < len(all); i++ {
			for sign, r := range map[int]*funds.Ranking{1: up, -1: down} {
				a, b := r.Items[i-1], r.Items[i]
				if by := sign * a.ReturnPct.Cmp(b.ReturnPct); by > 0 || (by == 0 && a.Code >= b.Code) {
					t.Fatalf("%s (%s) before %s (%s)", a.Code, a.ReturnPct, b.Code, b.ReturnPct)
				}
			}
		}
	})
}
