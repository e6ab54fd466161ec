package bist_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"piyasa/collect"
	"piyasa/collect/bist"
	"piyasa/test/fixture/need"
)

const bulletinTable = `TARIH;ISLEM  KODU;BULTEN ADI;PAZAR;ENSTRUMAN GRUBU;ISLEM YONTEMI;EN DUSUK FIYAT;EN YUKSEK FIYAT;KAPANIS FIYATI;TOPLAM ISLEM HACMI;TOPLAM ISLEM ADEDI;TOPLAM SOZLESME SAYISI
2031-06-02;ORNEK.E;ORNEK SANAYI;Z;EQT;SI;10.10;10.61;10.50;104100000.00;10000000.0;4321
2031-06-02;DURAN.E;DURAN A.S.;N;EQT;TF;0;0;0;0;0;0
2031-06-02;ALTIN.S1;ALTIN;E;EMS;SI;1;1;1;1;1;1
`

func bulletinParse(t *testing.T, text string, names ...string) (*collect.Result, error) {
	t.Helper()
	s, err := bist.NewBulletin(json.RawMessage(`{"licensed": true, "from": "2031-06-02"}`))
	need.NoError(t, err)
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range append(names, "thb203106021.csv") {
		w, _ := z.Create(name)
		fmt.Fprint(w, text)
	}
	z.Close()
	now := time.Date(2031, 6, 2, 16, 0, 0, 0, time.UTC)
	asked, err := s.Ask(nil, now)
	if err != nil || asked.Path != "data/thb/2031/06/thb203106021.zip" {
		t.Fatal(asked, err)
	}
	return s.Parse(nil, asked, &collect.Answer{Status: 200, At: now, Body: b.Bytes()})
}

func TestBulletin(t *testing.T) {
	result, err := bulletinParse(t, bulletinTable, "ehb203106021.csv")
	if err != nil || len(result.Records) != 1 || string(result.Keep) != `{"day":"2031-06-02","newest":"2031-06-02"}` {
		t.Fatalf("%+v %v", result, err)
	}
	text, _ := json.Marshal(result.Records[0].Fields)
	if want := `{"adjustment":"unadjusted","close":"10.50","high":"10.61","instrument_id":"bist:ORNEK","low":"10.10","resolution":"1d","t":"2031-06-01T21:00:00Z","trade_count":4321,"turnover":"104100000.00","volume":"10000000"}`; string(text) != want {
		t.Errorf("%s", text)
	}
}

func TestBulletinsThatHaveChanged(t *testing.T) {
	for name, change := range map[string][2]string{
		"no close":        {"KAPANIS FIYATI", "X"},
		"another day":     {"2031-06-02;DURAN", "2031-06-03;DURAN"},
		"a decimal comma": {"10.50", "10,50"},
		"a code twice":    {"DURAN.E", "ORNEK.E"},
		"no close price":  {";10.50;", ";0;"},
		"no shares":       {";10000000.0;", ";0;"},
		"no contracts":    {";4321", ";0"},
		"no share":        {"EQT", "ECW"},
	} {
		if result, err := bulletinParse(t, strings.ReplaceAll(bulletinTable, change[0], change[1])); err == nil {
			t.Errorf("%s: %+v", name, result)
		}
	}
	if _, err := bulletinParse(t, bulletinTable, "other.csv"); err == nil {
		t.Error("two tables")
	}
	if _, err := bist.NewBulletin(json.RawMessage(`{}`)); err == nil || !strings.Contains(err.Error(), "contract") {
		t.Error(err)
	}
}

// A day without a file may still get one until the evening.
func TestNoFile(t *testing.T) {
	s, err := bist.NewBulletin(json.RawMessage(`{"licensed": true}`))
	need.NoError(t, err)
	asked := &collect.Request{Path: "data/thb/2031/06/thb203106021.zip"}
	for hour, want := range map[int]string{16: "", 17: `{"day":"2031-06-02","doubt":["2031-06-02"]}`} {
		result, err := s.Parse(nil, asked, &collect.Answer{Status: 404, At: time.Date(2031, 6, 2, hour, 0, 0, 0, time.UTC)})
		if err != nil || string(result.Keep) != want || result.More != (want != "") {
			t.Errorf("%d: %+v %v", hour, result, err)
		}
	}
}

// A working day whose file was lost for a while is asked for again when a newer one is there,
// and a holiday once.
func TestFileThatComesLate(t *testing.T) {
	s, err := bist.NewBulletin(json.RawMessage(`{"licensed": true}`))
	need.NoError(t, err)
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, _ := z.Create("thb203106021.csv")
	fmt.Fprint(w, bulletinTable)
	z.Close()
	kept := json.RawMessage(`{"day":"2031-06-03","newest":"2031-06-03","doubt":["2031-05-30","2031-06-02"]}`)
	now, bars := time.Date(2031, 6, 3, 18, 0, 0, 0, time.UTC), 0
	var asked []string
	for range 5 {
		r, err := s.Ask(kept, now)
		need.NoError(t, err)
		if r == nil {
			break
		}
		asked = append(asked, r.Path[len(r.Path)-12:])
		answer := &collect.Answer{Status: 404, At: now}
		if strings.Contains(r.Path, "20310602") {
			answer = &collect.Answer{Status: 200, At: now, Body: b.Bytes()}
		}
		result, err := s.Parse(kept, r, answer)
		need.NoError(t, err)
		kept, bars = result.Keep, bars+len(result.Records)
	}
	if strings.Join(asked, " ") != "203105301.zip"[1:]+" "+"203106021.zip"[1:] || bars != 1 ||
		string(kept) != `{"day":"2031-06-03","newest":"2031-06-03"}` {
		t.Errorf("asked %v, %d bars, kept %s", asked, bars, kept)
	}
}

func FuzzBulletin(f *testing.F) {
	f.Add(bulletinTable)
	f.Fuzz(func(t *testing.T, text string) {
		first, err := bulletinParse(t, text)
		again, wrong := bulletinParse(t, text)
		if fmt.Sprint(err) != fmt.Sprint(wrong) || err == nil && len(first.Records) != len(again.Records) {
			t.Errorf("%v and %v", err, wrong)
		}
	})
}
