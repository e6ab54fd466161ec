package server

import (
	"database/sql"
	"math"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"piyasa/db"
	"piyasa/services"
)

// followStore adds metrics of the database: how far behind each feed is, and the connection
// pools.
func (m *metrics) followStore(of *services.Services, behind func(feeds ...string) time.Duration, pools map[string]*sql.DB) {
	m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "piyasa_database_lag_seconds",
		Help: "How long ago what is served was last known to be everything that the database's primary had stored; +Inf: never.",
	}, func() float64 { return lagSeconds(behind()) }))
	for _, feed := range db.Feeds {
		labels := prometheus.Labels{"feed": feed}
		m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "piyasa_feed_lag_seconds", Help: "The same for each feed of the log.", ConstLabels: labels,
		}, func() float64 { return lagSeconds(behind(feed)) }), prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "piyasa_feed_number", Help: "Number of the newest row of each feed of the log that is served; 0: none.",
			ConstLabels: labels,
		}, func() float64 { return float64(of.Applied(feed)) }))
	}
	m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "piyasa_servers", Help: "Servers that share the limits of keys, this one included.",
	}, func() float64 { n, _ := of.Gate.Shared(); return float64(n) }), prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "piyasa_limits_cut_off", Help: "1 while the database cannot be asked for the limits that servers share; else 0.",
	}, func() float64 {
		if _, cut := of.Gate.Shared(); cut {
			return 1
		}
		return 0
	}))
	for name, pool := range pools {
		m.registry.MustRegister(collectors.NewDBStatsCollector(pool, name))
	}
}

func lagSeconds(d time.Duration) float64 {
	if d == math.MaxInt64 {
		return math.Inf(1)
	}
	return d.Seconds()
}
