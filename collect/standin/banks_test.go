package standin_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"golang.org/x/text/encoding/charmap"

	"piyasa/collect/standin"
	"piyasa/test/fixture/need"
)

// get asks a stand-in at a moment.
func get(t *testing.T, maker standin.Maker, at, path string, header ...string) (int, string) {
	t.Helper()
	now, err := time.Parse(time.RFC3339, at)
	need.NoError(t, err)
	r := httptest.NewRequest(http.MethodGet, path, nil)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	maker(func() time.Time { return now }).ServeHTTP(w, r)
	return w.Code, w.Body.String()
}

func TestTCMB(t *testing.T) {
	for name, c := range map[string]struct {
		at, path string
		status   int
		has, not string
	}{
		"today's, when it is published": {"2031-06-02T15:30:00+03:00", "/today.xml", 200,
			`Tarih="02.06.2031" Date="06/02/2031"  Bulten_No=`, ""},
		"today's, a second earlier": {"2031-06-02T15:29:59+03:00", "/today.xml", 200, `Tarih="30.05.2031"`, ""},
		"on a Sunday":               {"2031-06-01T20:00:00+03:00", "/today.xml", 200, `Tarih="30.05.2031"`, ""},
		"on a holiday":              {"2031-05-19T20:00:00+03:00", "/today.xml", 200, `Tarih="16.05.2031"`, ""},
		"of a day":                  {"2031-06-02T15:30:00+03:00", "/203105/30052031.xml", 200, `Tarih="30.05.2031"`, ""},
		"of a Saturday":             {"2031-06-02T15:30:00+03:00", "/203105/31052031.xml", 404, "<html", "Tarih"},
		"of a holiday":              {"2031-06-02T15:30:00+03:00", "/203105/19052031.xml", 404, "<html", "Tarih"},
		"of today, before":          {"2031-06-02T15:29:59+03:00", "/203106/02062031.xml", 404, "<html", "Tarih"},
		"before the first":          {"2031-06-02T15:30:00+03:00", "/199605/01051996.xml", 404, "<html", "Tarih"},
		"no such file":              {"2031-06-02T15:30:00+03:00", "/203105/30062031.xml", 404, "<html", "Tarih"},
		"a unit of a hundred":       {"2031-06-02T15:30:00+03:00", "/today.xml", 200, "<Unit>100</Unit>", ""},
		"empty in one way":          {"2031-06-02T15:30:00+03:00", "/today.xml", 200, "<CrossRateUSD/>", ""},
		"empty in another way":      {"2031-06-02T15:30:00+03:00", "/today.xml", 200, "></", ""},
		"empty in a third way":      {"2031-06-02T15:30:00+03:00", "/today.xml", 200, "<BanknoteBuying>\n\t\t</BanknoteBuying>", ""},
		"a name that is padded":     {"2031-06-02T15:30:00+03:00", "/today.xml", 200, "<Isim>ÖZEL ÇEKME HAKKI (SDR)     ", ""},
		"a currency that is listed": {"2031-06-03T15:30:00+03:00", "/today.xml", 200, `Kod="RON"`, ""},
		"and is not any more":       {"2031-06-04T15:30:00+03:00", "/today.xml", 200, `Kod="USD"`, `Kod="RON"`},
		"UTF-8":                     {"2031-06-02T15:30:00+03:00", "/202001/02012020.xml", 200, `encoding="UTF-8"`, ""},
	} {
		status, body := get(t, standin.TCMB, c.at, c.path)
		if status != c.status || !strings.Contains(body, c.has) || c.not != "" && strings.Contains(body, c.not) {
			t.Errorf("%s: %d %s", name, status, body)
		}
	}
	_, body := get(t, standin.TCMB, "2031-06-02T15:30:00+03:00", "/201912/31122019.xml")
	if text, err := charmap.ISO8859_9.NewDecoder().String(body); err != nil || !strings.Contains(text, `encoding="ISO-8859-9"`) ||
		!strings.Contains(text, "İNGİLİZ STERLİNİ") {
		t.Errorf("%v %s", err, text)
	}
}

func TestECB(t *testing.T) {
	const before, after = "2031-06-02T15:59:59+02:00", "2031-06-02T16:00:00+02:00"
	for name, c := range map[string]struct {
		at, path string
		has, not string
	}{
		"today's":               {after, "/eurofxref-daily.xml", "<Cube time='2031-06-02'>", "05-30"},
		"a second earlier":      {before, "/eurofxref-daily.xml", "<Cube time='2031-05-30'>", "06-02"},
		"Easter Monday":         {"2031-04-14T20:00:00+02:00", "/eurofxref-daily.xml", "2031-04-10", "2031-04-11"},
		"90 days":               {after, "/eurofxref-hist-90d.xml", `<Cube time="2031-03-04">`, "2031-03-03"},
		"all days":              {after, "/eurofxref-hist.xml", `<Cube time="2019-01-02">`, "'"},
		"a currency that ended": {"2031-06-04T16:00:00+02:00", "/eurofxref-daily.xml", "USD", "HUF"},
	} {
		status, body := get(t, standin.ECB, c.at, c.path)
		if status != 200 || !strings.Contains(body, c.has) || strings.Contains(body, c.not) {
			t.Errorf("%s: %d %.2000s", name, status, body)
		}
	}
	if status, _ := get(t, standin.ECB, before, "/eurofxref.zip"); status != 404 {
		t.Error(status)
	}
	modified := "Fri, 30 May 2031 14:00:00 GMT" // when Friday's were published
	if status, body := get(t, standin.ECB, before, "/eurofxref-daily.xml", "If-Modified-Since", modified); status != 304 || body != "" {
		t.Errorf("nothing new: %d %s", status, body)
	}
	if status, _ := get(t, standin.ECB, after, "/eurofxref-daily.xml", "If-Modified-Since", modified); status != 200 {
		t.Errorf("something new: %d", status)
	}
}

// A choice of faults is the same for the same seed, and has all faults.
func TestSeeded(t *testing.T) {
	one, again := standin.Seeded(7, 30, standin.Faults...), standin.Seeded(7, 30, standin.Faults...)
	count := map[standin.Fault]int{}
	for request := range 10_000 {
		if one(request) != again(request) {
			t.Fatal("it is not the same again")
		}
		count[one(request)]++
	}
	if n := count[standin.Healthy]; n < 6700 || n > 7300 || len(count) != len(standin.Faults)+1 {
		t.Error(count)
	}
}
