package cli

import (
	"fmt"
	"go/doc/comment"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// width is that of help, in columns.
const width = 100

// text describes a flag, with its default and its variable.
func (o *option) text() string {
	text := strings.TrimSuffix(o.help, ".")
	if o.fallback != "" && !o.IsBoolFlag() {
		text += "; default: " + o.fallback
	}
	if o.variable != "" {
		text += " ($" + o.variable + ")"
	}
	if text == "" {
		return ""
	}
	return text + "."
}

// help writes how a command is called, what it does, its arguments and flags, and the commands
// below it.
func (p *Program) help(c *cobra.Command) {
	w := c.OutOrStdout()
	fmt.Fprintf(w, "Usage: %s\n\n%s", p.usage(c), wrapped("", c.Short))
	if c.Long != "" {
		fmt.Fprintf(w, "\n%s", wrapped("", c.Long))
	}
	for i, a := range p.arguments[c] {
		if i == 0 {
			fmt.Fprintln(w, "\nArguments:")
		}
		fmt.Fprintf(w, "  <%s>\n%s", a.name, wrapped("      ", a.help))
	}
	fmt.Fprintln(w, "\nFlags:")
	eachFlag(c, false, func(f *pflag.Flag) {
		name, _ := pflag.UnquoteUsage(f)
		short := ""
		if f.Shorthand != "" {
			short = "-" + f.Shorthand + ", "
		}
		fmt.Fprintf(w, "  %s--%s\n%s", short, strings.TrimSpace(f.Name+" "+name), wrapped("      ", f.Usage))
	})
	groups := c.Groups()
	if len(groups) == 0 {
		groups = []*cobra.Group{{Title: "Commands"}}
	}
	for _, group := range groups {
		title := "\n" + group.Title + ":\n"
		for _, below := range shown(c) {
			if below.GroupID == group.ID {
				text := strings.TrimSpace(string(wrapped(strings.Repeat(" ", 14), below.Short)))
				fmt.Fprintf(w, "%s  %-12s%s\n", title, below.Name(), text)
				title = ""
			}
		}
	}
}

// wrapped returns text, which is formatted like a comment in Go, in lines that begin with indent.
func wrapped(indent, text string) []byte {
	printer := comment.Printer{TextPrefix: indent, TextCodePrefix: indent + "    ", TextWidth: width - len(indent)}
	return printer.Text(new(comment.Parser).Parse(text))
}

// usage returns how a command is called.
func (p *Program) usage(c *cobra.Command) string {
	words := []string{c.CommandPath()}
	if c.HasSubCommands() && p.arguments[c] == nil {
		words = append(words, "<command>")
	}
	for _, f := range required(c) {
		words = append(words, "--"+f.Name+"="+f.Value.Type())
	}
	for _, a := range p.arguments[c] {
		word := "<" + a.name + ">"
		if a.several() {
			word += " ..."
		}
		if a.optional {
			word = "[" + word + "]"
		}
		words = append(words, word)
	}
	return strings.Join(append(words, "[flags]"), " ")
}

// Commands returns a command and those below it that help shows.
func Commands(c *cobra.Command) []*cobra.Command {
	all := []*cobra.Command{c}
	for _, below := range shown(c) {
		all = append(all, Commands(below)...)
	}
	return all
}

// shown returns the commands below one without those that are hidden, and without the command help
// that cobra adds.
func shown(c *cobra.Command) []*cobra.Command {
	return slices.DeleteFunc(slices.Clone(c.Commands()), func(below *cobra.Command) bool { return below.Hidden || below.Name() == "help" })
}

// eachFlag calls do with each flag of a command, its own first; with hidden ones if they are asked for.
func eachFlag(c *cobra.Command, withHidden bool, do func(*pflag.Flag)) {
	all := c.Root().PersistentFlags()
	show := func(f *pflag.Flag) {
		if withHidden || !f.Hidden {
			do(f)
		}
	}
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if all.Lookup(f.Name) == nil { // Parse adds those of the root to the flags of the command
			show(f)
		}
	})
	all.VisitAll(show)
}

// required returns the flags that a command needs.
func required(c *cobra.Command) (flags []*pflag.Flag) {
	eachFlag(c, false, func(f *pflag.Flag) {
		if f.Annotations[cobra.BashCompOneRequiredFlag] != nil {
			flags = append(flags, f)
		}
	})
	return flags
}
