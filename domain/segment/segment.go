// Package segment keeps figures from combining inputs whose meaning differs.
//
// A series consists of segments, in each of which its meaning is constant. A figure computed from
// several inputs takes them from one segment, or crosses a boundary over a stated bridge. Bars,
// windows, statements, price indices and conversions all use this package.
package segment

import (
	"slices"

	"piyasa/internal/value"
)

// Aspect is a part of a series' meaning that may change.
type Aspect string

// The aspects.
const (
	Identity       Aspect = "identity"        // the company or the thing behind an id
	Currency       Aspect = "currency"        // of prices
	Unit           Aspect = "unit"            // what one price buys
	Adjustment     Aspect = "adjustment"      // whether prices are adjusted for corporate actions
	Share          Aspect = "share"           // what one share is: a split, a bonus issue, a redenomination
	Base           Aspect = "base"            // of an index: where it is 100
	Consolidation  Aspect = "consolidation"   // whether statements are of the group or of the company alone
	FiscalCalendar Aspect = "fiscal_calendar" // the months of a fiscal year
)

var _ = value.Enum(Identity, Currency, Unit, Adjustment, Share, Base, Consolidation, FiscalCalendar)

// Change says what changed about a series, and when. It accompanies a figure that is null with the
// reason value.MeaningChanged.
type Change struct {
	What Aspect     `json:"what"`
	From *string    `json:"from"` // null: not stated
	To   *string    `json:"to"`   // null: not stated
	On   value.Date `json:"on"`   // first day of the new meaning
}

// BridgeKind is the kind of a bridge.
type BridgeKind string

// The kinds of bridges.
const (
	CorporateAction BridgeKind = "corporate_action" // the ratio of shares
	IndexLink       BridgeKind = "index_link"       // the factor between two bases, as published
	Rename          BridgeKind = "rename"           // another id for the same thing
	CashDividend    BridgeKind = "dividend"         // the part of a price without the dividend; only on request
)

var _ = value.Enum(CorporateAction, IndexLink, Rename, CashDividend)

// Bridge is a stated way over a boundary. An answer lists the bridges that its figures crossed.
type Bridge struct {
	Kind   BridgeKind    `json:"kind"`
	On     value.Date    `json:"on"`     // first day of the new meaning
	Factor value.Decimal `json:"factor"` // for figures before On, 12 significant digits; figures are multiplied by Exact
	Source *string       `json:"source"` // who states it: an action, a publisher, a former id

	Exact  value.Ratio `json:"-"`
	Counts value.Ratio `json:"-"` // factor of share counts before On
}

// NewBridge returns a bridge that multiplies figures before a day by a ratio.
func NewBridge(kind BridgeKind, on value.Date, ratio value.Ratio, source *string) *Bridge {
	return &Bridge{Kind: kind, On: on, Factor: ratio.Factor(), Source: source, Exact: ratio, Counts: value.Same}
}

// Boundary is where one segment ends and the next begins.
type Boundary struct {
	Change
	Bridge *Bridge // nil: nobody stated one
}

// Boundaries are the boundaries of one series, ascending by day. They are immutable.
type Boundaries []Boundary

// Arrange sorts boundaries by day and returns them; those of one day keep their order.
func Arrange(all []Boundary) Boundaries {
	slices.SortStableFunc(all, func(a, b Boundary) int { return a.On.Compare(b.On) })
	return all
}

// Between returns the boundaries that a figure with inputs of two days crosses: those whose new
// meaning begins after from and not after to.
func (b Boundaries) Between(from, to value.Date) Boundaries {
	return b[b.after(from):max(b.after(from), b.after(to))]
}

// after returns the index of the first boundary after a day.
func (b Boundaries) after(day value.Date) int {
	i, _ := slices.BinarySearchFunc(b, day, func(b Boundary, day value.Date) int {
		if day.Before(b.On) {
			return 1
		}
		return -1
	})
	return i
}

// Unbridged returns the newest change without a bridge, or nil.
func (b Boundaries) Unbridged() *Change {
	for _, one := range slices.Backward(b) {
		if one.Bridge == nil {
			return &one.Change
		}
	}
	return nil
}

// Since returns the first day whose figures can be combined with those of day; null if all earlier
// ones can.
func (b Boundaries) Since(day value.Date) value.Date {
	if change := b[:b.after(day)].Unbridged(); change != nil {
		return change.On
	}
	return value.Date{}
}

// Bridges returns the bridges over boundaries, ascending by day.
func (b Boundaries) Bridges() []*Bridge {
	bridges := []*Bridge{}
	for _, one := range b {
		if one.Bridge != nil {
			bridges = append(bridges, one.Bridge)
		}
	}
	return bridges
}

// Ratio returns the factor that brings figures before the boundaries to the meaning after them. All
// boundaries must have bridges.
func (b Boundaries) Ratio() value.Ratio {
	ratio := value.Same
	for _, one := range b {
		ratio = ratio.Times(one.Bridge.Exact)
	}
	return ratio
}

// CountsRatio returns the factor for share counts before the boundaries, as Ratio does for prices.
func (b Boundaries) CountsRatio() value.Ratio {
	ratio := value.Same
	for _, one := range b {
		ratio = ratio.Times(one.Bridge.Counts)
	}
	return ratio
}
