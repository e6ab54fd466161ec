package tuik

import (
	"regexp"
	"slices"
	"strings"

	"piyasa/collect"
)

// event is a recurring release. The list has no lasting number for it: the number of a release is a
// new one each time, and 0 until it is published.
type event struct {
	id         int // never given to another event, even when this one ends
	agency     string
	cadence    cadence
	importance int
	name       string   // in Turkish
	titles     []string // in the list, if not the name
}

// cadence is how often an event is released, as the period of a release shows.
type cadence string

const (
	weekly    cadence = "weekly"
	monthly   cadence = "monthly"
	quarterly cadence = "quarterly"
	yearly    cadence = "yearly"
	other     cadence = "other" // several months or years, or a day
)

// events are the releases that become calendar events. A new one goes to the end and gets the next number.
var events = []event{
	{792_001, "TÜİK", monthly, 3, "Tüketici Fiyat Endeksi", []string{"Tüketici Fiyat Endeksi (TÜFE)"}},
	{792_002, "TÜİK", monthly, 2, "Yurt İçi Üretici Fiyat Endeksi", nil},
	{792_003, "TÜİK", monthly, 3, "İşgücü İstatistikleri", nil},
	{792_004, "TÜİK", yearly, 1, "İşgücü İstatistikleri (Yıllık)", []string{"İşgücü İstatistikleri"}},
	{792_005, "TÜİK", quarterly, 3, "Dönemsel Gayrisafi Yurt İçi Hasıla", nil},
	{792_006, "TÜİK", monthly, 2, "Sanayi Üretim Endeksi", nil},
	{792_007, "TÜİK", monthly, 2, "Dış Ticaret İstatistikleri", nil},
	{792_008, "TÜİK", monthly, 2, "Ticaret Satış Hacim Endeksi", nil}, // retail sales
	{792_009, "TÜİK", monthly, 2, "Tüketici Güven Endeksi", nil},
	{792_010, "TÜİK", monthly, 2, "Ekonomik Güven Endeksi", nil},
	{792_011, "TÜİK", monthly, 1, "Hizmet, Perakende Ticaret ve İnşaat Güven Endeksleri", nil},
	{792_012, "TÜİK", monthly, 2, "Konut Satış İstatistikleri", nil},
	{792_013, "TÜİK", monthly, 1, "Tarım Ürünleri Üretici Fiyat Endeksi", nil},
	{792_014, "TÜİK", monthly, 1, "Hizmet Üretici Fiyat Endeksi", nil},
	{792_015, "TÜİK", monthly, 1, "İnşaat Maliyet Endeksi", nil},
	{792_016, "TÜİK", monthly, 1, "İnşaat Üretim Endeksi", nil},
	{792_017, "TÜİK", monthly, 1, "Hizmet Üretim Endeksi", nil},
	{792_018, "TÜİK", monthly, 1, "Ciro Endeksleri", nil},
	{792_019, "TÜİK", monthly, 1, "Dış Ticaret Endeksleri", nil},
	{792_020, "TÜİK", monthly, 1, "Ücretli Çalışan İstatistikleri", nil},
	{792_021, "TÜİK", monthly, 1, "Motorlu Kara Taşıtları", nil},
	{792_022, "TCMB", monthly, 3, "Ödemeler Dengesi", []string{"Ödemeler Dengesi İstatistikleri"}}, // current account
	{792_023, "TCMB", monthly, 1, "Uluslararası Rezervler ve Döviz Likiditesi", nil},
	{792_024, "TCMB", monthly, 1, "Konut Fiyat Endeksi", nil},
	{792_025, "TCMB", monthly, 1, "Reel Efektif Döviz Kuru", nil},
	{792_026, "TCMB", monthly, 1, "Özel Sektörün Yurtdışından Sağladığı Kredi Borcu", nil},
	{792_027, "TCMB", weekly, 2, "Haftalık Para ve Banka İstatistikleri", nil},
	{792_028, "TCMB", weekly, 1, "Menkul Kıymet İstatistikleri", nil},
	{792_029, "HMB", monthly, 2, "Merkezi Yönetim Bütçe Dengesi", []string{"Merkezi Yönetim Bütçe Denge Tablosu"}},
	{792_030, "HMB", monthly, 1, "Hazine Nakit Gerçekleşmeleri", nil},
}

// record returns the definition of the event.
func (e event) record() collect.Record {
	return collect.Record{Kind: "calendar_event", Fields: map[string]any{
		"event_id": e.id, "name": e.name, "country": map[string]string{"name": "Türkiye", "code": "TR"},
		"currency": "TRY", "importance": e.importance, "is_speaking": false,
	}}
}

// byTitle holds the events by agency and title.
var byTitle = func() map[string][]event {
	all := map[string][]event{}
	for _, e := range events {
		for _, title := range append(slices.Clone(e.titles), e.name) {
			key := fold(e.agency) + "|" + fold(title)
			all[key] = append(all[key], e)
		}
	}
	return all
}()

// folded replaces the Turkish letters outside ASCII by those that they are compared as.
var folded = strings.NewReplacer(
	"İ", "i", "I", "i", "ı", "i", "Ş", "s", "ş", "s", "Ç", "c", "ç", "c", "Ğ", "g", "ğ", "g",
	"Ü", "u", "ü", "u", "Ö", "o", "ö", "o", "Â", "a", "â", "a", "Î", "i", "î", "i", "Û", "u", "û", "u", "\u0307", "",
)

// fold returns a text for comparison: lower-case letters and digits, with one blank between words.
func fold(text string) string {
	words := strings.FieldsFunc(folded.Replace(text), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r < 0x80 || r == '\u00a0'
	})
	b := []byte(strings.Join(words, " "))
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

// periods are the forms of a folded period: Mayıs 2031; 39. Hafta 2031; I. Çeyrek: Ocak-Mart 2031
// or 2. Çeyrek 2031; 2031. Others are 01-10-2031, 2029-2031 and Ocak-Şubat-Mart 2031.
var periods = []struct {
	cadence
	*regexp.Regexp
}{
	{monthly, regexp.MustCompile(`^(` + months + `) \d{4}$`)},
	{weekly, regexp.MustCompile(`^\d{1,2} hafta \d{4}$`)},
	{quarterly, regexp.MustCompile(`^(i|ii|iii|iv|[1-4]) ceyrek( (` + months + `) (` + months + `))?( \d{4})?$`)},
	{yearly, regexp.MustCompile(`^\d{4}$`)},
	{other, regexp.MustCompile(`^\d{2} \d{2} \d{4}$|^\d{4} \d{4}$|^(` + months + `)( (` + months + `))+ \d{4}$`)},
}

const months = "ocak|subat|mart|nisan|mayis|haziran|temmuz|agustos|eylul|ekim|kasim|aralik"

// cadenceOf returns how often a release with a period comes.
func cadenceOf(period string) (cadence, bool) {
	period = fold(period)
	for _, p := range periods {
		if p.MatchString(period) {
			return p.cadence, true
		}
	}
	return "", false
}
