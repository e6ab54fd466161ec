package rest_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"piyasa/account/access"
	"piyasa/domain/market"
	"piyasa/services"
	"piyasa/test/fixture"
	"piyasa/test/fixture/calls"
	"strings"
	"testing"
)

// gallery is an api with logos: of a stock, a coin and a founder.
type gallery struct {
	*fixture.Server
	images map[market.LogoOwner]*market.LogoImage
	reads  int
	away   func() // what happens instead of a read; may be nil
}

// Logo implements market.LogoStore.
func (g *gallery) Logo(_ context.Context, owner market.LogoOwner) (*market.LogoImage, error) {
	g.reads++
	if g.away != nil {
		g.away()
		return nil, errors.New("no disk")
	}
	return g.images[owner], nil
}

// photographed is a store whose logos are those of a gallery.
type photographed struct {
	services.Store
	*gallery
}

// Logo implements market.LogoStore.
func (p photographed) Logo(ctx context.Context, owner market.LogoOwner) (*market.LogoImage, error) {
	return p.gallery.Logo(ctx, owner)
}

func newGallery(t testing.TB) *gallery {
	t.Helper()
	g := &gallery{images: map[market.LogoOwner]*market.LogoImage{}}
	g.Server = fixture.New(t, func(s *fixture.Setup) {
		s.Wrap = func(store services.Store) services.Store { return photographed{store, g} }
	})
	g.Services.Market.Live.PutCatalog([]*market.Instrument{
		{InstrumentID: "fund:DMF", Symbol: "DMF", Name: "Demo Fon", Market: market.Fund, AssetType: market.FundUnit, Currency: "TRY",
			Founder: new("Demo Portföy")},
		{InstrumentID: "fund:DMX", Symbol: "DMX", Name: "Başka Fon", Market: market.Fund, AssetType: market.FundUnit, Currency: "TRY",
			Founder: new("Başka Portföy")},
	}, nil)
	stock := make([]byte, 5000)
	for i := range stock {
		stock[i] = byte(rand.IntN(4)) // worth packing, if anybody did
	}
	g.put(market.LogoOwner{InstrumentID: "bist:DMOST"}, stock)
	g.put(market.LogoOwner{InstrumentID: "crypto:1"}, []byte("coin"))
	g.put(market.LogoOwner{Founder: "Demo Portföy"}, []byte("founder"))
	return g
}

func (g *gallery) put(owner market.LogoOwner, png market.PNG) {
	g.images[owner] = &market.LogoImage{ETag: png.ETag(), PNG: png}
	g.Services.Market.Live.PutLogos([]*market.LogoTag{{LogoOwner: owner, ETag: png.ETag()}})
}

const logoCaching = "public, max-age=86400"

// LG-01, LG-02, LG-03: the very bytes, packed for nobody.
func TestLogos(t *testing.T) {
	g := newGallery(t)
	for id, owner := range map[string]market.LogoOwner{
		"bist:DMOST": {InstrumentID: "bist:DMOST"}, "bist:dmost": {InstrumentID: "bist:DMOST"},
		"bist%3ADMOST": {InstrumentID: "bist:DMOST"},
		"crypto:1":     {InstrumentID: "crypto:1"}, "crypto:btc": {InstrumentID: "crypto:1"}, "fund:DMF": {Founder: "Demo Portföy"},
	} {
		image := g.images[owner]
		for _, encoding := range []string{"", "gzip", "gzip, zstd"} {
			res := g.Send("GET", "/v1/logos/"+id, fixture.All, "", "Accept-Encoding", encoding, "Accept", "image/avif,image/webp,*/*")
			if res.StatusCode != 200 || res.Text != string(image.PNG) {
				t.Fatalf("%s, %q: %d, %d bytes", id, encoding, res.StatusCode, len(res.Text))
			}
			for name, want := range map[string]string{
				"Content-Type": "image/png", "ETag": `"` + image.ETag + `"`, "Cache-Control": logoCaching, "X-Usage-Units": "1",
				"Content-Length": fmt.Sprint(len(image.PNG)), "Content-Encoding": "", "No-Gzip-Compression": "",
				"X-Content-Type-Options": "nosniff",
			} {
				if got := res.Header.Get(name); got != want {
					t.Errorf("%s, %q: %s is %q, want %q", id, encoding, name, got, want)
				}
			}
		}
	}
}

// LG-04, LG-05, G-60, G-19: who has the present version gets no bytes, and
// nobody reads them.
func TestConditionalLogos(t *testing.T) {
	g := newGallery(t)
	etag := g.Get("/v1/logos/bist:DMOST", fixture.All).Header.Get("ETag")
	for _, c := range []struct {
		header string
		status int
	}{
		{etag, 304},
		{"W/" + etag, 304},
		{`"x", ` + etag, 304},
		{`"x",W/"y",` + etag + `,"z"`, 304},
		{`"a,b", "", ` + etag, 304},
		{"*", 304},
		{" * ", 304},
		{`"x"`, 200},
		{`W/"x"`, 200},
		{strings.Trim(etag, `"`), 200},
		{`"` + etag, 200},
		{strings.TrimSuffix(etag, `"`), 200},
		{strings.ToUpper(etag), 200},
		{`"x" *`, 200},
		{"", 200},
		{",", 200},
	} {
		for _, method := range []string{"GET", "HEAD"} {
			before := g.reads
			res := g.Send(method, "/v1/logos/bist:DMOST", fixture.All, "", "If-None-Match", c.header)
			if res.StatusCode != c.status || res.Header.Get("ETag") != etag || res.Header.Get("Cache-Control") != logoCaching ||
				res.Header.Get("X-Usage-Units") != "1" {
				t.Errorf("%s %q: %d %v", method, c.header, res.StatusCode, res.Header)
			}
			if c.status == 304 && (res.Text != "" || g.reads != before || res.Header.Get("Content-Length") != "" ||
				res.Header.Get("Content-Type") != "") {
				t.Errorf("%s %q: a body: %q %v, %d reads", method, c.header, res.Text, res.Header, g.reads-before)
			}
		}
	}
	r := httptest.NewRequestWithContext(t.Context(), "GET", "/v1/logos/bist:DMOST", nil)
	r.Header = http.Header{"X-Api-Key": {fixture.All}, "If-None-Match": {`"x"`, etag}}
	w := httptest.NewRecorder()
	if g.ServeHTTP(w, r); w.Code != 304 {
		t.Errorf("two headers: %d", w.Code)
	}
}

// A new image has a new version at once; the ETag of an answer is that of its
// bytes even when this server has not heard of them yet.
func TestLogosThatChange(t *testing.T) {
	g, owner := newGallery(t), market.LogoOwner{InstrumentID: "crypto:1"}
	old := g.Get("/v1/logos/crypto:1", fixture.All).Header.Get("ETag")
	newer := market.PNG("newer")
	g.images[owner] = &market.LogoImage{ETag: newer.ETag(), PNG: newer}
	if res := g.Get("/v1/logos/crypto:1", fixture.All); res.Text != "newer" || res.Header.Get("ETag") != `"`+newer.ETag()+`"` {
		t.Errorf("%s as %s", res.Text, res.Header.Get("ETag"))
	}
	g.put(owner, newer)
	if res := g.Send("GET", "/v1/logos/crypto:1", fixture.All, "", "If-None-Match", old); res.StatusCode != 200 {
		t.Errorf("the old version: %d", res.StatusCode)
	}
	if res := g.Send("GET", "/v1/logos/crypto:1", fixture.All, "", "If-None-Match", `"`+newer.ETag()+`"`); res.StatusCode != 304 {
		t.Errorf("the new version: %d", res.StatusCode)
	}
}

// LG-06, LG-07, LG-09: problems, which nobody keeps.
func TestLogosThatAreNotThere(t *testing.T) {
	g := newGallery(t)
	g.Keys(fixture.Key(fixture.All, access.Scopes...), fixture.Key("no-logos", calls.Without(access.AssetsLogos)...),
		fixture.Key("logos", access.AssetsLogos))
	for _, c := range []struct {
		id, key string
		status  int
		kind    string
	}{
		{"bist:DMALTF", fixture.All, 404, "not-found"},
		{"bist:DMALT", fixture.All, 404, "not-found"},
		{"fund:DMX", fixture.All, 404, "not-found"},
		{"fund:DMA", fixture.All, 404, "not-found"},
		{"bist:NOPE", fixture.All, 404, "not-found"},
		{"foo:BAR", fixture.All, 404, "not-found"},
		{"crypto:ONE", fixture.All, 400, "ambiguous-ticker"},
		{"bist:DMOST", "no-logos", 403, "missing-scope"},
		{"bist:NOPE", "no-logos", 403, "missing-scope"},
		{"bist:DMOST", "", 401, "unauthenticated"},
	} {
		res := g.Send("GET", "/v1/logos/"+c.id, c.key, "", "If-None-Match", "*")
		res.WantProblem(t, c.status, c.kind)
		if res.Header.Get("Cache-Control") != "private, no-store" || res.Header.Get("ETag") != "" {
			t.Errorf("%s: %v", c.id, res.Header)
		}
		if units := res.Header.Get("X-Usage-Units"); c.status != 401 && units != "0" {
			t.Errorf("%s costs %s", c.id, units)
		}
	}
	twice := "?api_key=" + fixture.All + "&api_key=" + fixture.All
	g.Get("/v1/logos/bist:DMOST"+twice, "").WantProblem(t, 400, "repeated-parameter")
	g.Get("/v1/logos/bist:NOPE"+twice, fixture.All).WantProblem(t, 400, "repeated-parameter")
	if res := g.Get("/v1/logos/bist:DMOST", "logos"); res.StatusCode != 200 {
		t.Errorf("with nothing but the scope: %d", res.StatusCode)
	}
	g.away = func() {}
	res := g.Get("/v1/logos/bist:DMOST", fixture.All)
	res.WantProblem(t, 500, "internal")
	if res.Header.Get("ETag") != "" || res.Header.Get("X-Usage-Units") != "0" || strings.Contains(res.Text, "no disk") {
		t.Errorf("%v %s", res.Header, res.Text)
	}
}

// LG-10: GraphQL says what REST serves, and records say it, too.
func TestLogoTwins(t *testing.T) {
	g := newGallery(t)
	for id, logo := range map[string]bool{"bist:DMOST": true, "crypto:1": true, "fund:DMF": true, "bist:DMALTF": false, "fund:DMX": false} {
		fields := "{ instrumentId url etag contentType }"
		edge := g.Query(`{ instrument(id: "`+id+`") { logoUrl logo `+fields+` } }`, fixture.All)
		in := edge.JSON["data"].(map[string]any)["instrument"].(map[string]any)
		record := g.Get("/v1/instruments/"+id, fixture.All).JSON
		if !logo {
			if in["logo"] != nil || in["logoUrl"] != nil || record["logo_url"] != nil || edge.JSON["errors"] != nil {
				t.Errorf("%s: %s, %v", id, edge.Text, record)
			}
			if _, there := record["logo_url"]; !there {
				t.Errorf("%s: logo_url is left out", id)
			}
			continue
		}
		res := g.Get("/v1/logos/"+id, fixture.All)
		root := g.Query(`{ logo(id: "`+id+`") `+fields+` }`, fixture.All)
		got := root.JSON["data"].(map[string]any)["logo"]
		want := map[string]any{"instrumentId": id, "url": fixture.BaseURL + "/v1/logos/" + id, "etag": res.Header.Get("ETag"),
			"contentType": res.Header.Get("Content-Type")}
		if !maps.Equal(got.(map[string]any), want) || !maps.Equal(in["logo"].(map[string]any), want) {
			t.Errorf("%s: %s, %s, want %v", id, root.Text, edge.Text, want)
		}
		if in["logoUrl"] != want["url"] || record["logo_url"] != want["url"] {
			t.Errorf("%s: %v, %v", id, in["logoUrl"], record["logo_url"])
		}
		if units := fmt.Sprint(root.JSON["extensions"].(map[string]any)["usage_units"]); units != res.Header.Get("X-Usage-Units") {
			t.Errorf("%s costs %s", id, units)
		}
	}
	// Two for the instruments and one for the only logo.
	watched := g.Query(`{ a: instrument(id: "bist:DMOST") { logo { url } } b: instrument(id: "fund:DMX") { logo { url } } }`, fixture.All)
	if units := fmt.Sprint(watched.JSON["extensions"].(map[string]any)["usage_units"]); units != "3" {
		t.Errorf("costs %s: %s", units, watched.Text)
	}
	g.Keys(fixture.Key("no-logos", calls.Without(access.AssetsLogos)...))
	for _, document := range []string{`{ logo(id: "bist:DMOST") { url } }`, `{ instrument(id: "bist:DMOST") { name logo { url } } }`} {
		if res := g.Query(document, "no-logos"); !strings.Contains(res.Text, `"missing_scopes":["assets:logos"]`) {
			t.Errorf("%s: %s", document, res.Text)
		}
	}
}

// The description says that it is an image, how it is kept, and both ways to
// send the key.
func TestLogosAreDescribed(t *testing.T) {
	doc := fixture.New(t).Get("/openapi.json", "").JSON
	at := func(from any, steps ...string) any {
		for _, step := range steps {
			from = from.(map[string]any)[step]
		}
		return from
	}
	get := at(map[string]any(doc), "paths", "/v1/logos/{id}", "get")
	if content := at(get, "responses", "200", "content").(map[string]any); len(content) != 1 || content["image/png"] == nil {
		t.Errorf("content %v", content)
	}
	for _, status := range []string{"200", "304"} {
		if headers := at(get, "responses", status, "headers").(map[string]any); headers["ETag"] == nil || headers["Cache-Control"] == nil {
			t.Errorf("%s: headers %v", status, headers)
		}
	}
	if content := at(get, "responses", "304").(map[string]any)["content"]; content != nil {
		t.Errorf("a 304 with content: %v", content)
	}
	if ways := fmt.Sprint(at(get, "security")); ways != "[map[key:[]] map[keyInQuery:[]]]" {
		t.Errorf("security %s", ways)
	}
	if scheme := at(map[string]any(doc), "components", "securitySchemes", "keyInQuery").(map[string]any); scheme["in"] != "query" ||
		scheme["name"] != "api_key" || scheme["type"] != "apiKey" {
		t.Errorf("scheme %v", scheme)
	}
	for path, item := range at(map[string]any(doc), "paths").(map[string]any) {
		get, ok := item.(map[string]any)["get"]
		if !ok {
			continue
		}
		if ways := fmt.Sprint(at(get, "security")); path != "/v1/logos/{id}" && strings.Contains(ways, "keyInQuery") {
			t.Errorf("%s: security %s", path, ways)
		}
	}
}
