package server

import (
	"github.com/prometheus/client_golang/prometheus"

	"piyasa/internal/cache"
)

// caches collects the counts of caches by name.
type caches map[string]func() cache.Counts

var (
	cacheHits   = prometheus.NewDesc("piyasa_cache_hits_total", "What was asked of a cache and kept, by cache.", []string{"cache"}, nil)
	cacheMisses = prometheus.NewDesc("piyasa_cache_misses_total",
		"What was asked of a cache and not kept, or not current any more, by cache.", []string{"cache"}, nil)
	cacheEvictions = prometheus.NewDesc("piyasa_cache_evictions_total", "What a cache dropped for want of room, by cache.",
		[]string{"cache"}, nil)
	cacheEntries = prometheus.NewDesc("piyasa_cache_entries", "What a cache holds, by cache.", []string{"cache"}, nil)
	cacheBytes   = prometheus.NewDesc("piyasa_cache_bytes", "About how much memory a cache takes, by cache.", []string{"cache"}, nil)
)

// Describe implements prometheus.Collector.
func (caches) Describe(out chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{cacheHits, cacheMisses, cacheEvictions, cacheEntries, cacheBytes} {
		out <- d
	}
}

// Collect implements prometheus.Collector.
func (c caches) Collect(out chan<- prometheus.Metric) {
	for name, counts := range c {
		of := counts()
		out <- prometheus.MustNewConstMetric(cacheHits, prometheus.CounterValue, float64(of.Hits), name)
		out <- prometheus.MustNewConstMetric(cacheMisses, prometheus.CounterValue, float64(of.Misses), name)
		out <- prometheus.MustNewConstMetric(cacheEvictions, prometheus.CounterValue, float64(of.Evictions), name)
		out <- prometheus.MustNewConstMetric(cacheEntries, prometheus.GaugeValue, float64(of.Entries), name)
		out <- prometheus.MustNewConstMetric(cacheBytes, prometheus.GaugeValue, float64(of.Bytes), name)
	}
}
