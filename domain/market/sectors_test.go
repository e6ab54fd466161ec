package market_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"piyasa/account/access"
	"piyasa/domain/market"
	"piyasa/internal/problem"
	"piyasa/internal/value"
	"piyasa/test/fixture/calls"
	"piyasa/test/fixture/need"
)

// sector is a sector whose members are given as a comma-separated list.
func sector(code, members string) *market.Sector {
	s := &market.Sector{Code: code, Name: "Name of " + code}
	for _, id := range split(members) {
		s.Members = append(s.Members, market.ID(id))
	}
	return s
}

// retired is a sector that others replaced.
func retired(code, members string, successors ...string) *market.Sector {
	s := sector(code, members)
	s.Successors = successors
	return s
}

// grouped returns a fixture with the small catalog and sectors.
func grouped() *fixture {
	d := filled()
	cars := sector("otomotiv", "us:DMX,bist:DMOST,us:DMAP,bist:NOPE,bist:DMALTF,bist:DMOST,crypto:1,fund:DMF")
	cars.Name, cars.NameEn = "Otomotiv", new("Automotive")
	d.Live.PutSectors([]*market.Sector{cars, sector("bankacilik", "bist:DMBNK"), sector("teknoloji", "bist:NOPE"),
		retired("eski-oto", "bist:DMBNK", "otomotiv", "lastik")})
	return d
}

func constituentsOf(code string, m ...market.EquityMarket) operation {
	return func(ctx context.Context, d *fixture) error {
		_, err := d.SectorConstituents(ctx, code, one(m))
		return err
	}
}

func sectors(ctx context.Context, d *fixture) error {
	_, err := d.Sectors(ctx)
	return err
}

// SC-01: one list by code, the retired left out; members that are in no
// catalog are not counted.
func TestSectors(t *testing.T) {
	list, err := grouped().Sectors(calls.Anyone())
	need.NoError(t, err)
	got, _ := json.Marshal(list)
	want := `{"sectors":[` +
		`{"code":"bankacilik","name":"Name of bankacilik","name_en":null,"bist_member_count":1,"us_member_count":0},` +
		`{"code":"otomotiv","name":"Otomotiv","name_en":"Automotive","bist_member_count":2,"us_member_count":2},` +
		`{"code":"teknoloji","name":"Name of teknoloji","name_en":null,"bist_member_count":0,"us_member_count":0}],"count":3}`
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if list, err := newFixture().Sectors(calls.Anyone()); err != nil || list.Sectors == nil || list.Count != 0 {
		t.Errorf("without sectors: %+v, %v", list, err)
	}
}

func TestSectorConstituents(t *testing.T) {
	d := grouped()
	for _, c := range []struct {
		code   string
		market *market.EquityMarket
		want   string
	}{
		{"otomotiv", nil, `{"code":"otomotiv","name":"Otomotiv","market":"bist","member_count":2,"constituents":[` +
			`{"instrument_id":"bist:DMALTF","symbol":"DMALTF","name":"Demo Altın Borsa Yatırım Fonu"},{"instrument_id":"bist:DMOST","symbol":"DMOST","name":"Demo Otomotiv Şirketi"}]}`},
		{"otomotiv", new(market.EquityUS), `{"code":"otomotiv","name":"Otomotiv","market":"us","member_count":2,"constituents":[` +
			`{"instrument_id":"us:DMAP","symbol":"DMAP","name":"Name of DMAP"},{"instrument_id":"us:DMX","symbol":"DMX","name":"Name of DMX"}]}`},
		{"bankacilik", new(market.EquityBIST),
			`{"code":"bankacilik","name":"Name of bankacilik","market":"bist","member_count":1,"constituents":[{"instrument_id":"bist:DMBNK","symbol":"DMBNK","name":"Demo Bankası"}]}`},
		{"bankacilik", new(market.EquityUS),
			`{"code":"bankacilik","name":"Name of bankacilik","market":"us","member_count":0,"constituents":[]}`},
	} {
		list, err := d.SectorConstituents(calls.Anyone(), c.code, c.market)
		if err != nil {
			t.Error(err)
			continue
		}
		if got, _ := json.Marshal(list); string(got) != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}

// SC-10, SC-11: codes are matched exactly.
func TestSectorCodes(t *testing.T) {
	d := grouped()
	for _, code := range []string{"foo", "", "OTOMOTIV", "Otomotiv", "otomotiv ", "otomotıv"} {
		_, err := d.SectorConstituents(calls.Anyone(), code, nil)
		e := calls.WantProblem(t, err, problem.NotFound)
		if want := []string{"bankacilik", "otomotiv", "teknoloji"}; !slices.Equal(e.Members.Available, want) || e.Members.Successor != nil {
			t.Errorf("%q: available %v, successor %v", code, e.Members.Available, e.Members.Successor)
		}
	}
	group, err := d.Live.Snapshot().Sector("eski-oto")
	e := calls.WantProblem(t, err, problem.NotFound)
	if group != nil || !slices.Equal(e.Members.Successor, []string{"otomotiv", "lastik"}) || e.Members.Available != nil ||
		!strings.Contains(e.Detail, "otomotiv, lastik") {
		t.Errorf("a retired code: %v, %+v", group, e)
	}
	_, err = newFixture().Live.Snapshot().Sector("otomotiv")
	calls.WantProblem(t, err, problem.NotFound)
}

// Other services ask a moment for a sector and its members.
func TestSectorGroup(t *testing.T) {
	d := grouped()
	group, err := d.Live.Snapshot().Sector("otomotiv")
	need.NoError(t, err)
	if got := ids(group.Members(market.EquityBIST)); !slices.Equal(got, []string{"bist:DMALTF", "bist:DMOST"}) {
		t.Errorf("members %v", got)
	}
	if got := ids(group.Members(market.EquityUS)); !slices.Equal(got, []string{"us:DMAP", "us:DMX"}) {
		t.Errorf("members %v", got)
	}
	if group.Members(market.EquityUS)[0] != d.ByID("us:DMAP") || group.Name != "Otomotiv" {
		t.Error("the members are not those of the catalog")
	}
}

// SC-03: the scope is that of the market's quotes, and comes before the code.
func TestSectorScopes(t *testing.T) {
	for _, c := range []struct {
		ask     operation
		missing access.Scope
	}{
		{constituentsOf("otomotiv"), access.QuotesBIST}, {constituentsOf("otomotiv", market.EquityBIST), access.QuotesBIST},
		{constituentsOf("otomotiv", market.EquityUS), access.QuotesUS},
		{constituentsOf("foo"), access.QuotesBIST}, {constituentsOf("eski-oto", market.EquityUS), access.QuotesUS},
	} {
		ctx := calls.Caller(calls.Without(c.missing)...)
		call := access.CallOf(ctx)
		e := calls.WantProblem(t, c.ask(ctx, grouped()), problem.MissingScope)
		if !slices.Equal(e.Members.MissingScopes, []string{string(c.missing)}) || call.Units() != 0 {
			t.Errorf("missing %v for %d units", e.Members.MissingScopes, call.Units())
		}
	}
	for _, c := range []struct {
		name  string
		ask   operation
		key   []access.Scope
		kind  problem.Kind // empty: a success
		units int64
	}{
		{"the list", sectors, nil, "", 1},
		{"members", constituentsOf("otomotiv"), []access.Scope{access.QuotesBIST}, "", 1},
		{"members in the US", constituentsOf("otomotiv", market.EquityUS), []access.Scope{access.QuotesUS}, "", 1},
		{"an unknown code", constituentsOf("foo"), access.Scopes, problem.NotFound, 0},
		{"a retired code", constituentsOf("eski-oto"), access.Scopes, problem.NotFound, 0},
	} {
		ctx := calls.Caller(c.key...)
		call := access.CallOf(ctx)
		err := c.ask(ctx, grouped())
		if c.kind != "" {
			calls.WantProblem(t, err, c.kind)
		} else if err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if call.Units() != c.units {
			t.Errorf("%s costs %d, want %d", c.name, call.Units(), c.units)
		}
	}
	for _, ask := range []operation{sectors, constituentsOf("otomotiv"), constituentsOf("foo")} {
		calls.WantProblem(t, ask(context.Background(), grouped()), problem.Unauthenticated)
		ctx := calls.Caller(access.Scopes...)
		call := access.CallOf(ctx)
		mistake := problem.Parameter("market", "foo", "one of bist, us")
		call.SetParameterError(mistake)
		if err := ask(ctx, grouped()); !errors.Is(err, mistake) || call.Units() != 0 {
			t.Errorf("got %v for %d units", err, call.Units())
		}
	}
}

func TestSectorOf(t *testing.T) {
	inSector := func(code string) func(*market.Instrument) {
		return func(in *market.Instrument) { in.SectorCode = &code }
	}
	d := newFixture()
	d.Live.PutSectors([]*market.Sector{
		sector("c", "bist:ONE,bist:TWO,bist:THREE,bist:FOUR,us:AAPL"), sector("b", "bist:TWO,bist:THREE,bist:FOUR,us:AAPL,bist:GONE"),
		sector("a", "bist:FOUR"), retired("0", "bist:ONE,bist:LEFT", "c"),
	})
	d.Live.PutCatalog([]*market.Instrument{
		record("bist:ONE"), record("bist:TWO"), record("bist:THREE", inSector("c")), record("bist:FOUR", inSector("b")),
		record("bist:LEFT", inSector("0")), record("bist:NONE", inSector("a")), record("us:AAPL", inSector("3571")),
	}, nil)
	for id, want := range map[market.ID]string{
		"bist:ONE": "c", "bist:TWO": "b", "bist:THREE": "c", "bist:FOUR": "b", "bist:LEFT": "", "bist:NONE": "", "us:AAPL": "b",
	} {
		got := ""
		if info := d.SectorOf(d.ByID(id)); info != nil {
			got = info.Code
		}
		if got != want {
			t.Errorf("%s is in %q, want %q", id, got, want)
		}
		shown := d.ByID(id)
		switch {
		case id == "us:AAPL":
			if shown.Sector != nil || *shown.SectorCode != "3571" {
				t.Errorf("%s, of which the record says what industry it is in, shows %v", id, shown.SectorCode)
			}
		case want == "":
			if shown.Sector != nil || shown.SectorCode != nil {
				t.Errorf("%s, of no sector, shows %v", id, *shown.SectorCode)
			}
		case shown.Sector == nil || *shown.Sector != "Name of "+want || *shown.SectorCode != want:
			t.Errorf("%s shows another sector than %s", id, want)
		}
	}
	if info := d.SectorOf(record("bist:GONE")); info != nil {
		t.Errorf("what is not in the catalog is in %s", info.Code)
	}
	if info := d.SectorOf(d.ByID("bist:FOUR")); info.BistMemberCount != 3 || info.UsMemberCount != 1 {
		t.Errorf("it has %d and %d members", info.BistMemberCount, info.UsMemberCount)
	}
}

// Sectors are replaced as a whole, and a picture that someone holds stays.
func TestPutSectors(t *testing.T) {
	d := grouped()
	before := d.Live.Snapshot()
	d.Live.PutSectors([]*market.Sector{sector("gida", "bist:NOPE,bist:DMBNK"), sector("eski-oto", "")})
	codes := func() string {
		var parts []string
		list, _ := d.Sectors(calls.Anyone())
		for _, s := range list.Sectors {
			parts = append(parts, fmt.Sprint(s.Code, s.BistMemberCount))
		}
		return strings.Join(parts, " ")
	}
	if got := codes(); got != "eski-oto0 gida1" {
		t.Errorf("the sectors are %s", got)
	}
	d.Live.PutCatalog(nil, exceptions)
	d.Live.PutQuotes(observations())
	if got := codes(); got != "eski-oto0 gida1" {
		t.Errorf("after quotes the sectors are %s", got)
	}
	d.Live.PutCatalog([]*market.Instrument{record("bist:NOPE"), record("bist:DMBNK", named("Renamed"))}, nil)
	if got := codes(); got != "eski-oto0 gida2" {
		t.Errorf("after an instrument the sectors are %s", got)
	}
	group, err := d.Live.Snapshot().Sector("gida")
	if err != nil || group.Members(market.EquityBIST)[0].Name != "Renamed" {
		t.Errorf("the members are those of an older catalog: %v", err)
	}
	if code := d.ByID("bist:DMBNK").SectorCode; code == nil || *code != "gida" {
		t.Errorf("the record shows the sector %v", code)
	}
	if old, err := before.Sector("otomotiv"); err != nil || old.BistMemberCount != 2 {
		t.Errorf("the older picture changed: %+v, %v", old, err)
	}
	if _, err := before.Sector("gida"); err == nil {
		t.Error("the older picture knows the newer sector")
	}
}

func TestEquityMarket(t *testing.T) {
	for _, known := range []market.EquityMarket{market.EquityBIST, market.EquityUS} {
		if m, err := value.Word[market.EquityMarket](string(known)); err != nil || m != known || string(m.Market()) != string(known) {
			t.Errorf("%s became %s, %v", known, m, err)
		}
	}
	if market.EquityBIST.Market() != market.BIST || market.EquityUS.Market() != market.US {
		t.Error("they are other markets")
	}
	for _, text := range []string{"", "foo", "BIST", "Us", "crypto", "fund", "bist "} {
		if _, err := value.Word[market.EquityMarket](text); err == nil || err.Error() != "must be one of bist, us" {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// Whatever is put in whatever order, a sector's members are those that are in
// the catalog, and each instrument's sector lists it.
func TestAnySectors(t *testing.T) {
	anyID := rapid.SampledFrom([]market.ID{"bist:A", "bist:B", "bist:C", "us:A", "us:D", "crypto:1", "fund:A"})
	anyCode := rapid.SampledFrom([]string{"a", "b", "c"})
	rapid.Check(t, func(t *rapid.T) {
		d, known := newFixture(), map[market.ID]*market.Instrument{}
		var put []*market.Sector
		for range rapid.IntRange(1, 4).Draw(t, "steps") {
			if rapid.Bool().Draw(t, "instruments") {
				in := record(anyID.Draw(t, "id"))
				if rapid.Bool().Draw(t, "coded") {
					in.SectorCode = new(anyCode.Draw(t, "code"))
				}
				known[in.InstrumentID] = in
				d.Live.PutCatalog([]*market.Instrument{in}, nil)
				continue
			}
			put = nil
			for _, code := range rapid.SliceOfDistinct(anyCode, rapid.ID).Draw(t, "codes") {
				s := &market.Sector{Code: code, Members: rapid.SliceOf(anyID).Draw(t, "members")}
				if rapid.IntRange(0, 3).Draw(t, "retired") == 0 {
					s.Successors = []string{"x"}
				}
				put = append(put, s)
			}
			d.Live.PutSectors(put)
		}
		lists := map[market.ID][]string{} // the live sectors that list an id, by code
		slices.SortFunc(put, func(a, b *market.Sector) int { return strings.Compare(a.Code, b.Code) })
		for _, s := range put {
			group, err := d.Live.Snapshot().Sector(s.Code)
			if (err != nil) != (s.Successors != nil) {
				t.Fatalf("%+v: %v", s, err)
			}
			if err != nil {
				continue
			}
			for _, m := range []market.EquityMarket{market.EquityBIST, market.EquityUS} {
				want := []string{}
				for id := range known {
					if id.Market() == m.Market() && slices.Contains(s.Members, id) {
						want = append(want, string(id))
						lists[id] = append(lists[id], s.Code)
					}
				}
				slices.Sort(want)
				if got := ids(group.Members(m)); !slices.Equal(got, want) {
					t.Fatalf("%s of %+v: %v, want %v", m, s, got, want)
				}
			}
		}
		for id, in := range known {
			want := ""
			if codes := lists[id]; len(codes) > 0 {
				want = codes[0]
				if in.SectorCode != nil && slices.Contains(codes, *in.SectorCode) {
					want = *in.SectorCode
				}
			}
			got := ""
			if info := d.SectorOf(in); info != nil {
				got = info.Code
			}
			if got != want {
				t.Fatalf("%s is in %q, want %q of %v", id, got, want, lists[id])
			}
		}
	})
}

// Where nothing is offered a 404 says that, too.
func TestNothingOffered(t *testing.T) {
	empty := market.NewLive().Snapshot()
	_, noSector := empty.Sector("otomotiv")
	_, noIndex := empty.Index("XU100")
	for _, err := range []error{noSector, noIndex} {
		members, _ := json.Marshal(problem.From(err).Members)
		if string(members) != `{"available":[]}` {
			t.Errorf("%v: %s", err, members)
		}
	}
}
