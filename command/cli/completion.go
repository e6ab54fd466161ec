package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// Shells are those that Script knows, separated by commas.
const Shells = "bash,zsh,fish,powershell"

// Script writes the script that lets a shell complete commands: it asks the program itself.
func (p *Program) Script(w io.Writer, shell string) error {
	switch shell {
	case "bash":
		return p.Root.GenBashCompletionV2(w, true)
	case "zsh":
		return p.Root.GenZshCompletion(w)
	case "fish":
		return p.Root.GenFishCompletion(w, true)
	case "powershell":
		return p.Root.GenPowerShellCompletionWithDesc(w)
	}
	return fmt.Errorf("there is no completion for %q", shell)
}

// complete offers the values of a flag.
func (o *option) complete(_ *cobra.Command, _ []string, text string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return offer(strings.Trim(o.enum+","+o.values, ","), o.placeholder, text, o.list)
}

// completeArgument offers what the next argument of a command may be.
func (p *Program) completeArgument(c *cobra.Command, before []string, text string) ([]cobra.Completion, cobra.ShellCompDirective) {
	arguments := p.arguments[c]
	if len(arguments) == 0 || len(before) >= len(arguments) && !arguments[len(arguments)-1].several() {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	next := arguments[min(len(before), len(arguments)-1)]
	return offer(next.enum, next.placeholder, text, false)
}

// The values that a placeholder stands for.
var (
	files   = []string{"FILE", "PATH", "PLACE"}
	folders = []string{"FOLDER"}
)

// offer returns those of the values, separated by commas, that begin with text; of a list, those that
// its last word may become. Without values, shells offer files or folders where the placeholder is one.
func offer(values, placeholder, text string, list bool) (out []cobra.Completion, _ cobra.ShellCompDirective) {
	switch {
	case values != "":
	case slices.Contains(files, placeholder):
		return nil, cobra.ShellCompDirectiveDefault
	case slices.Contains(folders, placeholder):
		return nil, cobra.ShellCompDirectiveFilterDirs
	}
	before := ""
	if i := strings.LastIndex(text, ","); i >= 0 && list {
		before, text = text[:i+1], text[i+1:]
	}
	for word := range strings.SplitSeq(values, ",") {
		if word = strings.TrimSpace(word); word != "" && strings.HasPrefix(word, text) {
			out = append(out, before+word)
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}
