package standin

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// tefasCalls is how many requests TEFAS accepts in a minute.
const tefasCalls = 6

// TEFAS returns a stand-in of the fund platform's table of all funds: the figures of a working day
// come on the next one at 10:30; an answer has at most a month. Days without figures are an error
// that only its text shows. Above the limit of requests, the answers have the status 429 or 200, in
// turn; a request that no page of the site would send gets the page of a firewall. A fund whose
// price is 0 is suspended, and one has no investors yet.
func TEFAS(now func() time.Time) http.Handler {
	t := &tefas{now: now}
	return http.HandlerFunc(t.serve)
}

// tefas is the stand-in.
type tefas struct {
	now func() time.Time

	mu    sync.Mutex
	calls []time.Time // of the last minute
	many  int         // number of refused requests
}

// busy counts a request, and returns its number among the refused ones; 0: it is accepted.
func (t *tefas) busy() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.calls = slices.DeleteFunc(t.calls, func(at time.Time) bool { return t.now().Sub(at) >= time.Minute || at.After(t.now()) })
	if len(t.calls) < tefasCalls {
		t.calls = append(t.calls, t.now())
		return 0
	}
	t.many++
	return t.many
}

// serve answers a request.
func (t *tefas) serve(w http.ResponseWriter, r *http.Request) {
	var asked struct{ FonTipi, BasTarih, BitTarih string }
	err := json.NewDecoder(r.Body).Decode(&asked)
	if r.Header.Get("Content-Type") != "application/json" || r.Header.Get("Origin") == "" || r.Header.Get("Referer") == "" || err != nil {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<html><head><title>Request Rejected</title></head><body>The requested URL was rejected.</body></html>")
		return
	}
	w.Header().Set("Content-Type", "application/json")
	from, wrong := time.ParseInLocation("20060102", asked.BasTarih, evdsZone)
	to, err := time.ParseInLocation("20060102", asked.BitTarih, evdsZone)
	switch many := t.busy(); {
	case r.URL.Path != "/fonGnlBlgSiraliGetir":
		http.NotFound(w, r)
	case many%2 == 1:
		w.WriteHeader(http.StatusTooManyRequests)
	case many > 0:
		fmt.Fprint(w, `{"errorCode":"ERR-224","errorMessage":"Too many requests","resultList":null}`)
	case wrong != nil || err != nil || to.After(from.AddDate(0, 1, 0)):
		fmt.Fprint(w, `{"faultCode":"ERR-101","faultString":"Tarih aralığı en fazla 1 ay olabilir","resultList":null}`)
	default:
		t.list(w, from, to)
	}
}

// list writes the funds of some days, the newest first.
func (t *tefas) list(w http.ResponseWriter, from, to time.Time) {
	var rows []string
	for day := to; !day.Before(from); day = day.AddDate(0, 0, -1) {
		if !t.now().Before(tefasPublished(day)) {
			rows = append(rows, tefasRows(day)...)
		}
	}
	if len(rows) == 0 {
		fmt.Fprint(w, `{"errorCode":"ERR-500","errorMessage":"Index 0 out of bounds for length 0","resultList":null}`)
		return
	}
	fmt.Fprintf(w, `{"errorCode":null,"errorMessage":null,"resultList":[%s]}`, strings.Join(rows, ","))
}

// workday reports whether a day is not at a weekend.
func workday(day time.Time) bool {
	return day.Weekday() != time.Saturday && day.Weekday() != time.Sunday
}

// tefasPublished returns when the figures of a day come.
func tefasPublished(day time.Time) time.Time {
	for day = day.AddDate(0, 0, 1); !workday(day); day = day.AddDate(0, 0, 1) {
	}
	return day.Add(10*time.Hour + 30*time.Minute)
}

// tefasRows returns the rows of a day.
func tefasRows(day time.Time) (rows []string) {
	if !workday(day) {
		return nil
	}
	noise := evdsNoise(day)
	for i, code := range []string{"DMA", "DMB", "DMC", "DMS"} {
		price := fmt.Sprintf("%d.%06d", 1+i, (noise*(i+1))%1_000_000)
		if i == 3 && day.Day()%5 == 0 {
			price = "0" // suspended
		}
		investors := fmt.Sprint(1000+noise%900, ".0")
		if i == 2 {
			investors = "null"
		}
		rows = append(rows, fmt.Sprintf(`{"fonKodu":%q,"fonUnvan":"DEMO %s PORTFÖY FONU","tarih":"%sT00:00:00","fiyat":%s,"tedPaySayisi":%d.0E3,`+
			`"kisiSayisi":%s,"portfoyBuyukluk":%d.25,"borsaBultenFiyat":null,"rn":%d}`, code, code, day.Format(time.DateOnly), price,
			4000+noise%100, investors, 90_000_000+noise%1000, i+1))
	}
	return rows
}
