package standin

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"golang.org/x/text/encoding/charmap"
)

// BistLimits stands in for the daily trading rules of Borsa Istanbul: each trading day has a file
// from 7:30 on. The names of its limit columns are made up, and their order depends on the day of
// the month.
func BistLimits(now func() time.Time) http.Handler {
	return bistDays(now, "/data/thm/2006/01/thm20060102", 7*time.Hour+30*time.Minute, bistLimits)
}

func bistLimits(day time.Time) []byte {
	rows := [][]string{strings.Split("ISLEM  KODU;PAZAR (MARKET SEGMENT);BRUT TAKAS;TAVAN FIYAT;TABAN FIYAT;MAKSIMUM "+
		"EMIR DEGERI(TL);ISLEM "+
		"YONTEMI;ACIGA SATIS", ";")}
	comma := func(cents int) string { return strings.Replace(rateDecimal(cents, 2), ".", ",", 1) }
	for i := range bistShares {
		code := fmt.Sprintf("OR%c%cK", 'A'+i/26, 'A'+i%26)
		price := rateNear(1000+100*i, "bist", code, day.AddDate(0, 0, -1).Format("2006"), day.AddDate(0, 0, -1).Format("01-02"))
		up, down := comma(price*11/10), comma(price*9/10)
		switch i {
		case 7: // suspended
			up, down = "", ""
		case 20:
			up, down = "0", "0,00"
		}
		rows = append(rows,
			[]string{code + ".E", []string{"Z", "N", "T", "W"}[i%4] + " İşlem", "0", up, down, "10000000,50",
				[]string{"SI", "PY", "TF"}[i%3], "1"},
			[]string{code + ".V", "K", "0", "", "", "0", "PY", "0"})
	}
	var text strings.Builder
	for _, row := range rows {
		if day.Day()%3 == 0 { // other columns first
			row = append(append([]string{}, row[3:]...), row[:3]...)
		}
		text.WriteString(strings.Join(row, ";") + "\r\n")
	}
	table, err := charmap.Windows1254.NewEncoder().Bytes([]byte(text.String()))
	if err != nil {
		panic(err) // the names are Turkish
	}
	return zipped(table, day.Format("thm20060102")+"1.csv")
}
