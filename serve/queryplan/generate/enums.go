package main

import (
	"fmt"
	"go/constant"
	"go/types"
	"strings"

	"github.com/99designs/gqlgen/codegen/config"
	"github.com/vektah/gqlparser/v2/ast"
)

// enums is the plugin that binds each enum of the schema to the constants of its Go type, so
// that the values are defined only in Go: INFLATION_ADJUSTED is "inflation_adjusted", M5 is
// "5m".
type enums struct{}

// Name implements plugin.Plugin.
func (enums) Name() string { return "enums" }

// MutateConfig implements plugin.ConfigMutator.
func (enums) MutateConfig(cfg *config.Config) error {
	for name, of := range cfg.Schema.Types {
		model := cfg.Models[name]
		if of.Kind != ast.Enum || of.BuiltIn || len(model.Model) == 0 || len(model.EnumValues) > 0 {
			continue
		}
		path, goType := cutLast(model.Model[0])
		constants, err := constantsOf(cfg, path, goType)
		if err != nil {
			return err
		}
		model.EnumValues = map[string]config.EnumValue{}
		for _, v := range of.EnumValues {
			c, ok := constants[v.Name]
			if !ok {
				return fmt.Errorf("%s.%s: %s has no such constant", name, v.Name, model.Model[0])
			}
			model.EnumValues[v.Name] = config.EnumValue{Value: path + "." + c}
		}
		cfg.Models[name] = model
	}
	return nil
}

// constantsOf returns the names of a type's constants by their names in GraphQL.
func constantsOf(cfg *config.Config, path, goType string) (map[string]string, error) {
	p := cfg.Packages.Load(path)
	if p == nil {
		return nil, fmt.Errorf("there is no package %s", path)
	}
	constants := map[string]string{}
	for _, name := range p.Types.Scope().Names() {
		c, ok := p.Types.Scope().Lookup(name).(*types.Const)
		if !ok || c.Val().Kind() != constant.String || !types.Identical(c.Type(), p.Types.Scope().Lookup(goType).Type()) {
			continue
		}
		constants[nameOf(constant.StringVal(c.Val()))] = name
	}
	return constants, nil
}

// nameOf returns the GraphQL name of a word: in capitals, with underscores, and with leading
// digits moved behind the letters, since no name begins with a digit.
func nameOf(word string) string {
	letters := strings.TrimLeft(word, "0123456789")
	var name strings.Builder
	for i, r := range letters {
		if i > 0 && 'A' <= r && r <= 'Z' && 'a' <= letters[i-1] && letters[i-1] <= 'z' {
			name.WriteByte('_')
		}
		name.WriteRune(r)
	}
	return strings.ToUpper(name.String()) + word[:len(word)-len(letters)]
}

// cutLast splits a model into the path of its package and the name of its type.
func cutLast(model string) (path, name string) {
	i := strings.LastIndexByte(model, '.')
	if i < 0 {
		return "", model
	}
	return model[:i], model[i+1:]
}
