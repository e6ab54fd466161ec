package spk_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"piyasa/collect"
	"piyasa/collect/collecttest"
	"piyasa/collect/spk"
	"piyasa/collect/standin"
	"piyasa/test/fixture/need"
)

// world is a collector, and the stand-in that it asks, on one clock.
type world struct {
	store *collecttest.Store
	seen  int // lines of the store before the last run
	*collect.Collector
	now   time.Time
	asked []string
	ipos  map[string]map[string]any // by id
}

func newWorld(t *testing.T, settings string) *world {
	t.Helper()
	w := &world{store: collecttest.NewStore(), ipos: map[string]map[string]any{}}
	upstream := standin.SPK(func() time.Time { return w.now })
	server := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		w.asked = append(w.asked, r.URL.Query().Get("yil"))
		upstream.ServeHTTP(out, r)
	}))
	t.Cleanup(server.Close)
	source := source(t, settings)
	plan := source.Plan()
	plan.Base, plan.Pace = server.URL, 0
	w.Collector = &collect.Collector{
		Config: &collect.Config{Sources: []collect.Named{{Name: "ipo", Source: source, Own: plan}}},
		Store:  w.store, Emit: w.store.Emit, Holder: "one", Agent: "piyasa/test", Now: func() time.Time { return w.now },
	}
	return w
}

// lines returns what the last run stored.
func (w *world) lines() (all []map[string]any) {
	for _, l := range w.store.Lines()[w.seen:] {
		all = append(all, l.Fields)
	}
	return all
}

// at runs the collector once, at a moment, and returns how many records came.
func (w *world) at(t *testing.T, now time.Time) (stored, withdrawn int, err error) {
	t.Helper()
	w.now, w.seen, w.asked = now, len(w.store.Lines()), nil
	err = w.Once(t.Context())[0].Err
	for _, r := range w.lines() {
		switch id, _ := r["id"].(string); {
		case r["record"] != "ipo":
		case r["withdrawn"] == true:
			delete(w.ipos, id)
			withdrawn++
		default:
			w.ipos[id] = r
			stored++
		}
	}
	return stored, withdrawn, err
}

// check compares what came with what the stand-in has.
func (w *world) check(t *testing.T, first, last int) {
	t.Helper()
	n := 0
	for year := first; year <= last; year++ {
		got := httptest.NewRecorder()
		standin.SPK(func() time.Time { return w.now }).ServeHTTP(got,
			httptest.NewRequest("GET", fmt.Sprint("/BorclanmaAraclari/api/IlkHalkaArzVerileri?yil=", year), nil))
		d := json.NewDecoder(got.Body)
		d.UseNumber()
		var rows []map[string]any
		need.NoError(t, d.Decode(&rows))
		for _, row := range rows {
			n++
			key, _ := row["borsaKodu"].(string)
			if key == "" {
				key = strings.NewReplacer("Ö", "o", "Ş", "s", "I", "i", " A.Ş. ", "-a-s", ". ", "-", " ",
					"-").Replace(row["sirketUnvani"].(string))
			}
			r := w.ipos[fmt.Sprint(year, "-", strings.ToLower(key))]
			if r == nil {
				t.Errorf("%d-%s is missing", year, key)
				continue
			}
			if r["symbol"] != row["borsaKodu"] || r["company"] != strings.TrimSpace(row["sirketUnvani"].(string)) ||
				r["currency"] != "TRY" ||
				r["lead_underwriter"] != row["halkaArzaAracilikEdenKurum"] ||
				r["first_trade_date"] != row["borsadaIslemGormeTarihi"].(string)[:10] {
				t.Errorf("%v of %v", r, row)
			}
			for member, of := range map[string]struct {
				name  string
				times int64
			}{"price": {"halkaArzFiyatiTl", 1}, "lots": {"satisaSunulanToplamTutarBinTl", 1000},
				"offer_size": {"satisaSunulanToplamTutarPiyasaDegeriBinTl", 1000}, "free_float_pct": {"halkaArzOrani", 1}} {
				text, _ := r[member].(string)
				if number, ok := row[of.name].(json.Number); !ok && text != "" || ok &&
					rational(t, text).Cmp(new(big.Rat).Mul(rational(t, number.String()), big.NewRat(of.times, 1))) != 0 {
					t.Errorf("%s is %q of %v", member, text, row[of.name])
				}
			}
		}
	}
	if n == 0 || n != len(w.ipos) {
		t.Errorf("%d of %d", len(w.ipos), n)
	}
}

func rational(t *testing.T, text string) *big.Rat {
	t.Helper()
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		t.Fatalf("%q is no number", text)
	}
	return r
}

func source(t testing.TB, settings string) collect.Source {
	t.Helper()
	s, err := spk.New(json.RawMessage(settings))
	need.NoError(t, err)
	return s
}

func trt(year int, month time.Month, day, hour int) time.Time {
	return time.Date(year, month, day, hour, 0, 0, 0, collect.Istanbul)
}

// History, offerings that come, get a code and are corrected, and years that pass.
func TestYears(t *testing.T) {
	w := newWorld(t, `{"from": 2029}`)
	for _, step := range []struct {
		name              string
		at                time.Time
		asked             string
		stored, withdrawn int
	}{
		{"history", trt(2031, 2, 4, 10), "2029 2030 2031", 50, 0},
		{"the same day", trt(2031, 2, 4, 15), "", 0, 0},
		{"a new row without a code", trt(2031, 2, 5, 10), "2031", 1, 0},
		{"nothing is new", trt(2031, 2, 6, 10), "2031", 0, 0},
		{"an underwriter is corrected, and last year is read again", trt(2031, 2, 11, 10), "2030 2031", 1, 0},
		{"the row has its code", trt(2031, 2, 12, 10), "2031", 1, 1},
		{"a month of absence", trt(2031, 3, 12, 10), "2029 2030 2031", 2, 0},
		{"the year has passed", trt(2032, 1, 2, 10), "2029 2030 2031 2032", 19, 0},
		{"last year's last correction", trt(2032, 1, 9, 10), "2031 2032", 2, 0},
	} {
		stored, withdrawn, err := w.at(t, step.at)
		if err != nil || strings.Join(w.asked, " ") != step.asked || stored != step.stored || withdrawn != step.withdrawn {
			t.Errorf("%s: %v, asked %v, %d stored, %d withdrawn", step.name, err, w.asked, stored, withdrawn)
		}
		w.check(t, 2029, step.at.Year())
	}
	w = newWorld(t, `{}`) // without history, last year's December is not lost
	if _, _, err := w.at(t, trt(2031, 1, 1, 10)); err != nil || strings.Join(w.asked, " ") != "2030 2031" {
		t.Errorf("%v, asked %v", err, w.asked)
	}
	w.check(t, 2030, 2031)
}

// A year without offerings is empty; a member that nobody knows, and a page, are errors.
func TestAnswersOfTheService(t *testing.T) {
	w := newWorld(t, `{"from": 2008}`)
	if _, _, err := w.at(t, trt(2011, 5, 1, 10)); err != nil || len(w.asked) != 4 || len(w.ipos) != 0 {
		t.Errorf("%v %v", err, w.ipos)
	}
	if _, _, err := newWorld(t, `{}`).at(t, trt(2099, 5, 1, 10)); err == nil ||
		!strings.Contains(err.Error(), `row 0: the member "yeniUye" is not known`) {
		t.Errorf("%v", err)
	}
	w = newWorld(t, `{}`)
	w.Config.Sources[0].Own.Base += "/elsewhere"
	if _, _, err := w.at(t, trt(2031, 5, 1, 10)); err == nil || !strings.Contains(err.Error(), "status 500") {
		t.Errorf("%v", err)
	}
}

const one = `{"ay":2,"donem":"2031 / 2","borsaKodu":"ORNEK","sirketUnvani":"ÖRNEK IŞIK TEKNOLOJİ  A.Ş. ","halkaArzSekli":"x","halkaArzOrani":20.00,"halkaArzFiyatiTl":30.0,
  "ortakSatisBinTl":10000,"nakitSermayeArtisiBinTl":20000,"ekSatisTutariBinTl":0,"satisaHazirBekletilenPayTutariBinTl":0,"satisaSunulanToplamTutarBinABDDolari":18000.5,
  "satisaSunulanToplamTutarBinTl":30000,"mevcutSermayeBinTl":130000.0,"yeniSermayeBinTl":150000.0,"satisaSunulanToplamTutarPiyasaDegeriBinTl":900000.0,
  "ilkIslemGorduguPazar":"Ana Pazar","halkaArzaAracilikEdenKurum":"Örnek Yatırım A.Ş.","borsadaIslemGormeTarihi":"2031-02-13T00:00:00"}`

// with returns a list of the row with other values.
func with(t *testing.T, members ...string) string {
	t.Helper()
	text := one
	for i := 0; i < len(members); i += 2 {
		find := regexp.MustCompile(`"` + members[i] + `":("[^"]*"|[^",}]*)`)
		if !find.MatchString(text) {
			t.Fatalf("there is no %s", members[i])
		}
		text = find.ReplaceAllLiteralString(text, `"`+members[i]+`":`+members[i+1])
	}
	return "[" + text + "]"
}

func parse(t testing.TB, kept, body string) (*collect.Result, error) {
	t.Helper()
	asked := &collect.Request{Query: url.Values{"yil": {"2031"}}}
	return source(t, `{}`).Parse(json.RawMessage(kept), asked, &collect.Answer{Status: 200, At: trt(2031, 2, 20, 9), Body: []byte(body)})
}

func TestRow(t *testing.T) {
	result, err := parse(t, "", "["+one+"]")
	need.NoError(t, err)
	got, _ := json.Marshal(result.Records[0].Fields)
	want := `{"as_of":"2031-02-20T06:00:00Z","company":"ÖRNEK IŞIK TEKNOLOJİ A.Ş.","currency":"TRY","first_trade_date":"2031-02-13","free_float_pct":"20.00","id":"2031-ornek","lead_underwriter":"Örnek Yatırım A.Ş.",` +
		`"lots":"30000000","offer_size":"900000000","price":"30.0","symbol":"ORNEK"}`
	if string(got) != want || len(result.Records) != 1 {
		t.Errorf("%s", got)
	}
	for name, c := range map[string]struct {
		list, member string
		want         any
	}{
		"no price":             {with(t, "halkaArzFiyatiTl", "null"), "price", nil},
		"no code":              {with(t, "borsaKodu", "null"), "symbol", nil},
		"no code: the company": {with(t, "borsaKodu", `" "`), "id", "2031-ornek-isik-teknoloji-a-s"},
		"a long company": {with(t, "borsaKodu", "null", "sirketUnvani", `"`+strings.Repeat("ŞİRKET ", 30)+`"`), "id",
			"2031-" + strings.TrimSuffix(strings.Repeat("sirket-", 13)[:90], "-")},
		"no underwriter":                {with(t, "halkaArzaAracilikEdenKurum", "null"), "lead_underwriter", nil},
		"an empty underwriter":          {with(t, "halkaArzaAracilikEdenKurum", `""`), "lead_underwriter", nil},
		"no first day":                  {with(t, "borsadaIslemGormeTarihi", "null"), "first_trade_date", nil},
		"no lots":                       {with(t, "satisaSunulanToplamTutarBinTl", "null"), "lots", nil},
		"no month":                      {with(t, "donem", "null"), "id", "2031-ornek"},
		"thousands with a fraction":     {with(t, "satisaSunulanToplamTutarBinTl", "18000.5"), "lots", "18000500"},
		"thousands with three decimals": {with(t, "satisaSunulanToplamTutarBinTl", "18000.123"), "lots", "18000123"},
		"thousands with four decimals":  {with(t, "satisaSunulanToplamTutarPiyasaDegeriBinTl", "18000.1234"), "offer_size", "18000123.4"},
		"less than a thousand":          {with(t, "satisaSunulanToplamTutarBinTl", "0.5"), "lots", "500"},
		"digits that a float would lose": {with(t, "satisaSunulanToplamTutarPiyasaDegeriBinTl", "12345678901234567.891"), "offer_size",
			"12345678901234567891"},
		"an exponent":                {with(t, "satisaSunulanToplamTutarPiyasaDegeriBinTl", "9.1E5"), "offer_size", "910000000"},
		"an exponent below zero":     {with(t, "halkaArzFiyatiTl", "305e-1"), "price", "30.5"},
		"an exponent far below zero": {with(t, "halkaArzFiyatiTl", "305e-4"), "price", "0.0305"},
		"zeros at the end":           {with(t, "halkaArzFiyatiTl", "30.50"), "price", "30.50"},
		"a ratio of zero":            {with(t, "halkaArzOrani", "0.00"), "free_float_pct", "0.00"},
	} {
		result, err := parse(t, "", c.list)
		if err != nil || result.Records[0].Fields[c.member] != c.want {
			t.Errorf("%s: %v %+v", name, err, result)
		}
	}
}

// A row that changes is a new record; one that is gone is withdrawn, as is its old id.
func TestChanges(t *testing.T) {
	first, err := parse(t, "", with(t, "borsaKodu", "null"))
	need.NoError(t, err)
	other := strings.Trim(with(t, "borsaKodu", `"DIGER"`), "[]")
	for name, c := range map[string]struct{ list, want string }{
		"the same":       {with(t, "borsaKodu", "null"), ""},
		"another price":  {with(t, "borsaKodu", "null", "halkaArzFiyatiTl", "31"), "+2031-ornek-isik-teknoloji-a-s"},
		"what is untold": {with(t, "borsaKodu", "null", "ilkIslemGorduguPazar", `"Yıldız Pazar"`), ""},
		"a code":         {with(t), "+2031-ornek -2031-ornek-isik-teknoloji-a-s"},
		"one more":       {strings.Replace(with(t, "borsaKodu", "null"), "]", ","+other+"]", 1), "+2031-diger"},
		"another":        {"[" + other + "]", "+2031-diger -2031-ornek-isik-teknoloji-a-s"},
	} {
		result, err := parse(t, string(first.Keep), c.list)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var all []string
		for _, r := range result.Records {
			sign := "+"
			if r.Fields["withdrawn"] == true {
				sign = "-"
			}
			all = append(all, sign+r.Fields["id"].(string))
		}
		if got := strings.Join(all, " "); got != c.want {
			t.Errorf("%s: %s", name, got)
		}
	}
	if result, err := parse(t, string(first.Keep), "[]"); err == nil || !strings.Contains(err.Error(), "is empty now") {
		t.Errorf("all of them are gone: %v %+v", err, result)
	}
}

// Nothing is emitted for a list that is not what the service is known to give.
func TestListsThatHaveChanged(t *testing.T) {
	for name, c := range map[string]struct{ body, says string }{
		"an unknown member":       {strings.Replace(with(t), `"ay"`, `"yeni":1,"ay"`, 1), `the member "yeni" is not known`},
		"a member in other case":  {strings.Replace(with(t), `"borsaKodu"`, `"borsakodu"`, 1), "is not known"},
		"an object":               {`{"data":[]}`, "cannot unmarshal"},
		"null":                    {`null`, "no list"},
		"a null row":              {`[null]`, "ay must be"},
		"no month":                {with(t, "ay", "null"), "ay must be"},
		"month 13":                {with(t, "ay", "13"), "ay must be"},
		"another year":            {with(t, "donem", `"2030 / 2"`), "2031 was asked for"},
		"another month":           {with(t, "donem", `"2031 / 3"`), "donem must be"},
		"another form of a month": {with(t, "donem", `"Şubat 2031"`), "donem must be"},
		"no company":              {with(t, "sirketUnvani", "null"), "must not be empty"},
		"a company in signs":      {with(t, "sirketUnvani", `"..."`, "borsaKodu", "null"), "must be a name"},
		"two codes":               {with(t, "borsaKodu", `"ORNEK, ORNEB"`), "must be a code"},
		"a small code":            {with(t, "borsaKodu", `"ornek"`), "must be a code"},
		"a number as text":        {with(t, "halkaArzFiyatiTl", `"30.0"`), "must be a number"},
		"a decimal comma":         {with(t, "halkaArzFiyatiTl", `"30,0"`), "must be a number"},
		"a price of zero":         {with(t, "halkaArzFiyatiTl", "0.0"), "above 0"},
		"below zero":              {with(t, "satisaSunulanToplamTutarBinTl", "-1"), "must be a number"},
		"a huge exponent":         {with(t, "halkaArzFiyatiTl", "3e99"), "sensible size"},
		"a longer exponent":       {with(t, "halkaArzFiyatiTl", "3e999"), "must be a number"},
		"a code that is a number": {with(t, "borsaKodu", "7"), "must be text"},
		"a day without a time":    {with(t, "borsadaIslemGormeTarihi", `"2031-02-13"`), "must be a day"},
		"a time of the day":       {with(t, "borsadaIslemGormeTarihi", `"2031-02-13T10:00:00"`), "must be a day"},
		"a day that is none":      {with(t, "borsadaIslemGormeTarihi", `"2031-02-30T00:00:00"`), "must be a day"},
		"a row twice":             {"[" + one + "," + one + "]", "two rows of 2031 are 2031-ornek"},
		"half a list":             {with(t)[:100], "unexpected end"},
	} {
		if result, err := parse(t, "", c.body); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v %+v", name, err, result)
		}
	}
	if result, err := parse(t, "[]", with(t)); err == nil {
		t.Errorf("a state that is none: %+v", result)
	}
}

func TestSettingsThatCannotBe(t *testing.T) {
	for text, says := range map[string]string{
		`{"from": 1999}`: "a year from 2000 on", `{"from": 10000}`: "a year from 2000 on", `{"from": "2031"}`: "must be a whole number; got text",
		`{"key": {}}`: "is unknown; known are ",
	} {
		if _, err := spk.New(json.RawMessage(text)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// What is collected can be stored.
func TestIngest(t *testing.T) {
	w := newWorld(t, `{"from": 2024}`)
	for _, at := range []time.Time{trt(2026, 2, 5, 10), trt(2026, 2, 12, 10), trt(2026, 3, 12, 10)} {
		if _, _, err := w.at(t, at); err != nil {
			t.Fatal(err)
		}
	}
	if stored := collecttest.Ingest(t, w.now, w.store.All()); stored < 50 {
		t.Errorf("%d lines are stored", stored)
	}
}

var plain = regexp.MustCompile(`^(0|[1-9]\d*)(\.\d+)?$`)

// Whatever is taken has an id of its own and plain figures, and is not told twice.
func FuzzList(f *testing.F) {
	f.Add([]byte("[" + one + "]"))
	f.Add([]byte(`[{"ay":2,"sirketUnvani":"Çağ A.Ş.","halkaArzFiyatiTl":3.05E+1}]`))
	f.Fuzz(func(t *testing.T, body []byte) {
		result, err := parse(t, "", string(body))
		if err != nil {
			return
		}
		ids := map[string]bool{}
		for _, r := range result.Records {
			id := r.Fields["id"].(string)
			if ids[id] || len(id) > 100 || strings.Trim(id, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
				t.Errorf("id %q", id)
			}
			ids[id] = true
			for _, member := range []string{"price", "lots", "offer_size", "free_float_pct"} {
				if text, ok := r.Fields[member].(string); ok && !plain.MatchString(text) {
					t.Errorf("%s %q", member, text)
				}
			}
		}
		again, err := parse(t, string(result.Keep), string(body))
		if err != nil || len(again.Records) > 0 || string(again.Keep) != string(result.Keep) {
			t.Errorf("again: %v %+v of %v", err, again, slices.Sorted(maps.Keys(ids)))
		}
	})
}
