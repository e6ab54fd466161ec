// Package cli makes the command line of a program from a struct whose tags declare commands,
// flags and arguments: commands of cobra with their help, manual pages, and completion.
//
// A field with the tag cmd is a command, one with arg an argument, and every other field a flag; the
// fields of embedded structs count as fields of the struct around them. Names of flags and commands
// are those of the fields in small letters, words joined by hyphens, unless the tag name has
// another. The other tags:
//
//	help         what it is for; a command may say more in a method Help() string
//	group        title under which a command is listed
//	hidden       it works, and is not shown
//	default      value of a flag; of a command, that the command above runs it with its arguments
//	env          variable of the environment that sets a flag
//	placeholder  word for the value in help and manual pages
//	required     the flag must be there
//	optional     the argument may be missing
//	aliases      another name of a flag
//	enum         the only values that are allowed, separated by commas
//	values       values that completion offers; the command checks them
//	list         there may be several of these, separated by commas
//
// ${name} in a tag stands for a variable of the program.
package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Program is a command line that reads arguments once: cobra knows its commands, and Program what
// their tags say beyond that.
type Program struct {
	Root      *cobra.Command
	Reached   *cobra.Command // the command that the arguments name, also where they are wrong
	Selected  *cobra.Command // the command to run; nil after --help
	Target    any            // pointer to its struct
	variables map[string]string
	arguments map[*cobra.Command][]*argument
	noHelp    error // why no help was printed
}

// New returns the program that a struct declares. Help and completions are written to out. It
// panics where tags make no sense.
func New(name, about string, target any, variables map[string]string, out io.Writer) *Program {
	p := &Program{variables: variables, arguments: map[*cobra.Command][]*argument{}}
	cobra.EnableCommandSorting, cobra.MousetrapHelpText = false, ""
	p.command(name, reflect.StructTag(""), reflect.ValueOf(target).Elem())
	p.Root.Short = about
	p.Root.SetOut(out)
	p.Root.SetErr(io.Discard)
	p.Root.SilenceErrors, p.Root.SilenceUsage = true, true
	p.Root.CompletionOptions.DisableDefaultCmd = true
	p.Root.SetHelpFunc(func(c *cobra.Command, _ []string) {
		if words := c.Flags().Args(); len(words) > 0 && p.arguments[c] == nil {
			p.noHelp = p.assign(c, words) // for a command that does not exist
			return
		}
		p.help(c)
	})
	p.Root.PersistentFlags().BoolP("help", "h", false, "Print this help.")
	p.Root.SetFlagErrorFunc(unknownFlag)
	return p
}

// Parse reads arguments. A flag that they lack has the value of its variable, where lookup finds
// one, or else its default. It runs nothing; it prints help, and completions for shells.
func (p *Program) Parse(args []string, lookup func(variable string) (text, from string)) (err error) {
	if len(args) > 0 && args[0] == "help" {
		args = append(slices.Clone(args[1:]), "--help")
	}
	p.Root.SetArgs(args)
	if p.Reached, err = p.Root.ExecuteC(); err != nil || p.Selected == nil {
		return cmp.Or(err, p.noHelp)
	}
	return p.settle(lookup)
}

// settle gives the flags of the selected command that no argument has set their values, and checks
// those that only some values are allowed for.
func (p *Program) settle(lookup func(variable string) (text, from string)) error {
	var wrong []error
	p.Selected.Flags().VisitAll(func(f *pflag.Flag) {
		o, ours := f.Value.(*option)
		if !ours {
			return
		}
		where := "--" + f.Name
		if o.variable != "" && !f.Changed {
			if text, from := lookup(o.variable); from != "" {
				where = from
				if err := o.Set(text); err != nil {
					wrong = append(wrong, fmt.Errorf("%s: %w; got %q", from, err, text))
					return
				}
			}
		}
		if err := oneOf(o.enum, o.String()); err != nil {
			wrong = append(wrong, fmt.Errorf("%s: %w", where, err))
		}
	})
	return errors.Join(wrong...)
}

// Variables returns the environment variables of all flags, in order.
func (p *Program) Variables() []string {
	var names []string
	for _, c := range Commands(p.Root) {
		eachFlag(c, true, func(f *pflag.Flag) {
			if o, ours := f.Value.(*option); ours && o.variable != "" {
				names = append(names, o.variable)
			}
		})
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// FlagOf returns a flag that a variable sets: that of the selected command, if it has one. The
// variable must be one of Variables.
func (p *Program) FlagOf(variable string) (found *pflag.Flag) {
	look := func(c *cobra.Command) {
		eachFlag(c, true, func(f *pflag.Flag) {
			if o, ours := f.Value.(*option); ours && o.variable == variable && found == nil {
				found = f
			}
		})
	}
	if p.Selected != nil {
		look(p.Selected)
	}
	for _, c := range Commands(p.Root) {
		look(c)
	}
	return found
}

// Default returns the default of a flag that a struct declares.
func Default(f *pflag.Flag) string { return f.Value.(*option).fallback }

// oneOf returns an error if text is not one of the words of a list; an empty list allows all.
func oneOf(list, text string) error {
	if list == "" || slices.Contains(strings.Split(list, ","), text) {
		return nil
	}
	return fmt.Errorf("must be one of %s; got %q", strings.ReplaceAll(list, ",", ", "), text)
}

// command returns the command that a struct declares.
func (p *Program) command(name string, tags reflect.StructTag, v reflect.Value) *cobra.Command {
	c := &cobra.Command{Use: name, Short: p.expand(tags.Get("help")), Hidden: has(tags, "hidden"), DisableFlagsInUseLine: true}
	target := v.Addr().Interface()
	if more, ok := target.(interface{ Help() string }); ok {
		c.Long = more.Help()
	}
	c.ValidArgsFunction = p.completeArgument
	c.Args = func(_ *cobra.Command, words []string) error { return p.assign(c, words) }
	c.RunE = func(*cobra.Command, []string) error {
		p.Selected, p.Target = c, target
		return nil
	}
	if p.Root == nil {
		p.Root = c
	}
	c.Flags().SortFlags, c.PersistentFlags().SortFlags = false, false
	p.declare(c, v)
	if c.HasSubCommands() {
		p.group(c)
	}
	return c
}

// group makes a command of one that only has commands below it, or runs one of them itself.
func (p *Program) group(c *cobra.Command) {
	var names []string
	for _, below := range c.Commands() {
		if below.Annotations[isDefault] != "" {
			c.Args, c.RunE = below.Args, below.RunE
			c.Flags().AddFlagSet(below.Flags())
			p.arguments[c] = p.arguments[below]
			return
		}
		if !below.Hidden {
			names = append(names, below.Name())
		}
	}
	c.RunE = func(*cobra.Command, []string) error {
		return fmt.Errorf("a command is missing: %s", strings.Join(names, ", "))
	}
}

// isDefault marks a command that the one above runs, too.
const isDefault = "default"

// assign sets the arguments of a command.
func (p *Program) assign(c *cobra.Command, words []string) error {
	for _, a := range p.arguments[c] {
		switch {
		case len(words) == 0 && !a.optional:
			return fmt.Errorf("<%s> is missing", a.name)
		case len(words) == 0:
			return nil
		case a.several():
			a.field.Set(reflect.ValueOf(slices.Clone(words)))
			return nil
		}
		if err := oneOf(a.enum, words[0]); err != nil {
			return fmt.Errorf("<%s> %w", a.name, err)
		}
		a.field.SetString(words[0])
		words = words[1:]
	}
	if len(words) == 0 {
		return nil
	}
	var known []string
	for _, below := range c.Commands() {
		known = append(known, below.Name())
	}
	return fmt.Errorf("unexpected argument %s%s", words[0], DidYouMean(words[0], known))
}

// unknownFlag adds a suggestion to the error for a flag that does not exist.
func unknownFlag(c *cobra.Command, err error) error {
	unknown, ok := errors.AsType[*pflag.NotExistError](err)
	if !ok {
		return err
	}
	var known []string
	c.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, "--"+f.Name) })
	return fmt.Errorf("unknown flag --%s%s", unknown.GetSpecifiedName(), DidYouMean("--"+unknown.GetSpecifiedName(), known))
}

// nearest is the most wrong letters in a name for a suggestion.
const nearest = 3

// DidYouMean returns a question for the known name that begins with an unknown one, or is nearest
// to it; "" if none is near.
func DidYouMean(name string, known []string) string {
	best, least := "", nearest+1
	for _, one := range known {
		if len(name) >= nearest && strings.HasPrefix(one, name) && (least > 0 || len(one) < len(best)) {
			best, least = one, 0
		}
		if d := levenshtein.ComputeDistance(strings.ToLower(name), strings.ToLower(one)); d < least && d*2 < len(one) {
			best, least = one, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", best)
}

// expand replaces ${name} by a variable of the program.
func (p *Program) expand(text string) string {
	return os.Expand(text, func(name string) string { return p.variables[name] })
}
