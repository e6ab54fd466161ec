package standin

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// Years that are special.
const (
	spkFirst   = 2012 // the first year with offerings
	spkChanged = 2099 // its rows have an unknown member
)

// SPK returns a stand-in of the Capital Markets Board's list of public offerings. A row appears on
// the first day of trading. Every fifth row has no code for a week, every seventh no price, and the
// underwriter of every fourth, and of the last, is corrected after 20 days.
func SPK(now func() time.Time) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		year, err := strconv.Atoi(r.URL.Query().Get("yil"))
		if r.URL.Path != "/BorclanmaAraclari/api/IlkHalkaArzVerileri" || err != nil {
			w.Header().Set("Content-Type", "text/html")
			w.WriteHeader(http.StatusInternalServerError)
			fmt.Fprint(w, "<!DOCTYPE html><html><head><title>Runtime Error</title></head><body>Server Error</body></html>")
			return
		}
		rows := []map[string]any{}
		for i := range 24 {
			if row := spkRow(year, i, now().In(evdsZone)); row != nil {
				rows = append(rows, row)
			}
		}
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		_ = json.NewEncoder(w).Encode(rows)
	})
}

// spkRow returns an IPO of a year as listed at a moment; nil: not listed yet.
func spkRow(year, i int, now time.Time) map[string]any {
	traded := time.Date(year, time.Month(i/2+1), 5+i%2*14, 0, 0, 0, 0, evdsZone)
	if year < spkFirst || traded.After(now) {
		return nil
	}
	noise := evdsNoise(traded)
	price, thousands := 10+noise%90, 10_000+noise%50_000
	number := func(format string, of ...any) json.Number { return json.Number(fmt.Sprintf(format, of...)) }
	row := map[string]any{
		"ay": i/2 + 1, "donem": fmt.Sprintf("%d / %d", year, i/2+1), "borsaKodu": fmt.Sprintf("%c%cHRZ", 'A'+year%26, 'A'+i),
		"sirketUnvani": fmt.Sprintf("%d. ÖRNEK IŞIK TEKNOLOJİ %d A.Ş. ", i+1, year), "halkaArzSekli": "Sermaye artırımı ve ortak satışı",
		"halkaArzOrani": number("%d.00", 15+noise%20), "halkaArzFiyatiTl": number("%d.5", price),
		"ortakSatisBinTl": number("%d", thousands/4), "nakitSermayeArtisiBinTl": number("%d", thousands-thousands/4),
		"ekSatisTutariBinTl":                  0,
		"satisaHazirBekletilenPayTutariBinTl": 0, "satisaSunulanToplamTutarBinABDDolari": number("%d.5", thousands/40),
		"satisaSunulanToplamTutarBinTl": number("%d", thousands), "mevcutSermayeBinTl": number("%d.0", 4*thousands),
		"yeniSermayeBinTl":                          number("%d.0", 5*thousands),
		"satisaSunulanToplamTutarPiyasaDegeriBinTl": number("%d.%d", (2*price+1)*thousands/2, (2*price+1)*thousands%2*5),
		"ilkIslemGorduguPazar":                      "Ana Pazar", "halkaArzaAracilikEdenKurum": "Örnek Yatırım A.Ş.",
		"borsadaIslemGormeTarihi": traded.Format("2006-01-02T15:04:05"),
	}
	if i%5 == 2 && now.Before(traded.AddDate(0, 0, 7)) {
		row["borsaKodu"] = nil
	}
	if i%7 == 3 {
		row["halkaArzFiyatiTl"], row["satisaSunulanToplamTutarPiyasaDegeriBinTl"] = nil, nil
	}
	if (i%4 == 1 || i == 23) && !now.Before(traded.AddDate(0, 0, 20)) {
		row["halkaArzaAracilikEdenKurum"] = "Örnek Menkul Değerler A.Ş."
	}
	if year == spkChanged {
		row["yeniUye"] = "x"
	}
	return row
}
