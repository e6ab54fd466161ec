package standin

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Credentials that the stand-in of the publication service expects: a key for tokens, or a
// user and a password.
const (
	VYKKey      = "0f8fad5b-d9cb-469f-a165-70867728950e"
	VYKUser     = "vyk-user"
	VYKPassword = "vyk-password"
)

const (
	vykEvery = 20 * time.Minute // between two disclosures
	vykLate  = 20 * time.Second // delay of some details
	vykToken = 50 * time.Second // lifetime of a token, which states a day
	vykTardy = 30 * time.Minute // delay of some in lists, after their successors
	vykScan  = 3000             // numbers that a filtered list covers
	vykPage  = 50
	vykCalls = 6 // a minute, of a test account (one with a password)
	vykNone  = `{"code":"ER005","message":"Bildirim bulunamadı. Disclosure not found."}`
)

// vyk is the stand-in of the publication service.
type vyk struct {
	now func() time.Time

	mu     sync.Mutex
	tokens map[string]time.Time // by token, when it expires
	calls  []time.Time          // calls of the test account in the last minute
}

// VYK returns a stand-in of the publication service of disclosures. Every 17th number is missing.
// Some disclosures are listed only after their successors, or twice, and the details of some are
// late or never come. A list of one element is written without brackets, tokens expire early,
// addresses lead to other hosts, and a test account may call 6 times a minute.
func VYK(now func() time.Time) http.Handler { return &vyk{now: now, tokens: map[string]time.Time{}} }

// VYKNewest returns the newest number at a moment.
func VYKNewest(now time.Time) int64 {
	n := now.Unix() / int64(vykEvery/time.Second)
	if !VYKExists(n) {
		n--
	}
	return n
}

// VYKExists reports whether a disclosure has the number.
func VYKExists(n int64) bool { return n%17 != 0 }

// VYKTardy reports whether a number is listed only after its successors.
func VYKTardy(n int64) bool { return n%41 == 13 }

// VYKListed reports whether a number is listed at a moment.
func VYKListed(n int64, now time.Time) bool {
	late := time.Duration(0)
	if VYKTardy(n) {
		late = vykTardy
	}
	return VYKExists(n) && !now.Before(vykTime(n).Add(late))
}

// VYKType returns the type of a disclosure.
func VYKType(n int64) string {
	switch n % 6 {
	case 1:
		return "FR"
	case 4:
		return "DUY"
	}
	return "ODA"
}

// VYKNever reports whether the details of a number never come.
func VYKNever(n int64) bool { return n%101 == 7 }

// VYKBlocked reports whether a disclosure must not be shown; some of these state it themselves.
func VYKBlocked(n int64) bool { return n%37 == 5 }

// ServeHTTP implements http.Handler.
func (v *vyk) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	if strings.HasSuffix(r.URL.Path, "/auth/generateToken") {
		v.login(w, r)
		return
	}
	if !v.knows(r) {
		vykRefuse(w, `{"fault":{"faultCode":"ER006","faultString":"Token süresi doldu. Token expired.","correlationId":"1"}}`)
		return
	}
	if v.busy(r) {
		w.WriteHeader(http.StatusTooManyRequests)
		_, _ = w.Write([]byte(`{"fault":{"faultCode":"ERR-224","faultString":"Rate limit exceeded.","correlationId":"2"}}`))
		return
	}
	_, path, _ := strings.Cut(r.URL.Path, "/vyk/")
	service, rest, _ := strings.Cut(path, "/")
	newest := VYKNewest(v.now())
	switch service {
	case "lastDisclosureIndex":
		vykAnswer(w, map[string]any{"lastDisclosureIndex": fmt.Sprint(newest)})
	case "disclosures":
		query := r.URL.Query()
		from, err := strconv.ParseInt(query.Get("disclosureIndex"), 10, 64)
		if err != nil {
			vykRefuse(w, `getDisclosures.disclosureIndex: must match "^\d{1,15}$"`)
			return
		}
		rows := vykList(from, v.now(), query.Get("disclosureTypes"), query.Get("companyId"))
		if len(rows) == 0 && from > newest {
			vykRefuse(w, vykNone)
			return
		}
		vykAnswer(w, rows)
	case "disclosureDetail":
		kind := r.URL.Query().Get("fileType")
		n, err := strconv.ParseInt(rest, 10, 64)
		switch {
		case kind != "data" && kind != "html":
			vykRefuse(w, `getDisclosureById.fileType: must match "(html|data)"`)
		case err != nil || n > newest || !VYKListed(n, v.now()) || VYKNever(n) || n%5 == 3 && v.now().Before(vykTime(n).Add(vykLate)):
			vykRefuse(w, vykNone)
		default:
			vykAnswer(w, vykDetail(n, kind))
		}
	case "downloadAttachment":
		n, err := strconv.ParseInt(rest, 16, 64)
		if err != nil || len(rest) != 32 {
			vykRefuse(w, vykNone)
			return
		}
		w.Header().Set("Content-Type", "application/pdf")
		_, _ = w.Write(vykFile(n))
	case "blockedDisclosures":
		rows := []map[string]any{}
		for n := newest; n > newest-2000; n-- {
			if VYKBlocked(n) {
				rows = append(rows, map[string]any{"blockedType": "Attachment", "disclosureIndex": fmt.Sprint(n)})
			}
		}
		vykAnswer(w, rows)
	default:
		vykCatalog(w, r, service, rest)
	}
}

// login issues a token.
func (v *vyk) login(w http.ResponseWriter, r *http.Request) {
	if r.URL.Query().Get("apiKey") != VYKKey {
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = w.Write([]byte(`{"code":"ER002","message":"Yetkisiz. Not authorized."}`))
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	part := base64.RawURLEncoding.EncodeToString
	token := part([]byte(`{"alg":"none"}`)) + "." +
		part(fmt.Appendf(nil, `{"exp":%d,"jti":"%d"}`, v.now().Add(24*time.Hour).Unix(), len(v.tokens))) + "." + part([]byte("signature"))
	v.tokens[token] = v.now().Add(vykToken)
	vykAnswer(w, map[string]any{"token": token})
}

// knows reports whether a request has valid credentials.
func (v *vyk) knows(r *http.Request) bool {
	if user, password, ok := r.BasicAuth(); ok {
		return user == VYKUser && password == VYKPassword
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.now().Before(v.tokens[strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")])
}

func vykAnswer(w http.ResponseWriter, what any) { _ = json.NewEncoder(w).Encode(what) }

func vykRefuse(w http.ResponseWriter, text string) {
	w.WriteHeader(http.StatusBadRequest)
	_, _ = w.Write([]byte(text))
}

// vykTime returns when a disclosure is published.
func vykTime(n int64) time.Time { return time.Unix(n*int64(vykEvery/time.Second), 0).In(evdsZone) }

// busy reports whether the test account exceeds its calls a minute.
func (v *vyk) busy(r *http.Request) bool {
	if _, _, test := r.BasicAuth(); !test {
		return false
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	now := v.now()
	v.calls = slices.DeleteFunc(v.calls, func(t time.Time) bool { return now.Sub(t) >= time.Minute })
	if len(v.calls) >= vykCalls {
		return true
	}
	v.calls = append(v.calls, now)
	return false
}

// vykList returns a page, which may have fewer rows than the numbers it covers. With a filter it
// covers vykScan numbers, so it may be empty although more follow.
func vykList(from int64, now time.Time, kind, company string) []map[string]any {
	rows := []map[string]any{}
	newest, scanned, filtered := VYKNewest(now), int64(vykPage), kind+company != ""
	if filtered {
		scanned = vykScan
	}
	for n := from; n <= newest && n < from+scanned && len(rows) < vykPage; n++ {
		if !VYKListed(n, now) || kind != "" && VYKType(n) != kind || company != "" && company != "777" {
			continue
		}
		row := map[string]any{
			"disclosureIndex": fmt.Sprint(n), "disclosureType": VYKType(n), "disclosureClass": VYKType(n),
			"subReportIds": []string{"oda-10000"},
			"title":        "ÖRNEK IŞIK A.Ş.", "companyId": "777", "acceptedDataFileTypes": []string{"html", "presentation"},
		}
		if n%4 == 0 {
			row["disclosureIndex"] = n
		}
		if n%10 == 9 {
			row["acceptedDataFileTypes"] = []string{"html"}
		}
		rows = append(rows, row)
		if n%50 == 7 {
			rows = append(rows, row)
		}
	}
	return rows
}

// vykDetail returns a disclosure.
func vykDetail(n int64, kind string) map[string]any {
	d := map[string]any{
		"disclosureIndex": fmt.Sprint(n), "senderId": "777", "senderTitle": "ÖRNEK IŞIK A.Ş.",
		"senderExchCodes":  []string{"ORNKA", "ORNKB"},
		"disclosureReason": "NEW", "disclosureDelayStatus": "O", "disclosureType": VYKType(n), "disclosureClass": VYKType(n),
		"subject":       map[string]any{"tr": "Özel Durum Açıklaması", "en": "Material Event Disclosure"},
		"summary":       map[string]any{"tr": "Özet\u0080", "en": nil},
		"relatedStocks": []map[string]any{{"code": "ORNKA"}, {"code": "ORN"}}, "time": vykTime(n).Format("02.01.2006 15:04:05"),
		"link": fmt.Sprint("https://elsewhere.example/Bildirim/", n),
	}
	item := any(map[string]any{"name": "oda_Subject",
		"Values": map[string]any{"Value": map[string]any{"contextId": "2031-06-30", "value": fmt.Sprintf("%%%d,9", n%100)}}})
	switch n % 6 {
	case 0:
		d["relatedStocks"] = map[string]any{"code": "ORN"}
		item = []any{item}
	case 1:
		d["year"], d["consolidation"] = fmt.Sprint(vykTime(n).Year()), "CS"
		d["period"] = map[string]any{"tr": "6 Aylık", "en": "6 Months"}
	case 2:
		delete(d, "senderExchCodes")
		d["behalfSenderId"], d["behalfSenderExchCodes"] = "779", "ORNEB"
	case 3:
		d["disclosureReason"], d["relatedDisclosureIndex"] = "CORR", n-1
	case 4:
		delete(d, "disclosureReason")
		delete(d, "relatedStocks")
	}
	if n%3 == 0 {
		d["attachmentUrls"] = []map[string]any{{"url": fmt.Sprintf("https://elsewhere.example/api/vyk/downloadAttachment/%032x", n),
			"fileName": "rapor.pdf"}}
	}
	switch {
	case kind == "html":
		text := `<?xml version="1.0" encoding="ISO-8859-9"?><html><body>Özel durum</body></html>`
		d["htmlMessages"] = []map[string]any{{"id": "oda-10000", "tr": base64.StdEncoding.EncodeToString([]byte(text)), "en": nil}}
	case n%23 == 4:
		d["flatData"] = []map[string]any{{"id": "tr.com.mkk.example.KPY41DTO",
			"content": map[string]any{"version": "1", "object": map[string]any{"void": []string{"KİŞİ"}}}}}
	case VYKType(n) == "FR":
		d["presentation"] = vykReport(n)
	default:
		d["presentation"] = []map[string]any{{"id": "oda-10000",
			"content": map[string]any{"id": "oda-10000", "isMultiDimensional": "no", "ReportItem": item}}}
	}
	if VYKBlocked(n) && n%2 == 0 {
		d["blockedStatus"] = "Attachment"
	}
	return d
}

// VYKFile returns the attachment of a disclosure.
func VYKFile(n int64) []byte {
	if n%4 == 2 {
		return fmt.Appendf(nil, "PK\x03\x04 %d PK\x05\x06%s", n, make([]byte, 18))
	}
	return fmt.Appendf(nil, "%%PDF-1.4\n%d\n%%%%EOF\n", n)
}

// vykFile returns an attachment as the service sends it, with or without a frame.
func vykFile(n int64) []byte {
	file := VYKFile(n)
	if n%2 == 0 {
		return file
	}
	framed := []byte("\xac\xed\x00\x05ur\x00\x02[B\xac\xf3\x17\xf8\x06\x08T\xe0\x02\x00\x00xp")
	framed = binary.BigEndian.AppendUint32(framed, uint32(len(file)))
	return append(framed, file...)
}
