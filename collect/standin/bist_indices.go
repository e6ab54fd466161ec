package standin

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"strings"
	"time"

	"golang.org/x/text/encoding/charmap"
)

// bistIndices is how many indices of shares there are.
const bistIndices = 86

// BistIndices stands in for the file of the members of indices of Borsa Istanbul: a snapshot of the
// newest trading day, from 18:30 on. Depending on the day of the month, it has a title, one header
// or two, a byte order mark, another encoding, or other columns first. A few members change each
// day; a small index ends after the 20th day of each month.
func BistIndices(now func() time.Time) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/datum/hisse_endeks_ds.csv" {
			http.NotFound(w, r)
			return
		}
		day := now().In(tcmbZone).Add(-18*time.Hour - 30*time.Minute)
		for tcmbHoliday(day) {
			day = day.AddDate(0, 0, -1)
		}
		body := bistMembers(day)
		w.Header().Set("ETag", fmt.Sprintf(`"%x"`, sha256.Sum256(body))[:18]+`"`)
		w.Header().Set("Content-Type", "text/csv")
		http.ServeContent(w, r, "", time.Time{}, strings.NewReader(string(body)))
	})
}

func bistMembers(day time.Time) []byte {
	var rows [][]string
	if day.Day()%6 == 0 {
		rows = append(rows, []string{"ENDEKS BILESENLERI"})
	}
	rows = append(rows, strings.Split("BILESEN KODU;BULTEN_ADI;ENDEKS KODU;ENDEKS ADI;ENDEKS INGILIZCE ADI;TARIH(GG/AA/YYYY)", ";"))
	if day.Day()%5 != 0 {
		rows = append(rows,
			strings.Split("CONSTITUENT CODE;CONSTITUENT NAME;INDEX CODE;INDEX NAME IN TURKISH;INDEX NAME IN ENGLISH;DATE(DD/MM/YYYY)", ";"))
	}
	for i := range bistIndices {
		if i == bistIndices-1 && day.Day() > 20 {
			continue
		}
		for m := range 30 + i*37%80 {
			code := fmt.Sprintf("OR%c%cK", 'A'+(m+i+day.Day()/10)%26, 'A'+m/26)
			rows = append(rows, []string{code + ".E", "ORNEK İŞ " + code, fmt.Sprintf("X%03d", i), fmt.Sprintf("BIST ÖRNEK %d", i),
				fmt.Sprintf("BIST EXAMPLE %d", i), day.Format("02/01/2006")})
		}
	}
	var text strings.Builder
	for _, row := range rows {
		if day.Day()%3 == 0 && len(row) > 1 {
			row = append(append([]string{}, row[3:]...), row[:3]...)
		}
		text.WriteString(strings.Join(row, ";") + "\r\n")
	}
	switch day.Day() % 4 {
	case 0:
		return []byte("\xef\xbb\xbf" + text.String())
	case 1:
		old, err := charmap.Windows1254.NewEncoder().Bytes([]byte(text.String()))
		if err != nil {
			panic(err) // the names are Turkish
		}
		return old
	}
	return []byte(text.String())
}
