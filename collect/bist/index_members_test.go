package bist_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"piyasa/collect"
	"piyasa/collect/bist"
	"piyasa/test/fixture/need"
)

const membersHeader = "BILESEN KODU;BULTEN_ADI;ENDEKS KODU;ENDEKS ADI;ENDEKS INGILIZCE ADI;TARIH(GG/AA/YYYY)\n"

// file returns a file of a day: ten indices of many shares, and what else is in it.
func file(day string, more ...string) string {
	text := membersHeader
	for i := range 10 {
		for m := range 110 {
			text += row(fmt.Sprintf("A%dB%dK.E", i, m), fmt.Sprintf("X%03d", i), day)
		}
	}
	return text + strings.Join(more, "")
}

func row(share, code, day string) string {
	return fmt.Sprintf("%s;A.Ş.;%s;BIST %s;BIST %s;%s\n", share, code, code, code, day)
}

// small is an index of three members, of which some are left.
func small(day string, left int) string {
	return strings.Join([]string{row("ORNEK.E", "XKUCK", day), row("DURAN.E", "XKUCK", day), row("ALTIN.E", "XKUCK", day)}[:left], "")
}

type reader struct {
	*testing.T
	source collect.Source
	kept   json.RawMessage
}

func indicesOf(t *testing.T, settings string) *reader {
	t.Helper()
	s, err := bist.NewIndices(json.RawMessage(settings))
	need.NoError(t, err)
	return &reader{t, s, nil}
}

func (r *reader) read(text string) (*collect.Result, error) {
	now := time.Date(2031, 6, 3, 16, 0, 0, 0, time.UTC)
	asked, err := r.source.Ask(r.kept, now)
	if err != nil || asked.Path != "datum/hisse_endeks_ds.csv" || !asked.Settled {
		r.Fatal(asked, err)
	}
	result, err := r.source.Parse(r.kept, asked, &collect.Answer{Status: 200, At: now, Body: []byte(text)})
	if err == nil {
		r.kept = result.Keep
	}
	return result, err
}

// of returns the record of an index; empty: there is none.
func of(result *collect.Result, code string) string {
	i := slices.IndexFunc(result.Records, func(r collect.Record) bool { return r.Kind == "index" && r.Fields["code"] == code })
	if i < 0 {
		return ""
	}
	text, _ := json.Marshal(result.Records[i].Fields)
	return string(text)
}

func TestIndices(t *testing.T) {
	r := indicesOf(t, `{"licensed": true, "verified": ["XKUCK"]}`)
	result, err := r.read(file("02/06/2031", small("02/06/2031", 3), small("02/06/2031", 1)))
	if err != nil || len(result.Records) != 11 || result.Warning != "" {
		t.Fatalf("%+v %v", result, err)
	}
	if got, want := of(result, "XKUCK"),
		`{"code":"XKUCK","members":[{"symbol":"ALTIN"},{"symbol":"DURAN"},{"symbol":"ORNEK"}],"name":"BIST XKUCK","synced_at":"2031-06-03T16:00:00Z","verified":true}`; got != want {
		t.Errorf("%s", got)
	}
	if got := of(result, "X001"); !strings.Contains(got, `"verified":false`) {
		t.Errorf("%.200s", got)
	}
	if result, err = indicesOf(t, `{"licensed": true, "verified": "all"}`).read(file("02/06/2031")); err != nil ||
		!strings.Contains(of(result, "X001"), `"verified":true`) {
		t.Errorf("%+v %v", result, err)
	}
}

// An index that loses many members at once, or all, waits for the file of another day.
func TestIndicesThatShrink(t *testing.T) {
	for left, then := range map[int]string{
		2: `"members":[{"symbol":"DURAN"},{"symbol":"ORNEK"}]`,
		0: `{"code":"XKUCK","synced_at":"2031-06-03T16:00:00Z","withdrawn":true}`,
	} {
		r := indicesOf(t, `{"licensed": true, "verified": "all"}`)
		for i, c := range []struct {
			day          string
			left         int
			record, says string
		}{
			{"01/06/2031", 3, "ALTIN", ""},
			{"02/06/2031", left, "", fmt.Sprintf("XKUCK has %d members instead of 3", left)},
			{"02/06/2031", left, "", fmt.Sprintf("XKUCK has %d members instead of 3", left)},
			{"02/06/2031", 3, "ALTIN", ""},
			{"02/06/2031", left, "", "XKUCK"},
			{"03/06/2031", left, then, ""},
			{"04/06/2031", left, map[bool]string{true: then}[left > 0], ""},
		} {
			result, err := r.read(file(c.day, small(c.day, c.left)))
			need.NoError(t, err)
			if got := of(result, "XKUCK"); (got == "") != (c.record == "") || !strings.Contains(got, c.record) ||
				(result.Warning == "") != (c.says == "") || !strings.Contains(result.Warning, c.says) {
				t.Errorf("%d left, file %d: %s, %q", left, i, got, result.Warning)
			}
			if of(result, "X001") == "" {
				t.Errorf("%d left, file %d: the others are not stored", left, i)
			}
		}
	}
}

func TestFilesOfMembersThatGoBack(t *testing.T) {
	r := indicesOf(t, `{"licensed": true, "verified": "all"}`)
	if _, err := r.read(file("02/06/2031")); err != nil {
		t.Fatal(err)
	}
	kept := string(r.kept)
	result, err := r.read(file("01/06/2031"))
	if err != nil || len(result.Records) > 0 || !strings.Contains(result.Warning, "2031-06-01") || string(r.kept) != kept {
		t.Errorf("%+v %v", result, err)
	}
}

func TestMembersThatAreNoShares(t *testing.T) {
	r := indicesOf(t, `{"licensed": true, "verified": "all"}`)
	result, err := r.read(file("02/06/2031", small("02/06/2031", 3), row("ALTIN.S1", "XKUCK", "02/06/2031")))
	if err != nil || len(result.Records) != 10 ||
		!strings.Contains(result.Warning, `1 of the indices stay as they are: XKUCK has the member "ALTIN.S1", which is no share`) {
		t.Errorf("%+v %v", result, err)
	}
	if result, err = r.read(file("03/06/2031")); err != nil || len(result.Records) != 10 { // it was never stored, so nothing is withdrawn
		t.Errorf("%+v %v", result, err)
	}
}

func TestFilesOfMembersThatHaveChanged(t *testing.T) {
	for name, text := range map[string]string{
		"too few rows":     membersHeader + small("02/06/2031", 3),
		"no column":        strings.Replace(file("02/06/2031"), "ENDEKS KODU", "KOD", 1),
		"another day":      file("02/06/2031", small("03/06/2031", 1)),
		"another form":     file("2031-06-02"),
		"of the future":    file("12/06/2031"),
		"two names":        file("02/06/2031", "ORNEK.E;A.Ş.;X001;BIST;BIST;02/06/2031\n"),
		"no name":          file("02/06/2031", "ORNEK.E;A.Ş.;XYENI;;BIST;02/06/2031\n"),
		"no code":          file("02/06/2031", "ORNEK.E;A.Ş.;;BIST;BIST;02/06/2031\n"),
		"one cell more":    file("02/06/2031", "ORNEK.E;A.Ş.;X001;BIST X001;BIST;02/06/2031;\n"),
		"cut within a row": strings.TrimSuffix(file("02/06/2031"), "31\n"),
		"nothing":          "",
	} {
		if result, err := indicesOf(t, `{"licensed": true, "verified": "all"}`).read(text); err == nil {
			t.Errorf("%s: %d records", name, len(result.Records))
		}
	}
	for settings, says := range map[string]string{
		`{"verified": "all"}`:                     "contract",
		`{"licensed": true}`:                      `"verified" must be`,
		`{"licensed": true, "verified": []}`:      `"verified" must be`,
		`{"licensed": true, "verified": ["x u"]}`: `"verified" must be`,
		`{"licensed": true, "verified": "some"}`:  `"verified" must be`,
	} {
		if _, err := bist.NewIndices(json.RawMessage(settings)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", settings, err)
		}
	}
}

func FuzzIndices(f *testing.F) {
	f.Add(small("02/06/2031", 3))
	before, of := file("01/06/2031", small("01/06/2031", 3)), file("02/06/2031")
	f.Fuzz(func(t *testing.T, text string) {
		r := indicesOf(t, `{"licensed": true, "verified": "all"}`)
		if _, err := r.read(before); err != nil {
			t.Fatal(err)
		}
		result, err := r.read(of + text)
		if err == nil && len(result.Records) == 0 && result.Warning == "" {
			t.Errorf("nothing, and nothing is said")
		}
	})
}
