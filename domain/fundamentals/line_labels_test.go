package fundamentals_test

import (
	"testing"

	"piyasa/domain/fundamentals"
)

// The labels under which banks, participation banks and insurers state their
// equity, as consolidators and companies number, mark and spell them.
func TestLabelsOfEquity(t *testing.T) {
	a := newFixture(t)
	a.hears(t, "bist:DMBNK 2026-03-18 100 1")
	check := func(want string, label string, lines ...string) {
		t.Helper()
		for _, template := range []fundamentals.Template{fundamentals.Bank, fundamentals.Insurer} {
			a.files(t, with(filed("bist:DMBNK 2025 12", lines...), by(template)))
			if v := a.value(t, "bist:DMBNK"); answer(v.PbRatio) != want {
				t.Errorf("%s, %q: %s, want %s", template, label, metric(v.PbRatio), want)
			}
		}
	}
	for _, label := range []string{
		"XVI. ÖZKAYNAKLAR", "ÖZKAYNAK", " Özsermaye Toplamı", // a bank's, a participation bank's, an insurer's
		"XIV. ÖZKAYNAKLAR", "V- Özsermaye Toplamı", "V. ÖZSERMAYE TOPLAMI", "ÖZ KAYNAKLAR", "Öz Sermaye",
		"16. Özkaynaklar", "16.1.2 Özkaynaklar", "16 Özkaynaklar", "XVI ÖZKAYNAKLAR", "A) Özkaynaklar", "a. özkaynaklar",
		"(16) Özkaynaklar", "(A) Özkaynaklar", "I. A- Özkaynaklar", "XVI – ÖZKAYNAKLAR", "XVI.\u00a0ÖZKAYNAKLAR",
		"Özkaynaklar (*)", "Özkaynaklar(**)", "Özkaynaklar*", "* Özkaynaklar", "Özkaynaklar:", "ÖZKAYNAKLAR (I+II-III)",
		"Özkaynaklar (16)", "Özkaynaklar¹", "Toplam Özkaynaklar (+)", "ÖZKAYNAKLAR TOPLAMI",
		"OZKAYNAKLAR", "ozkaynaklar", "OZSERMAYE TOPLAMI", "O\u0308zkaynaklar",
	} {
		check("2", label, label+" 80", "Azınlık Payları 30")
	}
	for _, label := range []string{
		"Ana Ortaklığa Ait Özkaynaklar (*)", "ANA ORTAKLIĞA AİT ÖZKAYNAKLAR", "ana ortaklığa ait özkaynaklar",
		"ANA ORTAKLIGA AIT OZKAYNAKLAR",
		"13.1 Ana Ortaklığa Ait Özkaynaklar", "ANA ORTAKLIG\u0306A AI\u0307T O\u0308ZKAYNAKLAR", "Ana Ortaklığa Ait Özsermaye",
	} {
		check("2", label, label+" 50", "Özkaynaklar 80")
	}
	for _, label := range []string{
		"16.5 Azınlık Payları", "14.5 Azınlık Payları", "G-Azınlık Payları", // a bank's, a participation bank's, an insurer's
		"G- Azınlık Payları", "Azınlık Payları (-)", "AZINLIK PAYLARI(-)", "Azınlık Payları (+/-)", "(-) Azınlık Payları",
		"AZINLIK HAKLARI",
		"Azınlık Hâkları", "Azinlik Paylari", "Azınlık payı", "Kontrol Gücü Olmayan Paylar", "KONTROL GÜCÜ OLMAYAN PAYLAR (*)",
		"Ana Ortaklık Dışı Paylar",
	} {
		check("2", label, "Özkaynaklar 80", label+" 30")
	}
	for _, label := range []string{
		"Özkaynak Yöntemiyle Değerlenen Yatırımlar", "TOPLAM KAYNAKLAR", "16.1 Ödenmiş Sermaye", "Diğer Özsermaye Kalemleri", "XVI. DİĞER",
		"(*)", "XVI.",
		"Ara Toplam (Özkaynaklar)", "PASİF TOPLAMI",
	} {
		check("!missing_input", label, label+" 80", "Azınlık Payları 30")
	}
}
