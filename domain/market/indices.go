package market

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"piyasa/account/access"
	"piyasa/internal/problem"
	"piyasa/internal/value"
)

// BistIndex is an index of the Istanbul exchange with its whole membership.
type BistIndex struct {
	Code     string        `json:"code" record:"required"`
	Name     string        `json:"name" record:"required"`
	Verified bool          `json:"verified" record:"required"` // only verified indices are offered
	SyncedAt value.Instant `json:"synced_at" record:"required" time:"past"`
	Members  []IndexMember `json:"members" record:"required" most:"10000"`
}

// IndexMember is one member as the index export lists it.
type IndexMember struct {
	Symbol string  `json:"symbol" record:"required"`
	Sector *string `json:"sector"` // English label of the export
}

// Validate returns the value.Invalid of the index, if any.
func (i *BistIndex) Validate() error {
	if err := value.CheckKey("code", i.Code); err != nil {
		return err
	}
	const mustBeCode = "must be capital letters and digits, such as %s"
	if !isPlainCode(i.Code) {
		return value.Invalidf("code", mustBeCode, "XU100")
	}
	seen := make(map[string]bool, len(i.Members))
	for n, m := range i.Members {
		member := fmt.Sprintf("members[%d].symbol", n)
		if !isPlainCode(m.Symbol) {
			return value.Invalidf(member, mustBeCode, "THYAO")
		}
		if seen[m.Symbol] {
			return value.Invalidf(member, "must be stated once: %s is already a member", m.Symbol)
		}
		seen[m.Symbol] = true
	}
	return nil
}

func isPlainCode(text string) bool {
	for i := range len(text) {
		if c := text[i]; (c < 'A' || c > 'Z') && (c < '0' || c > '9') {
			return false
		}
	}
	return text != ""
}

// IndexInfo is an index of the Istanbul exchange in the list of indices.
type IndexInfo struct {
	Code        string        `json:"code"`
	Name        string        `json:"name"`
	MemberCount int           `json:"member_count"` // with members that the catalog lacks
	SyncedAt    value.Instant `json:"synced_at"`    // when the membership was read
}

// IndexList is the covered indices by code.
type IndexList struct {
	Indices []*IndexInfo `json:"indices"`
	Count   int          `json:"count"`

	MissingReason *value.MissingReason `json:"-"` // nil unless it is empty
}

// IndexConstituents is the members of an index.
type IndexConstituents struct {
	Code              string         `json:"code"`
	Name              string         `json:"name"`
	MemberCount       int            `json:"member_count"`
	Constituents      []*Constituent `json:"constituents"`       // by symbol
	UnresolvedSymbols []string       `json:"unresolved_symbols"` // members that the catalog lacks, ascending
}

// Constituent is a member of an index that is in the catalog.
type Constituent struct {
	InstrumentID ID     `json:"instrument_id"`
	Symbol       string `json:"symbol"`
	Name         string `json:"name"`
	// English label in the export of one of the two largest indices; null without a label, and
	// for other indices
	Sector *string `json:"sector"`
}

// indexLookup holds the verified indices of the Istanbul exchange, arranged for
// look-up. It is immutable.
type indexLookup struct {
	byCode  map[string]*BistIndex
	codes   []string // ascending
	infos   []*IndexInfo
	listing map[ID][]*IndexInfo // indices that list an instrument, by code
	largest []string            // codes of the indices with the most members
}

// labelledIndices is how many indices, those with the most members, show the
// sectors of their exports.
const labelledIndices = 2

// arrangeIndices arranges the indices that are verified.
func arrangeIndices(indices []*BistIndex, catalog *Catalog) *indexLookup {
	x := &indexLookup{byCode: map[string]*BistIndex{}, listing: map[ID][]*IndexInfo{}}
	for _, i := range indices {
		if i.Verified {
			x.byCode[i.Code] = i
		}
	}
	x.codes = slices.AppendSeq([]string{}, maps.Keys(x.byCode))
	slices.Sort(x.codes)
	for _, code := range x.codes {
		index := x.byCode[code]
		info := &IndexInfo{index.Code, index.Name, len(index.Members), index.SyncedAt}
		x.infos = append(x.infos, info)
		for _, m := range index.Members {
			id := BistID(m.Symbol)
			if in := catalog.named(id); in != nil {
				id = in.InstrumentID
			}
			if listing := x.listing[id]; len(listing) == 0 || listing[len(listing)-1] != info {
				x.listing[id] = append(listing, info)
			}
		}
	}
	x.largest = slices.Clone(x.codes)
	slices.SortStableFunc(x.largest, func(a, b string) int { return -cmp.Compare(len(x.byCode[a].Members), len(x.byCode[b].Members)) })
	x.largest = x.largest[:min(labelledIndices, len(x.largest))]
	return x
}

// PutIndices replaces the indices of the Istanbul exchange.
func (l *Live) PutIndices(indices []*BistIndex) {
	l.mu.Lock()
	defer l.mu.Unlock()
	next := *l.snapshot.Load()
	l.indices = indices
	next.indices = arrangeIndices(indices, next.Catalog)
	l.snapshot.Store(&next)
}

// Index returns the index of the Istanbul exchange with this code, in any
// letter case. One that is unknown or not verified is the problem not-found,
// which lists the codes that are offered.
func (s *Snapshot) Index(code string) (*BistIndex, error) {
	if i := s.indices.byCode[value.UpperASCII(code)]; i != nil {
		return i, nil
	}
	e := problem.New(problem.NotFound, "There is no BIST index %s; %d are available, by plain code.",
		problem.Shown(code), len(s.indices.codes))
	e.Members.Available = s.indices.codes
	return nil, e
}

// Indices lists the covered indices of the Istanbul exchange. Needs
// quotes:bist.
func (s *Service) Indices(ctx context.Context) (*IndexList, error) {
	if err := access.Enter(ctx, access.QuotesBIST); err != nil {
		return nil, err
	}
	x := s.Live.Snapshot().indices
	access.Charge(ctx, access.Unit)
	return &IndexList{append([]*IndexInfo{}, x.infos...), len(x.infos), value.MissingFrom(len(x.infos), false)}, nil
}

// IndexConstituents returns the members of an index by its code. Needs
// quotes:bist. Problems: not-found, which lists the codes that are offered.
func (s *Service) IndexConstituents(ctx context.Context, code string) (*IndexConstituents, error) {
	if err := access.Enter(ctx, access.QuotesBIST); err != nil {
		return nil, err
	}
	snapshot := s.Live.Snapshot()
	index, err := snapshot.Index(code)
	if err != nil {
		return nil, err
	}
	c := &IndexConstituents{Code: index.Code, Name: index.Name, MemberCount: len(index.Members)}
	c.Constituents, c.UnresolvedSymbols = snapshot.constituents(index)
	access.Charge(ctx, access.Unit)
	return c, nil
}

// constituents returns the members of an index that are in the catalog, and the
// symbols of the others.
func (s *Snapshot) constituents(index *BistIndex) (known []*Constituent, unresolved []string) {
	known, unresolved = []*Constituent{}, []string{}
	labelled := slices.Contains(s.indices.largest, index.Code)
	for _, m := range index.Members {
		in := s.Catalog.named(BistID(m.Symbol))
		if in == nil {
			unresolved = append(unresolved, BistID(m.Symbol).Stated().Symbol())
			continue
		}
		c := &Constituent{InstrumentID: in.InstrumentID, Symbol: in.Symbol, Name: in.Name}
		if labelled {
			c.Sector = m.Sector
		}
		known = append(known, c)
	}
	slices.SortFunc(known, func(a, b *Constituent) int { return cmp.Compare(a.Symbol, b.Symbol) })
	slices.Sort(unresolved)
	return known, unresolved
}

// ConstituentsOf returns the first members of an index by symbol. Needs
// quotes:bist; costs nothing.
func (s *Service) ConstituentsOf(ctx context.Context, of *IndexInfo, first *int) ([]*Constituent, error) {
	if err := access.Enter(ctx, access.QuotesBIST); err != nil {
		return nil, err
	}
	n, err := value.First(first)
	if err != nil {
		return nil, err
	}
	snapshot := s.Live.Snapshot()
	index, err := snapshot.Index(of.Code)
	if err != nil {
		return nil, err
	}
	known, _ := snapshot.constituents(index)
	return known[:min(n, len(known))], nil
}

// IndicesOf returns the first covered indices that list an instrument, by code.
// Needs quotes:bist; costs nothing.
func (s *Service) IndicesOf(ctx context.Context, in *Instrument, first *int) ([]*IndexInfo, error) {
	if err := access.Enter(ctx, access.QuotesBIST); err != nil {
		return nil, err
	}
	n, err := value.First(first)
	if err != nil {
		return nil, err
	}
	if in.Market != BIST {
		return []*IndexInfo{}, nil
	}
	listing := s.Live.Snapshot().indices.listing[in.InstrumentID]
	return append([]*IndexInfo{}, listing[:min(n, len(listing))]...), nil
}
