package standin

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// FREDKey is the only key that the stand-in of FRED accepts.
const FREDKey = "fred-stand-in-key-0123456789abcde"

// FRED returns a stand-in of the series of FRED: the close of a working day comes at 9:00 of the
// next day, an exchange's holiday has the value ".", and a wrong request gets the status 400.
func FRED(now func() time.Time) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json; charset=UTF-8")
		query := r.URL.Query()
		refuse := func(why string) {
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprintf(w, `{"error_code":400,"error_message":%q}`, "Bad Request.  "+why)
		}
		from, wrong := time.ParseInLocation(time.DateOnly, query.Get("observation_start"), evdsZone)
		to, err := time.ParseInLocation(time.DateOnly, query.Get("observation_end"), evdsZone)
		series := slices.Index([]string{"SP500", "NASDAQCOM", "DJIA", "NIKKEI225"}, query.Get("series_id"))
		switch {
		case r.URL.Path != "/series/observations" || query.Get("file_type") != "json":
			http.NotFound(w, r)
		case query.Get("api_key") != FREDKey:
			refuse("The value for variable api_key is not registered.")
		case wrong != nil || err != nil || to.Before(from):
			refuse("Variable observation_start is later than observation_end, or no day.")
		case series < 0:
			refuse("The series does not exist.")
		default:
			var rows []string
			for day := from; !day.After(to) && !now().Before(day.AddDate(0, 0, 1).Add(9*time.Hour)); day = day.AddDate(0, 0, 1) {
				if workday(day) {
					rows = append(rows, fmt.Sprintf(`{"realtime_start":"2031-01-01","realtime_end":"2031-01-01","date":%q,"value":%q}`,
						day.Format(time.DateOnly), closeOf(day, series)))
				}
			}
			fmt.Fprintf(w, `{"count":%d,"offset":0,"limit":100000,"observations":[%s]}`, len(rows), strings.Join(rows, ","))
		}
	})
}

// monthsBefore returns the first day that the stand-ins have data of at a moment: 1 July of the
// previous year.
func monthsBefore(now time.Time) time.Time {
	return time.Date(now.Year()-1, 7, 1, 0, 0, 0, 0, evdsZone)
}

// closeOf returns the value of a series on a day; ".": none.
func closeOf(day time.Time, series int) string {
	noise := evdsNoise(day)
	if noise%11 == series {
		return "."
	}
	return fmt.Sprintf("%d.%02d", 5000+1000*series+noise%500, noise%100)
}

// LBMA returns a stand-in of the association's files of prices: all days of some months in one
// answer, in dollars, pounds and euros, and 0 where there was no auction.
func LBMA(now func() time.Time) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		metal := slices.Index([]string{"/silver.json", "/gold_pm.json"}, r.URL.Path)
		if metal < 0 {
			http.NotFound(w, r)
			return
		}
		var rows []string
		for day := monthsBefore(now()); !now().Before(day.Add(18 * time.Hour)); day = day.AddDate(0, 0, 1) {
			price := closeOf(day, metal)
			if !workday(day) {
				continue
			}
			if price == "." {
				price = "0.0"
			}
			rows = append(rows, fmt.Sprintf(`{"is_cms_locked":0,"d":%q,"v":[%s,0.0,null]}`, day.Format(time.DateOnly), price))
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, "[%s]", strings.Join(rows, ","))
	})
}

// BistIndexValues returns a stand-in of the exchange's charts of indices: all days of some months,
// the newest first, as JSON with the content type of text. An unknown index is an error with the
// status 200.
func BistIndexValues(now func() time.Time) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		query := r.URL.Query()
		index := slices.Index([]string{"XU100", "XU030", "XBANK", "XUSIN"}, query.Get("indexCode"))
		w.Header().Set("Content-Type", "text/html; charset=UTF-8")
		if r.URL.Path != "/graphic.php" || query.Get("veriTuru") != "endeks-graphic" || index < 0 {
			fmt.Fprint(w, `{"status":"error","data":[]}`)
			return
		}
		var rows []string
		for day := monthsBefore(now()); !now().Before(day.Add(18*time.Hour + 30*time.Minute)); day = day.AddDate(0, 0, 1) {
			if price := closeOf(day, index); price != "." && workday(day) {
				rows = append(rows, fmt.Sprintf(`{"clval":%s,"hisTs":%q}`, price, day.Format(time.DateOnly)))
			}
		}
		slices.Reverse(rows)
		fmt.Fprintf(w, `{"status":"success","data":[%s]}`, strings.Join(rows, ","))
	})
}
