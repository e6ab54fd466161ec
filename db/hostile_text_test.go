package db_test

import (
	"strings"
	"testing"

	"piyasa/db"
	"piyasa/db/dbtest"
	"piyasa/domain/kap"
	"piyasa/domain/market"
	"piyasa/domain/news"
	"piyasa/internal/value"
)

// eachAndHostile is dbtest.Each, and a Postgres whose settings mean harm.
func eachAndHostile(t *testing.T, f func(t *testing.T, url string)) {
	dbtest.Each(t, f)
	t.Run("hostile postgres", func(t *testing.T) { f(t, dbtest.HostileURL(t)) })
}

// hostileTexts would end the text of a statement if anything let them.
var hostileTexts = []string{
	`'`, `''`, `\`, `\\`, `\'`, `\' OR 1=1--`, `\') OR 1=1-- `, `' OR '1'='1`, `'/*`, `*/`, `--`, `;DROP TABLE disclosures`, `"`, `$$`,
	`$1`, `?`, `?0`, `%`, `_`, `%%%`,
	`\x27`, `\047`, `\u0027`, "\n", "\t", "a\\\nb", "İı\u2028", "\u00bf\u005c'", strings.Repeat(`\'`, 5000),
}

// Text is stored and found again as it is, whatever the settings of the
// database make of it, and nothing else is found with it.
func TestTextIsOnlyText(t *testing.T) {
	eachAndHostile(t, func(t *testing.T, url string) {
		s := open(t, url)
		all := append([]string{"ODA"}, hostileTexts...)
		for i, text := range all {
			r := disclosure(i+1, "2026-03-18T12:00:00Z", "A1")
			r.Class, r.Subject = text, &kap.Localized{TR: &text}
			putDisclosures(t, s, false, r)
		}
		for i, text := range all {
			found, err := s.Disclosures(t.Context(), kap.Query{Class: &text, Limit: 100})
			if err != nil || len(found) != 1 || found[0].DisclosureIndex != i+1 || *found[0].Subject.TR != text {
				t.Errorf("%.40q: %d found, %v", text, len(found), err)
			}
		}
	})
}

// Text that no row can hold is found nowhere, on any path to the store.
func TestTextThatCannotBeStored(t *testing.T) {
	eachAndHostile(t, func(t *testing.T, url string) {
		s := open(t, url)
		plain := disclosure(1, "2026-03-18T12:00:00Z", "A1")
		strange := disclosure(2, "2026-03-18T12:00:00Z", "\ufffd")
		strange.Class, strange.CompanyID = "\ufffd", new("\ufffd") // what bad UTF-8 becomes when it is mended
		putDisclosures(t, s, false, plain, strange)
		for _, text := range []string{"\x00", "A1\x00", "\x00A1", "\xff", "\xc3", "\xed\xa0\x80", "a\x00' OR 1=1--"} {
			for what, q := range map[string]kap.Query{"class": {Class: &text}, "company": {CompanyID: &text}, "code": {Of: reach(text)},
				"another company": {Of: &kap.Reach{Origins: []kap.Origin{{CompanyID: text}}}}} {
				q.Limit = 10
				if found, err := s.Disclosures(t.Context(), q); err != nil || len(found) > 0 {
					t.Errorf("%s %q: %d found, %v", what, text, len(found), err)
				}
			}
			if found, err := s.Disclosures(t.Context(), kap.Query{Of: reach(text, "A1"), Limit: 10}); err != nil || len(found) != 1 {
				t.Errorf("%q and A1: %d found, %v", text, len(found), err)
			}
			if found, err := s.News(t.Context(), news.Query{Of: reach(text), Limit: 10}); err != nil || len(found) > 0 {
				t.Errorf("news of %q: %d found, %v", text, len(found), err)
			}
			if item, err := s.NewsItems(t.Context(), []string{text}); err != nil || len(item) > 0 {
				t.Errorf("news item %q: %v, %v", text, item, err)
			}
			if image, err := s.Logo(t.Context(), market.LogoOwner{InstrumentID: market.ID(text)}); err != nil || image != nil {
				t.Errorf("logo of %q: %v, %v", text, image, err)
			}
			if flows, err := s.Flows(t.Context(), text, value.MustDate("2020-01-01"), value.MustDate("2030-01-01")); err != nil ||
				len(flows) > 0 {
				t.Errorf("flows of %q: %v, %v", text, flows, err)
			}
		}
	})
}

// Numbers, times, nulls in arrays and bytes come back from a database whose
// settings spell them in another way.
func TestHostileSettings(t *testing.T) {
	s := open(t, dbtest.HostileURL(t))
	bars := []*market.Bar{
		{InstrumentID: "bist:A", Resolution: market.Day, T: value.MustInstant("2026-03-12T21:00:00Z"), Close: value.MustDecimal("1.50")},
		{InstrumentID: "bist:A", Resolution: market.Day, T: value.MustInstant("2026-04-05T21:00:00Z"), Open: value.MustDecimal("2"),
			TradeCount: new(7)},
	}
	put(t, s, bars[0], bars[1])
	read := must[[][]*market.Bar](t)(barsIn(s.Bars(t.Context(), market.Day,
		[]market.Span{{ID: "bist:A", First: bars[0].T, Last: bars[1].T}})))
	same(t, "bars", read[0], bars)
	put(t, s, price("bist:A", "2026-03-18T12:00:00.123Z", "1"))
	same(t, "quotes", quotesAfter(t, s, 0), []*market.Observation{price("bist:A", "2026-03-18T12:00:00.123Z", "1")})
	logo := &market.LogoRecord{LogoOwner: market.LogoOwner{InstrumentID: "bist:A"}, PNG: []byte(`\x00'\\` + "\x00\xff")}
	put(t, s, logo)
	if image := must[*market.LogoImage](t)(s.Logo(t.Context(), logo.LogoOwner)); string(image.PNG) != string(logo.PNG) {
		t.Errorf("the logo is %q", image.PNG)
	}
}

// A pooler that does not pass on what a connection is started with is noticed
// before anything is asked.
func TestDroppedParameters(t *testing.T) {
	for _, parameter := range []string{"standard_conforming_strings", "client_encoding", "DateStyle", "TimeZone"} {
		proxy := dbtest.NewProxy(t, dbtest.HostileURL(t), parameter)
		s, err := db.Open(t.Context(), proxy.URL)
		if err == nil {
			_ = s.Close()
		}
		if err == nil || !strings.Contains(err.Error(), parameter) || db.NotThereYet(err) {
			t.Errorf("without %s: %v", parameter, err)
		}
	}
}
