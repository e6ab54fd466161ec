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

const limitTable = `ISLEM  KODU;PAZAR (MARKET SEGMENT);TAVAN;TABAN FIYAT;ISLEM YONTEMI
INSTRUMENT SERIES CODE;MARKET SEGMENT;UPPER;LOWER;METHOD
ORNEK.E;Z;11,55;9,45;SI
DURAN.E;N;;0,00;TF
ORNEK.V;K;x;x;PY
`

const settings = `{"licensed": true, "limit_up": "TAVAN", "limit_down": "TABAN  FIYAT"}`

func limitParse(t *testing.T, settings, text string) (*collect.Result, error) {
	t.Helper()
	s, err := bist.NewLimits(json.RawMessage(settings))
	need.NoError(t, err)
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, _ := z.Create("thm203106021.csv")
	fmt.Fprint(w, text)
	z.Close()
	now := time.Date(2031, 6, 2, 6, 0, 0, 0, time.UTC)
	asked, err := s.Ask(nil, now)
	if err != nil || !strings.HasPrefix(asked.Path, "data/thm/2031/06/thm20310602") {
		t.Fatal(asked, err)
	}
	return s.Parse(nil, asked, &collect.Answer{Status: 200, At: now, Body: b.Bytes()})
}

func TestLimits(t *testing.T) {
	for name, c := range map[string][2]string{
		"a comma":    {settings, limitTable},
		"a point":    {strings.Replace(settings, "{", `{"decimal": ".", "session": "2", `, 1), strings.ReplaceAll(limitTable, ",", ".")},
		"no session": {strings.Replace(settings, "{", `{"session": "", `, 1), limitTable},
		"another column of codes, twice": {
			strings.Replace(settings, "{", `{"code": "SERI", `, 1),
			strings.Replace(limitTable, "ISLEM  KODU", "SERI", 1) + "ORNEK.E;Z;11,55;9,45;SI\n",
		},
	} {
		result, err := limitParse(t, c[0], c[1])
		if err != nil || len(result.Records) != 1 || string(result.Keep) != `{"day":"2031-06-02","newest":"2031-06-02"}` {
			t.Errorf("%s: %+v %v", name, result, err)
			continue
		}
		text, _ := json.Marshal(result.Records[0].Fields)
		if want := `{"date":"2031-06-02","instrument_id":"bist:ORNEK","limit_down":"9.45","limit_up":"11.55"}`; string(text) != want ||
			result.Records[0].Kind != "price_limits" {
			t.Errorf("%s: %s", name, text)
		}
	}
}

func TestFilesThatHaveChanged(t *testing.T) {
	for want, change := range map[string][2]string{
		"no column TAVAN":           {"TAVAN", "YENI"},
		"two columns are":           {"ISLEM YONTEMI", "TAVAN"},
		"TAVAN must be a number":    {"11,55", "11.55"},
		"TABAN FIYAT must be a":     {"9,45", "1.009,45"},
		"one limit of two":          {"9,45", ""},
		"two rows of ORNEK differ":  {"DURAN.E", "ORNEK.E"},
		"no row of a share":         {".E;", ".F;"},
		"must be a code such as":    {"DURAN.E", "duran.E"},
		"are the columns the right": {"9,45", "12"},
		"no share has limits in":    {"11,55;9,45", ";"},
		"line 3 has 4 cells":        {";Z;", ";"},
	} {
		if result, err := limitParse(t, settings, strings.ReplaceAll(limitTable, change[0], change[1])); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: %+v, %v", want, result, err)
		}
	}
}

func TestSettings(t *testing.T) {
	for want, text := range map[string]string{
		"contract":         `{"limit_up": "A", "limit_down": "B"}`,
		"two columns":      `{"licensed": true, "limit_up": "A"}`,
		"must name two":    `{"licensed": true, "limit_up": "A", "limit_down": "A"}`,
		`"decimal" must`:   `{"licensed": true, "limit_up": "A", "limit_down": "B", "decimal": "x"}`,
		`"session" must`:   `{"licensed": true, "limit_up": "A", "limit_down": "B", "session": "12"}`,
		`"from" must be a`: `{"licensed": true, "limit_up": "A", "limit_down": "B", "from": "2015-11-30"}`,
	} {
		if _, err := bist.NewLimits(json.RawMessage(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func FuzzLimits(f *testing.F) {
	f.Add(limitTable)
	f.Fuzz(func(t *testing.T, text string) {
		first, err := limitParse(t, settings, text)
		again, wrong := limitParse(t, settings, text)
		if fmt.Sprint(err) != fmt.Sprint(wrong) || err == nil && len(first.Records) != len(again.Records) {
			t.Errorf("%v and %v", err, wrong)
		}
	})
}
