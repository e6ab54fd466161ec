package standin

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Parameters of the stand-in of a JSON API.
const (
	JSONKey  = "json-stand-in-key" // the only key that it accepts
	JSONPage = 4                   // items of a page
)

// JSONPrice is a price of a day, as the stand-in writes its numbers.
type JSONPrice struct {
	Code, Day, Begins string
	Price, Volume     string
}

// JSONPrices returns the prices of a day; none on Sundays.
func JSONPrices(day time.Time) (all []JSONPrice) {
	if day.Weekday() == time.Sunday {
		return nil
	}
	n := time.Date(day.Year(), day.Month(), day.Day(), 0, 0, 0, 0, time.UTC).Unix() / 86400
	begins := time.Date(day.Year(), day.Month(), day.Day(), 0, 0, 0, 0, evdsZone).UTC().Format(time.RFC3339)
	for i, code := range []string{"DMOST", "DMBNK", "DMALT", "DMCRP", "DMHLD"} {
		price := fmt.Sprintf("%d.%02d", 300+n%50+int64(i), n*7%100)
		if i == 1 {
			price = fmt.Sprintf("12345678901234%03d.25", n%1000) // no float has so many digits
		}
		if i == 2 {
			price = fmt.Sprintf("3.%03d0E+2", n*13%1000)
		}
		all = append(all, JSONPrice{code, day.Format(time.DateOnly), begins, price, fmt.Sprintf("%d.5e3", 1000+n%900)})
	}
	return all
}

// JSON returns a stand-in of a JSON API: prices of days, page by page, oldest first. It publishes
// those of a day at 19:00. Some errors have the status 200.
func JSON(now func() time.Time) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		since, err := time.ParseInLocation(time.DateOnly, r.URL.Query().Get("since"), evdsZone)
		page, wrong := strconv.Atoi(r.URL.Query().Get("page"))
		switch {
		case r.URL.Path != "/v1/prices":
			http.NotFound(w, r)
			return
		case r.Header.Get("X-Api-Key") != JSONKey:
			w.WriteHeader(http.StatusUnauthorized)
			fmt.Fprint(w, `{"status":"error","message":"unknown key"}`)
			return
		case err != nil || wrong != nil || page < 1:
			fmt.Fprint(w, `{"status":"error","message":"since must be a day, and page a number"}`)
			return
		}
		var items []string
		for day := since; !day.Add(19 * time.Hour).After(now()); day = day.AddDate(0, 0, 1) {
			for _, p := range JSONPrices(day) {
				items = append(items, fmt.Sprintf(`{"code":%q,"day":%q,"begins":%q,"price":%s,"volume":%s,"note":null}`,
					p.Code, p.Day, p.Begins, p.Price, p.Volume))
			}
		}
		from := min((page-1)*JSONPage, len(items))
		fmt.Fprintf(w, `{"status":"ok","page":%d,"total":%d,"items":[%s]}`,
			page, len(items), strings.Join(items[from:min(from+JSONPage, len(items))], ","))
	})
}
