package market

import (
	"cmp"
	"errors"
	"io"
	"slices"
	"strconv"
	"time"

	"piyasa/domain/segment"
	"piyasa/internal/problem"
	"piyasa/internal/value"
)

// Instrument is one catalog record. A member that does not apply to its market is null.
type Instrument struct {
	InstrumentID    ID         `json:"instrument_id" record:"required"`
	Symbol          string     `json:"symbol" record:"required"` // a coin's is its number
	Ticker          *string    `json:"ticker"`                   // coins only
	Name            string     `json:"name" record:"required"`
	Market          Market     `json:"market" record:"required"`
	AssetType       AssetType  `json:"asset_type" record:"required"`
	Currency        string     `json:"currency" record:"required"` // of the price; of the computation for an index
	Source          *string    `json:"source"`                     // the kind of series, or its publisher
	Session         *Session   `json:"session"`                    // of the price; of an index, that of its computation
	Delay           *int       `json:"delay"`                      // seconds: between refreshes of a coin, of publication elsewhere
	CoverageFrom    value.Date `json:"coverage_from" time:"any"`   // start of history
	LogoURL         *string    `json:"logo_url" record:"-" bun:"-"`
	Sector          *string    `json:"sector"`      // bist: Turkish sector name; us: industry text
	SectorCode      *string    `json:"sector_code"` // bist: slug of the sector; us: industry code
	PriceMechanism  *string    `json:"price_mechanism"`
	FundCode        *string    `json:"fund_code"` // ETFs only
	Founder         *string    `json:"founder"`
	Category        *string    `json:"category"`
	UnderlyingIndex *string    `json:"underlying_index"`
	IsParticipation *bool      `json:"is_participation"`
	Segment         *string    `json:"segment"`
	Unit            *string    `json:"unit"`                                    // commodities: what one price buys
	Region          *string    `json:"region"`                                  // indices
	CmcID           *int       `json:"cmc_id"`                                  // coins
	Slug            *string    `json:"slug"`                                    // coins
	Adjustment      *string    `json:"adjustment,omitempty" record:"-" bun:"-"` // of its history; nil: its bars do not say
	ISIN            *string    `json:"isin,omitempty" bun:"isin" csv:"-"`
	// first day on which prices had their present meaning; null: always had it
	ValidFrom   value.Date `json:"valid_from,omitzero" time:"past" bun:"-" csv:"-"`
	Predecessor *ID        `json:"predecessor,omitempty" bun:"-" csv:"-"` // the id that it had before RenamedOn
	RenamedOn   value.Date `json:"renamed_on,omitzero" time:"past" bun:"-" csv:"-"`

	changes *segment.Boundaries // the changes of currency, unit and id that its records state; nil: none
}

// MeaningChanges returns the changes of currency, unit and id, by day.
func (in *Instrument) MeaningChanges() []*segment.Change {
	if in.changes == nil {
		return []*segment.Change{}
	}
	all := make([]*segment.Change, len(*in.changes))
	for i := range all {
		all[i] = &(*in.changes)[i].Change
	}
	return all
}

// Validate returns the value.Invalid of a record that contradicts itself, if any.
func (in *Instrument) Validate() error {
	id := in.InstrumentID
	switch {
	case in.Market != id.Market():
		return value.Invalidf("market", "must be %s, as the id %s says; got %s", id.Market(), id, in.Market)
	case in.Symbol != id.Symbol():
		return value.Invalidf("symbol", "must be %s, as the id %s says; got %s", id.Symbol(), id, problem.Shown(in.Symbol))
	case in.Delay != nil && *in.Delay < 0:
		return value.Invalidf("delay", "must be 0 or more seconds; got %d", *in.Delay)
	case in.Session != nil && !isZone(in.Session.Timezone):
		return value.Invalidf("session.timezone", "must be an IANA time zone such as Europe/Istanbul; got %s",
			problem.Shown(in.Session.Timezone))
	case in.Market == Crypto && in.CmcID == nil:
		return value.Invalidf("cmc_id", "is missing: coins must state their number")
	case in.CmcID != nil && id != ID("crypto:"+strconv.Itoa(*in.CmcID)):
		return value.Invalidf("cmc_id", "must be the number in the id %s; got %d", id, *in.CmcID)
	}
	if err := cmp.Or(checkCurrency(id, in.Currency), in.checkIdentity()); err != nil {
		return err
	}
	if !slices.Contains(assetTypes[in.Market], in.AssetType) {
		return value.Invalidf("asset_type", "must be one of %v for the market %s; got %s", assetTypes[in.Market], in.Market, in.AssetType)
	}
	return nil
}

// checkIdentity checks the members about former meanings and ids.
func (in *Instrument) checkIdentity() error {
	id, before := in.InstrumentID, in.Predecessor
	switch {
	case in.ISIN != nil && !isISIN(*in.ISIN):
		return value.Invalidf("isin", "must be two letters, nine letters or digits and the check digit that follows from them, such as "+
			"US0378331005; got %s", problem.Shown(*in.ISIN))
	case before == nil && !in.RenamedOn.IsNull():
		return value.Invalidf("predecessor", "is missing: renamed_on is the day since which %s has its id, and predecessor the id before",
			id)
	case before == nil || *before == id:
		return nil
	case before.Market() != id.Market():
		return value.Invalidf("predecessor", "must be an id of the market %s, as %s is; got %s", id.Market(), id, *before)
	case in.RenamedOn.IsNull():
		return value.Invalidf("renamed_on", "is missing: state the first day on which %s had this id instead of %s", id, *before)
	}
	return nil
}

// isISIN reports whether text is an international securities identification number. Its check
// digit makes the digits, with letters as 10 to 35, pass the Luhn test.
func isISIN(text string) bool {
	if len(text) != 12 || value.Digits(text[11:]) != 1 {
		return false
	}
	sum, double := 0, false
	add := func(digit int) {
		if double {
			digit *= 2
		}
		sum += digit/10 + digit%10
		double = !double
	}
	for i := 11; i >= 0; i-- {
		switch c := text[i]; {
		case c >= 'A' && c <= 'Z':
			n := int(c-'A') + 10
			add(n % 10)
			add(n / 10)
		case c >= '0' && c <= '9' && i > 1:
			add(int(c - '0'))
		default:
			return false
		}
	}
	return sum%10 == 0
}

// assetTypes lists the asset types of each market.
var assetTypes = map[Market][]AssetType{
	BIST:   {Stock, ETF},
	Crypto: {Coin},
	FX:     {Pair},
	Index:  {WorldIndex},
	Cmdty:  {Commodity},
	US:     {Stock, ETF},
	Fund:   {FundUnit},
}

// isZone reports whether the built-in IANA database has a zone.
func isZone(name string) bool {
	_, err := time.LoadLocation(name)
	return err == nil && name != "Local"
}

// AssetType is the sort of thing an instrument is.
type AssetType string

// The asset types.
const (
	Stock      AssetType = "STOCK"
	ETF        AssetType = "ETF"
	Coin       AssetType = "CRYPTO"
	Pair       AssetType = "FX"
	WorldIndex AssetType = "INDEX"
	Commodity  AssetType = "COMMODITY"
	FundUnit   AssetType = "FUND"
)

var _ = value.Enum(Stock, ETF, Coin, Pair, WorldIndex, Commodity, FundUnit)

// AppendJSON appends the type, which needs no escaping, as a JSON string.
func (a AssetType) AppendJSON(b []byte) []byte { return strconv.AppendQuote(b, string(a)) }

// MarshalGQL writes the scalar String.
func (a AssetType) MarshalGQL(w io.Writer) { _, _ = w.Write(a.AppendJSON(nil)) }

// UnmarshalGQL implements graphql.Unmarshaler; no argument is of this type.
func (a *AssetType) UnmarshalGQL(any) error { return errors.New("an asset type is not an input") }
