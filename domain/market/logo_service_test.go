package market_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"piyasa/account/access"
	"piyasa/domain/market"
	"piyasa/internal/problem"
	"piyasa/test/fixture/calls"
	"piyasa/test/fixture/need"
)

// images is a LogoStore.
type images map[market.LogoOwner]*market.LogoImage

// Logo implements market.LogoStore.
func (i images) Logo(_ context.Context, owner market.LogoOwner) (*market.LogoImage, error) {
	if image := i[owner]; image != nil || owner.Founder != "Broken" {
		return image, nil
	}
	return nil, errors.New("no disk")
}

func ofInstrument(id market.ID) market.LogoOwner { return market.LogoOwner{InstrumentID: id} }
func ofFounder(founder string) market.LogoOwner  { return market.LogoOwner{Founder: founder} }
func founded(founder string) func(*market.Instrument) {
	return func(in *market.Instrument) { in.Founder = &founder }
}

// gallery returns a fixture with logos of a stock, a coin and three founders.
func gallery() *fixture {
	d := newFixture()
	d.Live.BaseURL = "https://api.example.test"
	d.Live.PutCatalog(smallCatalog(), nil)
	d.Live.PutCatalog([]*market.Instrument{
		record("bist:DMALTF", etf("DMA"), founded("Demo Portföy")), record("fund:DMF", founded("Demo Portföy")),
		record("fund:BRK", founded("Broken")), record("fund:BARE", founded("Nobody")),
	}, nil)
	stored := images{}
	var tags []*market.LogoTag
	for i, owner := range []market.LogoOwner{ofInstrument("bist:DMOST"), ofInstrument("crypto:1"), ofFounder("Demo Portföy"),
		ofFounder("Broken"), ofFounder("bist:DMBNK")} {
		etag := fmt.Sprint("e", i)
		tags = append(tags, &market.LogoTag{LogoOwner: owner, ETag: etag})
		stored[owner] = &market.LogoImage{ETag: etag, PNG: []byte(etag)}
	}
	delete(stored, ofFounder("Broken"))
	d.Live.PutLogos(tags)
	d.Logos = stored
	return d
}

// LG-01, LG-02, LG-06, LG-09: whose logo an id gives.
func TestLogo(t *testing.T) {
	d := gallery()
	for _, c := range []struct {
		id   string
		url  string // empty: a problem
		etag string
		kind problem.Kind
	}{
		{"bist:DMOST", "/v1/logos/bist:DMOST", `"e0"`, ""},
		{"bist:dmost", "/v1/logos/bist:DMOST", `"e0"`, ""},
		{"crypto:1", "/v1/logos/crypto:1", `"e1"`, ""},
		{"crypto:btc", "/v1/logos/crypto:1", `"e1"`, ""},
		{"fund:DMF", "/v1/logos/fund:DMF", `"e2"`, ""},
		{"crypto:ONE", "", "", problem.AmbiguousTicker},
		{"bist:DMALTF", "", "", problem.NotFound}, // a founder's logo is for funds
		{"bist:DMALT", "", "", problem.NotFound},
		{"bist:DMBNK", "", "", problem.NotFound}, // a founder of that name is another
		{"fund:DMX", "", "", problem.NotFound},
		{"fund:BARE", "", "", problem.NotFound},
		{"fund:DMA", "", "", problem.NotFound},
		{"bist:NOPE", "", "", problem.NotFound},
		{"foo:BAR", "", "", problem.NotFound},
	} {
		t.Run(c.id, func(t *testing.T) {
			ctx := calls.Caller(access.AssetsLogos)
			call := access.CallOf(ctx)
			logo, err := d.Logo(ctx, c.id)
			if c.kind != "" {
				calls.WantProblem(t, err, c.kind)
				if call.Units() != 0 {
					t.Errorf("costs %d", call.Units())
				}
				return
			}
			if err != nil || logo.URL != d.Live.BaseURL+c.url || logo.ETag != c.etag || logo.ContentType != "image/png" ||
				call.Units() != 1 {
				t.Fatalf("%+v, %v, %d units", logo, err, call.Units())
			}
			if etag, bytes, err := logo.Image(ctx); err != nil || etag != c.etag || `"`+string(bytes)+`"` != c.etag {
				t.Errorf("%s %s %v", etag, bytes, err)
			}
		})
	}
}

// LG-07: the scope comes first.
func TestLogoNeedsItsScope(t *testing.T) {
	d := gallery()
	ctx := calls.Caller(calls.Without(access.AssetsLogos)...)
	for _, id := range []string{"bist:DMOST", "bist:NOPE", "crypto:ONE"} {
		_, err := d.Logo(ctx, id)
		calls.WantProblem(t, err, problem.MissingScope)
	}
	if logo, err := d.LogoOf(ctx, d.ByID("bist:DMBNK")); logo != nil {
		t.Error("an edge without the scope")
	} else {
		calls.WantProblem(t, err, problem.MissingScope)
	}
}

// The relation is null without a logo, and then costs nothing.
func TestLogoOf(t *testing.T) {
	d := gallery()
	for id, units := range map[market.ID]int64{"bist:DMOST": 1, "fund:DMF": 1, "bist:DMBNK": 0, "fund:DMX": 0} {
		ctx := calls.Caller(access.AssetsLogos)
		call := access.CallOf(ctx)
		logo, err := d.LogoOf(ctx, d.ByID(id))
		if err != nil || (logo != nil) != (units == 1) || call.Units() != units {
			t.Errorf("%s: %+v, %v, %d units", id, logo, err, call.Units())
		}
	}
}

// What is stored has moved on, or is away, when the bytes are read.
func TestLogoImage(t *testing.T) {
	d := gallery()
	logo, err := d.Logo(calls.Anyone(), "bist:DMOST")
	need.NoError(t, err)
	d.Logos.(images)[ofInstrument("bist:DMOST")] = &market.LogoImage{ETag: "newer", PNG: []byte("n")}
	if etag, bytes, err := logo.Image(t.Context()); etag != `"newer"` || string(bytes) != "n" || err != nil {
		t.Errorf("%s %s %v", etag, bytes, err)
	}
	delete(d.Logos.(images), ofInstrument("bist:DMOST"))
	_, _, err = logo.Image(t.Context())
	calls.WantProblem(t, err, problem.NotFound)
	broken, err := d.Logo(calls.Anyone(), "fund:BRK")
	need.NoError(t, err)
	if _, _, err := broken.Image(t.Context()); err == nil || err.Error() != "no disk" {
		t.Errorf("got %v", err)
	}
}

// CT-10: logo_url is there exactly when the logo is, in whatever order records,
// logos and founders arrive, and nothing that was handed out changes.
func TestLogoURLIsHonest(t *testing.T) {
	ids := []market.ID{"bist:A", "index:^GSPC", "fund:F", "fund:G"}
	founders := []string{"X", "Y", ""}
	rapid.Check(t, func(t *rapid.T) {
		d := newFixture()
		d.Live.BaseURL = "http://h"
		known, said, stated, logos := map[market.ID]*market.Instrument{}, map[market.ID]string{}, map[market.ID]string{},
			map[market.LogoOwner]string{}
		for step := range rapid.IntRange(1, 12).Draw(t, "steps") {
			id, founder := rapid.SampledFrom(ids).Draw(t, "id"), rapid.SampledFrom(founders).Draw(t, "founder")
			before := d.ByID(id)
			var copied market.Instrument
			if before != nil {
				copied = *before
			}
			switch rapid.IntRange(0, 3).Draw(t, "what") {
			case 0:
				in := record(id)
				if delete(stated, id); founder != "" {
					in.Founder, stated[id] = &founder, founder
				}
				known[id] = in
				d.Live.PutCatalog([]*market.Instrument{in}, nil)
			case 1:
				if id.Market() != market.Fund {
					continue
				}
				said[id] = founder
				if known[id] == nil {
					known[id] = record(id)
				}
				d.Live.PutFunds(fundsOf(said))
			case 2:
				if id.Market() == market.Fund {
					continue
				}
				logos[ofInstrument(id)] = fmt.Sprint(step)
				d.Live.PutLogos([]*market.LogoTag{{LogoOwner: ofInstrument(id), ETag: fmt.Sprint(step)}})
			case 3:
				if founder == "" {
					continue
				}
				logos[ofFounder(founder)] = fmt.Sprint(step)
				d.Live.PutLogos([]*market.LogoTag{{LogoOwner: ofFounder(founder), ETag: fmt.Sprint(step)}})
			}
			if before != nil && *before != copied {
				t.Fatalf("%s was changed under whoever held it", id)
			}
		}
		for id, in := range known {
			owner := ofInstrument(id)
			if id.Market() == market.Fund {
				owner = ofFounder(said[id])
				if stated[id] != "" {
					owner.Founder = stated[id]
				}
			}
			want := map[market.ID]string{"bist:A": "http://h/v1/logos/bist:A", "index:^GSPC": "http://h/v1/logos/index:%5EGSPC",
				"fund:F": "http://h/v1/logos/fund:F", "fund:G": "http://h/v1/logos/fund:G"}[id]
			etag, exists := logos[owner]
			shown := d.ByID(id).LogoURL
			logo, err := d.Logo(calls.Anyone(), string(id))
			switch {
			case !exists && (shown != nil || err == nil):
				t.Errorf("%s without a logo: %v, %v", id, shown, logo)
			case exists && (shown == nil || *shown != want || err != nil || logo.URL != want || logo.ETag != `"`+etag+`"`):
				t.Errorf("%s with a logo: %v, %v, %v", id, shown, logo, err)
			}
			if in.LogoURL != nil {
				t.Errorf("the record of %s was changed", id)
			}
		}
	})
}

// Sectors show their members' logos, too: they come from the same catalog.
func TestLogosKeepSectorsAndQuotes(t *testing.T) {
	d := filled()
	d.Live.PutSectors([]*market.Sector{{Code: "otomotiv", Name: "Otomotiv", Members: []market.ID{"bist:DMOST"}}})
	d.Live.PutLogos([]*market.LogoTag{{LogoOwner: ofInstrument("bist:DMOST"), ETag: "e"}})
	group, err := d.Live.Snapshot().Sector("otomotiv")
	if err != nil || len(group.Members(market.EquityBIST)) != 1 || group.Members(market.EquityBIST)[0].LogoURL == nil {
		t.Errorf("%v, %v", group, err)
	}
	if q, err := d.Quote(calls.Anyone(), "bist:DMOST", nil); err != nil || q.Last.String() != "305.25" {
		t.Errorf("%v, %v", q, err)
	}
	before := d.Live.Snapshot()
	d.Live.PutLogos(nil)
	if d.Live.Snapshot() != before {
		t.Error("nothing new, and a new picture")
	}
}
