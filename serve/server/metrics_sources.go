package server

import (
	"github.com/prometheus/client_golang/prometheus"

	"piyasa/domain/market"
	"piyasa/internal/value"
)

// sources collects the state of the data sources.
type sources func() []*market.Source

var (
	sourceUp = prometheus.NewDesc("piyasa_source_up",
		"Whether a source of data was up when it was last checked (1) or not (0), by source.", []string{"source"}, nil)
	sourceSuccess = prometheus.NewDesc("piyasa_source_last_success_timestamp_seconds",
		"When everything that was due of a source was last collected, by source.", []string{"source"}, nil)
	sourceNewest = prometheus.NewDesc("piyasa_source_newest_record_timestamp_seconds",
		"When the newest record of a source was observed or published, by source.", []string{"source"}, nil)
	sourceLag = prometheus.NewDesc("piyasa_source_lag_seconds",
		"How long the next success of a source has been due, by source; 0 before it is.", []string{"source"}, nil)
)

// Describe implements prometheus.Collector.
func (sources) Describe(out chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{sourceUp, sourceSuccess, sourceNewest, sourceLag} {
		out <- d
	}
}

// Collect implements prometheus.Collector.
func (s sources) Collect(out chan<- prometheus.Metric) {
	for _, source := range s() {
		gauge := func(d *prometheus.Desc, v float64) {
			out <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, source.Name)
		}
		up := 0.0
		if source.Up {
			up = 1
		}
		gauge(sourceUp, up)
		for d, t := range map[*prometheus.Desc]value.Instant{sourceSuccess: source.LastSuccess, sourceNewest: source.NewestRecord} {
			if !t.IsNull() {
				gauge(d, float64(t.Time().UnixMilli())/1000)
			}
		}
		if source.LagSeconds != nil {
			gauge(sourceLag, float64(*source.LagSeconds))
		}
	}
}
