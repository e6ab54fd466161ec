package standin

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"net/http"
	"strings"
	"time"
	_ "time/tzdata" // stand-ins know the zones wherever they run

	"golang.org/x/text/encoding/charmap"
)

// Rate is a currency's rate on a day in a stand-in of a central bank.
type Rate struct {
	Currency      string
	Unit          string // number of units that the rates are for
	Buying        string // for Unit units; of the European Central Bank: the rate
	Selling       string // empty: none
	One, OneSells string // the same for one unit
}

// tcmbCurrency is a currency of the central bank of Turkey.
type tcmbCurrency struct {
	code, name, english string
	zeros, decimals     int // of its unit, and of its rates
	around              int // size of its rates, in units of their last decimal
	selling, banknotes  bool
	last                string // day; empty: it is still listed
}

// The names are padded and spelt as the bank has them.
var tcmbCurrencies = []tcmbCurrency{
	{"USD", "ABD DOLARI", "US DOLLAR", 0, 4, 501200, true, true, ""},
	{"AUD", "AVUSTRALYA DOLARI", "AUSTRALIAN DOLLAR", 0, 4, 330400, true, true, ""},
	{"EUR", "EURO", "EURO", 0, 4, 576500, true, true, ""},
	{"GBP", "İNGİLİZ STERLİNİ", "POUND STERLING", 0, 4, 671800, true, true, ""},
	{"KWD", "KUVEYT DİNARI", "KUWAITI DINAR", 0, 4, 1632000, true, true, ""},
	{"JPY", "JAPON YENİ", "JAPENESE YEN", 2, 4, 331400, true, true, ""},
	{"BGN", "BULGAR LEVASI", "BULGARIAN LEV", 0, 4, 294700, true, false, "2025-12-31"},
	{"RON", "RUMEN LEYİ", "NEW LEU", 0, 4, 115800, true, false, "2031-06-03"},
	{"IRR", "İRAN RİYALİ", "IRANIAN RIAL", 2, 4, 119, true, false, ""},
	{"KRW", "GÜNEY KORE WONU", "SOUTH KOREAN WON", 0, 5, 3612, true, false, ""},
	{"AZN", "AZERBAYCAN YENİ MANATI", "AZERBAIJANI NEW MANAT", 0, 4, 294800, true, false, ""},
	{"XDR", "ÖZEL ÇEKME HAKKI (SDR)                            ", "SPECIAL DRAWING RIGHT (SDR)                       ", 0, 4, 661000,
		false, false, ""},
}

// Days that matter to the files of the central bank of Turkey.
const (
	tcmbFirst = "1996-05-02"
	tcmbUTF8  = "2020-01-01" // files were ISO-8859-9 before
)

var (
	tcmbZone      = rateZone("Europe/Istanbul")
	tcmbPublished = 15*time.Hour + 30*time.Minute
)

// TCMB stands in for the daily rates of the central bank of Turkey: today.xml is the newest
// bulletin, and each working day has a file from 15:30 on.
func TCMB(now func() time.Time) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		newest := rateMidnight(now().Add(-tcmbPublished), tcmbZone)
		day := newest
		if path := strings.TrimPrefix(r.URL.Path, "/"); path == "today.xml" {
			for len(TCMBRates(day)) == 0 {
				day = day.AddDate(0, 0, -1)
			}
		} else if dated, err := time.ParseInLocation("200601/02012006.xml", path, tcmbZone); err == nil &&
			dated.Format("200601/02012006.xml") == path {
			day = dated
		} else {
			day = time.Time{}
		}
		if day.After(newest) || len(TCMBRates(day)) == 0 {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			w.WriteHeader(http.StatusNotFound)
			fmt.Fprint(w, "<!DOCTYPE html>\n<html lang=\"tr\"><head><title>404</title></head><body>Sayfa bulunamadı</body></html>\n")
			return
		}
		w.Header().Set("Content-Type", "text/xml")
		_, _ = w.Write(tcmbFile(day))
	})
}

// TCMBRates returns the rates that the central bank of Turkey publishes on a day; none on
// weekends and holidays. They are a function of the day and the currency.
func TCMBRates(day time.Time) (all []Rate) {
	date := day.Format(time.DateOnly)
	if date < tcmbFirst || tcmbHoliday(day) {
		return nil
	}
	for _, c := range tcmbCurrencies {
		if c.last != "" && date > c.last {
			continue
		}
		n := rateNear(c.around, "tcmb", c.code, date)
		r := Rate{Currency: c.code, Unit: "1" + strings.Repeat("0", c.zeros), Buying: rateDecimal(n, c.decimals),
			One: rateDecimal(n, c.decimals+c.zeros)}
		if c.selling {
			n += n/500 + 1
			r.Selling, r.OneSells = rateDecimal(n, c.decimals), rateDecimal(n, c.decimals+c.zeros)
		}
		all = append(all, r)
	}
	return all
}

// tcmbFile writes the bulletin of a day, in the encoding of its time. Empty values are written in
// three ways.
func tcmbFile(day time.Time) []byte {
	utf8 := day.Format(time.DateOnly) >= tcmbUTF8
	var b bytes.Buffer
	encoding := "ISO-8859-9"
	if utf8 {
		encoding = "UTF-8"
	}
	fmt.Fprintf(&b, "<?xml version=\"1.0\" encoding=\"%s\"?>\n<?xml-stylesheet type=\"text/xsl\" href=\"isokur.xsl\"?>\n", encoding)
	fmt.Fprintf(&b, "<Tarih_Date Tarih=\"%s\" Date=\"%s\"  Bulten_No=\"%d/%d\" >\n",
		day.Format("02.01.2006"), day.Format("01/02/2006"), day.Year(), tcmbNumber(day))
	empties := 0
	element := func(name, text string) {
		if text != "" {
			fmt.Fprintf(&b, "\t\t<%[1]s>%[2]s</%[1]s>\n", name, text)
			return
		}
		fmt.Fprintf(&b, []string{"\t\t<%[1]s/>\n", "\t\t<%[1]s></%[1]s>\n", "\t\t<%[1]s>\n\t\t</%[1]s>\n"}[empties%3], name)
		empties++
	}
	order := 0
	for _, r := range TCMBRates(day) {
		c := tcmbNamed(r.Currency)
		fmt.Fprintf(&b, "\t<Currency CrossOrder=\"%d\" Kod=\"%[2]s\" CurrencyCode=\"%[2]s\">\n", order, c.code)
		if c.selling {
			order++ // the special drawing right repeats the order number before it
		}
		element("Unit", r.Unit)
		element("Isim", c.name)
		element("CurrencyName", c.english)
		element("ForexBuying", r.Buying)
		element("ForexSelling", r.Selling)
		banknotes := [2]string{}
		if c.banknotes {
			n := rateNear(c.around, "tcmb", c.code, day.Format(time.DateOnly))
			banknotes = [2]string{rateDecimal(n-n/1000, c.decimals), rateDecimal(n+n/300, c.decimals)}
		}
		element("BanknoteBuying", banknotes[0])
		element("BanknoteSelling", banknotes[1])
		cross := [2]string{"", rateDecimal(rateNear(10_000, "cross", c.code, day.Format(time.DateOnly)), 4)}
		switch c.code {
		case "USD":
			cross[1] = ""
		case "EUR", "GBP", "KWD", "XDR": // quoted the other way round
		default:
			cross[0], cross[1] = cross[1], cross[0]
		}
		element("CrossRateUSD", cross[0])
		element("CrossRateOther", cross[1])
		b.WriteString("\t</Currency>\n")
	}
	b.WriteString("</Tarih_Date>\n")
	if utf8 {
		return b.Bytes()
	}
	old, err := charmap.ISO8859_9.NewEncoder().Bytes(b.Bytes())
	if err != nil {
		panic(err) // the names are Turkish
	}
	return old
}

func tcmbNamed(code string) tcmbCurrency {
	for _, c := range tcmbCurrencies {
		if c.code == code {
			return c
		}
	}
	return tcmbCurrency{}
}

// tcmbNumber returns the number of a day's bulletin in its year.
func tcmbNumber(day time.Time) (n int) {
	for d := time.Date(day.Year(), 1, 1, 0, 0, 0, 0, tcmbZone); !d.After(day); d = d.AddDate(0, 0, 1) {
		if !tcmbHoliday(d) {
			n++
		}
	}
	return n
}

// tcmbHoliday reports whether a day is at a weekend, a national holiday, or in a religious feast,
// which comes about eleven days earlier each year.
func tcmbHoliday(day time.Time) bool {
	if day.Weekday() == time.Saturday || day.Weekday() == time.Sunday {
		return true
	}
	switch day.Format("01-02") {
	case "01-01", "04-23", "05-01", "05-19", "07-15", "08-30", "10-29":
		return true
	}
	const lunarYear = 354_367 // thousandths of a day
	days := int(time.Date(day.Year(), day.Month(), day.Day(), 0, 0, 0, 0,
		time.UTC).Sub(time.Date(1990, 4, 26, 0, 0, 0, 0, time.UTC)).Hours() / 24)
	since := days * 1000 % lunarYear
	return since >= 0 && since < 3000 || since >= 68_000 && since < 72_000
}

// rateMidnight returns the beginning of the day that a moment is in.
func rateMidnight(at time.Time, in *time.Location) time.Time {
	at = at.In(in)
	return time.Date(at.Year(), at.Month(), at.Day(), 0, 0, 0, 0, in)
}

func rateZone(name string) *time.Location {
	l, err := time.LoadLocation(name)
	if err != nil {
		panic(err) // the zones are part of the program
	}
	return l
}

// rateNear returns a number within a hundredth of around, which depends on the texts of; one in
// eight ends with two zeros.
func rateNear(around int, of ...string) int {
	h := fnv.New64a()
	for _, text := range of {
		_, _ = h.Write([]byte(text + "\x00"))
	}
	sum := h.Sum64()
	sum ^= sum >> 33
	n := around + around*int(sum%2001)/100_000 - around/100
	if sum>>32%8 == 0 && n > 1000 {
		n -= n % 100
	}
	return n
}

// rateDecimal writes n with the given number of decimals.
func rateDecimal(n, decimals int) string {
	text := fmt.Sprintf("%0*d", decimals+1, n)
	return text[:len(text)-decimals] + "." + text[len(text)-decimals:]
}
