package soak

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// sample is what the metrics say at a moment.
type sample struct {
	at time.Time
	of map[string]float64
}

// The metrics of what must not grow.
const (
	memory      = "process_resident_memory_bytes"
	goroutines  = "go_goroutines"
	descriptors = "process_open_fds"
)

// bound says how much more of something there may be in the last quarter than in the
// second, by their medians.
type bound struct {
	metric string
	factor float64
	plus   float64
}

// longBounds are those of a long soak. A short one ends before the heap has its size.
var (
	longBounds  = []bound{{memory, 1.10, 8 << 20}, {goroutines, 1.05, 20}, {descriptors, 1.05, 10}}
	shortBounds = []bound{{memory, 1.25, 24 << 20}, {goroutines, 1.10, 20}, {descriptors, 1.10, 10}}
)

// metrics asks the private listener once.
func (w *soaked) metrics(ctx context.Context) (map[string]float64, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+w.private+"/metrics", nil)
	if err != nil {
		return nil, err
	}
	answer, err := w.client.Do(r)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	all := map[string]float64{}
	lines := bufio.NewScanner(answer.Body)
	for lines.Scan() {
		name, text, ok := strings.Cut(lines.Text(), " ")
		if value, err := strconv.ParseFloat(text, 64); ok && err == nil {
			name, _, _ = strings.Cut(name, "{") // all labels together
			all[name] += value
		}
	}
	return all, lines.Err()
}

// sampling samples until ctx ends.
func (w *soaked) sampling(ctx context.Context, every time.Duration) (all []sample) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return all
		case <-tick.C:
		}
		of, err := w.metrics(ctx)
		if err != nil {
			if ctx.Err() == nil {
				w.fault("the private listener: %v", err)
			}
			continue
		}
		all = append(all, sample{time.Now(), of})
	}
}

// judge compares the last quarter of the time with the second.
func judge(samples []sample, began, ended time.Time, bounds []bound) (report string, faults []string) {
	quarter := ended.Sub(began) / 4
	median := func(metric string, n int) (float64, int) {
		from, to := began.Add(time.Duration(n)*quarter), began.Add(time.Duration(n+1)*quarter)
		var values []float64
		for _, s := range samples {
			if v, ok := s.of[metric]; ok && !s.at.Before(from) && s.at.Before(to) {
				values = append(values, v)
			}
		}
		if len(values) == 0 {
			return 0, 0
		}
		slices.Sort(values)
		return values[len(values)/2], len(values)
	}
	for _, b := range bounds {
		report += "\n" + b.metric + ":"
		var of [4]float64
		for n := range of {
			var count int
			of[n], count = median(b.metric, n)
			report += fmt.Sprintf(" %.0f", of[n])
			if n%2 == 1 && count < 5 {
				faults = append(faults, fmt.Sprintf("%s has only %d samples in quarter %d", b.metric, count, n+1))
			}
		}
		if most := of[1]*b.factor + b.plus; of[3] > most {
			faults = append(faults, fmt.Sprintf("%s grows: %.0f in the second quarter, %.0f in the last, more than %.0f",
				b.metric, of[1], of[3], most))
		}
	}
	return report, faults
}
