package deliver

import (
	"context"
	"encoding/json"
	"log/slog"
	"maps"
	"math"
	"net/http"
	"path/filepath"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"piyasa/db"
	"piyasa/internal/epoch"
)

// Report is the state of a sink, in whichever process delivers it.
type Report struct {
	Name      string            `json:"name"`
	Backlog   int64             `json:"backlog"`    // changes not delivered yet, at most: some may not be for the sink
	CaughtUp  *time.Time        `json:"caught_up"`  // when it last had everything, to within ten seconds; null: never
	Delivered int64             `json:"delivered"`  // changes
	Failed    int64             `json:"failed"`     // deliveries
	Failures  int               `json:"failures"`   // in a row; 0: the last one worked
	Error     *string           `json:"last_error"` // of the last failed delivery
	Disabled  *string           `json:"disabled"`   // why nothing is delivered any more
	Positions map[string]string `json:"positions"`  // by feed, as in events
}

// States reads the states of sinks, and the log that they follow.
type States interface {
	// Sinks returns the states of all sinks by name.
	Sinks(context.Context) (map[string]json.RawMessage, error)
	// Look returns the last number of every feed, and the epochs.
	Look(context.Context) (epoch.Moment, error)
}

// Reports returns the reports of all sinks, sorted by name.
func Reports(ctx context.Context, in States) ([]*Report, error) {
	states, err := in.Sinks(ctx)
	delete(states, db.Backups)
	if err != nil || len(states) == 0 {
		return []*Report{}, err
	}
	m, err := in.Look(ctx)
	if err != nil {
		return nil, err
	}
	var all []*Report
	for _, name := range slices.Sorted(maps.Keys(states)) {
		var s State
		if err := json.Unmarshal(states[name], &s); err != nil {
			return nil, err
		}
		r := &Report{Name: name, Delivered: s.Delivered, Failed: s.Failed, Failures: s.Failures, Positions: map[string]string{}}
		for feed, p := range s.Feeds {
			r.Positions[feed] = p.String()
			r.Backlog += m.After(feed, p.Number)
		}
		if !s.CaughtUp.IsZero() {
			r.CaughtUp = &s.CaughtUp
		}
		if s.Error != "" {
			r.Error = &s.Error
		}
		if s.Disabled != "" {
			r.Disabled = &s.Disabled
		}
		all = append(all, r)
	}
	return all, nil
}

// BackupLate is how late a backup may be before it counts as overdue: it takes time, and may
// succeed only at a later attempt.
const BackupLate = 2 * time.Hour

// BackupReport is the state of backups by schedule, in whichever process makes them.
type BackupReport struct {
	Newest  *Backup   `json:"newest"` // the newest verified backup; null: none
	Age     *float64  `json:"age_seconds"`
	Kept    int       `json:"kept"`
	Due     time.Time `json:"due"` // when the next backup is due
	Overdue float64   `json:"overdue_seconds"`

	Failures int     `json:"failures"` // in a row
	Failed   int64   `json:"failed"`
	Error    *string `json:"last_error"`
}

// ReportBackups returns the state of backups by schedule; nil: none are made.
func ReportBackups(ctx context.Context, in interface {
	Sinks(context.Context) (map[string]json.RawMessage, error)
}, now time.Time) (*BackupReport, error) {
	states, err := in.Sinks(ctx)
	if err != nil || states[db.Backups] == nil {
		return nil, err
	}
	var s backupState
	if err := json.Unmarshal(states[db.Backups], &s); err != nil || s.Since.IsZero() {
		return nil, err
	}
	r := &BackupReport{Kept: len(s.Made), Due: s.Due, Overdue: max(0, now.Sub(s.Due).Seconds()), Failures: s.Failures, Failed: s.Failed}
	if len(s.Made) > 0 {
		r.Newest = &s.Made[len(s.Made)-1]
		r.Age = new(now.Sub(r.Newest.At).Seconds())
	}
	if s.Error != "" {
		r.Error = &s.Error
	}
	return r, nil
}

// Missing looks for the newest backup in the place of a plan, or, without a plan, in its folder.
// It returns ErrGone if the backup is missing there, and nil if this process cannot look there,
// such as in a bucket without its plan.
func (r *BackupReport) Missing(ctx context.Context, plan *BackupPlan) error {
	if r.Newest == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, checkTime)
	defer cancel()
	if plan != nil && plan.to != nil && plan.to.String() == r.Newest.Place {
		return r.Newest.missing(ctx, plan.to)
	}
	if filepath.IsAbs(r.Newest.Place) {
		return r.Newest.missing(ctx, backupFolder(r.Newest.Place))
	}
	return nil
}

// OfKeys is the state of the webhooks that keys have registered.
type OfKeys struct {
	Registered int  `json:"registered"`
	Failing    int  `json:"failing"`   // of them: those whose last delivery failed
	Disabled   int  `json:"disabled"`  // of them: those that are not delivered any more
	Delivers   bool `json:"delivered"` // whether a process delivers them now
}

// WebhooksOfKeys returns the state of the webhooks of keys.
func WebhooksOfKeys(ctx context.Context, in *db.Store) (*OfKeys, error) {
	all, err := in.LiveWebhooks(ctx)
	if err != nil {
		return nil, err
	}
	found := &OfKeys{Registered: len(all)}
	for _, w := range all {
		var s State
		if w.State != "" {
			if err := json.Unmarshal([]byte(w.State), &s); err != nil {
				return nil, err
			}
		}
		if s.Disabled != "" {
			found.Disabled++
		} else if s.Failures > 0 {
			found.Failing++
		}
	}
	found.Delivers, err = in.DeliversWebhooks(ctx)
	return found, err
}

// Handler answers with the reports of all sinks.
func Handler(in States) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		reports, err := Reports(r.Context(), in)
		if err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]any{"sinks": reports})
	})
}

// Metrics collects the state of sinks from the store, at each scrape.
type Metrics struct{ In States }

func described(name, help string) *prometheus.Desc {
	return prometheus.NewDesc("piyasa_sink_"+name, help, []string{"sink"}, nil)
}

var (
	backlogMetric   = described("backlog_changes", "Changes of the log that a sink does not have, at most.")
	caughtUpMetric  = described("caught_up_timestamp_seconds", "When a sink last had everything.")
	deliveredMetric = described("delivered_changes_total", "Changes that were delivered.")
	failedMetric    = described("failed_deliveries_total", "Deliveries that failed, and are tried again.")
	failingMetric   = described("failing_deliveries", "Deliveries that failed since the last one that worked.")
	disabledMetric  = described("disabled", "1 if nothing is delivered any more until an operator says so.")

	backupAgeMetric     = ofBackups("age_seconds", "Age of the newest verified backup that is made by schedule; +Inf: there is none.")
	backupOverdueMetric = ofBackups("overdue_seconds", "For how long there should be a newer one by its schedule.")
	backupBytesMetric   = ofBackups("bytes", "Size of the newest verified backup.")
	backupFailingMetric = ofBackups("failing", "Attempts to back up that failed since the last one that worked.")
	backupFailedMetric  = ofBackups("failed_total", "Attempts to back up that failed, and are made again.")
)

func ofBackups(name, help string) *prometheus.Desc {
	return prometheus.NewDesc("piyasa_backup_"+name, help, nil, nil)
}

// Describe implements prometheus.Collector.
func (m Metrics) Describe(out chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{
		backlogMetric, caughtUpMetric, deliveredMetric, failedMetric, failingMetric, disabledMetric,
		backupAgeMetric, backupOverdueMetric, backupBytesMetric, backupFailingMetric, backupFailedMetric,
	} {
		out <- d
	}
}

// metricsTime is the timeout of the store during a scrape.
const metricsTime = 2 * time.Second

// Collect implements prometheus.Collector.
func (m Metrics) Collect(out chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), metricsTime)
	defer cancel()
	reports, err := Reports(ctx, m.In)
	if err != nil {
		slog.Warn("how sinks fare is not known", "error", err)
		return
	}
	backups, err := ReportBackups(ctx, m.In, time.Now())
	if err != nil {
		slog.Warn("how backups fare is not known", "error", err)
	}
	if backups != nil {
		age, size := math.Inf(1), 0.0
		if b := backups.Newest; b != nil {
			age, size = *backups.Age, float64(b.Bytes)
		}
		for d, v := range map[*prometheus.Desc]float64{
			backupAgeMetric: age, backupOverdueMetric: backups.Overdue, backupBytesMetric: size,
			backupFailingMetric: float64(backups.Failures),
		} {
			out <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v)
		}
		out <- prometheus.MustNewConstMetric(backupFailedMetric, prometheus.CounterValue, float64(backups.Failed))
	}
	for _, r := range reports {
		gauge := func(d *prometheus.Desc, v float64) {
			out <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, r.Name)
		}
		gauge(backlogMetric, float64(r.Backlog))
		gauge(failingMetric, float64(r.Failures))
		disabled := 0.0
		if r.Disabled != nil {
			disabled = 1
		}
		gauge(disabledMetric, disabled)
		if r.CaughtUp != nil {
			gauge(caughtUpMetric, float64(r.CaughtUp.UnixMilli())/1000)
		}
		out <- prometheus.MustNewConstMetric(deliveredMetric, prometheus.CounterValue, float64(r.Delivered), r.Name)
		out <- prometheus.MustNewConstMetric(failedMetric, prometheus.CounterValue, float64(r.Failed), r.Name)
	}
}
