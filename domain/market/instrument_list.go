package market

import (
	"context"
	"iter"
	"slices"
	"strings"
	"unicode/utf8"

	"piyasa/account/access"
	"piyasa/internal/value"
)

// InstrumentFilter narrows the catalog; nil members do not restrict.
type InstrumentFilter struct {
	Market    *Market
	AssetType *string // exact, ignoring case
	Search    *string // part of symbol, ticker, name, slug or ISIN; case and Turkish letters folded
	Ranked    bool    // Search is what a person typed: rows are ordered by how close they are
}

// InstrumentLimit is the range of a list of instruments.
var InstrumentLimit = value.Limit{Min: 1, Max: 5000, Default: 50}

// InstrumentList is a part of the catalog.
type InstrumentList struct {
	Instruments []*Instrument
	Count       int
	MarketSizes []MarketSize // of the whole catalog, unfiltered

	MissingReason *value.MissingReason // nil unless it is empty or cut
}

// Instruments lists the catalog by market name and symbol; limit is within
// InstrumentLimit. Any key. Problems: invalid-parameter.
func (s *Service) Instruments(ctx context.Context, filter InstrumentFilter, limit *int) (*InstrumentList, error) {
	if err := access.Enter(ctx); err != nil {
		return nil, err
	}
	n, err := InstrumentLimit.Of(limit)
	if err != nil {
		return nil, err
	}
	catalog := s.Live.Snapshot().Catalog
	var found []*Instrument
	if filter.Ranked && filter.Search != nil {
		found = filter.ranked(catalog.sorted, n)
	} else {
		found = filter.list(slices.Values(catalog.sorted), n)
	}
	access.Charge(ctx, access.Unit)
	return &InstrumentList{found, len(found), catalog.sizes, value.MissingFrom(len(found), len(catalog.sorted) > 0)}, nil
}

// list returns the first limit instruments of rows that pass the filter.
func (f InstrumentFilter) list(rows iter.Seq[listed], limit int) []*Instrument {
	found := []*Instrument{}
	search := ""
	if f.Search != nil {
		if strings.ContainsRune(*f.Search, 0) || !utf8.ValidString(*f.Search) { // no text has these
			return found
		}
		search = Fold(*f.Search)
	}
	for in := range rows {
		if len(found) == limit {
			break
		}
		if f.passes(in.Instrument) && strings.Contains(in.text, search) {
			found = append(found, in.Instrument)
		}
	}
	return found
}

// passes reports whether an instrument is of the market and the type.
func (f InstrumentFilter) passes(in *Instrument) bool {
	return (f.Market == nil || in.Market == *f.Market) &&
		(f.AssetType == nil || *f.AssetType == "" || strings.EqualFold(string(in.AssetType), *f.AssetType))
}

// searchText joins the members that a search compares, separated by NUL. Searches contain no
// NUL, so no match spans two members.
func searchText(in *Instrument) string {
	slug := ""
	if in.Slug != nil {
		slug = *in.Slug
	}
	parts := []string{in.Symbol, in.Name, slug}
	for _, p := range []*string{in.Ticker, in.ISIN} {
		if p != nil {
			parts = append(parts, *p)
		}
	}
	if in.Predecessor != nil {
		parts = append(parts, in.Predecessor.Symbol())
	}
	return Fold(strings.Join(parts, "\x00"))
}

// turkishToASCII folds the letters that a Turkish keyboard adds.
var turkishToASCII = strings.NewReplacer(
	"ç", "c", "Ç", "c", "ğ", "g", "Ğ", "g", "ı", "i", "İ", "i", "ö", "o", "Ö", "o", "ş", "s", "Ş", "s", "ü", "u", "Ü", "u",
	"â", "a", "Â", "a", "î", "i", "Î", "i", "û", "u", "Û", "u", "\u0307", "", // JavaScript lower-cases İ to i and a combining dot
)

// Fold makes text comparable: it lower-cases it and removes the marks of Turkish letters.
func Fold(s string) string { return strings.ToLower(turkishToASCII.Replace(s)) }
