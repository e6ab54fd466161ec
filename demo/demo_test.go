package demo

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"piyasa/account/access"
	"piyasa/db"
	"piyasa/domain/market"
	"piyasa/ingest"
	"piyasa/internal/problem"
	"piyasa/internal/value"
	"piyasa/services"
	"piyasa/test/fixture"
	"piyasa/test/fixture/need"
)

// A Wednesday while the Istanbul exchange trades.
var session = value.MustInstant("2026-03-18T12:00:00.250Z")

func fixed(at value.Instant) value.Clock { return func() value.Instant { return at } }

func openStore(t *testing.T) *db.Store {
	t.Helper()
	store, err := db.Open(t.Context(), "sqlite:"+filepath.Join(t.TempDir(), "demo.db"))
	need.NoError(t, err)
	t.Cleanup(func() { _ = store.Close() })
	return store
}

// load stores the catalog and the quotes of a moment and returns the store.
func load(t *testing.T, at value.Instant) *db.Store {
	t.Helper()
	store := openStore(t)
	lines := bytes.NewReader(New(fixed(at)).present())
	if _, err := accepted(ingest.Run(t.Context(), store,
		ingest.Options{Paths: []string{ingest.Stdin}, Stdin: lines, Messages: t.Output(), Now: fixed(at)})); err != nil {
		t.Fatal(err)
	}
	return store
}

// rootSettings are those of services whose clock stands.
func rootSettings(at value.Instant) services.Settings {
	s := fixture.Settings()
	s.Clock = fixed(at)
	return s
}

// liveOf is what a server holds of the market in the store.
func liveOf(t *testing.T, store *db.Store) *market.Live {
	t.Helper()
	root := services.New(fixture.Settings(), store)
	fixture.Apply(t, root)
	return root.Market.Live
}

// caller is a context of the demo key.
func caller(ctx context.Context) context.Context {
	ctx, _ = access.WithCall(ctx, Key(session))
	return ctx
}

func TestEveryRecordIsAccepted(t *testing.T) {
	store := openStore(t)
	first, err := New(fixed(session)).Load(t.Context(), store, t.Output())
	need.NoError(t, err)
	if first.Rejected != 0 || first.Read == 0 || first.Stored != first.Read {
		t.Errorf("first time: %+v", first.Counts)
	}
	if kinds := slices.Sorted(maps.Keys(first.Kinds)); !slices.Equal(kinds, []string{
		"bar", "calendar_event", "calendar_item", "company", "corporate_action",
		"disclosure", "dividend", "fund", "fund_flow", "fund_holding",
		"index", "index_bar",
		"inflation_point", "instrument", "ipo", "logo", "market_metrics", "news", "quote", "sector", "source_status", "statement",
		"trading_day",
	}) {
		t.Errorf("kinds: %v", kinds)
	}
	s := New(fixed(session))
	lines, formerly := s.Records(), 0
	for _, p := range s.series {
		if p.former != nil { // what it was is said once
			if was := p.former.appendInstrument(nil, p.Instrument); len(was) > 0 {
				lines, formerly = bytes.Replace(lines, was, nil, 1), formerly+1
			}
		}
	}
	again, err := accepted(ingest.Run(t.Context(), store, ingest.Options{
		Paths: []string{ingest.Stdin}, Stdin: bytes.NewReader(lines), Messages: t.Output(), BackFill: true, Now: s.clock,
	}))
	need.NoError(t, err)
	if formerly != 2 || again.Unchanged != first.Read-2 {
		t.Errorf("second time: %+v", again.Counts)
	}
}

func TestOneMomentGivesOneDataSet(t *testing.T) {
	for i, at := range []string{"2026-03-18T12:00:00.250Z", "2026-03-18T23:30:00Z", "2026-03-21T09:00:00Z", "2026-10-29T09:00:00Z"} {
		clock := fixed(value.MustInstant(at))
		one, two := New(clock), New(clock)
		if !bytes.Equal(one.present(), two.present()) {
			t.Errorf("%s: two data sets differ", at)
		}
		if i == 0 && !bytes.Equal(one.appendPast(nil), two.appendPast(nil)) { // once, since it is long
			t.Errorf("%s: two histories differ", at)
		}
		if !bytes.Equal(one.turn(), two.turn()) {
			t.Errorf("%s: two feeds differ", at)
		}
	}
}

// quotesOf are the quotes among record lines.
func quotesOf(t *testing.T, lines []byte) []*market.Observation {
	t.Helper()
	var quotes []*market.Observation
	for line := range bytes.Lines(lines) {
		record := struct {
			Record string `json:"record"`
			*market.Observation
		}{Observation: new(market.Observation)}
		if bytes.Contains(line, []byte(`"record":"quote"`)) {
			if err := json.Unmarshal(line, &record); err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			quotes = append(quotes, record.Observation)
		}
	}
	return quotes
}

func TestObservationTimes(t *testing.T) {
	for _, c := range []struct{ name, now, bist, auction, us, fx string }{
		{"in the session", "2026-03-18T12:00:00.250Z", "2026-03-18T11:45:00Z", "2026-03-17T15:00:00Z", "2026-03-17T20:00:00Z",
			"2026-03-18T11:45:00Z"},
		{"opened within the delay", "2026-03-18T07:10:00Z", "2026-03-17T15:00:00Z", "2026-03-17T15:00:00Z", "2026-03-17T20:00:00Z",
			"2026-03-18T06:55:00Z"},
		{"closed within the delay", "2026-03-18T15:05:00Z", "2026-03-18T14:50:00Z", "2026-03-17T15:00:00Z", "2026-03-18T14:50:00Z",
			"2026-03-18T14:50:00Z"},
		{"at night", "2026-03-18T23:30:00Z", "2026-03-18T15:00:00Z", "2026-03-18T15:00:00Z", "2026-03-18T20:00:00Z",
			"2026-03-18T23:15:00Z"},
		{"on a Saturday", "2026-03-21T09:00:00Z", "2026-03-20T15:00:00Z", "2026-03-20T15:00:00Z", "2026-03-20T20:00:00Z",
			"2026-03-21T08:45:00Z"},
		{"after the half day", "2026-10-28T12:00:00Z", "2026-10-28T10:00:00Z", "2026-10-28T10:00:00Z", "2026-10-27T20:00:00Z",
			"2026-10-28T11:45:00Z"},
		{"on 29 October", "2026-10-29T09:00:00Z", "2026-10-28T10:00:00Z", "2026-10-28T10:00:00Z", "2026-10-28T20:00:00Z",
			"2026-10-29T08:45:00Z"},
		{"on New Year's Day", "2027-01-01T09:00:00Z", "2026-12-31T15:00:00Z", "2026-12-31T15:00:00Z", "2026-12-31T21:00:00Z",
			"2027-01-01T08:45:00Z"},
	} {
		now := value.MustInstant(c.now)
		want := map[market.ID]string{Sample: c.bist, "bist:DMDOK": c.auction, "fund:DMX": c.auction, "us:DMX": c.us, "fx:USDTRY": c.fx,
			"cmdty:XAU": c.fx}
		for _, q := range quotesOf(t, New(fixed(now)).present()) {
			if w, ok := want[q.InstrumentID]; ok && q.AsOf.String() != w {
				t.Errorf("%s: %s as of %s, want %s", c.name, q.InstrumentID, q.AsOf, w)
			}
			if age := now.Sub(q.AsOf); q.InstrumentID.Market() == market.Crypto && (age < 0 || age > 5*time.Minute) {
				t.Errorf("%s: %s is %s old", c.name, q.InstrumentID, age)
			}
		}
	}
}

func TestCatalogShowsEveryCase(t *testing.T) {
	live := liveOf(t, load(t, session))
	service := &market.Service{Live: live, Now: fixed(session), FXMaxAge: time.Hour}
	ctx := caller(t.Context())
	list, err := service.Instruments(ctx, market.InstrumentFilter{}, new(market.InstrumentLimit.Max))
	need.NoError(t, err)
	kinds := map[market.AssetType]int{}
	for _, in := range list.Instruments {
		kinds[in.AssetType]++
		if in.Source == nil || !strings.Contains(*in.Source, "synthetic") {
			t.Errorf("%s does not say that it is synthetic", in.InstrumentID)
		}
		if in.Market != market.FX && !strings.HasPrefix(in.Name, "Demo ") {
			t.Errorf("%s has the name %q", in.InstrumentID, in.Name)
		}
	}
	if want := (map[market.AssetType]int{
		market.Stock: 61 + 8, market.ETF: 5, market.Coin: 40, market.Pair: 12, market.WorldIndex: 8, market.Commodity: 10,
		market.FundUnit: 6,
	}); !maps.Equal(kinds, want) {
		t.Errorf("instruments by type: %v", kinds)
	}
	for id, want := range map[string]market.ID{
		string(Sample): Sample, "bist:DMALT": "bist:DMALTF", "bist:dmx30.f": "bist:DMX30F", "crypto:dmc": "crypto:900001",
		"us:DMX": "us:DMX", "fund:DMX": "fund:DMX",
	} {
		if q, err := service.Quote(ctx, id, new(market.EUR)); err != nil || q.InstrumentID != want {
			t.Errorf("%s in euro: %+v, %v", id, q, err)
		}
	}
	for id, want := range map[string]problem.Kind{
		"crypto:DLY": problem.AmbiguousTicker, "crypto:DYZ": problem.AmbiguousTicker, "crypto:42": problem.NotFound,
		"fund:DMA": problem.NotFound, "cmdty:LITHIUM": problem.NotFound,
	} {
		if _, err := service.Quote(ctx, id, nil); err == nil || problem.From(err).Kind != want {
			t.Errorf("%s: %v, want %s", id, err, want)
		}
	}
}

func TestGroupsNameListedMembers(t *testing.T) {
	store := load(t, session)
	catalog := liveOf(t, store).Snapshot().Catalog
	sectors, err := store.Sectors(t.Context())
	need.NoError(t, err)
	retired := 0
	for _, s := range sectors {
		if len(s.Successors) > 0 {
			retired++
		}
		for _, id := range s.Members {
			in, err := catalog.Resolve(string(id), market.CanonicalForm)
			if err != nil || (in.Market == market.BIST && *in.SectorCode != s.Code) {
				t.Errorf("sector %s: member %s: %v", s.Code, id, err)
			}
		}
	}
	if len(sectors)-retired != 12 || retired != 1 {
		t.Errorf("%d sectors, %d of them retired", len(sectors), retired)
	}
	indices, err := store.Indices(t.Context())
	need.NoError(t, err)
	members := map[string]int{}
	for _, x := range indices {
		members[x.Code] = len(x.Members)
		if x.Verified == (x.Code == "XDTEK") {
			t.Errorf("index %s: verified %t", x.Code, x.Verified)
		}
		for _, m := range x.Members {
			if _, err := catalog.Resolve(string(market.BistID(m.Symbol)), market.CanonicalForm); err != nil {
				t.Errorf("index %s: %v", x.Code, err)
			}
		}
	}
	if want := (map[string]int{"XD030": 30, "XDTUM": 61, "XDTEK": 5}); !maps.Equal(members, want) {
		t.Errorf("members: %v", members)
	}
}

func TestWeekendsNeedNoException(t *testing.T) {
	for _, d := range tradingDays(value.MustInstant("2027-12-31T21:30:00Z")) { // 2028 in Turkey
		if w := d.Date.Weekday(); w == time.Saturday || w == time.Sunday {
			t.Errorf("%s is a %s", d.Date, w)
		}
		if d.Date.String() < "2027" || d.Date.String() > "2030" {
			t.Errorf("%s is not within a year of this one", d.Date)
		}
	}
}
