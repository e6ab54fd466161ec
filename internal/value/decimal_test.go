package value_test

import (
	"bytes"
	"encoding/json"
	"math/big"
	"regexp"
	"strings"
	"testing"

	"piyasa/internal/value"
)

// decimalText is the grammar of G-09; negative zero is refused besides.
var decimalText = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?$`)

func TestParseDecimalKeepsTheDigits(t *testing.T) {
	for _, text := range []string{
		"0", "0.0", "0.00000000", "1", "-1", "9", "10", "100", "305.20", "305.25", "-0.5", "-0.01", "0.10", "1000000.000",
		"68250.12", "0.0000123456789", "123456789012345678901234567890.123456789012345678901234567890",
		"-9999999999999999999999999999", strings.Repeat("7", 100),
	} {
		d, err := value.ParseDecimal(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if d.IsNull() || d.IsZero() || d.String() != text {
			t.Errorf("%s became %q", text, d)
		}
		checkDecimalTrips(t, d)
	}
}

func TestParseDecimalRefuses(t *testing.T) {
	for _, text := range []string{
		"", "-", ".", "-.", "-0", "-0.00", "-0.0000000", "+1", "+0", "1e3", "1E3", "1.5e-3", "01", "00", "00.5", "-01", ".5", "-.5", "5.",
		"-5.", "1,5",
		"1.234,50", "1,000", " 1", "1 ", "1\n", "\t1", "1 000", "1_000", "--1", "-+1", "1-", "1.2.3", "1..2", "1.-2", "0x10", "0b1", "1f",
		"NaN", "nan", "Inf", "-Inf", "Infinity", "null", "true", "½", "١", "\uff11", "−1", "1\x00", "\x00", "1\xff",
		strings.Repeat("7", 101), "0." + strings.Repeat("1", 1<<20),
	} {
		if d, err := value.ParseDecimal(text); err == nil || !d.IsNull() {
			t.Errorf("%.40q became %q", text, d)
		} else if !strings.HasPrefix(err.Error(), "must be ") || len(err.Error()) > 200 {
			t.Errorf("%.40q: the reason reads %q", text, err)
		}
	}
}

// checkDecimalTrips sends d through every encoding and back.
func checkDecimalTrips(t testing.TB, d value.Decimal) {
	t.Helper()
	quoted := `"` + d.String() + `"`
	var gql bytes.Buffer
	d.MarshalGQL(&gql)
	inJSON, err := json.Marshal(d)
	if string(inJSON) != quoted || err != nil || gql.String() != quoted || string(d.AppendJSON([]byte("x"))) != "x"+quoted {
		t.Errorf("%s: JSON %s (%v), GraphQL %s", d, inJSON, err, &gql)
	}
	stored, err := d.Value()
	if stored != d.String() || err != nil {
		t.Errorf("%s: stored as %v, %v", d, stored, err)
	}
	var back [5]value.Decimal
	for i, err := range []error{
		back[0].Scan(stored), back[1].Scan([]byte(d.String())), back[2].UnmarshalGQL(d.String()),
		back[3].UnmarshalText([]byte(d.String())), json.Unmarshal(inJSON, &back[4]),
	} {
		if err != nil || back[i] != d {
			t.Errorf("%s came back as %q (%v) in way %d", d, back[i], err, i)
		}
	}
}

func TestNullDecimal(t *testing.T) {
	var d value.Decimal
	var gql bytes.Buffer
	d.MarshalGQL(&gql)
	inJSON, err := json.Marshal(d)
	if string(inJSON) != "null" || err != nil || gql.String() != "null" {
		t.Errorf("JSON %s (%v), GraphQL %s", inJSON, err, &gql)
	}
	if stored, err := d.Value(); stored != nil || err != nil {
		t.Errorf("stored as %v, %v", stored, err)
	}
	if !d.IsNull() || !d.IsZero() || d.Sign() != 0 || d.String() != "" {
		t.Error("it is something")
	}
	d = value.MustDecimal("1")
	if err := d.Scan(nil); err != nil || !d.IsNull() {
		t.Errorf("a stored null came back as %q, %v", d, err)
	}
	if value.MustDecimal("0").IsNull() {
		t.Error("0 is null")
	}
}

func TestScanDecimal(t *testing.T) {
	for _, c := range []struct {
		stored any
		want   string
		ok     bool
	}{
		{"305.20", "305.20", true},
		{[]byte("305.20"), "305.20", true},
		{int64(-42), "-42", true},
		{int64(0), "0", true},
		{float64(1.5), "", false},
		{float32(1.5), "", false},
		{float64(3), "", false},
		{true, "", false},
		{"1e3", "", false},
		{"", "", false},
	} {
		var d value.Decimal
		if err := d.Scan(c.stored); (err == nil) != c.ok || d.String() != c.want {
			t.Errorf("%T %v came back as %q, %v", c.stored, c.stored, d, err)
		}
	}
}

func TestDecimalIsTextInGraphQL(t *testing.T) {
	for _, v := range []any{1, int64(1), 1.5, json.Number("1.5"), nil, true, "1e3", ""} {
		var d value.Decimal
		if err := d.UnmarshalGQL(v); err == nil {
			t.Errorf("%T %v passed as %q", v, v, d)
		}
	}
	var d value.Decimal
	if err := json.Unmarshal([]byte("1.5"), &d); err == nil {
		t.Errorf("the JSON number 1.5 passed as %q", d)
	}
}

func TestCompareDecimals(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"1.50", "1.5", 0}, {"0", "0.000", 0}, {"-1", "1", -1}, {"10", "9", 1}, {"-10", "-9", -1}, {"0.1", "0.09", 1},
		{"123456789012345678901234567890.1", "123456789012345678901234567890.2", -1}, {"-0.1", "0", -1},
	} {
		if got := value.MustDecimal(c.a).Cmp(value.MustDecimal(c.b)); got != c.want {
			t.Errorf("%s against %s: %d, want %d", c.a, c.b, got, c.want)
		}
		if got := value.MustDecimal(c.b).Cmp(value.MustDecimal(c.a)); got != -c.want {
			t.Errorf("%s against %s: %d, want %d", c.b, c.a, got, -c.want)
		}
	}
	for text, want := range map[string]int{"0": 0, "0.00": 0, "0.01": 1, "-0.01": -1, "100": 1, "-100": -1} {
		if got := value.MustDecimal(text).Sign(); got != want {
			t.Errorf("sign of %s: %d, want %d", text, got, want)
		}
	}
}

func FuzzParseDecimal(f *testing.F) {
	for _, seed := range []string{"", "0", "-0", "-0.00", "305.20", "1e3", "01", ".5", "5.", "1,5", "NaN", "-1.5",
		strings.Repeat("9", 101)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		d, err := value.ParseDecimal(text)
		number := new(big.Rat)
		accept := decimalText.MatchString(text) && len(text) <= 100
		if accept {
			number.SetString(text)
			accept = text[0] != '-' || number.Sign() != 0
		}
		if accept != (err == nil) {
			t.Fatalf("%q: %v", text, err)
		}
		if err == nil {
			if d.String() != text || d.Sign() != number.Sign() {
				t.Fatalf("%q became %q of sign %d", text, d, d.Sign())
			}
			checkDecimalTrips(t, d)
		}
	})
}
