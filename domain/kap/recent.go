package kap

import (
	"context"
	"slices"
	"strings"
	"sync/atomic"

	"piyasa/internal/cache"
)

// Group selects disclosures that Recent keeps together: those that name a code, those that a
// company filed, those of a type, or all if it is zero. At most one member is set.
type Group struct {
	Code      string
	CompanyID string
	Type      Type
}

// RecentStore is a Store whose newest disclosures Recent can keep.
type RecentStore interface {
	Store
	// RecentDisclosures returns the first disclosures of each group, the newest first, and
	// the last number of the feed at the moment of the read.
	RecentDisclosures(ctx context.Context, of []Group, first int) (lists [][]*Stored, head int64, err error)
	// ChangedDisclosures returns the first limit disclosures that were stored or completed
	// above the number after, up to head, in the order of these numbers.
	ChangedDisclosures(ctx context.Context, after, head int64, limit int) ([]*Stored, error)
}

// Recent keeps the newest disclosures in memory, in the lists that clients ask for most (of
// all, of a company, of a type), and updates them as disclosures are stored and corrected. It
// reads older ones from the store.
type Recent struct {
	RecentStore
	lists *cache.Followed[Group, *recentList]
	shown atomic.Int64 // the newest number in an answer from the store
	once  Portion      // of changes; only for Apply
	texts texts        // of kept disclosures
}

const (
	recentRows  = 32       // of a group: a usual page, and one more row
	recentBytes = 64 << 20 // of all lists; a disclosure counts in each of its lists
	catchUp     = 2000     // numbers; after more changes, reading the lists again is cheaper
	changes     = 200      // read at once
)

// NewRecent returns an empty Recent over store; Apply fills it. current reports whether the
// feed is followed; if not, memory does not answer.
func NewRecent(store RecentStore, current func() bool) *Recent {
	r := &Recent{RecentStore: store, once: Portion{Most: changes}}
	r.lists = cache.New(cache.Options[Group, *recentList]{
		Read: func(ctx context.Context, of []Group) ([]*recentList, int64, error) {
			found, head, err := store.RecentDisclosures(ctx, of, recentRows)
			lists := make([]*recentList, len(found))
			for i, rows := range found {
				r.texts.share(rows)
				lists[i] = newRecentList(rows)
			}
			return lists, head, err
		},
		Clone: func(g Group) Group {
			return Group{Code: strings.Clone(g.Code), CompanyID: strings.Clone(g.CompanyID), Type: g.Type}
		},
		Bytes:    func(g Group, l *recentList) int { return l.bytes + len(g.Code) + len(g.CompanyID) + 256 },
		MaxBytes: recentBytes, Current: current,
	})
	return r
}

// Counts returns the counters of requests and of kept rows, by list.
func (r *Recent) Counts() cache.Counts { return r.lists.Counts() }

// Apply brings memory up to head. If rebuild is true, the store may have gone back, and Apply
// forgets everything.
func (r *Recent) Apply(ctx context.Context, head int64, rebuild bool) error {
	from, begun := r.lists.Applied()
	if rebuild {
		r.shown.Store(0)
	}
	if !begun || rebuild || head-from > catchUp {
		r.lists.Forget(head)
		return nil
	}
	for from < head {
		most := r.once.Size()
		rows, err := r.RecentStore.ChangedDisclosures(ctx, from, head, most)
		if r.once.Done(err) != nil {
			return err
		}
		if from = head; len(rows) == most {
			from = rows[len(rows)-1].Seq
		}
		r.texts.share(rows)
		r.put(rows, from)
	}
	return nil
}

// put adds rows to the lists of their groups.
func (r *Recent) put(rows []*Stored, applied int64) {
	var changed []Group
	byGroup := map[Group][]*Stored{}
	for _, d := range rows {
		for _, g := range d.Groups() {
			if byGroup[g] == nil {
				changed = append(changed, g)
			}
			byGroup[g] = append(byGroup[g], d)
		}
	}
	r.lists.Apply(applied, changed, func(g Group, l *recentList) *recentList {
		for _, d := range byGroup[g] {
			l = l.with(d)
		}
		return l
	})
}

// Groups returns the groups that a disclosure is in.
func (d *Stored) Groups() []Group {
	all := make([]Group, 0, 3+len(d.Symbols))
	all = append(all, Group{}, Group{Type: d.Type})
	if d.CompanyID != nil {
		all = append(all, Group{CompanyID: *d.CompanyID})
	}
	for _, code := range d.Symbols {
		all = append(all, Group{Code: code})
	}
	return all
}

// Behind reports whether an answer from the store had a disclosure that memory lacks. Until it
// has been applied, memory would deny its existence to a client that has seen it.
func (r *Recent) Behind() bool {
	applied, _ := r.lists.Applied()
	return applied < r.shown.Load()
}

func (r *Recent) follows() bool { return r.lists.Follows() && !r.Behind() }

// show notes that an answer has a disclosure with this number.
func (r *Recent) show(seq int64) {
	for shown := r.shown.Load(); shown < seq && !r.shown.CompareAndSwap(shown, seq); shown = r.shown.Load() {
	}
}

// showAll notes that an answer has these disclosures.
func (r *Recent) showAll(found []*Stored, err error) ([]*Stored, error) {
	for _, d := range found {
		r.show(d.Seq)
	}
	return found, err
}

// DisclosuresByNumber implements Store.
func (r *Recent) DisclosuresByNumber(ctx context.Context, numbers []int) (map[int]*Stored, error) {
	found, err := r.RecentStore.DisclosuresByNumber(ctx, numbers)
	for _, d := range found {
		r.show(d.Seq)
	}
	return found, err
}

// DisclosureRecords implements Store.
func (r *Recent) DisclosureRecords(ctx context.Context, numbers []int) (map[int]*Record, error) {
	found, err := r.RecentStore.DisclosureRecords(ctx, numbers)
	for _, d := range found {
		r.show(d.Seq)
	}
	return found, err
}

// read calls Disclosures of the store.
func (r *Recent) read(ctx context.Context, q Query) ([]*Stored, error) {
	return r.showAll(r.RecentStore.Disclosures(ctx, q))
}

// Disclosures implements Store.
func (r *Recent) Disclosures(ctx context.Context, q Query) ([]*Stored, error) {
	of, only := q.groups()
	if len(of) > maxGroups || q.Search != nil || !r.follows() {
		return r.read(ctx, q)
	}
	var lists []*recentList
	if only && !q.Ascending && q.After == nil && q.Limit <= recentRows {
		var err error
		if lists, err = r.of(ctx, of); err != nil {
			return nil, err
		}
	} else {
		for _, g := range of {
			l, known := r.lists.Kept(g)
			if !known {
				return r.read(ctx, q)
			}
			lists = append(lists, l)
		}
	}
	if found, ok := merge(lists, q); ok {
		return found, nil
	}
	return r.read(ctx, q)
}

// of returns the lists of groups, from memory or the store.
func (r *Recent) of(ctx context.Context, groups []Group) ([]*recentList, error) {
	lists, err := r.lists.Of(ctx, groups)
	for _, l := range lists {
		r.show(l.newest)
	}
	return lists, err
}

// maxGroups is how many groups one list may combine; the store answers larger ones.
const maxGroups = 64

// groups returns groups that contain all disclosures that q may select. only reports that q
// selects all disclosures of these groups.
func (q Query) groups() (of []Group, only bool) {
	switch {
	case q.Of != nil:
		return groupsOf(q.Of.Origins), q.ReachOnly()
	case q.CompanyID != nil:
		of, q.CompanyID = []Group{{CompanyID: *q.CompanyID}}, nil
	case q.Type != nil:
		of, q.Type = []Group{{Type: *q.Type}}, nil
	default:
		of = []Group{{}}
	}
	return of, q.ReachOnly()
}

func groupsOf(origins []Origin) []Group {
	of := make([]Group, len(origins))
	for i, o := range origins {
		of[i] = Group{Code: o.Code, CompanyID: o.CompanyID}
	}
	return of
}

// NewestDisclosures implements Store.
func (r *Recent) NewestDisclosures(ctx context.Context, of [][]Origin, first int) ([][]*Stored, error) {
	if first > recentRows || !r.follows() {
		return r.newest(ctx, of, first)
	}
	var groups []Group
	for _, origins := range of {
		groups = append(groups, groupsOf(origins)...)
	}
	lists, err := r.of(ctx, groups)
	if err != nil {
		return nil, err
	}
	newest, at := make([][]*Stored, len(of)), 0
	for i, origins := range of {
		some := lists[at : at+len(origins)]
		at += len(origins)
		found, ok := merge(some, Query{Of: &Reach{Origins: origins}, Limit: first})
		if !ok { // disclosures of others fill the lists
			return r.newest(ctx, of, first)
		}
		newest[i] = found
	}
	return newest, nil
}

// newest calls NewestDisclosures of the store.
func (r *Recent) newest(ctx context.Context, of [][]Origin, first int) ([][]*Stored, error) {
	newest, err := r.RecentStore.NewestDisclosures(ctx, of, first)
	for _, found := range newest {
		_, _ = r.showAll(found, nil)
	}
	return newest, err
}

// recentList is the newest disclosures of a group, the newest first. It is immutable.
type recentList struct {
	rows     []*Stored
	complete bool // it has all disclosures of the group
	bytes    int
	newest   int64 // the newest number in it
}

// newRecentList returns a list from the rows of a read of recentRows.
func newRecentList(rows []*Stored) *recentList {
	l := &recentList{rows: rows, complete: len(rows) < recentRows}
	for _, d := range rows {
		l.bytes += d.bytes()
		l.newest = max(l.newest, d.Seq)
	}
	return l
}

// with returns the list with a disclosure of its group, new or completed.
func (l *recentList) with(d *Stored) *recentList {
	at, known := slices.BinarySearchFunc(l.rows, d, newestFirst)
	if !known && at == len(l.rows) && !l.complete {
		return l // it is older than all of them
	}
	next := &recentList{make([]*Stored, 0, recentRows), l.complete, l.bytes + d.bytes(), max(l.newest, d.Seq)}
	next.rows = append(append(next.rows, l.rows[:at]...), d)
	if known {
		next.bytes -= l.rows[at].bytes()
		at++
	}
	next.rows = append(next.rows, l.rows[at:]...)
	if last := len(next.rows) - 1; last == recentRows {
		next.bytes -= next.rows[last].bytes()
		next.rows, next.complete = next.rows[:last], false
	}
	return next
}

func newestFirst(a, b *Stored) int {
	if order := b.EffectiveAt.Compare(a.EffectiveAt); order != 0 {
		return order
	}
	return b.DisclosureIndex - a.DisclosureIndex
}

// bytes returns about how much memory a disclosure takes, in bytes.
func (d *Stored) bytes() int {
	n := 512
	for _, text := range []*string{d.FilerTitle, d.Link, d.Year, d.Period, d.Consolidation, d.CompanyID} {
		if text != nil {
			n += 16 + len(*text)
		}
	}
	for _, l := range []*Localized{d.Subject, d.Summary} {
		if l == nil {
			continue
		}
		for _, text := range []*string{l.TR, l.EN} {
			if text != nil {
				n += 24 + len(*text)
			}
		}
	}
	return n + 24*(len(d.Symbols)+len(d.FilerCodes)) + len(d.Class)
}
