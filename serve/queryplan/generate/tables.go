package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/99designs/gqlgen/codegen"
	"github.com/99designs/gqlgen/codegen/config"
	"github.com/99designs/gqlgen/codegen/templates"
)

// tables is the plugin that writes the tables from gqlgen's own view of the schema.
type tables struct {
	batched map[string]map[string]bool // names of batch fields by object
	oracle  bool                       // gqlgen's executor is kept, over the same relations
}

// Name implements plugin.Plugin.
func (*tables) Name() string { return "tables" }

// MutateConfig records the fields that the configuration calls batch and makes them ordinary
// ones: gqlgen's own batches end at each list.
func (t *tables) MutateConfig(cfg *config.Config) error {
	t.batched = map[string]map[string]bool{}
	for object, model := range cfg.Models {
		for name, field := range model.Fields {
			if field.Batch == nil || !*field.Batch {
				continue
			}
			if t.batched[object] == nil {
				t.batched[object] = map[string]bool{}
			}
			t.batched[object][name] = true
			field.Batch, field.Resolver = nil, true
			model.Fields[name] = field
		}
	}
	return nil
}

// GenerateCode implements plugin.CodeGenerator.
func (t *tables) GenerateCode(data *codegen.Data) error {
	if err := t.check(data); err != nil {
		return err
	}
	for name, text := range map[string]string{"relations_gen.go": relationsText, "objects_gen.go": objectsText} {
		w := &writer{data: data, batched: t.batched, Oracle: t.oracle}
		err := templates.Render(templates.Options{
			PackageName: data.Config.Exec.Package, Filename: filepath.Join(data.Config.Exec.Dir(), name),
			Data: w, Template: text, GeneratedHeader: true, Packages: data.Config.Packages, PruneOptions: data.Config.GetPruneOptions(),
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// check rejects fields that package queryplan cannot run or that cannot be a batch.
func (t *tables) check(data *codegen.Data) error {
	var errs []error
	for object, fields := range t.batched {
		of := data.Objects.ByName(object)
		for name := range fields {
			if of == nil || of.Root || !of.HasField(name) {
				errs = append(errs, fmt.Errorf("%s.%s is called batch, but there is no such field", object, name))
			}
		}
	}
	for _, o := range data.Objects {
		if !config.IsNilable(o.Reference()) || o.IsMap() {
			errs = append(errs, fmt.Errorf("%s: the tables know structs only", o.Name))
		}
		for _, f := range o.Fields {
			switch at := o.Name + "." + f.Name; {
			case f.HasDirectives():
				errs = append(errs, fmt.Errorf("%s: the tables know no directives that run", at))
			case f.HasHaser || f.VOkFunc:
				errs = append(errs, fmt.Errorf("%s: the tables do not know this kind of method", at))
			}
		}
	}
	slices.SortFunc(errs, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	return errors.Join(errs...)
}
