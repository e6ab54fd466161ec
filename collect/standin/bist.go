package standin

import (
	"archive/zip"
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"time"

	"golang.org/x/text/encoding/charmap"
)

// bistShares is how many shares a bulletin has.
const bistShares = 60

// BistBulletin stands in for the daily bulletins of Borsa Istanbul: each trading day has a file
// from 18:30 on. Depending on the day of the month, the file has one header or two, a byte order
// mark, another encoding, other columns, another date format, or an English version beside it.
func BistBulletin(now func() time.Time) http.Handler {
	return bistDays(now, "/data/thb/2006/01/thb20060102", 18*time.Hour+30*time.Minute, bistFile)
}

// bistDays serves a file for each trading day, from the time of day from on.
func bistDays(now func() time.Time, form string, from time.Duration, file func(day time.Time) []byte) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		day, err := time.ParseInLocation(form, strings.TrimSuffix(r.URL.Path, "1.zip"), tcmbZone)
		if err != nil || day.Format(form)+"1.zip" != r.URL.Path || tcmbHoliday(day) || now().Before(day.Add(from)) {
			w.Header().Set("Content-Type", "text/html")
			w.WriteHeader(http.StatusNotFound)
			fmt.Fprint(w, "<html><body>404</body></html>")
			return
		}
		w.Header().Set("Content-Type", "application/zip")
		_, _ = w.Write(file(day))
	})
}

func bistFile(day time.Time) []byte {
	turkish := strings.Split("TARIH;ISLEM  KODU;BULTEN ADI;PAZAR;ENSTRUMAN GRUBU;ISLEM YONTEMI;ONCEKI KAPANIS "+
		"FIYATI;ACILIS FIYATI;EN DUSUK "+
		"FIYAT;EN YUKSEK FIYAT;KAPANIS FIYATI;TOPLAM ISLEM HACMI;TOPLAM ISLEM ADEDI;TOPLAM SOZLESME SAYISI;YENI", ";")
	english := strings.Split("TRADE DATE;INSTRUMENT SERIES CODE;INSTRUMENT NAME;MARKET SEGMENT;INSTRUMENT GROUP;TRADING "+
		"METHOD;PREVIOUS LAST "+
		"PRICE;OPENING PRICE;LOWEST PRICE;HIGHEST PRICE;CLOSING PRICE;TOTAL TRADED VALUE;TOTAL TRADED VOLUME;TOTAL NUMBER OF CONTRACTS;NEW",
		";")
	rows := [][]string{turkish}
	if day.Day()%5 != 0 {
		rows = append(rows, english)
	}
	date := day.Format(time.DateOnly)
	if day.Day()%7 == 0 {
		date = day.Format("02-01-2006")
	}
	for i := range bistShares {
		code := fmt.Sprintf("OR%c%cK", 'A'+i/26, 'A'+i%26)
		price := rateNear(1000+100*i, "bist", code, date[:4], day.Format("01-02"))
		volume := 1000 * (1 + price%50)
		one := []string{
			date, code + ".E", "ORNEK İŞ " + code, []string{"Z", "N", "T", "W"}[i%4], "EQT", []string{"SI", "PY", "TF"}[i%3], "1.00",
			rateDecimal(price, 2), rateDecimal(price-price/50, 2),
			rateDecimal(price+price/50, 2), rateDecimal(price, 2), rateDecimal(volume*price, 2), fmt.Sprintf("%d.0", volume),
			fmt.Sprint(volume / 100), "",
		}
		if i == 7 || i == 20 { // suspended
			for c := 7; c < 14; c++ {
				one[c] = "0"
			}
		}
		if i == 50 {
			one[4] = "ETF"
		}
		twin := append([]string{}, one...)
		twin[1], twin[4] = code+".AOF", "AOF"
		rows = append(rows, one, twin)
	}
	var text strings.Builder
	for _, row := range rows {
		if day.Day()%3 == 0 { // other columns first
			row = append(append([]string{}, row[6:]...), row[:6]...)
		}
		text.WriteString(strings.Join(row, ";") + "\r\n")
	}
	table := []byte(text.String())
	switch day.Day() % 4 {
	case 0:
		table = append([]byte("\xef\xbb\xbf"), table...)
	case 1:
		old, err := charmap.Windows1254.NewEncoder().Bytes(table)
		if err != nil {
			panic(err) // the names are Turkish
		}
		table = old
	}
	names := []string{day.Format("thb20060102") + "1.csv"}
	if day.Day()%6 == 0 {
		names = append(names, day.Format("ehb20060102")+"1.csv")
	}
	return zipped(table, names...)
}

// zipped returns a ZIP archive with the table under each of the names.
func zipped(table []byte, names ...string) []byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range names {
		w, err := z.Create(name)
		if err == nil {
			_, err = w.Write(table)
		}
		if err != nil {
			panic(err) // a buffer takes everything
		}
	}
	if err := z.Close(); err != nil {
		panic(err)
	}
	return b.Bytes()
}
