package cli_test

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"piyasa/command/cli"
	"piyasa/test/fixture/need"
)

// tool is a small program with everything that help is made of.
type tool struct {
	Level string `help:"How much is said." values:"low,high" default:"low" env:"TOOL_LEVEL"`

	Fetch struct {
		To     string   `help:"Where." placeholder:"FOLDER"`
		Kinds  string   `help:"Which, separated by commas." required:"" values:"all,${kinds}" list:""`
		Dry    bool     `help:"Only say it."`
		Times  int      `help:"How often." aliases:"often"`
		Deep   int      `help:"How deep." aliases:"depth"`
		Secret string   `help:"Not shown." hidden:"" env:"TOOL_SECRET"`
		Files  []string `arg:"" name:"path" placeholder:"PATH" help:"What to fetch; .gz too."`
	} `cmd:"" help:"Fetch it: 'now' or -never-. Costs 5 ₺."`
	Keys struct {
		List struct{}  `cmd:"" help:"List them."`
		Make makeShape `cmd:"" help:"Make one."`
	} `cmd:"" help:"Keep keys."`
	Run struct {
		All struct {
			Once bool          `help:"Once only."`
			Mode string        `help:"How." enum:"calm,quick" default:"calm" env:"TOOL_MODE"`
			Wait time.Duration `help:"How long." default:"1s" env:"TOOL_WAIT"`
			Loud bool          `name:"shout" help:"Loudly."`
			File string        `arg:"" placeholder:"FILE"`
		} `cmd:"" default:"withargs" help:"Run all."`
		Check struct{} `cmd:"" help:"Check it."`
	} `cmd:"" help:"Run it."`
	Ghost struct{} `cmd:"" hidden:""`
}

type makeShape struct {
	Shape string `arg:"" enum:"round,square"`
}

// Help says more about the command.
func (makeShape) Help() string {
	return "Two:\n\n  - one\n  - two\n\nShapes:\n\n\t.round  it is 'round'\n\tsquare\n"
}

func program(target *tool, out io.Writer) *cli.Program {
	return cli.New("tool", "A tool.", target, map[string]string{"kinds": "a:one, a:two, b"}, out)
}

// unset is an environment without variables.
func unset(string) (text, from string) { return "", "" }

func TestComplete(t *testing.T) {
	for line, want := range map[string]string{
		"":                             "fetch keys run help",
		"f":                            "fetch",
		"gho":                          "",
		"keys ":                        "list make",
		"help keys ":                   "list make",
		"keys make ":                   "round square",
		"keys make s":                  "square",
		"keys make --":                 "--help --level",
		"--lev":                        "--level",
		"--level ":                     "low high",
		"--level=h":                    "high",
		"--level high ke":              "keys",
		"fetch --k":                    "--kinds",
		"fetch --kinds ":               "all a:one a:two b",
		"fetch --kinds b,a:":           "b,a:one b,a:two",
		"fetch --kinds=b,a:t":          "b,a:two",
		"fetch --to ":                  "folders",
		"fetch --to=":                  "folders",
		"fetch --dry ":                 "--kinds files",
		"fetch x y":                    "files",
		"fetch --se":                   "",
		"fetch -- --d":                 "files",
		"run ":                         "all check files",
		"run c":                        "check files",
		"run --o":                      "--once",
		"keys list extra ":             "",
		"nonsense nonsense":            "",
		"fetch --kinds all --level lo": "low",
	} {
		var out bytes.Buffer
		need.NoError(t, program(new(tool), &out).Parse(append([]string{"__complete"}, strings.Split(line, " ")...), unset))
		words, directive, _ := strings.Cut(out.String(), ":")
		for strings.Contains(directive, ":") { // a candidate had one
			before, after, _ := strings.Cut(directive, ":")
			words, directive = words+":"+before, after
		}
		var got []string
		for word := range strings.Lines(words) {
			word, _, _ = strings.Cut(strings.TrimSpace(word), "\t")
			got = append(got, word)
		}
		switch strings.TrimSpace(directive) {
		case "0":
			got = append(got, "files")
		case "16":
			got = append(got, "folders")
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("%q: %s, want %s", line, s, want)
		}
	}
}

func TestPages(t *testing.T) {
	pages := map[string]string{}
	sections := []cli.Section{{Title: "EXIT STATUS", Text: "Statuses:\n\n\t0  good\n\t1  bad"}}
	for _, p := range program(new(tool), io.Discard).Pages("1.2", sections) {
		pages[p.Name] = p.Text
	}
	if len(pages) != 8 {
		t.Errorf("%d pages", len(pages))
	}
	for name, parts := range map[string][]string{
		"tool.1": {`.TH "TOOL" 1 "" "tool 1.2"`, "tool \\- A tool\n", `\fBtool\-fetch\fR(1)`,
			"How much is said; default: low ($TOOL_LEVEL).", ".nf\n0  good\n1  bad\n.fi", ".BR tool\\-run (1)\n"},
		"tool-fetch.1": {
			`tool\-fetch \- Fetch it: \(aqnow\(aq or \-never\-. Costs 5 \[u20BA]` + "\n", `\fB\-\-kinds\fR=\fISTRING\fR`, `\fIpath\fR ...`,
			".SH ARGUMENTS",
		},
		"tool-keys-make.1": {"\\&.round  it is \\(aqround\\(aq\n", ".IP \\(bu 2\none\n", ".BR tool\\-keys\\-list (1)\n"},
		"tool-run.1":       {`\fB\-\-once\fR`},
	} {
		for _, part := range parts {
			if !strings.Contains(pages[name], part) {
				t.Errorf("%s lacks %q:\n%s", name, part, pages[name])
			}
		}
	}
	if strings.Contains(pages["tool-fetch.1"], "secret") {
		t.Error("a hidden flag is shown")
	}
}

func TestScript(t *testing.T) {
	for shell := range strings.SplitSeq(cli.Shells, ",") {
		var out bytes.Buffer
		if err := program(new(tool), io.Discard).Script(&out, shell); err != nil || !strings.Contains(out.String(), "__complete") {
			t.Errorf("%s: %v", shell, err)
		}
	}
	if err := program(new(tool), io.Discard).Script(io.Discard, "csh"); err == nil {
		t.Error("a shell without a script")
	}
}

// A flag counts before its variable, and that before the default.
func TestParse(t *testing.T) {
	for _, c := range []struct {
		args      string
		variables map[string]string
		level     string
		selected  string
		wrong     string
	}{
		{args: "keys list", level: "low", selected: "tool keys list"},
		{args: "keys list", variables: map[string]string{"TOOL_LEVEL": "high"}, level: "high", selected: "tool keys list"},
		{args: "--level=x keys list", variables: map[string]string{"TOOL_LEVEL": "high"}, level: "x", selected: "tool keys list"},
		{args: "help keys list"},
		{args: "keys list --help"},
		{args: "help kexs", wrong: `unexpected argument kexs; did you mean "keys"?`},
		{args: "keys lisd --help", wrong: `unexpected argument lisd; did you mean "list"?`},
		{args: "keys", wrong: "a command is missing: list, make"},
		{args: "keyz list", wrong: `unexpected argument keyz; did you mean "keys"?`},
		{args: "keys make", wrong: "<shape> is missing"},
		{args: "keys make oval", wrong: `<shape> must be one of round, square; got "oval"`},
		{args: "keys make round square", wrong: "unexpected argument square"},
		{args: "fetch x", wrong: `required flag(s) "kinds" not set`},
		{args: "fetch --kind all x", wrong: `unknown flag --kind; did you mean "--kinds"?`},
		{args: "fetch --kinds all --times x y", wrong: `invalid argument "x" for "--times" flag: must be a whole number`},
		{args: "fetch --kinds all --often 2 --depth 3 x", level: "low", selected: "tool fetch"},
		{args: "run f --often 2", wrong: "unknown flag --often"},
		{args: "fetch --kinds all", wrong: "<path> is missing"},
		{args: "run all f", variables: map[string]string{"TOOL_WAIT": "long"}, wrong: `TOOL_WAIT: must be a duration such as 30s; got "long"`},
		{args: "run f", variables: map[string]string{"TOOL_MODE": "mad"}, wrong: `TOOL_MODE: must be one of calm, quick; got "mad"`},
		{args: "run f --mode mad", wrong: `--mode: must be one of calm, quick; got "mad"`},
	} {
		t.Run(c.args, func(t *testing.T) {
			got := new(tool)
			p := program(got, io.Discard)
			err := p.Parse(strings.Fields(c.args), func(variable string) (string, string) {
				if text, ok := c.variables[variable]; ok {
					return text, variable
				}
				return "", ""
			})
			switch {
			case c.wrong != "":
				if err == nil || err.Error() != c.wrong {
					t.Errorf("%v, want %s", err, c.wrong)
				}
			case err != nil:
				t.Error(err)
			case c.selected == "" && p.Selected != nil || c.selected != "" && p.Selected.CommandPath() != c.selected:
				t.Errorf("%v is selected", p.Selected)
			case c.selected != "" && got.Level != c.level:
				t.Errorf("%+v", got)
			}
		})
	}
	got := new(tool)
	p := program(got, io.Discard)
	need.NoError(t, p.Parse(strings.Fields("run f --shout=yes --wait 2m"), unset))
	if p.Selected.CommandPath() != "tool run all" || p.Target != any(&got.Run.All) {
		t.Errorf("%v is selected", p.Selected)
	}
	if all := got.Run.All; all.File != "f" || all.Wait != 2*time.Minute || all.Mode != "calm" || !all.Loud {
		t.Errorf("%+v", all)
	}
	wait, mode := p.FlagOf("TOOL_WAIT"), p.FlagOf("TOOL_MODE")
	if !wait.Changed || mode.Changed || cli.Default(mode) != "calm" {
		t.Errorf("%+v %+v", wait, mode)
	}
	if names := p.Variables(); !slices.Equal(names, []string{"TOOL_LEVEL", "TOOL_MODE", "TOOL_SECRET", "TOOL_WAIT"}) {
		t.Error(names)
	}
}
