// Package manual makes what helps at a command line from the commands
// themselves: manual pages, and the completion of words in shells.
package manual

import (
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// Names returns the words that a command is called with, such as "piyasa keys create".
func Names(n *kong.Node) []string {
	if n.Parent == nil {
		return []string{n.Name}
	}
	return append(Names(n.Parent), n.Name)
}

// Commands returns a command and those below it, without hidden ones.
func Commands(n *kong.Node) []*kong.Node {
	all := []*kong.Node{n}
	for _, child := range n.Children {
		if !child.Hidden {
			all = append(all, Commands(child)...)
		}
	}
	return all
}

// Find returns the command below n that words name.
func Find(n *kong.Node, words []string) (*kong.Node, bool) {
	for _, word := range words {
		i := slices.IndexFunc(n.Children, func(c *kong.Node) bool { return c.Name == word && !c.Hidden })
		if i < 0 {
			return nil, false
		}
		n = n.Children[i]
	}
	return n, true
}

// flagsOf returns the flags that a command knows, its own first.
func flagsOf(n *kong.Node) []*kong.Flag {
	var all []*kong.Flag
	for ; n != nil; n = n.Parent {
		for _, f := range n.Flags {
			if !f.Hidden {
				all = append(all, f)
			}
		}
		if n.DefaultCmd != nil {
			for _, f := range n.DefaultCmd.Flags {
				if !f.Hidden {
					all = append(all, f)
				}
			}
		}
	}
	return all
}

// takesValue reports whether a flag is followed by a value.
func takesValue(f *kong.Flag) bool { return !f.IsBool() && !f.IsCounter() }

// Help returns the text that describes a flag or an argument, with its default and its
// environment variable.
func Help(v *kong.Value) string {
	text := strings.TrimSuffix(v.Help, ".")
	if v.HasDefault && v.Default != "" && !v.IsBool() {
		text += "; default: " + v.Default
	}
	if len(v.Tag.Envs) > 0 {
		text += " ($" + strings.Join(v.Tag.Envs, ", $") + ")"
	}
	if text == "" {
		return ""
	}
	return text + "."
}
