package standin

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"net/http"
	"slices"
	"strings"
	"time"
)

// EVDSKey is the only key that the stand-in of EVDS accepts.
const EVDSKey = "evds-stand-in-key"

// evdsMost is the most observations of an answer; the oldest beyond it are left out.
const evdsMost = 1000

// evdsZone is the time zone of all dates of the service.
var evdsZone = time.FixedZone("TRT", 3*60*60)

// evdsSeries is a series that the stand-in makes up.
type evdsSeries struct {
	months  int                            // length of a period; 0: daily
	first   string                         // day
	frozen  string                         // month of its last value; empty: it continues
	value   func(at, now time.Time) string // of a period; empty: none
	pending bool                           // it lists the current period, without a value
}

var evdsKnown = map[string]evdsSeries{
	"TP.TUFE1YI.T1":       {months: 1, first: "1982-01-01", value: evdsIndex(27, true)},
	"TP.GENENDEKS.T1":     {months: 1, first: "2003-01-01", value: evdsIndex(9400, false)},
	"TP.TUKFIY2025.GENEL": {months: 1, first: "2005-01-01", value: evdsIndex(310, false), pending: true},
	"TP.FG.J0":            {months: 1, first: "2003-01-01", value: evdsIndex(9400, false), frozen: "2026-01"},
	"TP.GSYIH01.GY":       {months: 3, first: "1998-01-01", value: evdsIndex(500000, false)},
	"TP.DK.USD.A.YTL":     {first: "1950-01-02", value: evdsRate(30)},
	"TP.DK.EUR.A.YTL":     {first: "1999-01-04", value: evdsRate(36)},
}

// EVDS returns a stand-in of the data service of the central bank. It has price indices, a
// quarterly series and daily rates. It publishes the index of a month at 10:40 on the first working
// day from the 3rd of the next month on, and revises producer prices once, a month later.
func EVDS(now func() time.Time) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		parameters, ok := strings.CutPrefix(r.URL.Path, "/series=")
		switch key := r.Header.Get("key"); {
		case r.URL.Query().Has("series"): // parameters belong to the path
			http.Error(w, "Missing parameters", http.StatusBadRequest)
		case !ok:
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, `<!doctype html><html lang="tr"><head><title>EVDS</title></head><body><app-root></app-root></body></html>`)
		case key == "":
			w.WriteHeader(http.StatusForbidden)
			fmt.Fprint(w, `{"status":"403","message":"Required request header 'key' is not present"}`)
		case key != EVDSKey && len(key)%2 == 0: // both have been seen
			http.Error(w, "Invalid API Key", http.StatusUnauthorized)
		case key != EVDSKey:
			http.Error(w, "Invalid API Key", http.StatusForbidden)
		default:
			evdsAnswer(w, parameters, now().In(evdsZone))
		}
	})
}

// evdsAnswer answers with the observations of a range, and ignores dates in another format.
func evdsAnswer(w http.ResponseWriter, parameters string, now time.Time) {
	parts := strings.Split(parameters, "&")
	begin, end := time.Time{}, now
	for _, part := range parts[1:] {
		name, text, _ := strings.Cut(part, "=")
		if at, err := time.ParseInLocation("02-01-2006", text, evdsZone); err == nil && name == "startDate" {
			begin = at
		} else if err == nil && name == "endDate" {
			end = at
		}
	}
	codes := strings.Split(parts[0], "-")
	if !strings.HasPrefix(parts[0], "TP.") { // the service has been seen to give both answers to an unknown series
		http.Error(w, `{"message":"Internal server error"}`, http.StatusInternalServerError)
		return
	}
	items := []map[string]any{}
	if s, ok := evdsKnown[codes[0]]; ok {
		at, _ := time.ParseInLocation(time.DateOnly, s.first, evdsZone)
		for ; !at.After(end) && !at.After(now); at = s.next(at) {
			if item, ok := evdsItem(codes, at, now); ok && !at.Before(begin) {
				items = append(items, item)
			}
		}
	}
	items = items[max(0, len(items)-evdsMost):]
	w.Header().Set("Content-Type", "application/json;charset=UTF-8")
	_ = json.NewEncoder(w).Encode(map[string]any{"totalCount": len(items), "items": items})
}

func (s evdsSeries) next(at time.Time) time.Time {
	if s.months == 0 {
		return at.AddDate(0, 0, 1)
	}
	return at.AddDate(0, s.months, 0)
}

// evdsItem returns the row of the day, month or quarter that begins at a moment.
func evdsItem(codes []string, at, now time.Time) (map[string]any, bool) {
	item := map[string]any{"UNIXTIME": map[string]string{"$numberLong": fmt.Sprint(at.Unix())}}
	there := false
	for _, code := range codes {
		s, ok := evdsKnown[code]
		if !ok {
			continue
		}
		switch s.months {
		case 0:
			item["Tarih"] = at.Format("02-01-2006")
		case 3:
			item["Tarih"] = fmt.Sprintf("%d-Q%d", at.Year(), (int(at.Month())+2)/3)
		default:
			item["Tarih"] = at.Format("2006-1")
		}
		column := strings.ReplaceAll(code, ".", "_")
		item[column] = nil
		published := !evdsPublished(s.next(at)).After(now)
		if s.months == 0 {
			published = !at.Add(15*time.Hour + 40*time.Minute).After(now)
		}
		if s.frozen != "" && at.Format("2006-01") > s.frozen {
			continue
		}
		if published {
			there = true
			switch text := s.value(at, now); {
			case text != "":
				item[column] = text
			case at.Year()%2 == 0: // without a value: null or empty
				item[column] = ""
			}
		}
		there = there || s.pending
	}
	return item, there
}

// evdsPublished returns when the period that ends before the month next is published.
func evdsPublished(next time.Time) time.Time {
	at := time.Date(next.Year(), next.Month(), 3, 10, 40, 0, 0, evdsZone)
	for slices.Contains([]time.Weekday{time.Saturday, time.Sunday}, at.Weekday()) {
		at = at.AddDate(0, 0, 1)
	}
	return at
}

// evdsIndex makes up a rising index. If it is revised, a month has another value until the next
// month is published, and July 1994 and February 1996 are missing.
func evdsIndex(start int, revised bool) func(at, now time.Time) string {
	return func(at, now time.Time) string {
		if revised && (at.Format("2006-01") == "1994-07" || at.Format("2006-01") == "1996-02") {
			return ""
		}
		months := (at.Year()-1982)*12 + int(at.Month())
		hundredths := start + months*months*7 + evdsNoise(at)%50
		if revised && months%2 == 0 && evdsPublished(at.AddDate(0, 2, 0)).After(now) {
			hundredths += 13
		}
		return fmt.Sprintf("%d.%02d000000", hundredths/100, hundredths%100)
	}
}

// evdsRate makes up a rate of working days.
func evdsRate(start int) func(at, now time.Time) string {
	return func(at, _ time.Time) string {
		if at.Weekday() == time.Saturday || at.Weekday() == time.Sunday {
			return ""
		}
		return fmt.Sprintf("%d.%04d0000", start, evdsNoise(at)%10000)
	}
}

// evdsNoise is a number that belongs to a moment.
func evdsNoise(at time.Time) int {
	h := fnv.New32a()
	fmt.Fprint(h, at.Unix())
	return int(h.Sum32() >> 1)
}
