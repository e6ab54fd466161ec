package market_test

import (
	"slices"
	"testing"

	"piyasa/domain/market"
)

// What people type finds what they mean, the closest first.
func TestRankedSearch(t *testing.T) {
	d := filled()
	isin := "TRATHYAO91M5"
	thy := record("bist:THYAO", named("TÜRK HAVA YOLLARI A.O."))
	thy.ISIN = &isin
	d.Live.PutCatalog([]*market.Instrument{
		thy, record("bist:THYAX", named("Hava Servisi")), record("bist:SISE", named("TÜRKİYE ŞİŞE VE CAM FABRİKALARI")),
		record("bist:ISCTR", named("Türkiye İş Bankası")), record("us:SISE", named("Sise")), record("index:SP500", named("S&P 500")),
		record("fx:USDTRY", named("Dolar/TL")), record("crypto:3", named("Şişecoin"), coin("SISE", "sise-coin")),
	}, nil)
	for _, c := range []struct {
		search string
		want   []string
	}{
		{"usd/try", []string{"fx:USDTRY"}},
		{"USD-TRY", []string{"fx:USDTRY"}},
		{"THYAO.IS", []string{"bist:THYAO"}},
		{"$thyao", []string{"bist:THYAO"}},
		{"turkish airlines", []string{"bist:THYAO"}},
		{"yolları hava", []string{"bist:THYAO"}},
		{"thya", []string{"bist:THYAO", "bist:THYAX"}},
		{"sp500", []string{"index:SP500", "index:SPX"}},
		{"s&p 500", []string{"index:SP500", "index:SPX"}},
		{"TRATHYAO91M5", []string{"bist:THYAO"}},
		{"şişe", []string{"bist:SISE", "crypto:3", "us:SISE"}},
		{"us: sise", []string{"us:SISE"}},
		{"iş bank", []string{"bist:ISCTR"}},
		{"hava xyz", nil},
		{"\x00", nil},
		{"\xff", nil},
	} {
		if got := listed(t, d, market.InstrumentFilter{Search: &c.search, Ranked: true}, nil); !slices.Equal(got, c.want) {
			t.Errorf("%q: %v, want %v", c.search, got, c.want)
		}
	}
	bist := market.BIST
	of := market.InstrumentFilter{Search: new("sise"), Ranked: true, Market: &bist}
	if got := listed(t, d, of, new(1)); !slices.Equal(got, []string{"bist:SISE"}) {
		t.Errorf("of a market: %v", got)
	}
}

// A search is of any text, and every instrument that it finds is in the catalog once.
func FuzzRankedSearch(f *testing.F) {
	for _, text := range []string{"usd/try", "bist: x", "S&P 500", "a\x00b", "$#\"", "İŞ"} {
		f.Add(text)
	}
	d := filled()
	f.Fuzz(func(t *testing.T, text string) {
		got := listed(t, d, market.InstrumentFilter{Search: &text, Ranked: true}, new(5000))
		if slices.Sort(got); len(slices.Compact(got)) != len(got) {
			t.Errorf("%q finds one twice: %v", text, got)
		}
	})
}
