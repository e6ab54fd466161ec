package market

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"piyasa/account/access"
	"piyasa/internal/problem"
	"piyasa/internal/value"
)

// Sector is a group of companies in one flat list that all markets share.
type Sector struct {
	Code       string   `json:"code" record:"required"` // slug
	Name       string   `json:"name" record:"required"` // Turkish
	NameEn     *string  `json:"name_en"`
	Members    []ID     `json:"members" record:"required" most:"10000"`
	Successors []string `json:"successors" most:"10000"` // set on a retired code
}

var slug = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// Validate returns the value.Invalid of the record, if any.
func (s *Sector) Validate() error {
	if err := value.CheckKey("code", s.Code); err != nil {
		return err
	}
	const allowed = "must be lower-case words of a-z and digits, joined by hyphens, such as gida-icecek; got %s"
	if !slug.MatchString(s.Code) {
		return value.Invalidf("code", allowed, problem.Shown(s.Code))
	}
	for i, code := range s.Successors {
		member := fmt.Sprintf("successors[%d]", i)
		switch {
		case !slug.MatchString(code):
			return value.Invalidf(member, allowed, problem.Shown(code))
		case code == s.Code:
			return value.Invalidf(member, "must be a sector other than the retired one")
		}
	}
	return nil
}

// SectorInfo is a sector in the list of sectors. Its counts include only members that are in
// the catalog.
type SectorInfo struct {
	Code            string  `json:"code"` // slug
	Name            string  `json:"name"` // Turkish
	NameEn          *string `json:"name_en"`
	BistMemberCount int     `json:"bist_member_count"`
	UsMemberCount   int     `json:"us_member_count"`
}

// SectorList is the flat list of sectors by code; retired ones are left out.
type SectorList struct {
	Sectors []*SectorInfo `json:"sectors"`
	Count   int           `json:"count"`

	MissingReason *value.MissingReason `json:"-"` // nil unless it is empty
}

// SectorConstituents are the members that a sector has in one market.
type SectorConstituents struct {
	Code         string          `json:"code"`
	Name         string          `json:"name"`
	Market       EquityMarket    `json:"market"`
	MemberCount  int             `json:"member_count"`
	Constituents []*SectorMember `json:"constituents"` // by symbol
}

// SectorMember is one row of SectorConstituents.
type SectorMember struct {
	InstrumentID ID     `json:"instrument_id"`
	Symbol       string `json:"symbol"`
	Name         string `json:"name"`
}

// SectorGroup is a sector with its members at one moment. It is immutable.
type SectorGroup struct {
	SectorInfo
	bist, us []*Instrument // by symbol
}

// Members returns the sector's instruments of a market that are in the catalog,
// by symbol. The caller must not change the slice.
func (g *SectorGroup) Members(m EquityMarket) []*Instrument {
	if m == EquityUS {
		return g.us
	}
	return g.bist
}

// sectorLookup holds the sectors, arranged for look-up. It is immutable.
type sectorLookup struct {
	groups  map[string]*SectorGroup // by code, without the retired
	retired map[string]*Sector
	codes   []string           // of groups, ascending
	of      map[ID]*SectorInfo // the sector that an instrument shows
	listing map[ID][]string    // the codes of all that list it, ascending
}

// sectorsShown returns the sector that each member shows. If several list it, it is the one
// that its record names, else the first by code. Retired sectors are ignored.
func sectorsShown(sectors []*Sector, records map[ID]*Instrument) map[ID]*Sector {
	of := map[ID]*Sector{}
	for _, s := range slices.SortedFunc(slices.Values(sectors), func(a, b *Sector) int { return cmp.Compare(a.Code, b.Code) }) {
		if len(s.Successors) > 0 {
			continue
		}
		for _, id := range s.Members {
			record := records[id]
			if of[id] == nil || (record != nil && record.SectorCode != nil && *record.SectorCode == s.Code) {
				of[id] = s
			}
		}
	}
	return of
}

// arrangeSectors arranges sectors with their members that are in the catalog;
// of is the sector that each member shows.
func arrangeSectors(sectors []*Sector, of map[ID]*Sector, catalog *Catalog) *sectorLookup {
	x := &sectorLookup{groups: map[string]*SectorGroup{}, retired: map[string]*Sector{}, of: map[ID]*SectorInfo{},
		listing: map[ID][]string{}}
	for _, s := range sectors {
		if len(s.Successors) > 0 {
			x.retired[s.Code] = s
			continue
		}
		g := &SectorGroup{bist: catalog.members(s, BIST), us: catalog.members(s, US)}
		g.SectorInfo = SectorInfo{s.Code, s.Name, s.NameEn, len(g.bist), len(g.us)}
		x.groups[s.Code] = g
	}
	x.codes = slices.AppendSeq([]string{}, maps.Keys(x.groups))
	slices.Sort(x.codes)
	for _, code := range x.codes {
		g := x.groups[code]
		for _, in := range slices.Concat(g.bist, g.us) {
			x.listing[in.InstrumentID] = append(x.listing[in.InstrumentID], code)
			if of[in.InstrumentID].Code == code {
				x.of[in.InstrumentID] = &g.SectorInfo
			}
		}
	}
	return x
}

// members returns the sector's instruments of m, each once, by symbol.
func (c *Catalog) members(s *Sector, m Market) []*Instrument {
	var found []*Instrument
	for _, id := range s.Members {
		if in := c.byID[id]; in != nil && in.Market == m {
			found = append(found, in)
		}
	}
	slices.SortFunc(found, func(a, b *Instrument) int { return cmp.Compare(a.Symbol, b.Symbol) })
	return slices.Compact(found)
}

// Sector returns the sector with exactly this code. Problems: not-found, for an
// unknown code with the codes that are offered, for a retired one with its
// successors.
func (s *Snapshot) Sector(code string) (*SectorGroup, error) {
	if g := s.sectors.groups[code]; g != nil {
		return g, nil
	}
	if old := s.sectors.retired[code]; old != nil {
		e := problem.New(problem.NotFound, "The sector %s is retired; its successor is %s.", old.Code, strings.Join(old.Successors, ", "))
		e.Members.Successor = old.Successors
		return nil, e
	}
	e := problem.New(problem.NotFound, "There is no sector %s.", problem.Shown(code))
	e.Members.Available = s.sectors.codes
	return nil, e
}

// SectorCodes returns the codes of the sectors that are not retired, ascending.
// The caller must not change the slice.
func (s *Snapshot) SectorCodes() []string { return s.sectors.codes }

// SectorsOf returns the codes of the sectors that have an instrument as a member, ascending.
func (s *Snapshot) SectorsOf(id ID) []string { return s.sectors.listing[id] }

// SectorOf returns the sector that has the instrument as a member, or nil. Of several it is the
// one that the catalog record names, else the first by code. No scope, no cost.
func (s *Service) SectorOf(in *Instrument) *SectorInfo {
	return s.Live.Snapshot().sectors.of[in.InstrumentID]
}

// Sectors lists the sectors that are not retired. Any key.
func (s *Service) Sectors(ctx context.Context) (*SectorList, error) {
	if err := access.Enter(ctx); err != nil {
		return nil, err
	}
	x := s.Live.Snapshot().sectors
	list := &SectorList{Sectors: make([]*SectorInfo, len(x.codes)), Count: len(x.codes),
		MissingReason: value.MissingFrom(len(x.codes), false)}
	for i, code := range x.codes {
		list.Sectors[i] = &x.groups[code].SectorInfo
	}
	access.Charge(ctx, access.Unit)
	return list, nil
}

// SectorConstituents lists the members of a sector in a market, bist if none is
// given. Needs the quotes scope of the market. Problems: not-found.
func (s *Service) SectorConstituents(ctx context.Context, code string, market *EquityMarket) (*SectorConstituents, error) {
	m := market.OrBIST()
	if err := access.Enter(ctx, m.Market().QuotesScope()); err != nil {
		return nil, err
	}
	g, err := s.Live.Snapshot().Sector(code)
	if err != nil {
		return nil, err
	}
	members := sectorMembers(g.Members(m))
	access.Charge(ctx, access.Unit)
	return &SectorConstituents{g.Code, g.Name, m, len(members), members}, nil
}

// SectorMembers returns the first members of a sector in a market, bist if none
// is given. Needs the quotes scope of the market; costs nothing.
func (s *Service) SectorMembers(ctx context.Context, sector *SectorInfo, market *EquityMarket, first *int) ([]*SectorMember, error) {
	m := market.OrBIST()
	if err := access.Enter(ctx, m.Market().QuotesScope()); err != nil {
		return nil, err
	}
	n, err := value.First(first)
	if err != nil {
		return nil, err
	}
	g, err := s.Live.Snapshot().Sector(sector.Code)
	if err != nil {
		return nil, err
	}
	members := g.Members(m)
	return sectorMembers(members[:min(n, len(members))]), nil
}

// sectorMembers returns instruments as rows of a sector.
func sectorMembers(instruments []*Instrument) []*SectorMember {
	members := make([]*SectorMember, len(instruments))
	for i, in := range instruments {
		members[i] = &SectorMember{in.InstrumentID, in.Symbol, in.Name}
	}
	return members
}
