package server

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Machine collects metrics of a server's surroundings: its certificates and its disk.
type Machine struct {
	Certificates func() map[string]time.Time        // when certificates expire, by name; nil: there are none
	Disk         func() (free, size int64, ok bool) // bytes of the database's file system; not ok: not known
}

var (
	certificateExpiry = prometheus.NewDesc("piyasa_certificate_expiry_timestamp_seconds",
		"Until when a certificate of the server is valid, by its name.", []string{"name"}, nil)
	diskFree = prometheus.NewDesc("piyasa_database_disk_free_bytes", "Room that is left for an SQLite database on its file system.",
		nil, nil)
	diskSize = prometheus.NewDesc("piyasa_database_disk_size_bytes", "Size of the file system of an SQLite database.", nil, nil)
)

// Describe implements prometheus.Collector.
func (Machine) Describe(out chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{certificateExpiry, diskFree, diskSize} {
		out <- d
	}
}

// Collect implements prometheus.Collector.
func (m Machine) Collect(out chan<- prometheus.Metric) {
	if m.Certificates != nil {
		for name, until := range m.Certificates() {
			out <- prometheus.MustNewConstMetric(certificateExpiry, prometheus.GaugeValue, float64(until.UnixMilli())/1000, name)
		}
	}
	if free, size, ok := m.Disk(); ok {
		out <- prometheus.MustNewConstMetric(diskFree, prometheus.GaugeValue, float64(free))
		out <- prometheus.MustNewConstMetric(diskSize, prometheus.GaugeValue, float64(size))
	}
}
