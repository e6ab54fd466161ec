package cli

import (
	"cmp"
	"errors"
	"reflect"
	"strings"
	"time"
	"unicode"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// option is the value of a flag, with what its tags say.
type option struct {
	pflag.Value
	help, fallback, variable, placeholder string // fallback is its default
	enum, values                          string // separated by commas
	list                                  bool
}

// Set sets the value. What is true or false may also be yes or no.
func (o *option) Set(text string) error {
	kind := o.Value.Type()
	switch {
	case kind == "bool" && text == "yes":
		text = "true"
	case kind == "bool" && text == "no":
		text = "false"
	}
	if err := o.Value.Set(text); err != nil {
		return errors.New("must be " + kinds[kind])
	}
	return nil
}

// kinds says what values there are of a type of pflag.
var kinds = map[string]string{
	"bool": "true or false", "int": "a whole number", "uint64": "a whole number of at least 0",
	"duration": "a duration such as 30s", "stringSlice": "words separated by commas",
}

// Type returns the word for the value in help; pflag shows none for "bool".
func (o *option) Type() string {
	if o.placeholder == "" && !o.IsBoolFlag() {
		return "STRING"
	}
	return cmp.Or(o.placeholder, "bool")
}

// IsBoolFlag reports whether the flag stands without a value.
func (o *option) IsBoolFlag() bool { return o.Value.Type() == "bool" }

// argument is a word after a command that is no flag.
type argument struct {
	name, help, enum, placeholder string
	optional                      bool
	field                         reflect.Value // a string, or []string for all that follow
}

func (a *argument) several() bool { return a.field.Kind() == reflect.Slice }

// declare adds the fields of a struct to a command: its flags, its arguments, and the commands
// below it, which have its flags, too.
func (p *Program) declare(c *cobra.Command, v reflect.Value) {
	for i := range v.NumField() {
		field, tags := v.Type().Field(i), v.Type().Field(i).Tag
		name := tags.Get("name")
		if name == "" {
			name = hyphened(field.Name)
		}
		switch {
		case field.Anonymous:
			p.declare(c, v.Field(i))
		case has(tags, "cmd"):
			below := p.command(name, tags, v.Field(i))
			if has(tags, "default") {
				below.Annotations = map[string]string{isDefault: "yes"}
			}
			if below.GroupID = tags.Get("group"); below.GroupID != "" && !c.ContainsGroup(below.GroupID) {
				c.AddGroup(&cobra.Group{ID: below.GroupID, Title: below.GroupID})
			}
			c.AddCommand(below)
		case has(tags, "arg"):
			p.arguments[c] = append(p.arguments[c], &argument{
				name: name, help: p.expand(tags.Get("help")), enum: p.expand(tags.Get("enum")),
				placeholder: tags.Get("placeholder"), optional: has(tags, "optional"), field: v.Field(i),
			})
		default:
			p.flag(c, name, tags, v.Field(i).Addr().Interface())
		}
	}
}

// flag adds a flag that sets a field.
func (p *Program) flag(c *cobra.Command, name string, tags reflect.StructTag, field any) {
	flags := c.Flags()
	if c == p.Root {
		flags = c.PersistentFlags()
	}
	switch field := field.(type) {
	case *string:
		flags.StringVar(field, name, "", "")
	case *bool:
		flags.BoolVar(field, name, false, "")
	case *int:
		flags.IntVar(field, name, 0, "")
	case *uint64:
		flags.Uint64Var(field, name, 0, "")
	case *time.Duration:
		flags.DurationVar(field, name, 0, "")
	case *[]string:
		flags.StringSliceVar(field, name, nil, "")
	default:
		panic("a flag cannot be a " + reflect.TypeOf(field).String())
	}
	f := flags.Lookup(name)
	o := &option{
		Value: f.Value, help: p.expand(tags.Get("help")), fallback: p.expand(tags.Get("default")),
		variable: tags.Get("env"), placeholder: tags.Get("placeholder"),
		enum: p.expand(tags.Get("enum")), values: p.expand(tags.Get("values")), list: has(tags, "list"),
	}
	f.Value, f.DefValue, f.Usage, f.Hidden = o, "", o.text(), has(tags, "hidden")
	if o.fallback != "" {
		if err := o.Set(o.fallback); err != nil {
			panic(err)
		}
	}
	if has(tags, "required") {
		c.MarkFlagRequired(name)
	}
	if !o.IsBoolFlag() {
		c.RegisterFlagCompletionFunc(name, o.complete)
	}
	if other := tags.Get("aliases"); other != "" {
		rest := flags.GetNormalizeFunc()
		flags.SetNormalizeFunc(func(all *pflag.FlagSet, asked string) pflag.NormalizedName {
			if asked == other {
				return pflag.NormalizedName(name)
			}
			return rest(all, asked)
		})
	}
}

func has(tags reflect.StructTag, name string) bool {
	_, ok := tags.Lookup(name)
	return ok
}

// hyphened returns a Go name in small letters, with hyphens between its words: FXMaxAge is
// fx-max-age.
func hyphened(name string) string {
	var b strings.Builder
	letters := []rune(name)
	for i, r := range letters {
		afterSmall := i > 0 && unicode.IsLower(letters[i-1])
		beforeSmall := i > 0 && i+1 < len(letters) && unicode.IsLower(letters[i+1])
		if unicode.IsUpper(r) && (afterSmall || beforeSmall) {
			b.WriteByte('-')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}
