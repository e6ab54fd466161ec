package manual_test

import (
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"piyasa/command/manual"
	"piyasa/test/fixture/need"
)

// tool is a small program with everything that help is made of.
type tool struct {
	Level string `help:"How much is said." values:"low,high" default:"low" env:"TOOL_LEVEL"`

	Fetch struct {
		To     string   `help:"Where." placeholder:"FOLDER"`
		Kinds  string   `help:"Which, separated by commas." required:"" values:"all,${kinds}" list:""`
		Dry    bool     `help:"Only say it."`
		Secret string   `help:"Not shown." hidden:""`
		Files  []string `arg:"" name:"path" placeholder:"PATH" help:"What to fetch; .gz too."`
	} `cmd:"" help:"Fetch it: 'now' or -never-. Costs 5 ₺."`
	Keys struct {
		List struct{}  `cmd:"" help:"List them."`
		Make makeShape `cmd:"" help:"Make one."`
	} `cmd:"" help:"Keep keys."`
	Run struct {
		All struct {
			Once bool   `help:"Once only."`
			File string `arg:"" placeholder:"FILE"`
		} `cmd:"" default:"withargs" help:"Run all."`
		Check struct{} `cmd:"" help:"Check it."`
	} `cmd:"" help:"Run it."`
	Ghost struct{} `cmd:"" hidden:""`
}

type makeShape struct {
	Shape string `arg:"" enum:"round,square"`
}

// Help implements kong.HelpProvider.
func (makeShape) Help() string {
	return "Two:\n\n  - one\n  - two\n\nShapes:\n\n\t.round  it is 'round'\n\tsquare\n"
}

func app(t *testing.T) *kong.Application {
	t.Helper()
	parser, err := kong.New(new(tool), kong.Name("tool"), kong.Description("A tool."))
	need.NoError(t, err)
	return parser.Model
}

func TestComplete(t *testing.T) {
	vars := kong.Vars{"kinds": "a:one, a:two, b"}
	for line, want := range map[string]string{
		"":                             "fetch keys run",
		"f":                            "fetch",
		"gho":                          "",
		"keys ":                        "list make",
		"help keys ":                   "list make",
		"keys make ":                   "round square",
		"keys make s":                  "square",
		"keys make --":                 "--help --level",
		"--lev":                        "--level",
		"--level ":                     "low high",
		"--level=h":                    "--level=high",
		"--level = h":                  "--level=high", // as bash has it
		"--level =":                    "--level=low --level=high",
		"--level high ke":              "keys",
		"fetch --k":                    "--kinds",
		"fetch --kinds ":               "all a:one a:two b",
		"fetch --kinds b,a:":           "b,a:one b,a:two",
		"fetch --kinds=b,a:t":          "--kinds=b,a:two",
		"fetch --to ":                  ":folders",
		"fetch --to=":                  ":folders",
		"fetch --dry ":                 ":files",
		"fetch x y":                    ":files",
		"fetch --se":                   "",
		"fetch --nonsense x --d":       "--dry",
		"fetch -- --d":                 ":files",
		"run ":                         "all check :files",
		"run c":                        "check :files",
		"run --o":                      "--once",
		"run --nonsense=x ":            "all check :files",
		"fetch --nonsense=":            "",
		"keys list extra ":             "",
		"nonsense nonsense":            "",
		"fetch --kinds all --level lo": "low",
	} {
		c := manual.Complete(app(t), vars, strings.Split(line, " "))
		var got []string
		for _, one := range c.Candidates {
			got = append(got, one.Word)
		}
		if c.Files {
			got = append(got, ":files")
		}
		if c.Folders {
			got = append(got, ":folders")
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("%q: %s, want %s", line, s, want)
		}
	}
	if got := manual.Complete(app(t), nil, nil); len(got.Candidates) != 3 {
		t.Errorf("without words: %v", got)
	}
}

func TestPages(t *testing.T) {
	pages := map[string]string{}
	for _, p := range manual.Pages(app(t), "1.2", []manual.Section{{Title: "EXIT STATUS", Text: "Statuses:\n\n\t0  good\n\t1  bad"}}) {
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
	for shell := range strings.SplitSeq(manual.Shells, ",") {
		if text, err := manual.Script(shell); err != nil || !strings.Contains(text, "piyasa completion "+shell) {
			t.Errorf("%s: %v", shell, err)
		}
	}
	if _, err := manual.Script("csh"); err == nil {
		t.Error("a shell without a script")
	}
}
