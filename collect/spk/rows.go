package spk

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"piyasa/collect"
)

// Members of a row. Figures with Bin in their name are in thousands.
const (
	month       = "ay"
	period      = "donem" // 2031 / 2
	code        = "borsaKodu"
	company     = "sirketUnvani"
	ratio       = "halkaArzOrani"
	price       = "halkaArzFiyatiTl"
	nominal     = "satisaSunulanToplamTutarBinTl" // one lira of it is one lot
	marketValue = "satisaSunulanToplamTutarPiyasaDegeriBinTl"
	underwriter = "halkaArzaAracilikEdenKurum"
	firstTrade  = "borsadaIslemGormeTarihi"
)

// members lists all members of a row: the service's description allows no others.
var members = []string{
	month, period, code, company, ratio, price, nominal, marketValue, underwriter, firstTrade,
	"halkaArzSekli", "ortakSatisBinTl", "nakitSermayeArtisiBinTl", "ekSatisTutariBinTl", "satisaHazirBekletilenPayTutariBinTl",
	"satisaSunulanToplamTutarBinABDDolari", "mevcutSermayeBinTl", "yeniSermayeBinTl", "ilkIslemGorduguPazar",
}

// row is a row of the list, by member; null: not stated.
type row map[string]json.RawMessage

// decode returns the fields of each row's record.
func decode(body []byte, number int) ([]map[string]any, error) {
	var rows *[]row
	if err := collect.ReadJSON(body, &rows); err != nil {
		return nil, err
	}
	if rows == nil {
		return nil, errors.New("it is null, and no list")
	}
	var all []map[string]any
	for i, r := range *rows {
		fields, err := r.fields(number)
		if err != nil {
			return nil, fmt.Errorf("row %d: %w", i, err)
		}
		all = append(all, fields)
	}
	return all, nil
}

// fields returns the members of the record of a row.
func (r row) fields(number int) (map[string]any, error) {
	for member := range r {
		if !slices.Contains(members, member) {
			return nil, fmt.Errorf("the member %q is not known", member)
		}
	}
	if err := r.checkPeriod(number); err != nil {
		return nil, err
	}
	name, err := r.text(company)
	if err != nil {
		return nil, err
	}
	if name == "" {
		return nil, fmt.Errorf("%s must not be empty", company)
	}
	fields := map[string]any{"company": name, "currency": "TRY"}
	symbol, err := r.text(code)
	if err != nil {
		return nil, err
	}
	if symbol != "" && !codes.MatchString(symbol) {
		return nil, fmt.Errorf("%s must be a code such as ORNEK; got %q", code, symbol)
	}
	key := name
	if symbol != "" {
		key, fields["symbol"] = symbol, symbol
	}
	id := slug(key)
	if id == "" {
		return nil, fmt.Errorf("%s must be a name; got %q", company, key)
	}
	fields["id"] = fmt.Sprint(number, "-", id)
	for _, f := range []struct {
		member, into string
		shift        int
	}{{price, "price", 0}, {nominal, "lots", 3}, {marketValue, "offer_size", 3}, {ratio, "free_float_pct", 0}} {
		text, err := r.figure(f.member, f.shift)
		if err != nil {
			return nil, err
		}
		if text != "" {
			fields[f.into] = text
		}
	}
	bank, err := r.text(underwriter)
	if err != nil {
		return nil, err
	}
	if bank != "" {
		fields["lead_underwriter"] = bank
	}
	day, err := r.text(firstTrade)
	if err != nil {
		return nil, err
	}
	if day != "" {
		at, err := time.Parse("2006-01-02T15:04:05", day)
		if err != nil || at.Format("15:04:05") != "00:00:00" {
			return nil, fmt.Errorf("%s must be a day such as 2031-02-13T00:00:00; got %q", firstTrade, day)
		}
		fields["first_trade_date"] = at.Format(time.DateOnly)
	}
	return fields, nil
}

var (
	codes   = regexp.MustCompile(`^[A-Z0-9]{1,10}$`)
	periods = regexp.MustCompile(`^(\d{4}) ?/ ?(\d{1,2})$`)
)

// checkPeriod returns an error if the month of a row is invalid or in another year.
func (r row) checkPeriod(number int) error {
	m, err := strconv.Atoi(string(bytes.TrimSpace(r[month])))
	if err != nil || m < 1 || m > 12 {
		return fmt.Errorf("%s must be a month from 1 to 12; got %s", month, r[month])
	}
	text, err := r.text(period)
	if err != nil || text == "" {
		return err
	}
	parts := periods.FindStringSubmatch(text)
	if parts == nil || strings.TrimLeft(parts[2], "0") != strconv.Itoa(m) {
		return fmt.Errorf("%s must be a month such as %d / %d; got %q", period, number, m, text)
	}
	if parts[1] != strconv.Itoa(number) {
		return fmt.Errorf("%s is %s; %d was asked for", period, text, number)
	}
	return nil
}

// stated reports whether a row states a member.
func (r row) stated(member string) bool {
	return len(r[member]) > 0 && string(r[member]) != "null"
}

// text returns a text without superfluous blanks; empty: none.
func (r row) text(member string) (text string, err error) {
	if !r.stated(member) {
		return "", nil
	}
	if err := collect.ReadJSON(r[member], &text); err != nil {
		return "", fmt.Errorf("%s must be text or null; got %s", member, r[member])
	}
	return strings.Join(strings.Fields(text), " "), nil
}

var numbers = regexp.MustCompile(`^(\d{1,30})(?:\.(\d{1,30}))?(?:[eE]([+-]?\d{1,2}))?$`)

// figure returns a number with all its digits, its point moved shift places to the right; empty:
// none.
func (r row) figure(member string, shift int) (string, error) {
	if !r.stated(member) {
		return "", nil
	}
	parts := numbers.FindStringSubmatch(string(r[member]))
	if parts == nil {
		return "", fmt.Errorf("%s must be a number or null; got %s", member, r[member])
	}
	digits, point := parts[1]+parts[2], len(parts[1])+shift
	if member != ratio && strings.Trim(digits, "0") == "" {
		return "", fmt.Errorf("%s must be above 0; got %s", member, r[member])
	}
	if parts[3] != "" {
		exponent, err := strconv.Atoi(parts[3])
		if err != nil || exponent < -30 || exponent > 30 {
			return "", fmt.Errorf("%s must be a number of a sensible size; got %s", member, r[member])
		}
		point += exponent
	}
	if point < 1 {
		digits, point = strings.Repeat("0", 1-point)+digits, 1
	}
	digits += strings.Repeat("0", max(0, point-len(digits)))
	whole, fraction := strings.TrimLeft(digits[:point], "0"), digits[point:]
	if whole == "" {
		whole = "0"
	}
	if fraction == "" {
		return whole, nil
	}
	return whole + "." + fraction, nil
}

// folded replaces the Turkish letters outside ASCII by those of an id.
var folded = strings.NewReplacer(
	"İ", "i", "I", "i", "ı", "i", "Ş", "s", "ş", "s", "Ç", "c", "ç", "c", "Ğ", "g", "ğ", "g",
	"Ü", "u", "ü", "u", "Ö", "o", "ö", "o", "Â", "a", "â", "a", "Î", "i", "î", "i", "Û", "u", "û", "u", "\u0307", "",
)

// mostSlug is the most characters of an id's slug.
const mostSlug = 90

// slug returns the words of a text in lower-case letters and digits, joined by hyphens.
func slug(text string) string {
	var b []byte
	for _, c := range []byte(folded.Replace(text)) {
		switch {
		case c >= 'A' && c <= 'Z':
			b = append(b, c+'a'-'A')
		case c >= 'a' && c <= 'z' || c >= '0' && c <= '9':
			b = append(b, c)
		case len(b) > 0 && b[len(b)-1] != '-':
			b = append(b, '-')
		}
	}
	return strings.Trim(string(b[:min(len(b), mostSlug)]), "-")
}
