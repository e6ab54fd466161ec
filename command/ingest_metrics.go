package command

import (
	"context"
	"log/slog"
	"net"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"piyasa/db"
	"piyasa/serve/server"
)

// watched starts the private listener of a process that stores records; the caller stops it.
func watched(ctx context.Context, at address, names []string, version string, store *db.Store, of ...prometheus.Collector) (*group, error) {
	listener, err := net.Listen("tcp", at.text)
	if err != nil {
		return nil, at.failed(err)
	}
	registry := prometheus.NewRegistry()
	registry.MustRegister(of...)
	registry.MustRegister(store.StatementMetrics(), collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	for name, pool := range store.Pools() {
		registry.MustRegister(collectors.NewDBStatsCollector(pool, name))
	}
	slog.Info("metrics are served privately", "address", listener.Addr().String())
	parts := newGroup(ctx)
	parts.start("private listener", func(ctx context.Context) error {
		return answer(ctx, server.NewPrivateHTTP(server.PrivateOf(version, registry, names...)), server.PrivateListener(listener), ending{})
	})
	return parts, nil
}
