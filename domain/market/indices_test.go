package market_test

import (
	"context"
	"encoding/json"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"piyasa/account/access"
	"piyasa/domain/market"
	"piyasa/internal/problem"
	"piyasa/internal/value"
	"piyasa/test/fixture/calls"
	"piyasa/test/fixture/need"
)

// index is a verified index; each member is a symbol, or "symbol=its sector".
func index(code, members string) *market.BistIndex {
	i := &market.BistIndex{Code: code, Name: "Name of " + code, Verified: true, SyncedAt: value.MustInstant("2026-03-18T05:00:00Z")}
	for _, m := range split(members) {
		symbol, sector := m, (*string)(nil)
		for n := range m {
			if m[n] == '=' {
				symbol, sector = m[:n], new(m[n+1:])
			}
		}
		i.Members = append(i.Members, market.IndexMember{Symbol: symbol, Sector: sector})
	}
	return i
}

// indexed returns a fixture with the small catalog and indices.
func indexed() *fixture {
	d := filled()
	unverified := index("XUNVR", "DMOST")
	unverified.Verified = false
	d.Live.PutIndices([]*market.BistIndex{index("XU100", "DMOST=Automotive,DMBNK,ZOLD,DMOLD"), unverified, index("XKUCK", "DMOST"),
		index("XBOS", "")})
	return d
}

// IX-01, G-59: the verified ones by code.
func TestIndices(t *testing.T) {
	const want = `{"indices":[` +
		`{"code":"XBOS","name":"Name of XBOS","member_count":0,"synced_at":"2026-03-18T05:00:00Z"},` +
		`{"code":"XKUCK","name":"Name of XKUCK","member_count":1,"synced_at":"2026-03-18T05:00:00Z"},` +
		`{"code":"XU100","name":"Name of XU100","member_count":4,"synced_at":"2026-03-18T05:00:00Z"}],"count":3}`
	ctx := calls.Caller(access.QuotesBIST)
	call := access.CallOf(ctx)
	list, err := indexed().Indices(ctx)
	if got, _ := json.Marshal(list); err != nil || string(got) != want || call.Units() != 1 {
		t.Errorf("%v, %d units\ngot  %s\nwant %s", err, call.Units(), got, want)
	}
	if list, err := newFixture().Indices(calls.Anyone()); err != nil || list.Indices == nil || list.Count != 0 {
		t.Errorf("without indices: %+v, %v", list, err)
	}
}

// IX-02 to IX-06: by symbol, in whatever order they came; codes fold ASCII
// case only.
func TestIndexConstituents(t *testing.T) {
	d := indexed()
	const want = `{"code":"XU100","name":"Name of XU100","member_count":4,"constituents":[` +
		`{"instrument_id":"bist:DMBNK","symbol":"DMBNK","name":"Demo Bankası","sector":null},` +
		`{"instrument_id":"bist:DMOST","symbol":"DMOST","name":"Demo Otomotiv Şirketi","sector":"Automotive"}],"unresolved_symbols":["DMOLD","ZOLD"]}`
	for _, code := range []string{"XU100", "xu100", "Xu100"} {
		ctx := calls.Caller(access.QuotesBIST)
		call := access.CallOf(ctx)
		c, err := d.IndexConstituents(ctx, code)
		if got, _ := json.Marshal(c); err != nil || string(got) != want || call.Units() != 1 {
			t.Errorf("%s: %v\ngot  %s\nwant %s", code, err, got, want)
		}
	}
	empty, err := d.IndexConstituents(calls.Anyone(), "XBOS")
	if got, _ := json.Marshal(empty); err != nil ||
		string(got) != `{"code":"XBOS","name":"Name of XBOS","member_count":0,"constituents":[],"unresolved_symbols":[]}` {
		t.Errorf("of an empty index: %v, %s", err, got)
	}
}

// IX-05: the exports of the two largest indices label sectors; what others say
// is not shown. Members that the catalog lacks count, indices that are not
// offered do not.
func TestSectorsOfTheLargestIndices(t *testing.T) {
	d := filled()
	unverified := index("XALL", "DMOST=Hidden,A,B,C,D,E")
	unverified.Verified = false
	d.Live.PutIndices([]*market.BistIndex{
		index("XSMALL", "DMOST=Small"), index("XA", "DMOST=A,OLD"), index("XB", "DMOST=B,DMBNK,OLD"), unverified,
		index("XC", "DMOST=C,GONE"),
	})
	for code, want := range map[string]string{"XB": "B", "XA": "A", "XC": "", "XSMALL": ""} { // of equal ones the first
		c, err := d.IndexConstituents(calls.Anyone(), code)
		need.NoError(t, err)
		some, err := d.ConstituentsOf(calls.Anyone(), &market.IndexInfo{Code: code}, nil)
		need.NoError(t, err)
		for _, list := range [][]*market.Constituent{c.Constituents, some} {
			at := slices.IndexFunc(list, func(c *market.Constituent) bool { return c.Symbol == "DMOST" })
			if sector := list[at].Sector; (sector == nil) != (want == "") || (sector != nil && *sector != want) {
				t.Errorf("%s: sector %v, want %q", code, sector, want)
			}
		}
	}
}

// IX-07: unknown and unverified codes are the same problem, which says what is
// offered.
func TestUnknownIndices(t *testing.T) {
	d := indexed()
	for _, code := range []string{"XFOO", "XUNVR", "index:XU100", "index:SPX", "bist:XU100", "", "XU100 ", "XÜ100", "xı100"} {
		ctx := calls.Caller(access.Scopes...)
		call := access.CallOf(ctx)
		_, err := d.IndexConstituents(ctx, code)
		if p := calls.WantProblem(t, err, problem.NotFound); !slices.Equal(p.Members.Available, []string{"XBOS", "XKUCK", "XU100"}) ||
			call.Units() != 0 {
			t.Errorf("%q: available %v, %d units", code, p.Members.Available, call.Units())
		}
	}
}

// A member shows once the catalog has it, and no longer once the membership
// is replaced; an index may lose its verification.
func TestMembersThatMove(t *testing.T) {
	d := indexed()
	state := func() string {
		c, err := d.IndexConstituents(calls.Anyone(), "XU100")
		if err != nil {
			return string(calls.WantProblem(t, err, problem.NotFound).Kind)
		}
		text := ""
		for _, m := range c.Constituents {
			text += m.Symbol + " "
		}
		for _, s := range c.UnresolvedSymbols {
			text += "?" + s + " "
		}
		return text
	}
	steps := []struct {
		do   func()
		want string
	}{
		{func() {}, "DMBNK DMOST ?DMOLD ?ZOLD "},
		{func() { d.Live.PutCatalog([]*market.Instrument{record("bist:DMOLD"), record("us:ZOLD")}, nil) }, "DMBNK DMOLD DMOST ?ZOLD "},
		// an alias is no code
		{func() { d.Live.PutIndices([]*market.BistIndex{index("XU100", "ZOLD,DMOLD,DMALT")}) }, "DMOLD ?DMALT ?ZOLD "},
		{func() { d.Live.PutCatalog([]*market.Instrument{record("bist:ZOLD")}, nil) }, "DMOLD ZOLD ?DMALT "},
		{func() {
			gone := index("XU100", "DMOST")
			gone.Verified = false
			d.Live.PutIndices([]*market.BistIndex{gone})
		}, "not-found"},
		{func() { d.Live.PutIndices([]*market.BistIndex{index("XU100", "DMOST")}) }, "DMOST "},
	}
	for i, step := range steps {
		if step.do(); state() != step.want {
			t.Errorf("step %d: %s, want %s", i, state(), step.want)
		}
	}
}

// Edges: the members of an index and the indices of an instrument, at no cost.
func TestEdgesOfIndices(t *testing.T) {
	d := indexed()
	members := func(code string, first *int) []string {
		ctx := calls.Caller(access.QuotesBIST)
		call := access.CallOf(ctx)
		list, err := d.ConstituentsOf(ctx, &market.IndexInfo{Code: code}, first)
		if err != nil || list == nil || call.Units() != 0 {
			t.Errorf("%s: %v, %v, %d units", code, list, err, call.Units())
		}
		symbols := []string{}
		for _, m := range list {
			symbols = append(symbols, m.Symbol)
		}
		return symbols
	}
	listing := func(id market.ID, first *int) []string {
		ctx := calls.Caller(access.QuotesBIST)
		call := access.CallOf(ctx)
		list, err := d.IndicesOf(ctx, record(id), first)
		if err != nil || list == nil || call.Units() != 0 {
			t.Errorf("%s: %v, %v, %d units", id, list, err, call.Units())
		}
		codes := []string{}
		for _, i := range list {
			codes = append(codes, i.Code)
		}
		return codes
	}
	for _, c := range []struct{ got, want []string }{
		{members("XU100", nil), []string{"DMBNK", "DMOST"}}, {members("XU100", new(1)), []string{"DMBNK"}},
		{members("XBOS", nil), []string{}},
		{listing("bist:DMOST", nil), []string{"XKUCK", "XU100"}}, {listing("bist:DMOST", new(1)), []string{"XKUCK"}},
		{listing("bist:DMBNK", nil), []string{"XU100"}},
		{listing("bist:DMALTF", nil), []string{}}, {listing("us:DMOST", nil), []string{}}, {listing("fund:DMF", nil), []string{}},
	} {
		if !reflect.DeepEqual(c.got, c.want) {
			t.Errorf("got %v, want %v", c.got, c.want)
		}
	}
	for _, first := range []int{0, 101} {
		_, err := d.ConstituentsOf(calls.Anyone(), &market.IndexInfo{Code: "XU100"}, &first)
		calls.WantProblem(t, err, problem.InvalidParameter)
		_, err = d.IndicesOf(calls.Anyone(), record("bist:DMOST"), &first)
		calls.WantProblem(t, err, problem.InvalidParameter)
	}
	d.Live.PutIndices(nil) // gone between the list and its relation
	_, err := d.ConstituentsOf(calls.Anyone(), &market.IndexInfo{Code: "XU100"}, nil)
	calls.WantProblem(t, err, problem.NotFound)
}

// IX-08: quotes:bist and nothing else.
func TestScopeOfIndices(t *testing.T) {
	d := indexed()
	for name, ask := range map[string]func(context.Context) error{
		"list":         func(ctx context.Context) error { _, err := d.Indices(ctx); return err },
		"constituents": func(ctx context.Context) error { _, err := d.IndexConstituents(ctx, "XU100"); return err },
		"members": func(ctx context.Context) error {
			_, err := d.ConstituentsOf(ctx, &market.IndexInfo{Code: "XU100"}, nil)
			return err
		},
		"listing": func(ctx context.Context) error { _, err := d.IndicesOf(ctx, record("bist:DMOST"), nil); return err },
	} {
		if ask(calls.Caller(access.QuotesBIST)) != nil {
			t.Errorf("%s: %v", name, ask(calls.Caller(access.QuotesBIST)))
		}
		ctx := calls.Caller(calls.Without(access.QuotesBIST)...)
		if p := calls.WantProblem(t, ask(ctx), problem.MissingScope); !slices.Equal(p.Members.MissingScopes, []string{"quotes:bist"}) {
			t.Errorf("%s: %v", name, p.Members.MissingScopes)
		}
		calls.WantProblem(t, ask(context.Background()), problem.Unauthenticated)
	}
}

// Any membership: every member is known or unresolved, and an instrument's
// indices are those that list it.
func TestAnyIndices(t *testing.T) {
	symbols := []string{"DMOST", "DMBNK", "DMALTF", "DMX", "OLD", "GONE"}
	rapid.Check(t, func(t *rapid.T) {
		d, want := filled(), map[string][]string{}
		var all []*market.BistIndex
		for _, code := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"XA", "XB", "XC", "X0"}), 0, 4, rapid.ID).Draw(t, "codes") {
			i := index(code, "")
			i.Verified = rapid.Bool().Draw(t, "verified")
			for _, s := range rapid.SliceOfNDistinct(rapid.SampledFrom(symbols), 0, 6, rapid.ID).Draw(t, "members") {
				i.Members = append(i.Members, market.IndexMember{Symbol: s})
				if i.Verified {
					want[s] = append(want[s], code)
				}
			}
			all = append(all, i)
		}
		d.Live.PutIndices(all)
		for _, i := range all {
			c, err := d.IndexConstituents(calls.Anyone(), i.Code)
			if (err == nil) != i.Verified {
				t.Fatalf("%s: %v", i.Code, err)
			}
			if err == nil && (len(c.Constituents)+len(c.UnresolvedSymbols) != len(i.Members) || c.MemberCount != len(i.Members)) {
				t.Fatalf("%s: %+v of %v", i.Code, c, i.Members)
			}
		}
		for _, s := range symbols {
			list, err := d.IndicesOf(calls.Anyone(), record(market.ID("bist:"+s)), nil)
			need.NoError(t, err)
			got := []string{}
			for _, i := range list {
				got = append(got, i.Code)
			}
			if slices.Sort(want[s]); !slices.Equal(got, want[s]) {
				t.Fatalf("%s is in %v, want %v", s, got, want[s])
			}
		}
	})
}
