package ingest

import (
	"bytes"
	"io"
	"reflect"
	"slices"
	"strings"
	_ "time/tzdata" // zones are checked on machines that have none, too

	"github.com/go-json-experiment/json/jsontext"

	"piyasa/domain/fundamentals"
	"piyasa/domain/funds"
	"piyasa/domain/ipo"
	"piyasa/problem"
	"piyasa/value"
)

// kind is a row of the one table of records: what the record is called, how it is
// read and checked, and how it is withdrawn.
type kind struct {
	name     string
	shape    *shape
	make     func() any       // a pointer to a new record
	check    func(any) *Fault // rules that span members
	key      []string         // members that a withdrawal must state
	checkKey func(any) *Fault // what is wrong with the key of a withdrawal
	lasting  string           // why it cannot be withdrawn; empty when it can
}

// kinds holds every kind of the contract. Every line is read and checked by it.
var kinds = byName(
	withdrawable(kindOf("instrument", checkInstrument), checkNoCoin, "instrument_id"),
	lasting(kindOf("quote", checkObservation), "a newer quote whose last is null withdraws it"),
	withdrawable(kindOf("sector", checkSector), nil, "code"),
	withdrawable(kindOf("index", checkIndex), nil, "code"),
	withdrawable(kindOf("trading_day", checkTradingDay), nil, "market", "date"),
	withdrawable(kindOf("bar", checkBar), checkBar, "instrument_id", "resolution", "t"),
	withdrawable(kindOf("index_bar", checkIndexBar), nil, "code", "date"),
	withdrawable(kindOf("market_metrics", checkMetrics), func(m *fundamentals.Metrics) *Fault { return checkMoment("as_of", m.AsOf) }, "instrument_id", "date"),
	withdrawable(kindOf("statement", checkStatement), nil, "instrument_id", "fiscal_year", "fiscal_month", "currency", "filed_at"),
	withdrawable(kindOf("dividend", checkDividend), nil, "instrument_id", "ex_date"),
	withdrawable(kindOf("calendar_event", checkCalendarEvent), nil, "event_id"),
	withdrawable(kindOf("calendar_item", checkCalendarItem), nil, "event_id", "time"),
	withdrawable(kindOf("inflation_point", checkInflationPoint), nil, "series_id", "month"),
	lasting(kindOf("disclosure", checkDisclosure), "a disclosure with the reason CANC cancels it"),
	withdrawable(kindOf("company", checkCompany), nil, "company_id"),
	withdrawable(kindOf("filing", checkFiling), nil, "disclosure_index"),
	withdrawable(kindOf("fund", checkFund), func(f *funds.Fund) *Fault { return checkMoment("as_of", f.AsOf) }, "code"),
	withdrawable(kindOf("fund_flow", checkFundFlow), nil, "code", "date"),
	withdrawable(kindOf("fund_holding", checkFundHolding), nil, "fund_code", "report_month", "instrument_id"),
	withdrawable(kindOf("ipo", checkIPO), func(r *ipo.Record) *Fault { return checkMoment("as_of", r.AsOf) }, "id"),
	lasting(kindOf("source_status", checkSource), "a newer status replaces it"),
	withdrawable(kindOf("news", checkNews), nil, "news_id"),
	withdrawable(kindOf("logo", checkLogo), checkLogo),
)

// withdrawable is a kind whose records can be taken back by the members of their
// key; check is what is wrong with a key beyond its members, or nil.
func withdrawable[T any](k kindFor[T], check func(*T) *Fault, key ...string) kind {
	k.key, k.checkKey = key, func(any) *Fault { return nil }
	if check != nil {
		k.checkKey = func(r any) *Fault { return check(r.(*T)) }
	}
	return k.kind
}

// lasting is a kind whose records cannot be taken back, and why.
func lasting[T any](k kindFor[T], why string) kind {
	k.lasting = why
	return k.kind
}

func byName(rows ...kind) map[string]*kind {
	table := make(map[string]*kind, len(rows))
	for i := range rows {
		table[rows[i].name] = &rows[i]
	}
	return table
}

// kindFor is a kind whose records are of a type.
type kindFor[T any] struct{ kind }

// kindOf is a kind whose records are of a type, with the rules that span its
// members.
func kindOf[T any](name string, check func(*T) *Fault) kindFor[T] {
	return kindFor[T]{kind{
		name: name, shape: shapeOf(reflect.TypeFor[T]()), make: func() any { return new(T) },
		check: func(r any) *Fault { return check(r.(*T)) },
	}}
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
	now  value.Clock
}

func newDecoder(now value.Clock) *decoder {
	return &decoder{jsontext.NewDecoder(bytes.NewReader(nil)), now}
}

// decode reads one line: its kind, nil when the line does not name a known one,
// its record, and whether that is withdrawn.
func (d *decoder) decode(line []byte) (_ *kind, _ any, withdrawn bool, _ *Fault) {
	name, wrong := d.kindOf(line)
	if wrong != nil {
		return nil, nil, false, wrong
	}
	k := kinds[name]
	if k == nil {
		return nil, nil, false, fault("record", "must be one of %s; got %s", kindNames(), problem.Shown(name))
	}
	record, of := k.make(), head{kind: k}
	d.json.Reset(bytes.NewReader(line))
	if wrong := k.shape.decode(d.json, reflect.ValueOf(record).Elem(), "", &of); wrong != nil {
		return k, nil, false, wrong
	}
	if _, err := d.json.ReadToken(); err != io.EOF {
		return k, nil, false, fault("", "is not one valid JSON object: something follows it on the line")
	}
	check, except := k.check, []string(nil)
	if of.withdrawn {
		check, except = k.checkKey, k.key // whatever is stored can be taken back
	}
	if w, ok := record.(interface{ Withdraws() bool }); !ok || !w.Withdraws() {
		if wrong := k.shape.future(reflect.ValueOf(record).Elem(), "", horizonOf(d.now), except...); wrong != nil {
			return k, nil, false, wrong
		}
	}
	if wrong := check(record); wrong != nil {
		return k, nil, false, wrong
	}
	return k, record, of.withdrawn, nil
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
