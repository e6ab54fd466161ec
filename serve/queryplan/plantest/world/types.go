// Package world is a test schema with a field of every kind, and a world that answers it, in
// which anything may be null, fail or panic.
package world

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
)

// Colour is an enum.
type Colour string

// The colours.
const (
	Red   Colour = "red"
	Green Colour = "green"
	Blue  Colour = "blue"
)

// Figure is a scalar that appends itself; the empty one is null.
type Figure string

// AppendJSON appends the figure.
func (f Figure) AppendJSON(b []byte) []byte {
	if f == "" {
		return append(b, "null"...)
	}
	return strconv.AppendQuote(b, string(f))
}

// MarshalGQL implements graphql.Marshaler.
func (f Figure) MarshalGQL(w io.Writer) { _, _ = w.Write(f.AppendJSON(nil)) }

// UnmarshalGQL implements graphql.Unmarshaler.
func (f *Figure) UnmarshalGQL(v any) error {
	text, ok := v.(string)
	if !ok || text == "bad" {
		return errors.New("must be a good figure")
	}
	if text == "worse" {
		panic("a figure that is worse")
	}
	*f = Figure(text)
	return nil
}

// Note is a scalar that writes itself; it may be nil.
type Note []string

// MarshalGQL implements graphql.Marshaler.
func (n Note) MarshalGQL(w io.Writer) { _, _ = fmt.Fprintf(w, "%d", len(n)) }

// UnmarshalGQL implements graphql.Unmarshaler.
func (*Note) UnmarshalGQL(any) error { return errors.New("is no input") }

// Named is an interface of the schema.
type Named interface {
	// GetName is the field name.
	GetName() *string
}

// Coloured is an interface of the schema.
type Coloured interface {
	// GetColour is the field colour.
	GetColour() Colour
}

// Thing is a union of the schema.
type Thing interface{ isThing() }

// Secret is an embedded struct that a node may lack: reading its fields then panics.
type Secret struct {
	Hidden    string
	HiddenBox *Box
}

// Node has a field of every kind.
type Node struct {
	*Secret

	ID        string
	Name      *string
	Label     *string
	Colour    Colour
	Shade     *Colour
	Shades    []*Colour
	MustShade *Colour
	Number    int
	Count     *int
	Long      int64
	Flag      *bool
	Flags     []bool
	Tags      []*string
	Maybes    []*string
	Grid      [][]*int
	Note      Note
	Notes     []Note
	Figure    Figure
	Figures   []*Figure

	Child      *Node
	MustChild  *Node
	Children   []*Node
	Orphans    []*Node
	Rows       [][]*Node
	Box        Box
	Boxes      []Box
	Thing      Thing
	MustThing  Thing
	Things     []Thing
	MustThings []Thing
	Named      Named

	fails, panics bool
}

// GetName implements Named.
func (n *Node) GetName() *string { return n.Name }

// GetColour implements Coloured.
func (n *Node) GetColour() Colour { return n.Colour }

func (*Node) isThing() {}

// Computed is a method that may fail or panic.
func (n *Node) Computed() (string, error) {
	if n.panics {
		panic("computed of " + n.ID)
	}
	if n.fails {
		return "", errors.New("computed fails")
	}
	return "computed \"" + n.ID + "\"\n\t\x01", nil
}

// ComputedBox is a method with a context and an argument.
func (n *Node) ComputedBox(ctx context.Context, size *int) (*Box, error) {
	if err := ctx.Err(); err != nil || n.fails {
		return nil, errors.New("computedBox fails")
	}
	if size == nil {
		return nil, nil
	}
	return &Box{Name: n.Name, Size: *size, Content: n.Child}, nil
}

// ComputedBoxes is a method that cannot fail.
func (n *Node) ComputedBoxes() []*Box {
	if n.panics {
		panic("computedBoxes of " + n.ID)
	}
	if n.fails {
		return nil
	}
	return []*Box{&n.Box, {Name: n.Label, Size: 2}}
}

// Mark is an object with only figures.
type Mark struct {
	At      int
	Label   *string
	Must    *string
	Figures []*Figure
}

// mark returns a mark of a node that has two.
func (n *Node) mark(i int) Mark {
	return [...]Mark{{At: 1, Label: n.Label, Must: n.Name, Figures: n.Figures}, {At: 2, Must: n.Name}}[i]
}

// Marks is a method with a variant that returns its marks in turn.
func (n *Node) Marks() ([]*Mark, error) {
	if n.panics {
		panic("marks of " + n.ID)
	}
	if n.fails {
		return nil, errors.New("marks fail")
	}
	return []*Mark{new(n.mark(0)), new(n.mark(1))}, nil
}

// MarksInTurn returns what Marks returns, one after the other.
func (n *Node) MarksInTurn() (*MarksInTurn, error) {
	if _, err := n.Marks(); err != nil {
		return nil, err
	}
	return &MarksInTurn{of: n}, nil
}

// MustMarks is Marks for a field that is not null.
func (n *Node) MustMarks() ([]*Mark, error) { return n.Marks() }

// MustMarksInTurn is MarksInTurn for a field that is not null.
func (n *Node) MustMarksInTurn() (*MarksInTurn, error) { return n.MarksInTurn() }

// MarksInTurn is a list of marks that share their memory in turn.
type MarksInTurn struct {
	of  *Node
	one Mark
}

// Len returns how many marks there are.
func (*MarksInTurn) Len() int { return 2 }

// At returns a mark, which the next call overwrites.
func (m *MarksInTurn) At(i int) *Mark {
	m.one = m.of.mark(i)
	return &m.one
}

// Box is an object that is also held by value.
type Box struct {
	Name    *string
	Label   *string
	Size    int
	Content *Node
}

// GetName implements Named.
func (b Box) GetName() *string { return b.Name }

func (Box) isThing() {}

// Sack is an object that is held only by a pointer.
type Sack struct {
	Colour Colour
	Name   *int
	Boxes  []*Box
}

// GetColour implements Coloured.
func (s *Sack) GetColour() Colour { return s.Colour }

func (*Sack) isThing() {}

// Stranger is a thing that the schema does not know.
type Stranger struct{}

func (Stranger) isThing() {}
