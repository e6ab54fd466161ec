package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"piyasa/collect"
	"piyasa/db"
	"piyasa/serve/deliver"
)

type doctorCommand struct {
	JSON    bool   `name:"json" help:"Print each finding as one JSON object."`
	Least   string `help:"Least severe level that is printed and counts: ok, warning or error." enum:"ok,warning,error" default:"ok" placeholder:"LEVEL"`
	Offline bool   `help:"Ask no upstream of the file of sources."`
	patient
	serving
	Collect string `help:"JSON file of sources that the server collects; default: none." env:"PIYASA_COLLECT" placeholder:"FILE"`
	Deliver string `help:"JSON file of sinks that the server delivers; default: none." env:"PIYASA_DELIVER" placeholder:"FILE"`
}

// Help is shown below the description of the command.
func (doctorCommand) Help() string {
	return `It looks at the settings, the permissions of private files, the disk, clocks, limits of files and connections, the version and the settings of the database, its
indexes, certificates, and whether upstreams answer. It changes nothing. Each finding says what was seen, what it means, and what mends it. Run it as the user who
runs the server, with the same settings; the flags of serve may be given. What the database holds is for piyasa verify to check.`
}

// Levels of findings.
const (
	levelOK      = "ok"
	levelWarning = "warning"
	levelError   = "error"
)

var severities = []string{levelOK, levelWarning, levelError}

// finding is the result of a check of doctor. An ok one has only the observation.
type finding struct {
	Level string `json:"level"`
	Check string `json:"check"`
	Seen  string `json:"seen"`
	Means string `json:"means,omitempty"`
	Mend  string `json:"mend,omitempty"`
}

// doctor is a run of the command.
type doctor struct {
	*doctorCommand
	findings []finding
}

// trouble adds a finding.
func (d *doctor) trouble(level, check, seen, means, mend string) {
	d.findings = append(d.findings, finding{level, check, seen, means, mend})
}

// fine adds an observation if a check has found nothing.
func (d *doctor) fine(check, seen string) {
	if !slices.ContainsFunc(d.findings, func(f finding) bool { return f.Check == check }) {
		d.findings = append(d.findings, finding{Level: levelOK, Check: check, Seen: seen})
	}
}

// Run checks everything and prints the findings. Its status is that of verify.
func (c *doctorCommand) Run(ctx context.Context, s streams, in invocation) error {
	d := &doctor{doctorCommand: c}
	if d.settings(in.file) {
		for _, other := range otherInService(settingsInForce(in.program, in.file, os.LookupEnv)) {
			d.trouble(levelWarning, "settings", other,
				"what this user looks at or stores is not what the service answers from, or not as it does",
				"say it in "+machineSettings+" alone: piyasa config; systemctl cat piyasa")
		}
		where := "from flags and environment"
		if in.file.path != "" {
			where = "with " + in.file.path
		}
		d.fine("settings", where)
		d.files(in.file)
		d.certificates()
		d.limits()
		d.database(ctx)
		d.sources(ctx, in.version)
	}
	found := false
	for _, f := range d.findings {
		if slices.Index(severities, f.Level) < slices.Index(severities, c.Least) {
			continue
		}
		found = found || f.Level != levelOK
		if c.JSON {
			if err := json.NewEncoder(s.out).Encode(f); err != nil {
				return err
			}
			continue
		}
		fmt.Fprintf(s.out, "%-8s %-13s %s\n", f.Level, f.Check, f.Seen)
		if f.Level != levelOK {
			fmt.Fprintf(s.out, "%23s%s\n%23s%s\n", "means: ", f.Means, "mend:  ", f.Mend)
		}
	}
	if found {
		return exit(exitFailed)
	}
	return nil
}

// settings checks the settings, and reports whether the rest can be checked.
func (d *doctor) settings(file settingsFile) bool {
	if file.wrong != nil {
		for _, err := range each(file.wrong) {
			d.trouble(levelError, "settings", err.Error(),
				"no command that serves or stores starts; nothing else was looked at, since another place would count for it",
				"correct the file or the variable, and look with: piyasa config")
		}
		return false
	}
	_, err := d.serving.check()
	_, wrong := d.patient.check()
	for _, err := range each(err, wrong) {
		if !strings.HasPrefix(err.Error(), "PIYASA_TLS_") && !strings.HasPrefix(err.Error(), "PIYASA_ACME_") { // certificates
			d.trouble(levelError, "settings", err.Error(), "the server does not start", "correct it where it is set: piyasa config")
		}
	}
	if d.Now != "" {
		d.trouble(levelWarning, "clock", "PIYASA_NOW is "+d.Now,
			"the server lives at another time than its clients; this is for replays and tests", "unset PIYASA_NOW")
	}
	return true
}

// each returns the single errors in joined ones.
func each(all ...error) (single []error) {
	for _, err := range all {
		if wrong, ok := err.(usageError); ok {
			err = wrong.error
		}
		if joined, ok := err.(interface{ Unwrap() []error }); ok {
			single = append(single, each(joined.Unwrap()...)...)
		} else if err != nil {
			single = append(single, err)
		}
	}
	return single
}

// files checks who can read private files.
func (d *doctor) files(file settingsFile) {
	private := []string{file.path, d.Collect}
	private = append(private, words(d.Key)...)
	if d.Key == "" {
		private = append(private, words(d.Cert)...)
	}
	if url, _, err := d.patient.database.check(); err == nil && isFile(url) {
		path := strings.TrimPrefix(url, "sqlite:")
		private = append(private, path, path+"-wal")
	}
	looked := 0
	for _, path := range private {
		if path == "" || runtime.GOOS == "windows" { // Windows keeps permissions in access control lists
			continue
		}
		if _, err := os.Stat(path); err != nil {
			continue // the check that needs it reports it
		}
		looked++
		if db.Readable(path) {
			d.trouble(levelWarning, "files", "every user of this machine can read "+path,
				"it has passwords, keys, or what clients may not see", "chmod o= "+path)
		}
	}
	d.fine("files", fmt.Sprintf("%d private files are private", looked))
}

// fewFiles is a limit of open files that a busy server can reach.
const fewFiles = 4096

// limits checks the limit of open files.
func (d *doctor) limits() {
	files := openFiles()
	if files > 0 && files < fewFiles {
		d.trouble(levelWarning, "limits", fmt.Sprintf("this process may have %d open files", files),
			fmt.Sprintf("the server turns clients away beyond %d connections", maxConnectionsOf(files)),
			"ulimit -n 65536, or LimitNOFILE=65536 in the unit")
	}
}

// database checks the database.
func (d *doctor) database(ctx context.Context) {
	url, options, err := d.patient.database.check()
	if err != nil {
		return // settings has reported it
	}
	if db.Missing(url) {
		d.trouble(levelWarning, "database", db.Shown(url)+" does not exist",
			"nothing is stored yet, or the address is wrong: the server would create an empty one", "piyasa config | grep database")
		return
	}
	seen, err := db.Examine(ctx, url, options...)
	for _, t := range seen.Troubles {
		level := levelWarning
		if t.Severe {
			level = levelError
		}
		d.trouble(level, t.Check, t.Seen, t.Means, t.Mend)
	}
	if err != nil {
		d.trouble(levelError, "database", fmt.Sprintf("%s cannot be used: %v", db.Shown(url), err),
			"servers do not start, or wait until it answers", "start the database, or correct PIYASA_DATABASE: piyasa config")
		return
	}
	d.fine("database", seen.About+" at "+db.Shown(url))
	d.backups(ctx, url, options)
	for check, what := range map[string]string{"indexes": "all are there", "clock": "agrees with what is stored",
		"limits": fmt.Sprintf("%d open files", openFiles())} {
		d.fine(check, what)
	}
	if isFile(url) {
		d.fine("disk", "there is room")
	}
	slices.SortStableFunc(d.findings, func(a, b finding) int { return strings.Compare(a.Check, b.Check) })
}

// backups checks the scheduled backups.
func (d *doctor) backups(ctx context.Context, url string, options []db.Option) {
	store, err := db.OpenToRead(ctx, url, options...)
	if err != nil {
		return // another schema, which was already reported
	}
	defer store.Close()
	report, err := deliver.ReportBackups(ctx, store, time.Now())
	gone := d.missing(ctx, report)
	switch {
	case err != nil:
		d.trouble(levelError, "backups", err.Error(), "how backups by schedule fare is not known", "piyasa status")
	case report == nil:
		d.fine("backups", "piyasa makes none by schedule")
	case report.Overdue > deliver.BackupLate.Seconds():
		seen := newestBackup(report) + "; the next one is due since " + report.Due.Format(time.RFC3339)
		if report.Error != nil {
			seen += ": " + oneLine(*report.Error)
		}
		d.trouble(levelError, "backups", seen, "what was stored since the newest one would be lost with the database",
			`keep a piyasa deliver or serve --deliver running whose file has "backup", or correct what fails: piyasa deliver check FILE`)
	case errors.Is(gone, deliver.ErrGone):
		d.trouble(levelError, "backups", gone.Error(), "what was stored since an older one would be lost with the database",
			"look who removed it; piyasa deliver --once FILE makes another one")
	case gone != nil && (isFile(url) || d.Deliver != ""): // otherwise a deliverer on another machine makes them
		d.trouble(levelWarning, "backups", gone.Error(), "whether the newest backup is there is not known",
			"mount its disk, or run this where backups are made, as the user who makes them")
	case report.Failures > 0:
		d.trouble(levelWarning, "backups", collect.Count(report.Failures, "attempt")+" failed in a row: "+oneLine(*report.Error),
			"earlier backups stay, and become old; it is tried again", "piyasa deliver check FILE, with the file of the deliverer")
	default:
		d.fine("backups", newestBackup(report))
	}
}

// missing checks that the newest backup is in its place.
func (d *doctor) missing(ctx context.Context, report *deliver.BackupReport) error {
	if report == nil {
		return nil
	}
	var plan *deliver.BackupPlan
	if d.Deliver != "" {
		config, err := readSinks(d.Deliver)
		if err != nil {
			return err
		}
		defer config.Close()
		plan = config.Backup
	}
	return report.Missing(ctx, plan)
}

// askTime is the timeout for the upstreams of a file of sources.
const askTime = time.Minute

// sources asks each upstream for one answer.
func (d *doctor) sources(ctx context.Context, version string) {
	if d.Collect == "" {
		return
	}
	config, err := readSources(d.Collect)
	if err != nil {
		d.trouble(levelError, "sources", err.Error(), "the server does not start", "piyasa collect check "+d.Collect)
		return
	}
	if d.Offline {
		d.fine("sources", fmt.Sprintf("%d are named; none was asked", len(config.Sources)))
		return
	}
	clock, err := clockFrom(d.Now)
	if err != nil {
		return // settings has reported it
	}
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	for _, found := range newCollector(config, clock, version).Check(ctx) {
		if found.Err != nil {
			d.trouble(levelError, "sources", fmt.Sprintf("%s: %v", found.Source, found.Err), "its data becomes old",
				"piyasa collect check "+d.Collect)
		}
		if found.Warning != nil {
			d.trouble(levelWarning, "sources", fmt.Sprintf("%s: %v", found.Source, found.Warning),
				"it goes on, but not all of it is as expected", "piyasa collect check "+d.Collect)
		}
	}
	d.fine("sources", fmt.Sprintf("%d answer, %d are off", len(config.Sources), len(config.Off)))
}
