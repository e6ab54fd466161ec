package main

import (
	"go/token"
	"go/types"
	"strings"
	"testing"

	"github.com/99designs/gqlgen/codegen"
	"github.com/99designs/gqlgen/codegen/config"
	"github.com/vektah/gqlparser/v2/ast"

	"piyasa/test/fixture/need"
)

// What the tables cannot express is refused, by name.
func TestWhatIsRefused(t *testing.T) {
	structure := types.NewNamed(types.NewTypeName(token.NoPos, nil, "Thing", nil), types.NewStruct(nil, nil), nil)
	o := &codegen.Object{Definition: &ast.Definition{Name: "Thing", Kind: ast.Object}, Type: structure}
	plain := &codegen.Field{FieldDefinition: &ast.FieldDefinition{Name: "plain"}, Object: o}
	hasser := &codegen.Field{FieldDefinition: &ast.FieldDefinition{Name: "hasser"}, Object: o, HasHaser: true}
	o.Fields = []*codegen.Field{plain, hasser}
	data := &codegen.Data{Objects: codegen.Objects{o}}
	err := (&tables{batched: map[string]map[string]bool{"Thing": {"gone": true, "plain": true}, "Nothing": {"x": true}}}).check(data)
	want := []string{
		"Nothing.x is called batch, but there is no such field",
		"Thing.gone is called batch, but there is no such field",
		"Thing.hasser: the tables do not know this kind of method",
	}
	if err == nil || err.Error() != strings.Join(want, "\n") {
		t.Errorf("%v", err)
	}
}

// A field that is called batch becomes an ordinary field with a resolver.
func TestBatchIsOurs(t *testing.T) {
	yes := true
	cfg := &config.Config{Models: config.TypeMap{"Thing": {Fields: map[string]config.TypeMapField{"all": {Batch: &yes}, "one": {}}}}}
	plugin := &tables{}
	need.NoError(t, plugin.MutateConfig(cfg))
	if f := cfg.Models["Thing"].Fields["all"]; f.Batch != nil || !f.Resolver || !plugin.batched["Thing"]["all"] {
		t.Errorf("%+v, %v", f, plugin.batched)
	}
	if f := cfg.Models["Thing"].Fields["one"]; f.Resolver || plugin.batched["Thing"]["one"] {
		t.Errorf("%+v, %v", f, plugin.batched)
	}
}
