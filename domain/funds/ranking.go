package funds

import (
	"cmp"
	"context"
	"slices"

	"piyasa/account/access"
	"piyasa/domain/market"
	"piyasa/internal/value"
)

// Period is the time over which a ranking compares returns.
type Period string

// The periods.
const (
	OneWeek     Period = "1w"
	TwoWeeks    Period = "2w"
	OneMonth    Period = "1m"
	ThreeMonths Period = "3m"
	SixMonths   Period = "6m"
	OneYear     Period = "1y"
	ThreeYears  Period = "3y"
	FiveYears   Period = "5y"
)

var _ = value.Enum(OneWeek, TwoWeeks, OneMonth, ThreeMonths, SixMonths, OneYear, ThreeYears, FiveYears)

// over returns the return over a period; null if not stated.
func (r *Returns) over(p Period) value.Decimal {
	if r == nil {
		return value.Decimal{}
	}
	return map[Period]value.Decimal{
		OneWeek: r.W1, TwoWeeks: r.W2, OneMonth: r.M1, ThreeMonths: r.M3, SixMonths: r.M6, OneYear: r.Y1,
		ThreeYears: r.Y3, FiveYears: r.Y5,
	}[p]
}

// RankingLimit is the range of the length of a ranking.
var RankingLimit = value.Limit{Min: 1, Max: 100, Default: 20}

// Ranking is a list of funds by their returns over a period.
type Ranking struct {
	Period Period          `json:"period"`
	Order  value.SortOrder `json:"order"`
	Items  []*Ranked       `json:"items"`
	Count  int             `json:"count"`
	AsOf   value.Instant   `json:"as_of"` // of the newest figure in it; null if there is none

	MissingReason *value.MissingReason `json:"-"` // nil unless it is empty or cut
}

// Ranked is one fund of a ranking.
type Ranked struct {
	Rank         int           `json:"rank"` // from 1
	InstrumentID market.ID     `json:"instrument_id"`
	Code         string        `json:"code"`
	Name         string        `json:"name"`
	Category     *string       `json:"category"`
	ReturnPct    value.Decimal `json:"return_pct"`
}

// RankingArgs select a ranking; nil members have defaults.
type RankingArgs struct {
	Period   *Period          // 1m
	Order    *value.SortOrder // desc
	Category *string          // exact; nil or empty: all
	Limit    *int             // within RankingLimit
}

// Ranking ranks the funds of the catalog that state a return over the period; equal returns are
// ordered by code. Needs quotes:fund. Problems: invalid-parameter.
func (s *Service) Ranking(ctx context.Context, args RankingArgs) (*Ranking, error) {
	if err := access.Enter(ctx, access.QuotesFund); err != nil {
		return nil, err
	}
	n, err := RankingLimit.Of(args.Limit)
	if err != nil {
		return nil, err
	}
	r := &Ranking{Period: OneMonth, Order: value.Desc, Items: []*Ranked{}}
	if args.Period != nil {
		r.Period = *args.Period
	}
	if args.Order != nil {
		r.Order = *args.Order
	}
	ranked := slices.DeleteFunc(s.Live.all(), func(f *Fund) bool {
		return f.Returns.over(r.Period).IsNull() || !s.listed(f) || !inCategory(f, args.Category)
	})
	slices.SortStableFunc(ranked, func(a, b *Fund) int {
		by := a.Returns.over(r.Period).Cmp(b.Returns.over(r.Period))
		if r.Order == value.Desc {
			by = -by
		}
		return cmp.Or(by, cmp.Compare(a.Code, b.Code))
	})
	for i, f := range ranked[:min(n, len(ranked))] {
		r.Items = append(r.Items, &Ranked{i + 1, f.InstrumentID, f.Code, f.Name, f.Category, f.Returns.over(r.Period)})
		if f.AsOf.After(r.AsOf) {
			r.AsOf = f.AsOf
		}
	}
	r.Count = len(r.Items)
	r.MissingReason = value.MissingFrom(r.Count, args.Category != nil && *args.Category != "")
	if r.Count == 0 && slices.ContainsFunc(s.Live.all(), func(f *Fund) bool { return s.listed(f) && inCategory(f, args.Category) }) {
		r.MissingReason = value.Missing(value.NotStated)
	}
	access.Charge(ctx, access.Unit)
	return r, nil
}

// inCategory reports whether a fund is in a category. Nil and empty text mean all.
func inCategory(f *Fund, category *string) bool {
	return category == nil || *category == "" || (f.Category != nil && *f.Category == *category)
}
