package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"piyasa/command/cli"
)

type manCommand struct {
	Folder  string   `help:"Write every page to this folder, which is made if it is missing." placeholder:"FOLDER"`
	Command []string `arg:"" optional:"" help:"The command whose page to print, such as keys create; default: that of piyasa."`
}

// Run prints a page, or writes all pages.
func (c *manCommand) Run(_ context.Context, s streams, in invocation) error {
	if c.Folder == "" {
		found, rest, err := in.program.Root.Find(c.Command)
		if err != nil || len(rest) > 0 {
			return usageError{fmt.Errorf("there is no command %q; piyasa --help lists them", strings.Join(c.Command, " "))}
		}
		_, err = io.WriteString(s.out, in.program.Page(found, in.version, sections).Text)
		return err
	}
	if len(c.Command) > 0 {
		return usageError{errors.New("--folder writes every page: leave the command out")}
	}
	if err := os.MkdirAll(c.Folder, 0o755); err != nil {
		return err
	}
	for _, page := range in.program.Pages(in.version, sections) {
		if err := os.WriteFile(filepath.Join(c.Folder, page.Name), []byte(page.Text), 0o644); err != nil {
			return err
		}
		fmt.Fprintln(s.out, filepath.Join(c.Folder, page.Name))
	}
	return nil
}

// sections are on every page of the manual.
var sections = []cli.Section{
	{Title: "EXIT STATUS", Text: `
The status says what happened:

	0  success
	1  failure; of verify and doctor also that they found something
	2  wrong usage: every wrong flag and environment variable is named
	3  of ingest and collect: some records were rejected, all others are stored`},
	{Title: "ENVIRONMENT", Text: `
Most options have an environment variable, which stands behind them in brackets. An option on the command line is stronger.`},
	{Title: "FILES", Text: `
The default database is an SQLite file:

	$XDG_DATA_HOME/piyasa/piyasa.db
	~/.local/share/piyasa/piyasa.db    where XDG_DATA_HOME is not set`},
}

type completionCommand struct {
	Shell string `arg:"" enum:"${shells}" help:"bash, zsh, fish or powershell."`
}

// Help is shown below the description of the command.
func (completionCommand) Help() string {
	return `To try it in this shell:

	source <(piyasa completion bash)
	source <(piyasa completion zsh)
	piyasa completion fish | source
	piyasa completion powershell | Out-String | Invoke-Expression

Bash needs the package bash-completion. To keep it, write what is printed to the folder of your shell, such as ~/.local/share/bash-completion/completions/piyasa, a folder of zsh's fpath under the
name _piyasa, or ~/.config/fish/completions/piyasa.fish.`
}

// Run prints the script.
func (c *completionCommand) Run(_ context.Context, s streams, in invocation) error {
	return in.program.Script(s.out, c.Shell)
}
