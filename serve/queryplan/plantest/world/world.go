package world

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"sync"
)

// World answers the schema. An answer depends only on the seed and the question, so that it is
// the same for every executor.
type World struct {
	seed  uint64
	odds  Odds
	nodes []*Node

	mu    sync.Mutex
	asked map[string]int
}

// Odds says how often things go wrong: once in so many questions; 0 is never. An odd value is
// of no type of the schema, or a nil pointer in an interface.
type Odds struct{ Null, Fail, Panic, Odd int }

// New makes a world with some nodes.
func New(seed uint64, odds Odds) *World {
	w := &World{seed: seed, odds: odds, nodes: make([]*Node, 12), asked: map[string]int{}}
	for i := range w.nodes {
		w.nodes[i] = new(Node)
	}
	for i, n := range w.nodes {
		w.fill(n, i)
	}
	return w
}

var _ Relations = (*World)(nil)

// Asked returns how often each relation was asked about each parent.
func (w *World) Asked() map[string]int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.asked
}

func (w *World) note(question string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.asked[question]++
}

// chance returns the random source of one question.
func (w *World) chance(question ...any) *rand.Rand {
	h := fnv.New64a()
	_, _ = fmt.Fprintln(h, append([]any{w.seed}, question...)...)
	return rand.New(rand.NewPCG(w.seed, h.Sum64()))
}

func once(r *rand.Rand, in int) bool { return in > 0 && r.IntN(in) == 0 }

// orNil returns v, or by chance nil.
func orNil[T any](r *rand.Rand, in int, v T) *T {
	if once(r, in) {
		return nil
	}
	return &v
}

func some[T any](r *rand.Rand, in int, one func() T) []T {
	if once(r, in) {
		return nil
	}
	list := make([]T, r.IntN(4))
	for i := range list {
		list[i] = one()
	}
	return list
}

func (w *World) fill(n *Node, i int) {
	r, null := w.chance("node", i), w.odds.Null
	text := func() *string {
		return orNil(r, null, []string{"plain", "", "şeker \"çay\"", "a\\b\r\n\t\x02", "\xff\xfe", "<b>&'\u2028"}[r.IntN(6)])
	}
	colour := func() Colour { return []Colour{Red, Green, Blue, "of no table"}[r.IntN(4)] }
	maybeColour := func() *Colour { return orNil(r, null, colour()) }
	number := func() *int { return orNil(r, null, r.IntN(2000)-1000) }
	node := func() *Node {
		if once(r, null) {
			return nil
		}
		return w.nodes[r.IntN(len(w.nodes))]
	}
	box := func() Box { return Box{Name: text(), Label: text(), Size: r.IntN(9), Content: node()} }
	boxPointer := func() *Box { return orNil(r, null, box()) }
	*n = Node{
		Secret: orNil(r, w.odds.Panic, Secret{Hidden: "seen", HiddenBox: boxPointer()}),
		ID:     fmt.Sprintf("n%d", i), Name: text(), Label: text(),
		Colour: colour(), Shade: maybeColour(), Shades: some(r, null, maybeColour), MustShade: maybeColour(),
		Number: r.IntN(100), Count: number(), Long: r.Int64(), Flag: orNil(r, null, r.IntN(2) == 0),
		Flags: some(r, null, func() bool { return r.IntN(2) == 0 }), Tags: some(r, null, text), Maybes: some(r, null, text),
		Grid:    some(r, null, func() []*int { return some(r, null, number) }),
		Note:    some(r, null, func() string { return "x" }),
		Notes:   some(r, null, func() Note { return some(r, null, func() string { return "y" }) }),
		Figure:  Figure([]string{"1.50", "", "ış"}[r.IntN(3)]),
		Figures: some(r, null, func() *Figure { return orNil(r, null, Figure("2")) }),
		Child:   node(), MustChild: node(), Children: some(r, null, node), Orphans: some(r, null, node),
		Rows: some(r, null, func() []*Node { return some(r, null, node) }),
		Box:  box(), Boxes: some(r, null, box),
		Thing: w.thing(r), MustThing: w.thing(r), Things: some(r, null, func() Thing { return w.thing(r) }),
		MustThings: some(r, null, func() Thing { return w.thing(r) }),
		Named:      w.named(r), fails: once(r, w.odds.Fail), panics: once(r, w.odds.Panic),
	}
}

func (w *World) node(r *rand.Rand) *Node {
	if once(r, w.odds.Null) {
		return nil
	}
	return w.nodes[r.IntN(len(w.nodes))]
}

func (w *World) thing(r *rand.Rand) Thing {
	switch {
	case once(r, w.odds.Null):
		return nil
	case once(r, w.odds.Odd):
		return Stranger{}
	}
	switch r.IntN(4) {
	case 0:
		if n := w.node(r); n != nil || w.odds.Odd > 0 { // a nil pointer, too
			return n
		}
		return nil
	case 1:
		return Box{Size: r.IntN(9), Content: w.node(r)}
	case 2:
		return &Box{Size: r.IntN(9), Content: w.node(r)}
	default:
		return &Sack{Colour: Blue, Name: orNil(r, 2, 7),
			Boxes: some(r, w.odds.Null, func() *Box { return orNil(r, w.odds.Null, Box{Content: w.node(r)}) })}
	}
}

func (w *World) named(r *rand.Rand) Named {
	switch {
	case once(r, w.odds.Null):
		return nil
	case r.IntN(2) == 0:
		if n := w.node(r); n != nil || w.odds.Odd > 0 {
			return n
		}
		return nil
	}
	return Box{Size: 1, Content: w.node(r)}
}

// fate fails or panics by chance.
func (w *World) fate(r *rand.Rand, question string) error {
	if once(r, w.odds.Panic) {
		panic("panic of " + question)
	}
	if once(r, w.odds.Fail) {
		return errors.New(question + " fails")
	}
	return nil
}

// all answers a batch.
func all[P, V any](w *World, relation string, of []*P, id func(*P) string, one func(*rand.Rand) V) ([]V, []error) {
	for _, p := range of {
		w.note(relation + " of " + id(p))
	}
	if once(w.chance(relation), w.odds.Panic*4) {
		panic("panic of all " + relation)
	}
	values, errs := make([]V, len(of)), make([]error, len(of))
	for i, p := range of {
		r := w.chance(relation, id(p))
		if once(r, w.odds.Fail) {
			errs[i] = errors.New(relation + " of " + id(p) + " fails")
			continue
		}
		values[i] = one(r)
	}
	return values, errs
}

func nodeID(n *Node) string { return n.ID }

func boxID(b *Box) string { return fmt.Sprint(b.Size) }

func shown[T any](v *T) string {
	if v == nil {
		return "nil"
	}
	return fmt.Sprint(*v)
}

type box struct{ *World }

// Box implements Relations.
func (w *World) Box() BoxRelations { return box{w} }

// Next implements BoxRelations.
func (w box) Next(_ context.Context, of []*Box) ([]*Node, []error) {
	return all(w.World, "Box.next", of, boxID, w.node)
}

type node struct{ *World }

// Node implements Relations.
func (w *World) Node() NodeRelations { return node{w} }

// Next implements NodeRelations.
func (w node) Next(_ context.Context, of []*Node, by *int, colour *Colour) ([]*Node, []error) {
	return all(w.World, "next "+shown(by)+shown(colour), of, nodeID, w.node)
}

// MustNext implements NodeRelations.
func (w node) MustNext(_ context.Context, of []*Node) ([]*Node, []error) {
	return all(w.World, "mustNext", of, nodeID, w.node)
}

// Nexts implements NodeRelations.
func (w node) Nexts(_ context.Context, of []*Node, first *int) ([][]*Node, []error) {
	return all(w.World, "nexts "+shown(first), of, nodeID, func(r *rand.Rand) []*Node {
		return some(r, w.odds.Null, func() *Node { return w.node(r) })
	})
}

// Words implements NodeRelations.
func (w node) Words(_ context.Context, of []*Node, first int) ([][]string, []error) {
	return all(w.World, "words "+shown(&first), of, nodeID, func(r *rand.Rand) []string {
		return some(r, w.odds.Null, func() string { return "word" })
	})
}

// OtherThing implements NodeRelations.
func (w node) OtherThing(_ context.Context, of []*Node) ([]Thing, []error) {
	return all(w.World, "otherThing", of, nodeID, w.World.thing)
}

// Other implements NodeRelations.
func (w node) Other(_ context.Context, of *Node, label *string) (*Node, error) {
	r := w.chance("other", of.ID, shown(label))
	return w.World.node(r), w.fate(r, "other of "+of.ID)
}

// Others implements NodeRelations.
func (w node) Others(_ context.Context, of *Node) ([]Named, error) {
	r := w.chance("others", of.ID)
	return some(r, w.odds.Null, func() Named { return w.named(r) }), w.fate(r, "others of "+of.ID)
}

// MustOther implements NodeRelations.
func (w node) MustOther(_ context.Context, of *Node) (*Node, error) {
	r := w.chance("mustOther", of.ID)
	return w.World.node(r), w.fate(r, "mustOther of "+of.ID)
}

// Remark implements NodeRelations.
func (w node) Remark(_ context.Context, of *Node, colours []Colour) (string, error) {
	return fmt.Sprint(of.ID, colours), w.fate(w.chance("remark", of.ID), "remark of "+of.ID)
}

type query struct{ *World }

// Query implements Relations.
func (w *World) Query() QueryResolver { return query{w} }

func (w *World) find(id string) *Node {
	for _, n := range w.nodes {
		if n.ID == id {
			return n
		}
	}
	return nil
}

// Node implements QueryResolver.
func (w query) Node(_ context.Context, id string) (*Node, error) {
	return w.find(id), w.fate(w.chance("node", id), "node "+id)
}

// MustNode implements QueryResolver.
func (w query) MustNode(_ context.Context, id *string) (*Node, error) {
	return w.find(shown(id)), w.fate(w.chance("mustNode", shown(id)), "mustNode "+shown(id))
}

// Nodes implements QueryResolver.
func (w query) Nodes(_ context.Context, ids []string) ([]*Node, error) {
	found := make([]*Node, len(ids))
	for i, id := range ids {
		found[i] = w.find(id)
	}
	return found, w.fate(w.chance("nodes", ids), "nodes")
}

// MustNodes implements QueryResolver.
func (w query) MustNodes(_ context.Context, first *int) ([]*Node, error) {
	r := w.chance("mustNodes", shown(first))
	if first == nil || *first < 0 || *first > len(w.nodes) {
		return nil, errors.New("first is wrong")
	}
	found := make([]*Node, *first)
	for i := range found {
		found[i] = w.World.node(r)
	}
	return found, w.fate(r, "mustNodes")
}

// Thing implements QueryResolver.
func (w query) Thing(_ context.Context, id string) (Thing, error) {
	r := w.chance("thing", id)
	return w.World.thing(r), w.fate(r, "thing "+id)
}

// Things implements QueryResolver.
func (w query) Things(_ context.Context, colour *Colour) ([]Thing, error) {
	r := w.chance("things", shown(colour))
	return some(r, w.odds.Null, func() Thing { return w.World.thing(r) }), w.fate(r, "things")
}

// Named implements QueryResolver.
func (w query) Named(_ context.Context, id *string) (Named, error) {
	r := w.chance("named", shown(id))
	return w.World.named(r), w.fate(r, "named "+shown(id))
}

// Words implements QueryResolver.
func (w query) Words(_ context.Context, of []*string) ([]string, error) {
	var words []string
	for _, word := range of {
		words = append(words, shown(word))
	}
	return words, w.fate(w.chance("words"), "words")
}

// Figure implements QueryResolver.
func (w query) Figure(_ context.Context, is *Figure) (*Figure, error) {
	return is, w.fate(w.chance("figure", shown(is)), "figure")
}

type subscription struct{ *World }

// Subscription implements Relations.
func (w *World) Subscription() SubscriptionResolver { return subscription{w} }

// Nodes implements SubscriptionResolver.
func (w subscription) Nodes(_ context.Context, first int) (<-chan *Node, error) {
	if first > len(w.nodes) {
		return nil, errors.New("first is wrong")
	}
	nodes := make(chan *Node, first)
	for _, n := range w.nodes[:first] {
		nodes <- n
	}
	close(nodes)
	return nodes, nil
}

// Ticks implements SubscriptionResolver.
func (subscription) Ticks(context.Context) (<-chan int, error) {
	ticks := make(chan int, 2)
	ticks <- 1
	ticks <- 2
	close(ticks)
	return ticks, nil
}
