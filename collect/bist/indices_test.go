package bist_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"piyasa/collect"
	"piyasa/collect/bist"
)

// memberTable returns a file of 40 indices with 30 members each.
func memberTable() string {
	var b strings.Builder
	b.WriteString("\xef\xbb\xbfBILESEN KODU;BULTEN_ADI;ENDEKS KODU;ENDEKS ADI;ENDEKS INGILIZCE ADI;TARIH(GG/AA/YYYY)\r\n")
	b.WriteString("CONSTITUENT CODE;CONSTITUENT NAME;INDEX CODE;INDEX NAME IN TURKISH;INDEX NAME IN ENGLISH;DATE(DD/MM/YYYY)\r\n")
	for i := range 40 {
		for n := range 30 {
			fmt.Fprintf(&b, "S%02d.E;S;X%03d;BIST %d İŞ;BIST %d;02/06/2031\r\n", n, i, i, i)
		}
	}
	return b.String()
}

func parseMembers(t *testing.T, settings, kept, table string) (*collect.Result, error) {
	t.Helper()
	s, err := bist.NewIndices(json.RawMessage(settings))
	if err != nil {
		t.Fatal(err)
	}
	return s.Parse(json.RawMessage(kept), &collect.Request{}, &collect.Answer{Status: 200, At: time.Date(2031, 6, 2, 16, 0, 0, 0, time.UTC), Body: []byte(table)})
}

const licensed = `{"licensed": true, "verified": ["X000"]}`

// The members of each index; only those that the operator has verified are offered.
func TestIndices(t *testing.T) {
	table := memberTable() + "FON.F;F;X000;BIST 0 İŞ;BIST 0;02/06/2031\r\nS00.E;S;X000;BIST 0 İŞ;BIST 0;02/06/2031\r\n"
	result, err := parseMembers(t, licensed, "", "Endeks bileşenleri;;;;;\r\n"+strings.TrimPrefix(table, "\xef\xbb\xbf"))
	if err != nil || len(result.Records) != 40 {
		t.Fatalf("%v %+v", err, result)
	}
	text, _ := json.Marshal(result.Records[0].Fields)
	if got := string(text); !strings.HasPrefix(got, `{"code":"X000","members":[{"symbol":"S00"},{"symbol":"S01"},`) || !strings.HasSuffix(got, `{"symbol":"S29"}],"name":"BIST 0 İŞ","synced_at":"2031-06-02T16:00:00Z","verified":true}`) {
		t.Error(got)
	}
	if result.Records[1].Fields["verified"] != false {
		t.Error("an index that nobody has verified is offered")
	}
}

// An index that loses more members than is likely, or is gone, must be confirmed.
func TestIndexThatShrinks(t *testing.T) {
	first, err := parseMembers(t, licensed, "", memberTable())
	if err != nil {
		t.Fatal(err)
	}
	var fewer, gone strings.Builder
	for line := range strings.Lines(memberTable()) {
		if !strings.Contains(line, ";X007;") || strings.HasPrefix(line, "S0") {
			fewer.WriteString(line)
		}
		if !strings.Contains(line, ";X007;") {
			gone.WriteString(line)
		}
	}
	for table, left := range map[string]int{fewer.String(): 10, gone.String(): 0} {
		if result, err := parseMembers(t, licensed, string(first.Keep), table); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("X007 has %d members, and had 30", left)) {
			t.Errorf("%v %+v", err, result)
		}
		result, err := parseMembers(t, `{"licensed": true, "shrunk": ["X007"]}`, string(first.Keep), table)
		if err != nil || len(result.Records) != 40 || left == 0 && result.Records[39].Fields["withdrawn"] != true {
			t.Errorf("%v %+v", err, result)
		}
	}
}

func TestIndicesThatHaveChanged(t *testing.T) {
	table := memberTable()
	for name, changed := range map[string]string{
		"no column":         strings.ReplaceAll(strings.ReplaceAll(table, "ENDEKS KODU", "X"), "INDEX CODE", "X"),
		"half":              table[:len(table)/2],
		"a cell fewer":      strings.Replace(table, "S00.E;S;", "S00.E;", 1),
		"another date":      strings.ReplaceAll(table, "02/06/2031", "2031-06-02"),
		"a day of tomorrow": strings.Replace(table, "02/06/2031", "03/06/2031", 1),
		"two names":         strings.Replace(table, "BIST 0 İŞ", "BIST", 1),
		"no code":           strings.Replace(table, "S00.E", "", 1),
		"nothing":           "",
	} {
		if result, err := parseMembers(t, licensed, "", changed); err == nil {
			t.Errorf("%s: %d records", name, len(result.Records))
		}
	}
	for _, settings := range []string{`{}`, `{"licensed": true, "verified": ["xu 100"]}`} {
		if _, err := bist.NewIndices(json.RawMessage(settings)); err == nil {
			t.Error(settings)
		}
	}
}

func FuzzIndices(f *testing.F) {
	f.Add(memberTable())
	f.Fuzz(func(t *testing.T, table string) {
		first, err := parseMembers(t, licensed, "", table)
		again, wrong := parseMembers(t, licensed, "", table)
		if fmt.Sprint(err) != fmt.Sprint(wrong) || err == nil && len(first.Records) != len(again.Records) {
			t.Errorf("%v and %v", err, wrong)
		}
	})
}
