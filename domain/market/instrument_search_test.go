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
		record("bist:GARAN", named("TÜRKİYE GARANTİ BANKASI A.Ş.")), record("bist:GARFA", named("GARANTİ FAKTORİNG A.Ş.")),
		record("fund:GA1", named("GARANTİ PORTFÖY ALTIN FONU")), record("fund:AKE", named("AK PORTFÖY (AMERİKAN DOLARI) FONU")),
		record("fx:USDJPY", named("US Dollar / Japanese Yen")), record("bist:YENID", named("YENİLENEBİLİR ENERJİ")),
		record("bist:KOZAL", named("KOZA ALTIN İŞLETMELERİ A.Ş.")), record("cmdty:GC", named("Gold")),
		record("cmdty:XAG", named("Gümüş")), record("crypto:25", named("GoldCoin"), coin("GLC", "goldcoin")),
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
		{"garanti", []string{"bist:GARAN", "bist:GARFA", "fund:GA1"}},
		{"dolar", []string{"fx:USDTRY", "fx:EURUSD", "fx:USDJPY", "fx:USDMYR", "fund:AKE"}},
		{"Dollar", []string{"fx:USDTRY", "fx:EURUSD", "fx:USDJPY", "fx:USDMYR"}},
		{"dolar tl", []string{"fx:USDTRY"}},
		{"yen", []string{"fx:USDJPY", "bist:YENID"}},
		{"ALTIN", []string{"cmdty:GC", "cmdty:XAU", "bist:DMALTF", "bist:KOZAL", "fund:GA1"}},
		{"altın", []string{"cmdty:GC", "cmdty:XAU", "bist:DMALTF", "bist:KOZAL", "fund:GA1"}},
		{"gold", []string{"cmdty:GC", "cmdty:XAU", "crypto:25", "bist:DMALTF", "bist:KOZAL", "fund:GA1"}},
		{"gümüş", []string{"cmdty:XAG"}},
		{"si̇se", []string{"bist:SISE", "crypto:3", "us:SISE"}},
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
