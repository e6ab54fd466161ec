// The command vulnerabilities looks up the modules of piyasa in the Go vulnerability database with
// govulncheck. If it cannot reach vuln.go.dev, it says so and uses the copy that
// release/tools/vulndb/go.mod pins. Its exit status is 1 if the code calls something vulnerable in
// a module. It only prints vulnerabilities that the code does not call, or that concern the Go
// toolchain, which builds choose. Without either database it says that nothing was checked.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"go/version"
	"io"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Bounds of the lookups.
const (
	reachTime = 5 * time.Second
	scanTime  = 5 * time.Minute
	oldAfter  = 90 * 24 * time.Hour
)

// standardLibrary is what govulncheck calls the module of the Go toolchain.
const standardLibrary = "stdlib"

// errVulnerable reports that something vulnerable is called.
var errVulnerable = errors.New("the code calls what is vulnerable: update the modules named above")

func main() {
	var c checker
	flag.StringVar(&c.online, "db", "https://vuln.go.dev", "`address` of the vulnerability database")
	flag.StringVar(&c.pinned, "pinned", "release/tools/vulndb/go.mod", "`modfile` that pins the copy")
	flag.Parse()
	c.out, c.now, c.modules = os.Stdout, time.Now(), flag.Args()
	if len(c.modules) == 0 {
		c.modules = []string{".", "test/torture", "test/bench"}
	}
	if err := c.run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "vulnerabilities:", err)
		os.Exit(1)
	}
}

// checker scans the modules in some folders.
type checker struct {
	online, pinned string
	modules        []string
	now            time.Time
	out            io.Writer
}

func (c *checker) run(ctx context.Context) error {
	unreached := reach(ctx, c.online)
	if unreached == nil {
		if unreached = c.scanAll(ctx, c.online); unreached == nil || errors.Is(unreached, errVulnerable) {
			return unreached
		}
	}
	fmt.Fprintf(c.out, "NOT CHECKED against %s, which gave no answer: %v\n", c.online, unreached)
	folder, of, err := copied(ctx, c.pinned)
	if err != nil { // no network, which is not a fault of the code
		fmt.Fprintf(c.out, "NOT CHECKED against the copy that %s pins either: %v\nNothing is known of vulnerabilities in these versions.\n",
			c.pinned, err)
		return nil
	}
	fmt.Fprintf(c.out, "Checking against the copy of %s instead, which knows nothing of later ones.\n", of.Format(time.DateOnly))
	if c.now.Sub(of) > oldAfter {
		fmt.Fprintf(c.out, "The copy is old: name a newer version of golang.org/x/vulndb in %s.\n", c.pinned)
	}
	return c.scanAll(ctx, "file://"+filepath.ToSlash(folder))
}

// reach returns an error if a database does not answer.
func reach(ctx context.Context, database string) error {
	ctx, cancel := context.WithTimeout(ctx, reachTime)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodHead, database+"/index/modules.json.gz", nil)
	if err != nil {
		return err
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return errors.New(res.Status)
	}
	return nil
}

// copied returns the folder of the pinned copy and the time of its data.
func copied(ctx context.Context, modfile string) (folder string, of time.Time, err error) {
	ctx, cancel := context.WithTimeout(ctx, scanTime)
	defer cancel()
	out, err := output(exec.CommandContext(ctx, "go", "mod", "download", "-modfile="+modfile, "-json", "golang.org/x/vulndb"))
	if err != nil {
		return "", of, err
	}
	var m struct{ Dir, Version string }
	if err := json.Unmarshal(out, &m); err != nil {
		return "", of, err
	}
	_, stamp, _ := strings.Cut(m.Version, "-") // v0.0.0-TIME-COMMIT
	stamp, _, _ = strings.Cut(stamp, "-")
	of, err = time.Parse("20060102150405", stamp)
	return filepath.Join(m.Dir, "data", "osv"), of, err
}

// scanAll scans every module and reports the findings.
func (c *checker) scanAll(ctx context.Context, database string) error {
	vulnerable := false
	for _, folder := range c.modules {
		found, err := scan(ctx, database, folder, "package")
		if err != nil {
			return err
		}
		if slices.ContainsFunc(slices.Collect(maps.Values(found)), finding.concerns) { // the scan for calls is slow
			if found, err = scan(ctx, database, folder, "symbol"); err != nil {
				return err
			}
		}
		fmt.Fprintf(c.out, "%s: ", folder)
		if c.report(found) {
			vulnerable = true
		}
	}
	if vulnerable {
		return errVulnerable
	}
	return nil
}

// finding is a vulnerability in a required module.
type finding struct {
	OSV          string `json:"osv"`
	FixedVersion string `json:"fixed_version"`
	Trace        []struct {
		Module, Version, Package, Function string
	} `json:"trace"` // the vulnerable code first
}

// depth says how the code uses what is vulnerable: 2 it calls it, 1 it imports the package, 0 it
// requires the module.
func (f finding) depth() int {
	switch at := f.Trace[0]; {
	case at.Function != "":
		return 2
	case at.Package != "":
		return 1
	default:
		return 0
	}
}

// concerns reports whether the finding is in a package of a module that is imported.
func (f finding) concerns() bool { return f.depth() > 0 && f.Trace[0].Module != standardLibrary }

// goVersion returns the version of Go that fixes the finding, such as go1.26.10.
func (f finding) goVersion() string { return "go" + strings.TrimPrefix(f.FixedVersion, "v") }

// scan returns the deepest finding of each vulnerability and module.
func scan(ctx context.Context, database, folder, level string) (map[string]finding, error) {
	ctx, cancel := context.WithTimeout(ctx, scanTime)
	defer cancel()
	out, err := output(exec.CommandContext(ctx, "go", "tool", "-modfile=release/tools/go.mod", "govulncheck", "-db", database, "-C", folder,
		"-scan", level, "-format", "json", "./..."))
	if err != nil {
		return nil, err
	}
	found := map[string]finding{}
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var message struct{ Finding *finding }
		if err := dec.Decode(&message); errors.Is(err, io.EOF) {
			return found, nil
		} else if err != nil {
			return nil, err
		}
		if f := message.Finding; f != nil {
			key := f.OSV + " " + f.Trace[0].Module
			if known, ok := found[key]; !ok || known.depth() < f.depth() {
				found[key] = *f
			}
		}
	}
}

// report prints findings, and reports whether the code calls something vulnerable in a module.
func (c *checker) report(found map[string]finding) (vulnerable bool) {
	var lines []string
	var toolchain []finding
	for _, key := range slices.Sorted(maps.Keys(found)) {
		f := found[key]
		at := f.Trace[0]
		fixed := "no version fixes it"
		if f.FixedVersion != "" {
			fixed = "fixed in " + f.FixedVersion
		}
		switch {
		case at.Module == standardLibrary:
			if f.depth() > 0 {
				toolchain = append(toolchain, f)
			}
		case f.depth() == 2:
			vulnerable = true
			lines = append(lines, fmt.Sprintf("VULNERABLE: %s in %s %s, of which %s.%s is called; %s",
				f.OSV, at.Module, at.Version, at.Package, at.Function, fixed))
		default:
			lines = append(lines, fmt.Sprintf("not called: %s in %s %s; %s", f.OSV, at.Module, at.Version, fixed))
		}
	}
	if len(toolchain) > 0 {
		newest := slices.MaxFunc(toolchain, func(a, b finding) int { return version.Compare(a.goVersion(), b.goVersion()) })
		lines = append(lines,
			fmt.Sprintf("TOOLCHAIN: the standard library of this Go, %s, has %d known vulnerabilities in packages that are linked; build "+
				"releases with %s or later",
				newest.Trace[0].Version, len(toolchain), newest.goVersion()))
	}
	if !vulnerable {
		fmt.Fprint(c.out, "no module has a known vulnerability that is called")
	}
	fmt.Fprintln(c.out)
	for _, line := range lines {
		fmt.Fprintln(c.out, "  "+line)
	}
	return vulnerable
}

// output runs a command and returns its output; an error includes its messages.
func output(cmd *exec.Cmd) ([]byte, error) {
	var message strings.Builder
	cmd.Stderr = &message
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %s", strings.Join(cmd.Args, " "), err, strings.TrimSpace(message.String()))
	}
	return out, nil
}
