package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"text/tabwriter"

	"piyasa/command/cli"
	"piyasa/db"
	"piyasa/internal/problem"
)

type configCommand struct {
	JSON bool `name:"json" help:"Print one JSON list."`
	patient
	serving
	Collect string `help:"JSON file of sources to collect beside serving." env:"PIYASA_COLLECT" placeholder:"FILE"`
}

// Help is shown below the description of the command.
func (configCommand) Help() string {
	return `A setting counts from the first place that states it: a flag, its environment variable, the file of settings, its default. The file is TOML, and a setting
has the name of its variable without PIYASA_, in small letters:

	listen = "0.0.0.0:8080"
	database = "postgres://piyasa@db/piyasa"
	origins = ["https://app.example.com"]
	max_streams = 5000

It is the one of --config or PIYASA_CONFIG, or the first that exists of piyasa/piyasa.toml in your configuration folder (~/.config) and
/etc/piyasa/piyasa.toml. The flags of serve may be given to see what they change. Passwords and keys are hidden.`
}

// inForce is a setting in force, as printed.
type inForce struct {
	Name     string `json:"name"`
	Variable string `json:"variable"`
	Value    string `json:"value"`
	From     string `json:"from"` // flag, variable, file or default
}

// Run prints the settings in force, and checks them.
func (c *configCommand) Run(_ context.Context, s streams, in invocation) error {
	all := settingsInForce(in.program, in.file, os.LookupEnv)
	for _, other := range otherInService(all) {
		fmt.Fprintln(s.err, "piyasa:", other)
	}
	if c.JSON {
		if err := json.NewEncoder(s.out).Encode(all); err != nil {
			return err
		}
	} else {
		if in.file.path != "" {
			fmt.Fprintf(s.out, "file of settings: %s\n\n", in.file.path)
		}
		table := tabwriter.NewWriter(s.out, 0, 0, 2, ' ', 0)
		fmt.Fprintln(table, "SETTING\tVALUE\tFROM")
		for _, one := range all {
			fmt.Fprintf(table, "%s\t%s\t%s\n", one.Name, one.Value, one.From)
		}
		if err := table.Flush(); err != nil {
			return err
		}
	}
	_, err := c.serving.check()
	_, wrong := c.patient.check()
	return errors.Join(err, wrong)
}

// settingsInForce returns every setting with its origin, in the environment that variableOf
// reads.
func settingsInForce(program *cli.Program, file settingsFile, variableOf func(string) (string, bool)) []inForce {
	var all []inForce
	for _, variable := range program.Variables() {
		f := program.FlagOf(variable)
		one := inForce{Name: settingOf(variable), Variable: variable, Value: cli.Default(f), From: "default"}
		text, given := variableOf(variable)
		stated, inFile := file.values[one.Name]
		switch {
		case f.Changed:
			one.Value, one.From = f.Value.String(), "--"+f.Name
		case given:
			one.Value, one.From = text, variable
		case inFile:
			one.Value, one.From = stated, file.path
			if _, given := os.LookupEnv(variable + fileSuffix); given {
				one.From = variable + fileSuffix
			}
		}
		one.Value = hidden(variable, one.Value)
		all = append(all, one)
	}
	for _, variable := range os.Environ() { // traces use the variables of OpenTelemetry
		if name, text, _ := strings.Cut(variable, "="); strings.HasPrefix(name, "OTEL_") {
			all = append(all, inForce{Name: strings.ToLower(name), Variable: name, Value: hidden(name, text), From: name})
		}
	}
	return all
}

// hidden returns a value without passwords and keys.
func hidden(variable, text string) string {
	switch {
	case text == "":
		return ""
	case variable == "PIYASA_DATABASE", variable == "PIYASA_DATABASE_WRITE":
		return db.Shown(text)
	case strings.HasSuffix(variable, "_HEADERS"):
		return "(hidden)"
	}
	if u, err := url.Parse(text); err == nil && u.Scheme != "" && u.Host != "" {
		if u.User != nil {
			u.User = url.User("…")
		}
		if u.RawQuery != "" {
			u.RawQuery = "…"
		}
		text, _ = url.PathUnescape(u.String())
	} else if strings.Contains(text, "://") && strings.Contains(text, "@") {
		return "(hidden)"
	}
	return problem.Masked(text)
}
