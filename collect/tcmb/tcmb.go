// Package tcmb reads the indicative exchange rates that the central bank of Turkey publishes
// at 15:30 on each working day.
package tcmb

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"piyasa/collect"
)

// source is the bank's daily file: one for each working day, and today.xml, the newest.
type source struct{ collect.RateSettings }

const (
	base      = "https://www.tcmb.gov.tr/kurlar/"
	published = 15*60 + 30
	today     = "today.xml"
	dayFile   = "200601/02012006.xml"
	lira      = "TRY"
)

// late is half an hour after the publication.
var late = collect.Deadline{Zone: collect.Istanbul, Clock: collect.At(16, 0)}

// New returns the source of a configuration.
func New(text json.RawMessage) (collect.Source, error) {
	s, err := collect.ReadRateSettings(text)
	return &source{s}, err
}

// Plan implements collect.Source: from the time of publication on, until the day's rates are
// published.
func (*source) Plan() collect.Plan {
	at := []collect.Clock{collect.At(8, 0), collect.At(15, 31), collect.At(15, 36), collect.At(15, 45)}
	for hour := 16; hour <= 19; hour++ {
		at = append(at, collect.At(hour, 0))
	}
	return collect.Plan{Base: base, Pace: time.Second, Schedule: collect.Schedule{At: at, Workdays: true}}
}

// Ask implements collect.Source: the file of each day of history, then the newest one until it is
// today's, then the working days that had no file.
func (s *source) Ask(text json.RawMessage, now time.Time) (*collect.Request, error) {
	k, err := readKept(text)
	if err != nil {
		return nil, err
	}
	day := now.In(collect.Istanbul).Format(time.DateOnly)
	next := s.Next(k.RatesKept)
	switch {
	case k.Day >= day && len(k.Doubt) == 0:
		return nil, nil
	case k.Day >= day:
		if next, err = time.Parse(time.DateOnly, k.Doubt[0]); err != nil {
			return nil, err
		}
	case next.IsZero() || next.Format(time.DateOnly) >= day:
		return &collect.Request{Path: today, Expect: collect.XML}, nil
	}
	return &collect.Request{Path: next.Format(dayFile), Expect: collect.XML, Also: []int{http.StatusNotFound}}, nil
}

// kept is the state kept between requests.
type kept struct {
	collect.RatesKept
	Newest string   `json:"newest,omitempty"` // the day of the newest bulletin; days without one may follow
	Doubt  []string `json:"doubt,omitempty"`  // working days whose file was missing
}

// mostDoubt is about the number of holidays in twenty years.
const mostDoubt = 300

func readKept(text json.RawMessage) (k kept, err error) {
	if k.RatesKept, err = collect.ReadRatesKept(text); err == nil && len(text) > 0 {
		err = json.Unmarshal(text, &k)
	}
	return k, err
}

// result returns the result that keeps k.
func (k kept) result(records []collect.Record, more bool) (*collect.Result, error) {
	text, err := json.Marshal(k)
	return &collect.Result{Records: records, Keep: text, More: more || len(records) > 0 && len(k.Doubt) > 0}, err
}

// missing notes that a day has no file. Once a newer file exists, the source requests a working day
// once more: if its file is still missing while the upstream works, the day was a holiday.
func (k kept) missing(path string) (*collect.Result, error) {
	day, err := time.Parse(dayFile, path)
	if err != nil {
		return nil, err
	}
	stamp := day.Format(time.DateOnly)
	switch {
	case len(k.Doubt) > 0 && k.Doubt[0] == stamp:
		k.Doubt = k.Doubt[1:]
		return k.result(nil, true)
	case stamp <= k.Day:
		return k.result(nil, true)
	case day.Weekday() == time.Saturday || day.Weekday() == time.Sunday:
	case len(k.Doubt) == mostDoubt:
		return nil, fmt.Errorf("%d working days have no file; the last is %s", mostDoubt, stamp)
	default:
		k.Doubt = append(k.Doubt, stamp)
	}
	k.Day = stamp
	return k.result(nil, true)
}

// bulletin is a daily file.
type bulletin struct {
	XMLName    xml.Name `xml:"Tarih_Date"`
	Day        string   `xml:"Tarih,attr"` // dd.MM.yyyy; Date is MM/dd/yyyy
	Number     string   `xml:"Bulten_No,attr"`
	Currencies []struct {
		Code    string       `xml:"CurrencyCode,attr"`
		Unit    collect.Once `xml:"Unit"`
		Name    collect.Once `xml:"CurrencyName"`
		Buying  collect.Once `xml:"ForexBuying"`
		Selling collect.Once `xml:"ForexSelling"`
	} `xml:"Currency"`
}

// Parse implements collect.Source.
func (s *source) Parse(text json.RawMessage, request *collect.Request, got *collect.Answer) (*collect.Result, error) {
	k, err := readKept(text)
	if err != nil {
		return nil, err
	}
	if got.Status == http.StatusNotFound {
		return k.missing(request.Path)
	}
	day, b, err := decode(got.Body)
	if err != nil {
		return nil, err
	}
	newest, stamp := request.Path == today, day.Format(time.DateOnly)
	switch {
	case !newest && request.Path != day.Format(dayFile):
		return nil, fmt.Errorf("the file %s is of %s", request.Path, stamp)
	case stamp > got.At.In(collect.Istanbul).Format(time.DateOnly):
		return nil, fmt.Errorf("%s had not come when it was asked for", stamp)
	}
	read := day
	if newest {
		read = got.At
	}
	until := late.After(day, read)
	doubted := len(k.Doubt) > 0 && k.Doubt[0] == stamp
	renewed := stamp == k.Newest && until.After(k.Until)
	if !doubted && !renewed && stamp <= k.Day { // until 15:30, today.xml is an earlier day's
		return k.result(nil, false)
	}
	records, err := s.records(day, until, b)
	if err != nil {
		return nil, err
	}
	if doubted {
		k.Doubt = k.Doubt[1:]
	}
	if stamp >= k.Newest {
		k.Newest, k.Until = stamp, until
	}
	k.Day = max(k.Day, stamp)
	return k.result(records, !newest)
}

// decode reads a file in the encoding that it declares.
func decode(body []byte) (time.Time, *bulletin, error) {
	b := new(bulletin)
	if err := collect.ReadXML(body, b); err != nil {
		return time.Time{}, nil, err
	}
	day, err := time.ParseInLocation("02.01.2006", b.Day, collect.Istanbul)
	if err != nil {
		return time.Time{}, nil, fmt.Errorf("the attribute Tarih must be a day such as 02.06.2031; got %q", b.Day)
	}
	if len(b.Currencies) == 0 {
		return time.Time{}, nil, errors.New("it has no Currency")
	}
	return day, b, nil
}

// records returns the rates of a day: the bank's buying rate is last, close and bid, its
// selling rate is ask.
func (s *source) records(day, until time.Time, b *bulletin) (all []collect.Record, err error) {
	at, stated := day.Add(published*time.Minute), map[string]bool{}
	for _, c := range b.Currencies {
		code := strings.TrimSpace(c.Code)
		buying, selling := strings.TrimSpace(c.Buying.Text), strings.TrimSpace(c.Selling.Text)
		if !collect.IsCurrency(code) || buying == "" || !s.Wants(code) {
			continue
		}
		if stated[code] {
			return nil, fmt.Errorf("it has %s twice", code)
		}
		stated[code] = true
		bid, err := rate(buying, c.Unit.Text)
		if err != nil {
			return nil, fmt.Errorf("ForexBuying of %s: %w", code, err)
		}
		quote := collect.PairQuote(code, lira, at, until, bid)
		quote.Fields["bid"] = bid
		if selling != "" {
			if quote.Fields["ask"], err = rate(selling, c.Unit.Text); err != nil {
				return nil, fmt.Errorf("ForexSelling of %s: %w", code, err)
			}
		}
		all = append(all,
			collect.PairInstrument(code, lira, name(c.Name.Text, code), "TCMB indicative rates (forex buying)"),
			quote,
			collect.PairBar(code, lira, day, bid),
		)
	}
	if len(all) == 0 {
		return nil, errors.New("it has no rate of a currency that is asked for")
	}
	return all, nil
}

func name(given, code string) string {
	if given = strings.Join(strings.Fields(given), " "); given == "" {
		given = code
	}
	return given + " / Turkish lira"
}

// rate divides a rate by the number of units that it is for, which is a power of ten, and
// keeps every digit.
func rate(text, unit string) (string, error) {
	zeros, ok := strings.CutPrefix(strings.TrimSpace(unit), "1")
	if !ok || strings.Trim(zeros, "0") != "" {
		return "", fmt.Errorf("its Unit must be 1, 10, 100 or such; got %q", unit)
	}
	whole, fraction, err := collect.SplitRate(text)
	if err != nil {
		return "", err
	}
	digits := strings.Repeat("0", len(zeros)) + whole
	whole, fraction = digits[:len(digits)-len(zeros)], digits[len(digits)-len(zeros):]+fraction
	if whole = strings.TrimLeft(whole, "0"); whole == "" {
		whole = "0"
	}
	if fraction == "" {
		return whole, nil
	}
	return whole + "." + fraction, nil
}
