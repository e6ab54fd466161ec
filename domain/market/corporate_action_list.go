package market

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"piyasa/account/access"
	"piyasa/internal/problem"
	"piyasa/internal/value"
)

// ShownAction is a CorporateAction as answers show it.
type ShownAction struct {
	InstrumentID *ID           `json:"instrument_id"` // null: of an index of the Istanbul exchange
	Code         *string       `json:"code"`          // of such an index
	Symbol       string        `json:"symbol"`
	ActionID     *string       `json:"action_id"`
	Kind         ActionKind    `json:"kind"`
	ExDate       value.Date    `json:"ex_date"`
	New          value.Decimal `json:"new"`
	Old          value.Decimal `json:"old"`
	// of earlier prices, 12 significant digits; null: the kind has none, or it depends on the
	// close
	Factor          value.Decimal `json:"factor"`
	Price           value.Decimal `json:"price"`
	Currency        *string       `json:"currency"`
	Order           *int          `json:"order"`
	DisclosureIndex *int          `json:"disclosure_index"`
}

// shown returns a record as answers show it.
func (a *CorporateAction) shown() *ShownAction {
	s := &ShownAction{
		Symbol: a.Subject().Symbol(), ActionID: a.ActionID, Kind: a.Kind, ExDate: a.ExDate, New: a.New, Old: a.Old,
		Price: a.Price, Currency: a.Currency, Order: a.Order, DisclosureIndex: a.DisclosureIndex,
	}
	if a.InstrumentID.isCode() {
		s.Symbol = string(a.InstrumentID)
		s.Code = &s.Symbol
	} else {
		s.InstrumentID = new(a.Subject())
	}
	if a.Kind.hasRatio() && a.Price.IsNull() {
		s.Factor = value.NewRatio(a.Old, a.New).Factor()
	}
	return s
}

// ActionLimit is the range of a page of corporate actions.
var ActionLimit = value.Limit{Min: 1, Max: 1000, Default: 100}

// MaxActionSymbols is how many symbols one list of corporate actions accepts, repeated ones
// counted.
const MaxActionSymbols = 100

// The default range of the list in days from today, and the longest range in days, both ends
// included.
const (
	actionsSince  = -30
	actionsUntil  = 90
	maxActionDays = 366
)

// ActionFilter selects the corporate actions of a list. A nil member has a default or does not
// restrict.
type ActionFilter struct {
	Market   *Market     // default: bist, with the indices of the exchange
	From, To *value.Date // of the ex date, both included; default: 30 days before today, and 90 after it
	Kind     *ActionKind
	Symbols  []string // symbols, codes or canonical ids of the market
}

// ActionPage is one page of corporate actions.
type ActionPage struct {
	Market           Market         `json:"market"`
	FromDate         value.Date     `json:"from_date"`
	ToDate           value.Date     `json:"to_date"`
	CorporateActions []*ShownAction `json:"corporate_actions"`
	Count            int            `json:"count"`
	NotFound         []string       `json:"not_found"`   // symbols that the list does not cover, as written, each once
	NextCursor       *string        `json:"next_cursor"` // null: there is no more

	MissingReason *value.MissingReason `json:"-"` // nil unless it is empty
}

// CorporateActions returns one page of the corporate actions that match filter, by ex date
// ascending, then by id and by their order on the day. Following NextCursor until it is null
// returns each once: all pages have the range of the first. A key of the test plan sees only
// the stocks of the plan. Needs history; costs one unit per started 100 rows, at least one.
// Problems: test-plan, invalid-parameter, too-many-values, inverted-window, window-too-long,
// invalid-cursor, position-gone.
func (s *Service) CorporateActions(ctx context.Context, filter ActionFilter, cursor *string, limit *int) (*ActionPage, error) {
	if err := access.Enter(ctx, access.History); err != nil {
		return nil, err
	}
	if filter.Market == nil {
		filter.Market = new(BIST)
	}
	rows, err := ActionLimit.Of(limit)
	if err != nil {
		return nil, err
	}
	if filter.Symbols != nil {
		if err := value.CheckCount("symbols", "symbols", filter.Symbols, MaxActionSymbols); err != nil {
			return nil, err
		}
	}
	subjects, err := s.actionSubjects(ctx, filter)
	if err != nil {
		return nil, err
	}
	pages := access.Pages{Signer: s.Signer, Epochs: s.Epochs, List: "catalog", Query: filter.name(subjects)}
	walk, err := pages.Start(cursor)
	if err != nil {
		return nil, err
	}
	page := &ActionPage{Market: *filter.Market, NotFound: []string{}}
	var after *CorporateAction
	if walk.Key != "" {
		page.FromDate, page.ToDate, after = parseActionKey(walk.Key)
	} else if page.FromDate, page.ToDate, err = filter.days(s.Today()); err != nil {
		return nil, err
	}
	snapshot := s.Live.Snapshot()
	var wanted map[ID]bool
	if subjects != nil {
		wanted = map[ID]bool{}
		for i, id := range subjects {
			if snapshot.hasSubject(id) {
				wanted[id] = true
			} else if filter.Symbols != nil && !slices.Contains(page.NotFound, filter.Symbols[i]) {
				page.NotFound = append(page.NotFound, filter.Symbols[i])
			}
		}
	}
	var found []*StoredAction
	for _, a := range snapshot.actions.between(page.FromDate, page.ToDate) {
		id := a.Subject()
		if len(found) > rows {
			break
		}
		if after != nil && compareActions(&a.CorporateAction, after) <= 0 || a.InstrumentID.market() != *filter.Market ||
			!snapshot.hasSubject(id) ||
			wanted != nil && !wanted[id] || filter.Kind != nil && a.Kind != *filter.Kind {
			continue
		}
		found = append(found, a)
	}
	found, page.NextCursor = access.Cut(walk, found, rows, func(a *StoredAction) (string, int64) {
		return a.key(page.FromDate, page.ToDate), a.Seq
	})
	page.MissingReason = value.MissingFrom(len(found), filter.Symbols != nil || filter.Kind != nil)
	page.CorporateActions, page.Count = make([]*ShownAction, len(found)), len(found)
	for i, a := range found {
		page.CorporateActions[i] = a.shown()
	}
	access.Charge(ctx, access.RowUnits(page.Count))
	return page, nil
}

// hasSubject reports whether lists show the actions of an id or code.
func (s *Snapshot) hasSubject(id ID) bool {
	return s.Catalog.ByID(id) != nil || s.indices.byCode[string(id)] != nil
}

// between returns the actions whose ex date lies in a range.
func (x *actionLookup) between(from, to value.Date) []*StoredAction {
	place := func(day value.Date) int {
		at, _ := slices.BinarySearchFunc(x.sorted, day, func(a *StoredAction, day value.Date) int { return a.ExDate.Compare(day) })
		return at
	}
	return x.sorted[place(from):place(to.AddDays(1))]
}

// actionSubjects returns the ids and codes that the symbols of f denote, known or not; nil if f
// has no symbols. For a key of the test plan it returns those of the plan, and a problem if f
// asks for others.
func (s *Service) actionSubjects(ctx context.Context, f ActionFilter) ([]ID, error) {
	var ids []ID
	indices := s.Live.Snapshot().indices.byCode
	for _, text := range f.Symbols {
		prefix := string(*f.Market) + ":"
		symbol := value.UpperASCII(strings.TrimPrefix(text, prefix))
		if *f.Market == BIST && indices[symbol] != nil && !strings.HasPrefix(text, prefix) {
			ids = append(ids, ID(symbol))
			continue
		}
		ids = append(ids, ID(prefix+symbol))
	}
	if !access.CallOf(ctx).Key.Test {
		return ids, nil
	}
	if *f.Market != BIST || slices.ContainsFunc(ids, func(id ID) bool { return !slices.Contains(s.TestStocks, id) }) {
		e := problem.New(problem.TestPlan, "A test key sees the corporate actions of the test stocks only.")
		e.Members.Available = value.Texts(s.TestStocks)
		return nil, e
	}
	if f.Symbols == nil {
		ids = append([]ID{}, s.TestStocks...) // not nil, even when the plan has none
	}
	return ids, nil
}

// days completes the range with its defaults as of today, and checks it.
func (f ActionFilter) days(today value.Date) (from, to value.Date, err error) {
	first := value.BoundOf(f.From, today.AddDays(actionsSince), fmt.Sprintf("%d days before today", -actionsSince))
	last := value.BoundOf(f.To, today.AddDays(actionsUntil), fmt.Sprintf("%d days after today", actionsUntil))
	return first.Date, last.Date, value.Range{From: first, To: last}.Check("A range of corporate actions", maxActionDays)
}

// name identifies the filter; cursors are bound to it.
func (f ActionFilter) name(subjects []ID) string {
	kind := ActionKind("")
	if f.Kind != nil {
		kind = *f.Kind
	}
	return fmt.Sprintf("corporate actions %s %v %v %q %q", *f.Market, f.From, f.To, kind,
		slices.Compact(slices.Sorted(slices.Values(subjects))))
}

// key encodes a range and the place of an action for a cursor.
func (a *CorporateAction) key(from, to value.Date) string {
	order := 0
	if a.Order != nil {
		order = *a.Order
	}
	return fmt.Sprintf("%s %s %s %s %d %s", from, to, a.ExDate, a.Subject(), order, a.Occasion())
}

// parseActionKey decodes a key. at has only the members that determine its place.
func parseActionKey(key string) (from, to value.Date, at *CorporateAction) {
	words := strings.SplitN(key, " ", 6)
	day := func(i int) value.Date {
		d, _ := value.ParseDate(words[i])
		return d
	}
	at = &CorporateAction{ExDate: day(2), InstrumentID: Subject(words[3])}
	if order, _ := strconv.Atoi(words[4]); order > 0 {
		at.Order = &order
	}
	if id, ok := strings.CutPrefix(words[5], "id:"); ok {
		at.ActionID = &id
	} else if _, kind, ok := strings.Cut(words[5], "/"); ok {
		at.Kind = ActionKind(kind)
	}
	return day(0), day(1), at
}

// ActionHistory holds every known corporate action of an instrument, past and announced.
type ActionHistory struct {
	InstrumentID     ID             `json:"instrument_id"`
	CorporateActions []*ShownAction `json:"corporate_actions"` // by ex date
	Count            int            `json:"count"`

	MissingReason *value.MissingReason `json:"-"` // nil unless it is empty
}

// enterActions begins an operation on the corporate actions of single instruments.
func enterActions(ctx context.Context) error {
	if err := access.Enter(ctx, access.History); err != nil {
		return err
	}
	if access.CallOf(ctx).Key.Test {
		return problem.New(problem.TestPlan,
			"The test plan does not include the corporate actions of one instrument; use the list of corporate actions.")
	}
	return nil
}

// hasActions reports whether a market's instruments are shares.
func hasActions(m Market) bool { return m == BIST || m == US }

// ActionHistory returns every known corporate action of a stock or ETF of bist or us. An ETF is
// found by its own id only. Needs history, and a key that is not of the test plan. Problems:
// test-plan, not-found.
func (s *Service) ActionHistory(ctx context.Context, id string) (*ActionHistory, error) {
	if err := enterActions(ctx); err != nil {
		return nil, err
	}
	if !hasActions(ID(id).Market()) { // before the problem of a coin ticker that several coins share
		return nil, problem.New(problem.NotFound,
			"Only bist: and us: ids have corporate actions here; got %s. The list of corporate actions has those of other markets.",
			problem.Shown(id))
	}
	snapshot := s.Live.Snapshot()
	in, err := snapshot.Catalog.Resolve(id, CanonicalForm)
	if err != nil {
		return nil, err
	}
	all := snapshot.shownActions(in.InstrumentID)
	access.Charge(ctx, access.Unit)
	return &ActionHistory{in.InstrumentID, all, len(all), value.MissingFrom(len(all), false)}, nil
}

// CorporateActionsOf returns the corporate actions of instruments in their order: of each the
// first ones, the newest ex date first. first is within value.RelationLimit. Needs history,
// and a key that is not of the test plan. Each instrument of bist or us costs one unit.
func (s *Service) CorporateActionsOf(ctx context.Context, instruments []*Instrument, first *int) ([][]*ShownAction, []error) {
	return access.Relation[*Instrument, []*ShownAction]{
		Enter: enterActions,
		Read: func(instruments []*Instrument) ([][]*ShownAction, error) {
			n, err := value.First(first)
			if err != nil {
				return nil, err
			}
			snapshot, all := s.Live.Snapshot(), make([][]*ShownAction, len(instruments))
			for i, in := range instruments {
				of := snapshot.shownActions(in.InstrumentID)
				slices.Reverse(of)
				all[i] = of[:min(n, len(of))]
			}
			return all, nil
		},
		Charged: func(in *Instrument, _ []*ShownAction) bool { return hasActions(in.Market) },
	}.Answer(ctx, instruments)
}

// AnnouncedActions returns the corporate actions that name a disclosure, by ex date; a key of
// the test plan sees those of the test stocks. It is for services that have checked the scope.
func (s *Service) AnnouncedActions(ctx context.Context, disclosure int) []*ShownAction {
	snapshot, shown := s.Live.Snapshot(), []*ShownAction{}
	for _, a := range snapshot.actions.announced[disclosure] {
		if snapshot.hasSubject(a.Subject()) && (!access.CallOf(ctx).Key.Test || slices.Contains(s.TestStocks, a.Subject())) {
			shown = append(shown, a.shown())
		}
	}
	return shown
}

// shownActions returns the actions of a subject by ex date.
func (s *Snapshot) shownActions(id ID) []*ShownAction {
	of := s.actions.of[id]
	shown := make([]*ShownAction, len(of))
	for i, a := range of {
		shown[i] = a.shown()
	}
	return shown
}
