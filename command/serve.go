package command

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coreos/go-systemd/v22/daemon"
	"github.com/prometheus/client_golang/prometheus"

	"piyasa/collect"
	"piyasa/db"
	"piyasa/domain/market"
	"piyasa/internal/spans"
	"piyasa/internal/value"
	"piyasa/serve/deliver"
	"piyasa/serve/document"
	"piyasa/serve/server"
	"piyasa/serve/stream"
	"piyasa/services"
	"piyasa/site/reference"
	"piyasa/site/web"
)

type serveCommand struct {
	patient
	serving
	Collect string `help:"JSON file of sources to collect beside serving; default: none." env:"PIYASA_COLLECT" placeholder:"FILE"`
	Deliver string `help:"JSON file of sinks to deliver beside serving; default: none." env:"PIYASA_DELIVER" placeholder:"FILE"`
}

// Run serves until ctx ends.
func (c *serveCommand) Run(ctx context.Context, s streams, in invocation) error {
	settings, err := c.serving.check()
	if _, wrong := c.patient.check(); err != nil || wrong != nil {
		return usageError{errors.Join(err, wrong)}
	}
	var sources *collect.Config
	var sinks *deliver.Config
	open := c.openToRead
	if c.Collect != "" {
		if sources, err = readSources(c.Collect); err != nil {
			return usageError{fmt.Errorf("PIYASA_COLLECT: %w", err)}
		}
		open = c.open // a collector must be able to write
	}
	if c.Deliver != "" {
		if sinks, err = readSinks(c.Deliver); err != nil {
			return usageError{fmt.Errorf("PIYASA_DELIVER: %w", err)}
		}
		defer sinks.Close()
		open = c.open // positions are stored
	}
	if err := tryAddresses(settings.addresses()...); err != nil { // before a database is created or waited for
		return err
	}
	store, err := open(ctx)
	if err != nil && ctx.Err() != nil {
		return nil // stopped while it waited
	}
	if err != nil {
		return err
	}
	defer store.Close()
	v := service{store: store, settings: settings, version: in.version,
		reload: &reloading{last: c.serving, read: func() (serving, logging, error) {
			now, err := in.again()
			if err != nil {
				return serving{}, logging{}, err
			}
			return now.Serve.serving, now.logging, nil
		}}}
	if onTerminal(s.out) {
		v.started = func(baseURL string) { welcome(s, baseURL) }
	}
	if sinks != nil {
		v.deliverer = newDeliverer(sinks, store, c.addressToBackUp())
	}
	if sources != nil {
		v.collector = newCollector(sources, settings.clock, v.version)
		v.collector.Store, v.collector.Emit = store, emitted(store, settings.clock)
	}
	return serve(ctx, s, v)
}

// service is everything a running server needs.
type service struct {
	store     *db.Store
	settings  settings
	version   string
	pages     web.Settings
	samples   reference.Samples
	feed      func(context.Context) error // stores records until its context ends; may be nil
	collector *collect.Collector          // also stores the records of sources; may be nil
	deliverer *deliver.Deliverer          // also delivers to sinks; may be nil
	reload    *reloading                  // of the settings; may be nil
	started   func(baseURL string)        // called when the listener is open; may be nil
}

// How long a server waits.
const (
	shutdownTimeout = 5 * time.Second
	docsDelay       = 5 * time.Second  // delay after the start until the docs are made, which takes a second of processor time
	warmUp          = 10 * time.Second // timeout for the stored data; after it, /readyz reports
)

// serve follows the database and answers requests until ctx ends or a part of it fails.
func serve(ctx context.Context, s streams, v service) (err error) {
	listen, err := v.settings.open()
	if err != nil {
		return err
	}
	defer listen.close() // the servers also close them once they run
	traces := spans.Start(v.settings.traces, v.version)
	defer traces.Close() // after everything that makes spans has stopped
	address, base := v.settings.addressOf(listen.public)
	secret, err := v.store.SigningSecret(ctx)
	if err != nil {
		return err
	}
	var tailer *stream.Tailer // follows the log for the services; keys are valid while it does
	root := services.New(services.Settings{
		BaseURL: cmp.Or(v.settings.baseURL, base), Secret: secret, Clock: v.settings.clock, Plans: v.settings.plans, Name: rand.Text(),
		Current:  func(feed string) bool { return tailer.BehindFor(feed) < maxFeedBehind },
		FXMaxAge: v.settings.fxMaxAge, TestStocks: v.settings.testStocks, Lines: v.settings.lines,
		StatementCache: v.settings.statementCache,
		HistoryCache:   v.settings.historyCache,
	}, v.store)
	tailer = stream.NewTailer(v.store, root.Feeds())
	var documents atomic.Pointer[document.List]
	documents.Store(v.settings.list)
	operators, err := operatorsOf(v, listen.private)
	if err != nil {
		return err
	}
	first, err := firstRun(ctx, s.out, v, listen.public)
	if err != nil {
		return err
	}
	machine := server.Machine{Disk: v.store.Disk}
	if v.settings.tls != nil {
		machine.Certificates = v.settings.tls.expiries
	}
	handler := server.New(server.Config{
		Operators: operators, Version: v.version, Services: root, Pages: v.pages, Samples: v.samples, Origins: v.settings.origins.Origins,
		Batch: v.settings.batch, Attachments: v.settings.files, Documents: documents.Load,
		Ready:  readiness(v.store, tailer, v.settings.maxLag),
		Behind: tailer.BehindFor, Pools: v.store.Pools(),
		Streams: server.Streams{
			Available: func() bool {
				return tailer.BehindFor() < v.settings.maxLag
			},
			Max: v.settings.connections.maxStreams, PerAddress: v.settings.connections.maxStreamsOfAddress,
			Deflating: v.settings.connections.maxDeflating,
		},
		Connections: v.settings.connections.bounds, Proxies: v.settings.connections.proxies, Sunset: v.settings.sunset,
		AccessLog:  v.settings.accessLog,
		Traces:     server.Traces{Provider: traces.Provider(), Incoming: traces.Incoming()},
		Collectors: []prometheus.Collector{v.store.StatementMetrics(), machine, traces, deliver.Metrics{In: v.store}},
		Sinks:      deliver.Handler(v.store), FirstRun: first,
	})
	defer func() { err = errors.Join(err, handler.Close()) }()

	docs := time.AfterFunc(docsDelay, handler.MakeDocs)
	defer docs.Stop()

	// The parts stop in the opposite order: a part that answers stops before the parts that it
	// answers from, and everything stops before the caller closes the store.
	parts := newGroup(ctx)
	defer func() { err = errors.Join(err, parts.stop()) }()
	parts.start("notifications", endless(v.store.Listen))
	parts.start("tailer", endless(tailer.Run))
	parts.start("pruning", endless(func(ctx context.Context) { prune(ctx, v.store, v.settings.clock) }))
	var planFile atomic.Pointer[string]
	planFile.Store(&v.settings.planFile)
	parts.start("plans", endless(plansIn(func() string { return *planFile.Load() }, root.Gate.SetPlans).run))
	if v.reload != nil {
		v.reload.set = append(v.reload.set, func(now settings) {
			planFile.Store(&now.planFile)
			root.Gate.SetPlans(now.plans)
			handler.SetOrigins(now.origins.Origins)
		})
		reloads, stop := hangups() // before anybody can know that the server is there
		defer stop()
		parts.start("settings", endless(func(ctx context.Context) { v.reload.run(ctx, reloads) }))
	}
	if list := v.settings.list; list != nil {
		slog.Info("only the documents of the folder run", "folder", v.settings.folder, "documents", list.Len())
		parts.start("documents", endless(documentsIn(v.settings.folder, list, documents.Store).run))
	}
	root.Sharing.Join(ctx)
	parts.start("shared limits", endless(root.Sharing.Run))
	parts.start("usage", endless(root.Meter.Run))
	parts.start("computed figures", endless(root.Analytics.Run))
	if v.feed != nil {
		parts.start("feed", v.feed)
	}
	if v.collector != nil {
		v.collector.Traces = traces.Provider()
		slog.Info("collecting", "sources", len(v.collector.Config.Sources))
		parts.start("collector", endless(v.collector.Run))
	}
	if v.deliverer != nil {
		if plan := v.deliverer.Config.Webhooks; plan != nil {
			v.deliverer.Webhooks = &deliver.Webhooks{Plan: *plan, Store: v.store, Signer: root.Signer, Gate: root.Gate, Meter: root.Meter}
		}
		slog.Info("delivering", "sinks", len(v.deliverer.Config.Sinks), "webhooks_of_keys", v.deliverer.Webhooks != nil,
			"backups", v.deliverer.Backups != nil)
		parts.start("deliverer", endless(v.deliverer.Run))
	}
	if listen.private != nil {
		parts.start("private listener", func(ctx context.Context) error {
			private := server.NewPrivateHTTP(handler.Private(v.settings.names...))
			return answer(ctx, private, server.PrivateListener(listen.private), ending{})
		})
	}
	var secure *tls.Config // nil: none
	if c := v.settings.tls; c != nil {
		secure = c.config()
		parts.start("certificates", endless(c.followed().run))
		if c.acme != nil {
			parts.start("ACME", endless(c.acme.run))
		}
	}
	select { // the first request must not meet a service without keys
	case <-tailer.CaughtUp():
	case <-time.After(warmUp):
	case <-ctx.Done():
		return nil
	}
	if err := root.Meter.Flush(ctx); err != nil {
		slog.Warn("what keys have used is not known yet; until it is, quotas count only what this server answers", "error", err)
	}
	fmt.Fprintln(s.out, "listening on", address)
	if operators.Keys != nil {
		who := url.UserPassword("operator", operators.Password)
		forget, err := tellKeysPage(s.out, url.URL{Scheme: "http", User: who, Host: listen.private.Addr().String(), Path: "/keys"})
		if err != nil {
			return err
		}
		defer forget()
	}
	if first != nil {
		fmt.Fprintf(s.out, "First key   open %s/ and enter the code %s\n", base, first.Code)
	}
	if v.started != nil {
		v.started(base)
	}
	parts.start("watchdog", endless(func(ctx context.Context) { watchdog(ctx, handler) }))
	public := server.NewHTTP(handler)
	public.ConnContext = handler.ConnContext
	parts.start("server", func(part context.Context) error {
		end := ending{drain: handler.Drain, leave: func() time.Duration {
			tell(daemon.SdNotifyStopping, "STATUS=serving those who are still here")
			if followed := handler.Leave(); followed && errors.Is(context.Cause(ctx), errTerminated) {
				return v.settings.connections.lameDuck
			}
			return 0
		}}
		return answer(part, public, handler.Listener(listen.public, secure), end)
	})
	tell(daemon.SdNotifyReady, "STATUS=listening on "+address)
	return parts.wait()
}

// operatorsOf returns who may manage keys on the private listener: nobody, unless the page is
// enabled and only this machine can reach the listener.
func operatorsOf(v service, private net.Listener) (server.Operators, error) {
	if !v.settings.keysPage {
		return server.Operators{}, nil
	}
	if private != nil {
		if address, ok := private.Addr().(*net.TCPAddr); ok && address.IP.IsLoopback() {
			return server.Operators{Keys: v.store, Password: rand.Text()}, nil
		}
	}
	return server.Operators{},
		usageError{errors.New("PIYASA_KEYS_PAGE: needs PIYASA_METRICS_LISTEN on this machine only, such as 127.0.0.1:9090")}
}

// tellKeysPage prints the address of the page of keys. The password goes to a terminal, or else
// into a file that forget removes: the output of a server is kept in journals that others can
// read.
func tellKeysPage(out io.Writer, page url.URL) (forget func(), err error) {
	if onTerminal(out) {
		_, err = fmt.Fprintf(out, "keys on %s\n", &page)
		return func() {}, err
	}
	folder, _, _ := strings.Cut(os.Getenv("RUNTIME_DIRECTORY"), ":") // of a systemd unit
	if folder == "" {
		if folder, err = dataFolder(); err == nil {
			err = os.MkdirAll(folder, 0o700)
		}
	}
	path := filepath.Join(folder, "keys-page-"+page.Port())
	if err == nil {
		_ = os.Remove(path) // left by a killed server
		err = os.WriteFile(path, []byte(page.String()+"\n"), 0o600)
	}
	if err != nil {
		return nil, fmt.Errorf("PIYASA_KEYS_PAGE: %w", err)
	}
	_, err = fmt.Fprintf(out, "keys on http://%s/keys; %s has the address with its password\n", page.Host, path)
	return func() { _ = os.Remove(path) }, err
}

// endless returns a part that ends only with its context.
func endless(run func(context.Context)) func(context.Context) error {
	return func(ctx context.Context) error {
		run(ctx)
		return nil
	}
}

// ending is the work at the end of a listener; each function may be nil.
type ending struct {
	leave func() time.Duration  // announces the end, and returns how much longer to serve
	drain func(context.Context) // ends open streams
}

// answer serves until ctx ends and then as much longer as end.leave says. It gives requests
// shutdownTimeout to end, and end.drain as long.
func answer(ctx context.Context, srv *http.Server, listener net.Listener, end ending) error {
	failed := make(chan error, 1)
	go func() { failed <- srv.Serve(listener) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	if end.leave != nil {
		if err := lameDuck(end.leave(), failed); err != nil {
			return err
		}
	}
	closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTimeout)
	defer cancel()
	var draining sync.WaitGroup
	if end.drain != nil {
		draining.Go(func() { end.drain(closing) })
	}
	err := srv.Shutdown(closing)
	if errors.Is(err, context.DeadlineExceeded) {
		err = srv.Close() // some requests did not end in time
	}
	draining.Wait()
	<-failed // serving has ended
	return err
}

// pruneInterval is how often a server checks whether a day has passed.
const pruneInterval = 10 * time.Minute

// prune deletes data that is no longer kept, at once and then daily, until ctx ends. A server
// that cannot write logs that once.
func prune(ctx context.Context, store *db.Store, now value.Clock) {
	tick := time.NewTicker(pruneInterval)
	defer tick.Stop()
	for announced := false; ; {
		switch err := store.Prune(ctx, market.Kept(now())); {
		case err == nil:
			announced = false
		case ctx.Err() != nil:
			return
		case !db.CannotWrite(err):
			slog.Error("deleting expired observations failed; trying again", "error", err)
		case !announced:
			announced = true
			slog.Warn("this server cannot write, so it leaves deleting expired observations to others", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}
