package world

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
)

// ByName answers for a world by the names of fields only, without generated code.
type ByName struct {
	world  *World
	schema *ast.Schema
	known  []any // pointers to the objects returned so far
}

// NewByName returns a ByName for a world.
func NewByName(w *World, schema *ast.Schema) *ByName { return &ByName{world: w, schema: schema} }

// Resolve returns the value of Type.field of the object that it returned with the number of, or
// of the root if of is nil. An object is a map of its type and its number ("at"); int64 is
// text.
func (b *ByName) Resolve(name string, of *int, args map[string]any) (v any, err error) {
	defer func() {
		if p := recover(); p != nil {
			v, err = nil, fmt.Errorf("recovered: %v", p)
		}
	}()
	typeName, name, _ := strings.Cut(name, ".")
	field := b.schema.Types[typeName].Fields.ForName(name)
	out, err := b.call(field, of, args)
	if err != nil {
		return nil, err
	}
	return b.shown(field.Type, out), nil
}

func (b *ByName) call(field *ast.FieldDefinition, of *int, args map[string]any) (reflect.Value, error) {
	var parent any
	var relations reflect.Value
	if of == nil {
		relations = reflect.ValueOf(b.world.Query())
	} else {
		parent = b.known[*of]
	}
	var declared reflect.Type
	switch parent.(type) {
	case nil:
		declared = reflect.TypeFor[QueryResolver]()
	case *Node:
		relations, declared = reflect.ValueOf(b.world.Node()), reflect.TypeFor[NodeRelations]()
	case *Box:
		relations, declared = reflect.ValueOf(b.world.Box()), reflect.TypeFor[BoxRelations]()
	}
	title := strings.ToUpper(field.Name[:1]) + field.Name[1:]
	in := []reflect.Value{reflect.ValueOf(context.Background())}
	var method reflect.Value
	batch := false
	if declared != nil {
		if m, ok := declared.MethodByName(title); ok {
			method = relations.MethodByName(title)
			if parent != nil {
				batch = m.Type.In(1).Kind() == reflect.Slice
				one := reflect.ValueOf(parent)
				if batch {
					one = reflect.Append(reflect.MakeSlice(m.Type.In(1), 0, 1), one)
				}
				in = append(in, one)
			}
		}
	}
	if !method.IsValid() {
		self := reflect.ValueOf(parent)
		if method = self.MethodByName(title); !method.IsValid() {
			return self.Elem().FieldByNameFunc(func(name string) bool { return strings.EqualFold(name, title) }), nil
		}
		if method.Type().NumIn() == 0 {
			in = nil
		}
	}
	for _, arg := range field.Arguments {
		v := reflect.New(method.Type().In(len(in))).Elem()
		if err := read(args[arg.Name], v); err != nil {
			return v, err
		}
		in = append(in, v)
	}
	out := method.Call(in)
	value := out[0]
	if len(out) == 1 {
		return value, nil
	}
	err := out[1]
	if batch {
		if value.Len() != 1 {
			return value, errors.New("no answer")
		}
		value = value.Index(0)
		if err.Len() == 0 {
			return value, nil
		}
		err = err.Index(0)
	}
	if !err.IsNil() {
		return value, err.Interface().(error)
	}
	return value, nil
}

var byName = map[string]Colour{"RED": Red, "GREEN": Green, "BLUE": Blue}

// read sets an argument from a decoded value.
func read(from any, to reflect.Value) error {
	if from == nil {
		return nil
	}
	switch v := to.Addr().Interface().(type) {
	case *Colour:
		*v = byName[from.(string)]
		return nil
	case *Figure:
		return v.UnmarshalGQL(from)
	}
	switch to.Kind() {
	case reflect.Pointer:
		to.Set(reflect.New(to.Type().Elem()))
		return read(from, to.Elem())
	case reflect.Slice:
		list := from.([]any)
		to.Set(reflect.MakeSlice(to.Type(), len(list), len(list)))
		for i := range list {
			if err := read(list[i], to.Index(i)); err != nil {
				return err
			}
		}
	case reflect.Int:
		n, err := from.(json.Number).Int64()
		to.SetInt(n)
		return err
	default:
		to.SetString(from.(string))
	}
	return nil
}

// shown returns a value of a type: a nil list that must not be null is empty, and an enum
// without a name is "".
func (b *ByName) shown(t *ast.Type, v reflect.Value) any {
	for v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
		if v.IsNil() {
			return nil
		}
		if v.Kind() == reflect.Pointer && v.Elem().Kind() == reflect.Struct {
			return b.object(v)
		}
		v = v.Elem()
	}
	if t.Elem != nil {
		if v.IsNil() && !t.NonNull {
			return nil
		}
		list := make([]any, v.Len())
		for i := range list {
			list[i] = b.shown(t.Elem, v.Index(i))
		}
		return list
	}
	switch leaf := v.Interface().(type) {
	case Figure:
		if leaf == "" && t.NonNull {
			return "\x00null"
		} else if leaf == "" {
			return nil
		}
	case Note:
		if leaf == nil {
			return nil
		}
		return len(leaf)
	case Colour:
		for name, colour := range byName {
			if colour == leaf {
				return name
			}
		}
		return ""
	case int64:
		return fmt.Sprintf("\x00%d", leaf)
	}
	if v.Kind() == reflect.Struct {
		held := reflect.New(v.Type())
		held.Elem().Set(v)
		return b.object(held)
	}
	return v.Interface()
}

func (b *ByName) object(pointer reflect.Value) any {
	b.known = append(b.known, pointer.Interface())
	return map[string]any{"type": pointer.Elem().Type().Name(), "at": len(b.known) - 1}
}
