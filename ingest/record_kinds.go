package ingest

import (
	"bytes"
	"errors"
	"io"
	"reflect"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"piyasa/db"
	"piyasa/domain/fundamentals"
	"piyasa/domain/funds"
	"piyasa/domain/ipo"
	"piyasa/domain/kap"
	"piyasa/domain/macro"
	"piyasa/domain/market"
	"piyasa/domain/news"
	"piyasa/internal/problem"
	"piyasa/internal/value"
)

// kind is a row of the one table of records: the name of a record, how it is read, checked and
// stored, and how it is withdrawn.
type kind struct {
	name     string
	shape    *shape
	make     func() any // a pointer to a new record
	put      func(b *db.Batch, record any, out *db.Outcome)
	withdraw func(b *db.Batch, record any, out *db.Outcome)
	key      []string        // members that a withdrawal must state
	checkKey func(any) error // checks a withdrawal beyond its members, or nil
	lasting  string          // why it cannot be withdrawn; empty if it can
}

// record is the common method of all records. The error is a *value.Invalid.
type record interface{ Validate() error }

// normalizer is a record that completes itself before it is validated.
type normalizer interface{ Normalize() }

// kinds holds every kind of the contract by its name.
var kinds = byName(
	withdrawable(kindOf[market.Instrument]("instrument"), checkNoCoin, "instrument_id"),
	lasting(kindOf[market.Observation]("quote"), "a newer quote whose last is null withdraws it"),
	withdrawable(kindOf[market.Sector]("sector"), nil, "code"),
	withdrawable(kindOf[market.BistIndex]("index"), nil, "code"),
	withdrawable(kindOf[market.TradingDay]("trading_day"), nil, "market", "date"),
	withdrawable(kindOf[market.PriceLimits]("price_limits"), nil, "instrument_id", "date"),
	withdrawable(kindOf[market.CorporateAction]("corporate_action"), (*market.CorporateAction).CheckIdentity, "instrument_id"),
	withdrawable(kindOf[market.Bar]("bar"), (*market.Bar).Validate, "instrument_id", "resolution", "t"),
	withdrawable(kindOf[market.IndexBar]("index_bar"), nil, "code", "date"),
	withdrawable(kindOf[fundamentals.Metrics]("market_metrics"), func(m *fundamentals.Metrics) error {
		return value.CheckMoment("as_of", m.AsOf)
	}, "instrument_id", "date"),
	withdrawable(kindOf[fundamentals.Statement]("statement"), nil, "instrument_id", "fiscal_year", "fiscal_month", "currency", "filed_at"),
	withdrawable(kindOf[fundamentals.DividendRecord]("dividend"), nil, "instrument_id", "ex_date"),
	withdrawable(kindOf[macro.CalendarEvent]("calendar_event"), nil, "event_id"),
	withdrawable(kindOf[macro.CalendarRecord]("calendar_item"), nil, "event_id", "time"),
	withdrawable(kindOf[macro.Point]("inflation_point"), nil, "series_id", "month"),
	withdrawable(kindOf[macro.IndexLink]("index_link"), nil, "series_id", "from_base", "to_base"),
	lasting(kindOf[kap.Record]("disclosure"), "a disclosure with the reason CANC cancels it"),
	withdrawable(kindOf[kap.CompanyRecord]("company"), nil, "company_id"),
	withdrawable(kindOf[kap.FilingRecord]("filing"), nil, "disclosure_index"),
	withdrawable(kindOf[funds.Fund]("fund"), func(f *funds.Fund) error { return value.CheckMoment("as_of", f.AsOf) }, "code"),
	withdrawable(kindOf[funds.Flow]("fund_flow"), nil, "code", "date"),
	withdrawable(kindOf[funds.Holding]("fund_holding"), nil, "fund_code", "report_month", "instrument_id"),
	withdrawable(kindOf[ipo.Record]("ipo"), func(r *ipo.Record) error { return value.CheckMoment("as_of", r.AsOf) }, "id"),
	lasting(kindOf[market.SourceStatus]("source_status"), "a newer status replaces it"),
	lasting(kindOf[market.SourceState]("state"), "a newer state replaces it"),
	withdrawable(kindOf[news.Item]("news"), nil, "news_id"),
	withdrawable(kindOf[market.LogoRecord]("logo"), (*market.LogoRecord).Validate),
)

// checkNoCoin rejects the withdrawal of a coin, because a coin's number is never reused.
func checkNoCoin(in *market.Instrument) error {
	if in.InstrumentID.Market() == market.Crypto {
		return value.Invalidf("withdrawn", "does not apply to coins: the number of %s is never reused", in.InstrumentID)
	}
	return nil
}

// withdrawable returns a kind whose records can be withdrawn by the members of their key. check
// checks a withdrawal further, or is nil.
func withdrawable[T db.Record](k kindFor[T], check func(*T) error, key ...string) kind {
	k.key = key
	k.withdraw = func(b *db.Batch, record any, out *db.Outcome) { db.Withdraw(b, record.(*T), out) }
	if check != nil {
		k.checkKey = func(r any) error { return check(r.(*T)) }
	}
	return k.kind
}

// lasting returns a kind whose records cannot be withdrawn, with the reason.
func lasting[T db.Record](k kindFor[T], why string) kind {
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

// kindFor is a kind whose records are of type T.
type kindFor[T db.Record] struct{ kind }

// kindOf returns the kind of records of type T.
func kindOf[T db.Record, P interface {
	*T
	record
}](name string) kindFor[T] {
	return kindFor[T]{kind{
		name: name, shape: shapeOf(reflect.TypeFor[T]()), make: func() any { return P(new(T)) },
		put: func(b *db.Batch, record any, out *db.Outcome) { db.Put(b, record.(*T), out) },
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

// decode reads one line. It returns its kind (nil if unknown), its record, and whether the line
// withdraws the record.
func (d *decoder) decode(line []byte) (_ *kind, _ any, withdrawn bool, _ *value.Invalid) {
	name, wrong := d.nameIn(line)
	if wrong != nil {
		return nil, nil, false, wrong
	}
	k := kinds[name]
	if k == nil {
		return nil, nil, false, value.Invalidf("record", "must be one of %s; got %s", kindNames(), problem.Shown(name))
	}
	record, of := k.make(), envelope{kind: k}
	d.json.Reset(bytes.NewReader(line))
	if wrong := k.shape.decode(d.json, reflect.ValueOf(record).Elem(), "", &of); wrong != nil {
		return k, nil, false, wrong
	}
	if _, err := d.json.ReadToken(); err != io.EOF {
		return k, nil, false, value.Invalidf("", "is not one valid JSON object: something follows it on the line")
	}
	var except []string
	if of.withdrawn {
		except = k.key // any stored record can be withdrawn
	}
	if w, ok := record.(interface{ Withdraws() bool }); !ok || !w.Withdraws() {
		if wrong := k.shape.future(reflect.ValueOf(record).Elem(), "", horizonOf(d.now), except...); wrong != nil {
			return k, nil, false, wrong
		}
	}
	if err := k.check(record, of.withdrawn); err != nil {
		return k, nil, false, invalid(err)
	}
	return k, record, of.withdrawn, nil
}

// check completes and validates a record, or checks a withdrawal.
func (k *kind) check(r any, withdrawn bool) error {
	if withdrawn {
		if k.checkKey == nil {
			return nil
		}
		return k.checkKey(r)
	}
	if r, ok := r.(normalizer); ok {
		r.Normalize()
	}
	return r.(record).Validate()
}

// invalid returns an error of Validate as a value.Invalid.
func invalid(err error) *value.Invalid {
	wrong, ok := errors.AsType[*value.Invalid](err)
	if !ok {
		return value.Invalidf("", "%v", err)
	}
	return wrong
}

// nameIn finds the member record, which usually comes first.
func (d *decoder) nameIn(line []byte) (string, *value.Invalid) {
	d.json.Reset(bytes.NewReader(line))
	if k := d.json.PeekKind(); k != '{' {
		table := ""
		if bytes.ContainsAny(line, ",;\t") && !bytes.ContainsAny(line, "{}[]") {
			table = "; CSV is read by the connector files of `piyasa collect`"
		}
		if _, err := d.json.ReadValue(); err != nil {
			return "", value.Invalidf("", "is not one valid JSON object: %v%s", err, table)
		}
		return "", value.Invalidf("", "is not one valid JSON object: got %s%s", problem.Clip(string(line)), table)
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
	return "", value.Invalidf("record", "is missing and must name the kind: one of %s", kindNames())
}
