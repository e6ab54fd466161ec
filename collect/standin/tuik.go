package standin

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"
)

// tuikRelease is a release that the stand-in makes up, in the words of the list.
type tuikRelease struct {
	agency, institution, title string
	every                      string // month, week, quarter, year or day
	day, hour, minute          int    // day: of the month, or of the week with Sunday as 0
	lag                        int    // months from the period to the release
	blank                      string // blank between title and period
}

var tuikReleases = []tuikRelease{
	{"TÜİK", "Türkiye İstatistik Kurumu", "Tüketici Fiyat Endeksi (TÜFE)", "month", 3, 10, 0, 1, ""},
	{"TÜİK", "Türkiye İstatistik Kurumu", "Yurt İçi Üretici Fiyat Endeksi", "month", 3, 10, 0, 1, ""},
	{"TÜİK", "Türkiye İstatistik Kurumu", "İşgücü İstatistikleri", "month", 28, 10, 0, 1, ""},
	{"TÜİK", "Türkiye İstatistik Kurumu", "İşgücü İstatistikleri", "year", 20, 10, 0, 3, ""},
	{"TÜİK", "Türkiye İstatistik Kurumu", "Dönemsel Gayrisafi Yurt İçi Hasıla", "quarter", 28, 10, 0, 2, ""},
	{"TÜİK", "Türkiye İstatistik Kurumu", "Sanayi Üretim Endeksi", "month", 10, 10, 0, 2, ""},
	{"TÜİK", "Türkiye İstatistik Kurumu", "Ticaret Satış Hacim Endeksi", "month", 13, 10, 0, 2, ""},
	{"TÜİK", "Türkiye İstatistik Kurumu", "Tüketici Güven Endeksi", "month", 22, 10, 0, 0, ""},
	{"TÜİK", "Türkiye İstatistik Kurumu", "Kümes Hayvancılığı Üretimi", "month", 14, 10, 0, 2, ""},
	{"TCMB", "Türkiye Cumhuriyet Merkez Bankası", "Ödemeler Dengesi İstatistikleri   ", "month", 13, 10, 0, 2, " "},
	{"TCMB", "Türkiye Cumhuriyet Merkez Bankası", "Haftalık Para ve Banka İstatistikleri ", "week", 4, 14, 30, 0, ""},
	{"TCMB", "Türkiye Cumhuriyet Merkez Bankası", " Menkul Kıymet İstatistikleri", "week", 4, 14, 30, 0, ""},
	{"TCMB", "Türkiye Cumhuriyet Merkez Bankası", "Elektronik Fon Transfer (EFT) Sistemi İşlemleri\u00a0", "day", 0, 10, 30, 0, ""},
	{"HMB", "Hazine ve Maliye Bakanlığı", "Merkezi Yönetim Bütçe Denge Tablosu", "month", 15, 11, 0, 1, ""},
	{"SPK", "Sermaye Piyasası Kurulu", "Sanayi Üretim Endeksi", "month", 5, 19, 0, 1, ""}, // another agency's release, with a known name
}

var tuikMonths = []string{"Ocak", "Şubat", "Mart", "Nisan", "Mayıs", "Haziran", "Temmuz", "Ağustos", "Eylül", "Ekim", "Kasım", "Aralık"}

// tuikRow is a row of the list.
type tuikRow struct {
	Agency      string  `json:"sorumluKisaAd"`
	Institution string  `json:"sorumluKurum"`
	Link        *string `json:"link"`
	Language    int     `json:"dilId"`
	Time        string  `json:"gTarih"`
	Period      string  `json:"donemi"`
	Department  *string `json:"birimi"`
	Title       string  `json:"adi"`
	ID          int     `json:"id"`
	at          time.Time
}

// TUIK returns a stand-in of the national release calendar. The list of the next year is empty
// until 1 December; from 20 May of each year on, the consumer prices of May are a day later than
// planned. Above 20 requests in a minute of its clock, it answers with a page.
func TUIK(now func() time.Time) http.Handler {
	var lock sync.Mutex
	var months []time.Time
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		at := now().In(evdsZone)
		lock.Lock()
		months = append(slices.DeleteFunc(months, func(t time.Time) bool { return at.Sub(t) >= time.Minute }), at)
		many := len(months) > 20
		lock.Unlock()
		year, err := strconv.Atoi(r.URL.Query().Get("yil"))
		switch {
		case many:
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			fmt.Fprint(w, `<html><head><title>Yönlendiriliyor</title></head><body>Yönlendiriliyor...</body></html>`)
		case r.URL.Path != "/Kurumsal/GetYillikHaberBulteniListesi" || err != nil:
			http.Error(w, "<html><body>Sunucu hatası</body></html>", http.StatusInternalServerError)
		default:
			w.Header().Set("Content-Type", "application/json; charset=utf-8")
			_ = json.NewEncoder(w).Encode(tuikList(year, at))
		}
	})
}

// tuikList returns the list of a year as it is at a moment.
func tuikList(year int, now time.Time) map[string][]tuikRow {
	published, planned := []tuikRow{}, []tuikRow{}
	if !now.Before(time.Date(year-1, time.December, 1, 0, 0, 0, 0, evdsZone)) {
		id := year * 10_000
		for _, release := range tuikReleases {
			for _, row := range release.rows(year, now) {
				if id++; row.at.After(now) {
					planned = append(planned, row)
					continue
				}
				link := fmt.Sprintf("https://upstream.example/Bulten/Index?p=%d", id)
				row.ID, row.Link = id, &link
				published = append(published, row)
			}
		}
	}
	slices.SortStableFunc(published, func(a, b tuikRow) int { return b.at.Compare(a.at) }) // the newest first
	slices.SortStableFunc(planned, func(a, b tuikRow) int { return a.at.Compare(b.at) })
	return map[string][]tuikRow{"yayindaOlanlarList": published, "yayindaOlmayanlarList": planned}
}

// rows returns the rows of the release in a year.
func (r tuikRelease) rows(year int, now time.Time) (all []tuikRow) {
	add := func(at time.Time, period string) {
		for at.Weekday() == time.Saturday || at.Weekday() == time.Sunday {
			at = at.AddDate(0, 0, 1)
		}
		if at.Year() == year {
			all = append(all, tuikRow{Agency: r.agency, Institution: r.institution, Language: 1, Title: r.title, Period: r.blank + period,
				Time: at.Format("2006-01-02T15:04:05"), at: at})
		}
	}
	day := func(month time.Month, day int) time.Time {
		return time.Date(year, month, day, r.hour, r.minute, 0, 0, evdsZone)
	}
	switch r.every {
	case "month":
		for m := time.January; m <= time.December; m++ {
			of := day(m, 1).AddDate(0, -r.lag, 0)
			at := day(m, r.day)
			if r.title == "Tüketici Fiyat Endeksi (TÜFE)" && m == time.June &&
				!now.Before(time.Date(year, time.May, 20, 0, 0, 0, 0, evdsZone)) {
				at = at.AddDate(0, 0, 1)
			}
			add(at, fmt.Sprintf("%s %d", tuikMonths[of.Month()-1], of.Year()))
		}
	case "quarter":
		for q := range 4 {
			of := day(time.Month(3*q+1), 1).AddDate(0, -1, 0) // the quarter ends with the previous month
			number := (int(of.Month()) + 2) / 3
			add(day(time.Month(3*q+r.lag), r.day), fmt.Sprintf("%s. Çeyrek: %s-%s %d", []string{"I", "II", "III", "IV"}[number-1],
				tuikMonths[3*number-3], tuikMonths[3*number-1], of.Year()))
		}
	case "year":
		add(day(time.Month(r.lag), r.day), strconv.Itoa(year-1))
	default:
		for at := day(time.January, 1); at.Year() == year; at = at.AddDate(0, 0, 1) {
			switch y, week := at.AddDate(0, 0, -7).ISOWeek(); {
			case r.every == "week" && int(at.Weekday()) == r.day:
				add(at, fmt.Sprintf("%d. Hafta %d", week, y))
			case r.every == "day" && at.Weekday() != time.Saturday && at.Weekday() != time.Sunday:
				add(at, at.AddDate(0, 0, -1).Format("02-01-2006"))
			}
		}
	}
	return all
}
