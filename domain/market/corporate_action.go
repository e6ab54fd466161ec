package market

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"piyasa/domain/segment"
	"piyasa/internal/problem"
	"piyasa/internal/value"
)

// ActionKind says what a company, or the publisher of an index, did to a share or a unit.
type ActionKind string

// The kinds.
const (
	Split           ActionKind = "split"            // of a share into several, or of several into one
	BonusIssue      ActionKind = "bonus_issue"      // new shares for free
	RightsIssue     ActionKind = "rights_issue"     // new shares for a price
	CapitalDecrease ActionKind = "capital_decrease" // fewer shares, without payment
	Redenomination  ActionKind = "redenomination"   // the same thing counted in other units: an index that loses zeros
	SpinOff         ActionKind = "spin_off"         // a part of the company becomes another
	Merger          ActionKind = "merger"
	ActionRename    ActionKind = "rename"
	Delisting       ActionKind = "delisting"
)

var _ = value.Enum(Split, BonusIssue, RightsIssue, CapitalDecrease, Redenomination, SpinOff, Merger, ActionRename, Delisting)

// hasRatio reports whether an action of the kind gives New units for Old ones.
func (k ActionKind) hasRatio() bool {
	switch k {
	case Split, BonusIssue, RightsIssue, CapitalDecrease, Redenomination:
		return true
	}
	return false
}

// hasPrice reports whether an action of the kind may state a price.
func (k ActionKind) hasPrice() bool { return k == RightsIssue || k == SpinOff }

// changesShare reports whether a price before an action of the kind buys something else than
// one after it.
func (k ActionKind) changesShare() bool { return k.hasRatio() || k == SpinOff }

// CorporateAction is an event that changes what one share of an instrument, or one point of an
// index, is. A later record of the same identity replaces it: the same ActionID, or, without
// one, the same kind and ex date.
type CorporateAction struct {
	InstrumentID    Subject       `json:"instrument_id" record:"required"`
	ActionID        *string       `json:"action_id"` // the source's own, where it has one
	Kind            ActionKind    `json:"kind" record:"required"`
	ExDate          value.Date    `json:"ex_date" record:"required" time:"any"` // first day that trades with the action behind it
	New             value.Decimal `json:"new"`                                  // a holder of Old units has New ones afterwards
	Old             value.Decimal `json:"old"`
	Price           value.Decimal `json:"price"` // of a new share of a rights issue; what one old share receives in a spin-off
	Currency        *string       `json:"currency"`
	Order           *int          `json:"order" range:"1 100"` // among the actions of one day
	DisclosureIndex *int          `json:"disclosure_index"`    // of the disclosure that announced it
}

// Subject is the id of an instrument, or the code of an index of the Istanbul exchange.
type Subject ID

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *Subject) UnmarshalText(text []byte) error {
	if len(text) <= maxSymbol && isPlainCode(string(text)) {
		*s = Subject(text)
		return nil
	}
	id, err := ParseID(string(text))
	if err != nil {
		return fmt.Errorf("must be %w; or the code of an index of the Istanbul exchange, such as XU100", err)
	}
	*s = Subject(id)
	return nil
}

// isCode reports whether s is the code of an index.
func (s Subject) isCode() bool { return isPlainCode(string(s)) }

// market returns the market of s.
func (s Subject) market() Market {
	if s.isCode() {
		return BIST
	}
	return ID(s).Market()
}

// Subject returns the id of the instrument, or the code of the index.
func (a *CorporateAction) Subject() ID { return ID(a.InstrumentID) }

// Occasion returns what tells the actions of one subject apart.
func (a *CorporateAction) Occasion() string {
	if a.ActionID != nil {
		return "id:" + *a.ActionID
	}
	return a.ExDate.String() + "/" + string(a.Kind)
}

// Validate returns the value.Invalid of the record, if any.
func (a *CorporateAction) Validate() error {
	if err := cmp.Or(a.CheckIdentity(), value.CheckDay("ex_date", a.ExDate), a.checkRatio()); err != nil {
		return err
	}
	if a.DisclosureIndex != nil && *a.DisclosureIndex < 1 {
		return value.Invalidf("disclosure_index", "must be above 0; got %d", *a.DisclosureIndex)
	}
	return a.checkPrice()
}

// CheckIdentity returns the value.Invalid of an incomplete or contradictory identity. A
// withdrawal states nothing else.
func (a *CorporateAction) CheckIdentity() error {
	switch {
	case a.InstrumentID.isCode() && a.Kind != Redenomination && a.Kind != "":
		return value.Invalidf("kind", "must be redenomination for an index, which %s is the code of: a share is stated as bist:%s; got %s",
			a.InstrumentID, a.InstrumentID, a.Kind)
	case a.ActionID == nil && (a.ExDate.IsNull() || a.Kind == ""):
		return value.Invalidf("action_id", "is missing; without one its ex_date and kind identify the action")
	case a.ActionID != nil && *a.ActionID == "":
		return value.Invalidf("action_id", "must not be empty; leave it out where there is none")
	}
	if a.ActionID != nil {
		return value.CheckKey("action_id", *a.ActionID)
	}
	return nil
}

func (a *CorporateAction) checkRatio() error {
	for _, s := range []stated{{"new", a.New}, {"old", a.Old}} {
		switch {
		case s.figure.IsNull() && a.Kind.hasRatio():
			return value.Invalidf(s.member, "is missing: a %s gives `new` units for `old` ones, such as 10 for 1", a.Kind)
		case s.figure.IsNull():
		case !a.Kind.hasRatio():
			return value.Invalidf(s.member, "must not be stated: a %s has no ratio", a.Kind)
		case s.figure.Sign() <= 0:
			return value.Invalidf(s.member, "must be above 0; got %s", s.figure)
		}
	}
	if !a.Kind.hasRatio() {
		return nil
	}
	more := a.New.Cmp(a.Old)
	switch {
	case more == 0:
		return value.Invalidf("new", "must be another number than old, %s", a.Old)
	case more < 0 && (a.Kind == BonusIssue || a.Kind == RightsIssue):
		return value.Invalidf("new", "must be above old, %s, after a %s: all that a holder has, such as 2 for 1 of 100 %%; got %s",
			a.Old, a.Kind, a.New)
	case more > 0 && a.Kind == CapitalDecrease:
		return value.Invalidf("new", "must be below old, %s, after a capital_decrease; got %s", a.Old, a.New)
	}
	return nil
}

func (a *CorporateAction) checkPrice() error {
	switch {
	case a.Price.IsNull() && a.Kind == RightsIssue:
		return value.Invalidf("price", "is missing: a rights_issue sells new shares at a price")
	case a.Price.IsNull() && a.Currency != nil:
		return value.Invalidf("currency", "must not be stated without price")
	case a.Price.IsNull():
		return nil
	case !a.Kind.hasPrice():
		return value.Invalidf("price", "must not be stated: a %s has no price", a.Kind)
	case a.Price.Sign() <= 0:
		return value.Invalidf("price", "must be above 0; got %s", a.Price)
	case a.Currency == nil:
		return value.Invalidf("currency", "is missing: it says what price is in")
	}
	return CheckCurrencyCode(*a.Currency)
}

// InTurn returns the value.Invalid of an action that shares its day with others if their order
// matters and the records do not state it; else nil.
func (a *CorporateAction) InTurn(others []*CorporateAction) error {
	if !a.Kind.changesShare() {
		return nil
	}
	for _, b := range others {
		// The order of ratios does not matter; the order of steps with a price does.
		if b.ExDate != a.ExDate || !b.Kind.changesShare() || a.Price.IsNull() && b.Price.IsNull() {
			continue
		}
		switch {
		case a.Order == nil:
			return value.Invalidf("order", "is missing: the %s of %s has the same day, and which comes first makes another price; "+
				"state order for both, 1 for the first", b.Kind, b.name())
		case b.Order == nil:
			return value.Invalidf("order", "is not stated by the %s of %s, which has the same day: state it there first", b.Kind, b.name())
		case *a.Order == *b.Order:
			return value.Invalidf("order", "must be another than that of the %s of %s, which has the same day; got %d", b.Kind, b.name(),
				*a.Order)
		}
	}
	return nil
}

// name returns the subject of the action, and which action of it.
func (a *CorporateAction) name() string {
	if a.ActionID != nil {
		return string(a.Subject()) + " " + problem.Clip(*a.ActionID)
	}
	return string(a.Subject()) + " " + a.ExDate.String()
}

// source names the action for a bridge: its subject, and its id or else its kind.
func (a *CorporateAction) source() *string {
	if a.ActionID != nil {
		return new(string(a.Subject()) + " " + *a.ActionID)
	}
	return new(string(a.Subject()) + " " + string(a.Kind))
}

// change returns what the action changes.
func (a *CorporateAction) change() segment.Change {
	c := segment.Change{What: segment.Share, On: a.ExDate}
	if a.Kind.hasRatio() {
		c.From, c.To = new(a.Old.String()), new(a.New.String())
	}
	return c
}

// compareActions orders actions by day, then by subject, then by their order on the day.
func compareActions(a, b *CorporateAction) int {
	order := func(a *CorporateAction) int {
		if a.Order == nil {
			return 0
		}
		return *a.Order
	}
	return cmp.Or(a.ExDate.Compare(b.ExDate), strings.Compare(string(a.Subject()), string(b.Subject())),
		cmp.Compare(order(a), order(b)), strings.Compare(a.Occasion(), b.Occasion()))
}

// StoredAction is a CorporateAction with its number in the catalog.
type StoredAction struct {
	CorporateAction
	Seq int64
}

// actionLookup holds the actions of all subjects. It is immutable.
type actionLookup struct {
	of     map[ID][]*CorporateAction // by subject, in the order of compareActions
	sorted []*StoredAction           // all of them
	// by the number of the disclosure that announced them
	announced map[int][]*CorporateAction
}

// arrangeActions arranges actions by their subjects.
func arrangeActions(all map[actionKey]*StoredAction) *actionLookup {
	x := &actionLookup{of: map[ID][]*CorporateAction{}, sorted: make([]*StoredAction, 0, len(all)), announced: map[int][]*CorporateAction{}}
	for _, a := range all {
		x.sorted = append(x.sorted, a)
	}
	slices.SortFunc(x.sorted, func(a, b *StoredAction) int { return compareActions(&a.CorporateAction, &b.CorporateAction) })
	for _, a := range x.sorted {
		x.of[a.Subject()] = append(x.of[a.Subject()], &a.CorporateAction)
		if n := a.DisclosureIndex; n != nil {
			x.announced[*n] = append(x.announced[*n], &a.CorporateAction)
		}
	}
	return x
}

// actionKey is the identity of an action.
type actionKey struct {
	subject  ID
	occasion string
}

// PutActions adds or replaces corporate actions.
func (l *Live) PutActions(actions []*StoredAction) {
	if len(actions) > 0 {
		l.putActions(actions)
	}
}

// SetActions replaces all corporate actions.
func (l *Live) SetActions(actions []*StoredAction) {
	l.mu.Lock()
	clear(l.actions)
	l.mu.Unlock()
	l.putActions(actions)
}

func (l *Live) putActions(actions []*StoredAction) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, a := range actions {
		l.actions[actionKey{a.Subject(), a.Occasion()}] = a
	}
	next := *l.snapshot.Load()
	next.actions = arrangeActions(l.actions)
	next.arrangeBoundaries()
	l.snapshot.Store(&next)
}
