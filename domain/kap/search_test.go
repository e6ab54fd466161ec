package kap_test

import (
	"encoding/json"
	"strings"
	"testing"

	"piyasa/account/access"
	"piyasa/domain/kap"
	"piyasa/internal/value"
	"piyasa/test/fixture/need"
)

func TestWordsOfADisclosure(t *testing.T) {
	both := func(tr, en string) *kap.Localized { return &kap.Localized{TR: &tr, EN: &en} }
	body := func(format string, content any) *kap.Content {
		text, err := json.Marshal(content)
		need.NoError(t, err)
		return &kap.Content{SourceFormat: format, FileType: "x", Content: text}
	}
	type m = map[string]any
	for name, test := range map[string]struct {
		record kap.Record
		want   string
	}{
		"nothing": {kap.Record{}, ""},
		"letters and endings": {kap.Record{Disclosure: kap.Disclosure{Subject: both("PAY GERİ ALIM", "Share Buybacks")}},
			" pay ger alim | share buyback "},
		"decomposed letters": {kap.Record{Disclosure: kap.Disclosure{Subject: both("şirketimiz kâr dağıtımı", "café's")}},
			" sirket kar dagit | cafe "},
		"Turkish where English belongs": {kap.Record{Disclosure: kap.Disclosure{Subject: both("", "Payların Alınması")}}, " pay alim "},
		"numbers and signs": {kap.Record{Disclosure: kap.Disclosure{Summary: both("1.250,00 TL (ISIN: TRA'nın)", "")}},
			" 1 250 00 tl isi tra "},
		"html": {kap.Record{Body: body(html, m{"tr": "<p>Geri&nbsp;al<b>ım</b></p><style>p{x}</style><p>İşlem&ouml;z</p>", "en": nil})},
			" ger alim islemoz "},
		"no html": {kap.Record{Disclosure: kap.Disclosure{Subject: both("Pay <Alım> 3 < 4", "")}}, " pay alim 3 4 "},
		"fields": {kap.Record{Body: body(flat, []m{{"key": "k", "label": m{"tr": "Fiyat", "en": "Price"},
			"value": m{"tr": "12,5", "en": nil}}})}, " fiyat | price | 12 5 "},
		"an unknown structure": {kap.Record{Body: body(flat, m{"x": []any{"Geri alım", 7, m{"en": "buybacks"}}})}, " ger alim | buyback "},
		"no text":              {kap.Record{Body: &kap.Content{SourceFormat: flat, FileType: "x", Content: []byte(`"{"`)}}, ""},
		"a financial report":   {kap.Record{Disclosure: kap.Disclosure{Type: kap.FR}, Body: body(html, m{"tr": "gizli", "en": nil})}, ""},
		"a long word": {kap.Record{Disclosure: kap.Disclosure{Subject: both(strings.Repeat("x", 100), "")}},
			" " + strings.Repeat("x", 64) + " "},
	} {
		if got := test.record.Words(); got != test.want {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
	endless := kap.Record{Disclosure: kap.Disclosure{Subject: both(strings.Repeat("wort ", 300_000), "end")}}
	if n := len(endless.Words()); n > 1<<20 || n < 800_000 {
		t.Errorf("%d bytes of words", n)
	}
}

// The forms of a word have one stem, those of another have another.
func TestFormsOfTurkishWords(t *testing.T) {
	stems := map[string]string{}
	for _, forms := range []string{
		"alım alımı alımlar alımları alımının alınan alınması alınacak alınmış alma alması",
		"pay payı payları paylar payların paylarının payın payda payından PAYLARI Pay’ın",
		"program programı programının programında programına programlar",
		"sermaye sermayesi sermayenin sermayesinde sermayesini SERMAYE",
		"artırım artırımı artırımının artırılması artırılan artırılacak artırıldığı ARTIRIMI",
		"şirket şirketimiz şirketimizin şirketin şirkete şirketleri ŞİRKET sirketi",
		"dağıtım dağıtımı dağıtılması dağıtılacak", "kurul kurulu kurulun kurulunun kurulumuzun",
		"toplantı toplantısı toplantıda toplantının toplantıları", "borsa borsası borsasında borsada",
		"kitap kitabı kitapları", "hisse hissesi hisseler hisselerin hissenin", "oran oranı oranında oranının oranlar",
		"plan planı planın planında planlar", "fon fonu fonun fonunun fonlar FONLARI", "bedelli", "bedelsiz", "satın",
		"satış satışı satışlar satılan",
		"devlet devlete devleti", "adres adresi adresler", "İSTANBUL Istanbul istanbul'da ıstanbul",
		"kredi kredinin kredisi krediler", "ihale ihalesi ihaleye ihalenin", "alacak alacağı alacaklar", "almanya",
	} {
		of := ""
		for form := range strings.FieldsSeq(forms) {
			stem := (&kap.Record{Disclosure: kap.Disclosure{Subject: &kap.Localized{TR: &form}}}).Words()
			if of == "" {
				if of = stem; stems[of] != "" {
					t.Errorf("%s and %s have one stem, %s", form, stems[of], of)
				}
				stems[of] = form
			}
			if stem != of {
				t.Errorf("%s has the stem %s, not %s", form, stem, of)
			}
		}
	}
}

func TestSearchesThatSayNothing(t *testing.T) {
	ctx, _ := access.WithCall(t.Context(), &access.Key{ID: "k", Scopes: []access.Scope{access.KAP}})
	s := &kap.Service{Live: kap.NewLive(), Now: value.SystemClock}
	for q, why := range map[string]string{
		"": "has no word", " \t": "has no word", `""`: "has no word", "- & …": "has no word", "-kredi": "only what must not be there",
		`pay "geri alım`: "quotation mark", strings.Repeat("ş", 201): "longer than 200", strings.Repeat("a ", 17): "more than 16",
		"\x00": "has no word", "“geri": "quotation mark",
	} {
		_, err := s.Disclosures(ctx, kap.Filter{Q: &q}, nil, nil, nil)
		if err == nil || !strings.Contains(err.Error(), why) || !strings.Contains(err.Error(), "it takes words") {
			t.Errorf("%q: %v", q, err)
		}
	}
}
