package ingest

import (
	"bytes"
	"io"
	"reflect"
	"slices"
	"strings"
	_ "time/tzdata" // zones are checked on machines that have none, too

	"github.com/go-json-experiment/json/jsontext"

	"piyasa/problem"
)

// kind is a row of the one table of records: what the record is called and how
// it is read and checked.
type kind struct {
	name  string
	shape *shape
	make  func() any       // a pointer to a new record
	check func(any) *Fault // rules that span members
}

// kinds holds every kind of the contract. Every line is read and checked by it.
var kinds = byName(
	kindOf("instrument", checkInstrument),
	kindOf("quote", checkObservation),
	kindOf("sector", checkSector),
	kindOf("index", checkIndex),
	kindOf("trading_day", checkTradingDay),
	kindOf("bar", checkBar),
	kindOf("index_bar", checkIndexBar),
	kindOf("market_metrics", checkMetrics),
	kindOf("statement", checkStatement),
	kindOf("dividend", checkDividend),
	kindOf("calendar_event", checkCalendarEvent),
	kindOf("calendar_item", checkCalendarItem),
	kindOf("inflation_point", checkInflationPoint),
	kindOf("disclosure", checkDisclosure),
	kindOf("company", checkCompany),
	kindOf("filing", checkFiling),
	kindOf("fund", checkFund),
	kindOf("fund_flow", checkFundFlow),
	kindOf("fund_holding", checkFundHolding),
	kindOf("ipo", checkIPO),
	kindOf("source_status", checkSource),
	kindOf("news", checkNews),
	kindOf("logo", checkLogo),
)

func byName(rows ...kind) map[string]*kind {
	table := make(map[string]*kind, len(rows))
	for i := range rows {
		table[rows[i].name] = &rows[i]
	}
	return table
}

// kindOf is a kind whose records are of a type, with the rules that span its
// members, or nil.
func kindOf[T any](name string, check func(*T) *Fault) kind {
	k := kind{name: name, shape: shapeOf(reflect.TypeFor[T]()), make: func() any { return new(T) }}
	if check != nil {
		k.check = func(r any) *Fault { return check(r.(*T)) }
	}
	return k
}

func kindNames() string {
	names := make([]string, 0, len(kinds))
	for name := range kinds {
		names = append(names, name)
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

// decoder reads lines into records. It is not safe for concurrent use.
type decoder struct {
	json *jsontext.Decoder
}

func newDecoder() *decoder { return &decoder{jsontext.NewDecoder(bytes.NewReader(nil))} }

// decode reads one line. kind is nil when the line does not name a known one.
func (d *decoder) decode(line []byte) (*kind, any, *Fault) {
	name, wrong := d.kindOf(line)
	if wrong != nil {
		return nil, nil, wrong
	}
	k := kinds[name]
	if k == nil {
		return nil, nil, fault("record", "must be one of %s; got %s", kindNames(), problem.Shown(name))
	}
	record := k.make()
	d.json.Reset(bytes.NewReader(line))
	if wrong := k.shape.decode(d.json, reflect.ValueOf(record).Elem(), "", "record"); wrong != nil {
		return k, nil, wrong
	}
	if _, err := d.json.ReadToken(); err != io.EOF {
		return k, nil, fault("", "is not one valid JSON object: something follows it on the line")
	}
	if k.check != nil {
		if wrong := k.check(record); wrong != nil {
			return k, nil, wrong
		}
	}
	return k, record, nil
}

// kindOf finds the member record, which usually comes first.
func (d *decoder) kindOf(line []byte) (string, *Fault) {
	d.json.Reset(bytes.NewReader(line))
	if k := d.json.PeekKind(); k != '{' {
		if _, err := d.json.ReadValue(); err != nil {
			return "", notJSON(err)
		}
		return "", fault("", "is not one valid JSON object: got %s", problem.Clip(string(line)))
	}
	_, _ = d.json.ReadToken()
	for d.json.PeekKind() != '}' {
		name, err := d.json.ReadToken()
		if err != nil {
			return "", notJSON(err)
		}
		if name.String() == "record" {
			if d.json.PeekKind() != '"' {
				return "", wrongKind(d.json, "record", "the name of a kind")
			}
			return readToken(d.json, "record")
		}
		if err := d.json.SkipValue(); err != nil {
			return "", notJSON(err)
		}
	}
	return "", fault("record", "is missing and must name the kind: one of %s", kindNames())
}
