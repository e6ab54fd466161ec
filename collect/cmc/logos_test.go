package cmc_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"piyasa/collect"
	"piyasa/collect/cmc"
	"piyasa/collect/collecttest"
	"piyasa/collect/standin"
	"piyasa/domain/market"
	"piyasa/test/fixture/need"
)

// gallery collects coins and their logos.
type gallery struct {
	*testing.T
	*collect.Collector
	store    *collecttest.Store
	asked    map[string]int // of the host of the logos
	since    []string       // those asked for with If-Modified-Since
	warnings []string
}

// newGallery returns a collector of twelve coins, whose logos a handler has; nil: their host is away.
func newGallery(t *testing.T, settings string, images http.Handler) *gallery {
	t.Helper()
	t.Setenv("CMC_KEY", standin.CMCKey)
	config, err := collect.Read([]byte(`{"sources": {"coins": {"connector": "cmc", "key": {"env": "CMC_KEY"}, "top": 12, `+settings+
		`"base": "http://api.example/", "second_base": "http://images.example/"}}}`), collect.Makers{"cmc": cmc.New})
	need.NoError(t, err)
	g := &gallery{T: t, store: collecttest.NewStore(), asked: map[string]int{}}
	g.store.Refuse = func(l collecttest.Line) string {
		var logo market.PNG
		if l.Kind != "logo" {
			return ""
		}
		if err := logo.UnmarshalText([]byte(l.Get("png"))); err != nil {
			return err.Error()
		}
		return ""
	}
	hosts := map[string]http.Handler{"api.example": standin.CMC(time.Now)}
	if images != nil {
		hosts["images.example"] = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			g.asked[strings.TrimPrefix(r.URL.Path, "/static/img/coins/128x128/")]++
			if r.Header.Get("If-Modified-Since") != "" {
				g.since = append(g.since, r.URL.Path)
			}
			images.ServeHTTP(w, r)
		})
	}
	g.Collector = &collect.Collector{
		Config: config, Store: g.store, Emit: g.store.Emit, Holder: "one", Agent: "piyasa/test", Now: time.Now,
		Transport: collecttest.NewNetwork(t, hosts),
	}
	return g
}

// run collects for a while. Prices come at each time of the schedule.
func (g *gallery) run(long time.Duration) {
	g.Helper()
	every := g.Config.Sources[0].Own.Schedule.Every
	for end := time.Now().Add(long); time.Now().Before(end); time.Sleep(time.Until(time.Now().Truncate(every).Add(every))) {
		due := time.Now()
		o := g.Once(g.Context())[0]
		l, ok := g.store.Quote("crypto:1")
		if o.Err != nil || o.Idle || !ok || l.At.Sub(due) > 3*time.Second {
			g.Fatalf("%s: %+v, %v", due, o, l)
		}
		if o.Warning != nil {
			g.warnings = append(g.warnings, o.Warning.Error())
		}
	}
}

// logos returns what is stored, by the id of the coin.
func (g *gallery) logos() map[string][]string {
	all := map[string][]string{}
	for _, l := range g.store.Lines() {
		if l.Kind == "logo" {
			all[l.Get("instrument_id")] = append(all[l.Get("instrument_id")], l.Get("png"))
		}
	}
	return all
}

// Each logo comes once, and what is wrong with one is reported once with the number of the coin;
// neither stands in the way of prices.
func TestLogos(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(noon.Truncate(time.Hour)))
		g := newGallery(t, `"schedule": {"every": "15m"}, `, standin.CMC(time.Now))
		g.run(8 * time.Hour)
		stored := g.logos()
		for id := 1; id <= 12; id++ {
			var want []string
			if logo, _ := standin.CMCLogo(id, time.Now()); logo != nil {
				want = []string{base64.StdEncoding.EncodeToString(logo)}
			}
			if got := stored[fmt.Sprint("crypto:", id)]; fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("coin %d: %d logos, want %d", id, len(got), len(want))
			}
			if asked := g.asked[fmt.Sprint(id, ".png")]; asked != 1 {
				t.Errorf("the logo of coin %d is asked for %d times", id, asked)
			}
		}
		told := strings.Join(g.warnings, "\n")
		for _, says := range []string{
			"the logo of coin 3 (ornek-3): there is none (status 404)", "the logo of coin 4 (ornek-4): the answer is a page instead of PNG",
			"the logo of coin 6 (ornek-6): the answer is larger than 1048576 bytes", "the logo of coin 7 (ornek-7): the answer is not PNG",
			"the logo of coin 9 (ornek-9): the answer is a PNG without its end",
		} {
			if n := strings.Count(told, says); n != 1 {
				t.Errorf("%q is told %d times: %s", says, n, told)
			}
		}
		if all := g.store.All(); strings.Contains(all, `"up":false`) || strings.Contains(all, standin.CMCKey) || len(g.since) > 0 {
			t.Errorf("%v", g.since)
		}
	})
}

// After a month a logo is asked for again, and comes again only if it is another one.
func TestLogosThatChange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(noon.Truncate(24 * time.Hour)))
		g := newGallery(t, `"schedule": {"every": "24h"}, `, standin.CMC(time.Now))
		g.run(40 * 24 * time.Hour)
		stored := g.logos()
		if len(stored["crypto:1"]) != 1 || len(stored["crypto:5"]) != 2 || stored["crypto:5"][0] == stored["crypto:5"][1] {
			t.Errorf("%d, %d", len(stored["crypto:1"]), len(stored["crypto:5"]))
		}
		for path, want := range map[string]int{"1.png": 2, "3.png": 2, "5.png": 2, "6.png": 2, "12.png": 2} {
			if g.asked[path] != want {
				t.Errorf("%s is asked for %d times", path, g.asked[path])
			}
		}
		if since := strings.Join(g.since, " "); !strings.Contains(since, "/1.png") || !strings.Contains(since, "/5.png") ||
			strings.Contains(since, "/3.png") || strings.Contains(since, "/6.png") {
			t.Errorf("conditional: %s", since)
		}
	})
}

// When the host of the logos is away, or refuses everything, it is asked once an hour.
func TestHostOfLogosThatIsAway(t *testing.T) {
	for name, c := range map[string]struct {
		images http.Handler
		says   string
	}{
		"away": {nil, "the upstream cannot be reached"},
		"refusing": {http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) }),
			"the upstream refused (status 403)"},
		"hanging": {http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }), "context deadline exceeded"},
		"a page":  {http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html>No.") }), "a page instead"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				time.Sleep(time.Until(noon.Truncate(time.Hour)))
				g := newGallery(t, `"schedule": {"every": "20m"}, `, c.images)
				g.run(6 * time.Hour)
				if n := len(g.warnings); n < 4 || n > 6 || !strings.Contains(g.warnings[0], "the logo of coin 1 (ornek-1): ") ||
					!strings.Contains(g.warnings[0], c.says) {
					t.Errorf("%d warnings: %v", n, g.warnings)
				}
				if strings.Contains(g.store.All(), `"up":false`) || len(g.logos()) > 0 {
					t.Errorf("%s", g.store.All())
				}
			})
		})
	}
}

func TestWhenLogosAreAskedFor(t *testing.T) {
	if p := source(t, `"top": 3`).Plan(); p.Second != "https://s2.coinmarketcap.com/" || p.Base == p.Second {
		t.Errorf("%+v", p)
	}
	today := noon.Unix() / 86400
	for name, c := range map[string]struct {
		settings, kept, path, since string
	}{
		"a state of an older version": {"", `{"coins": {"2": {"slug": "b"}, "1": {"slug": "a"}}}`, "1.png", ""},
		"nothing is known":            {"", ``, "", ""},
		"they are not wanted":         {`, "logos": false`, `{"coins": {"1": {"slug": "a"}}}`, "", ""},
		"new ones first": {"", fmt.Sprintf(`{"coins": {"1": {"slug": "a", "logo": %d}, "2": {"slug": "b"}}}`, today),
			"2.png", ""},
		"not due": {"", fmt.Sprintf(`{"coins": {"1": {"slug": "a", "logo": %d}}}`, today+1), "", ""},
		"due": {"", fmt.Sprintf(`{"coins": {"1": {"slug": "a", "logo": %d}}}`, today), "1.png",
			"Fri, 02 May 2031 00:00:00 GMT"},
		"due, and there was none":  {"", fmt.Sprintf(`{"coins": {"1": {"slug": "a", "logo": %d, "bare": true}}}`, today), "1.png", ""},
		"of a clock that was fast": {"", fmt.Sprintf(`{"coins": {"1": {"slug": "a", "logo": %d, "bare": true}}}`, today+31), "1.png", ""},
		"a pause":                  {"", `{"pause": "2031-06-02T12:30:00Z", "coins": {"1": {"slug": "a"}}}`, "", ""},
		"a pause that is over":     {"", `{"pause": "2031-06-02T12:00:30Z", "coins": {"1": {"slug": "a"}}}`, "1.png", ""},
		"a pause of such a clock":  {"", `{"pause": "2031-06-03T12:30:00Z", "coins": {"1": {"slug": "a"}}}`, "1.png", ""},
	} {
		asked, err := source(t, `"top": 3`+c.settings).(collect.Extras).Extra(json.RawMessage(c.kept), noon)
		if err != nil || (asked == nil) != (c.path == "") {
			t.Errorf("%s: %+v, %v", name, asked, err)
			continue
		}
		if asked != nil && (asked.Path != "static/img/coins/128x128/"+c.path || asked.Header.Get("If-Modified-Since") != c.since ||
			len(asked.Header) > 1 || !asked.Second) {
			t.Errorf("%s: %+v", name, asked)
		}
	}
}

// What is known of a logo that failed is forgotten: it is asked for whole.
func TestLogoAfterAFailure(t *testing.T) {
	s := source(t, `"top": 3`)
	kept := json.RawMessage(fmt.Sprintf(`{"coins": {"1": {"slug": "a", "logo": %d}}}`, noon.Unix()/86400))
	for i, c := range []struct {
		answer      collect.Answer
		conditional bool
	}{
		{collect.Answer{Status: 304}, true},
		{collect.Answer{Status: 404}, true},
		{collect.Answer{Status: 200, Body: []byte("\x89PNG")}, false},
		{collect.Answer{Trouble: &collect.Trouble{What: "away"}}, true},
		{collect.Answer{Status: 304}, false},
		{collect.Answer{Status: 200, Body: []byte("\x89PNG")}, false},
		{collect.Answer{Status: 304}, true},
	} {
		now := noon.AddDate(0, 0, 40*i)
		asked, err := s.(collect.Extras).Extra(kept, now)
		if err != nil || asked == nil || (asked.Header.Get("If-Modified-Since") != "") != c.conditional {
			t.Fatalf("%d: %+v, %v", i, asked, err)
		}
		c.answer.At = now
		r, err := s.Parse(kept, asked, &c.answer)
		if err != nil || (len(r.Records) == 1) != (c.answer.Status == 200) ||
			(r.Warning != "") != (c.answer.Status == 404 || c.answer.Trouble != nil) {
			t.Fatalf("%d: %+v, %v", i, r, err)
		}
		kept = r.Keep
	}
}
