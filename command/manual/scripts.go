package manual

import (
	"embed"
	"fmt"
	"io"
)

//go:embed scripts
var scripts embed.FS

// Shells are those that Script knows, separated by commas.
const Shells = "bash,zsh,fish"

// Script returns the script that lets a shell complete commands: it asks the program
// itself, by its hidden command complete.
func Script(shell string) (string, error) {
	text, err := scripts.ReadFile("scripts/piyasa." + shell)
	if err != nil {
		return "", fmt.Errorf("there is no completion for %q", shell)
	}
	return string(text), nil
}

// Write writes what a script understands: a candidate on each line, with its help behind a tab.
func (c Completion) Write(w io.Writer) {
	for _, one := range c.Candidates {
		fmt.Fprintf(w, "%s\t%s\n", one.Word, one.Help)
	}
	if c.Files {
		fmt.Fprintln(w, ":files")
	}
	if c.Folders {
		fmt.Fprintln(w, ":folders")
	}
}
