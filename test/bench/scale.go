package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/netip"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"piyasa/test/bench/dataset"
	"piyasa/test/bench/load"
	"piyasa/test/bench/machine"
)

// scale measures what each part of piyasa costs on Postgres, and what many gateways and the
// peak of a day take, which the model of docs/scale.md predicts from those costs.
type scale struct {
	*bench
	path     string // of the page that it writes its tables into
	page     string
	sizes    scaleSizes
	costs    costs
	fleets   []fleetFigures
	checks   []check
	peak     peak
	quotes   []dataset.Quote
	gateways []*process
	own      *rig     // with the database
	second   int      // of the quotes that were published
	sent     sync.Map // when those of a moment were, by its text
}

// scaleSizes are how much is measured.
type scaleSizes struct {
	fleets         []int // gateways at once
	sockets        int   // on one gateway
	perGateway     int   // sockets on each of a fleet
	quoteSockets   int
	pace, burst    float64
	idle, day, run time.Duration
}

var wholeScale = scaleSizes{fleets: []int{1, 10, 20, 40}, sockets: 5_000, perGateway: 25, quoteSockets: 100, pace: 5, burst: 200,
	idle: 10 * time.Second, run: 8 * time.Second, day: time.Minute}

// The peak of a day of a whole exchange.
const (
	dayDisclosures = 2.0 // a second: the busiest minute of an hour with 1,500
	daySockets     = 500
	dayQuotes      = 100 // sockets, with followedQuotes each
	followedQuotes = 60
)

// exchangeOpen is when the gateways' clocks start: on a Monday while the exchange trades.
var exchangeOpen = time.Date(2026, time.November, 23, 10, 0, 0, 0, time.UTC)

// fleetFigures are what so many gateways on one Postgres take.
type fleetFigures struct {
	gateways, connections int
	idle, busy, burst     spent
	busyLag, burstLag     load.Deliveries
}

// spent is processor time in cores, and transactions a second.
type spent struct{ gateways, postgres, input, transactions float64 }

// check is a figure of the model beside a measured one.
type check struct {
	what, unit          string
	predicted, measured float64
}

func (s *scale) run(ctx context.Context) error {
	if err := machine.StayOn(s.rig.loadCore); err != nil {
		return err
	}
	page, err := os.ReadFile(s.path)
	if err != nil {
		return fmt.Errorf("-scale needs the page as -report, whose tables it renews: %w", err)
	}
	r := *s.rig
	s.page, s.own, s.costs = string(page), &r, costs{}
	defer r.close()
	r.settings = []string{"max_connections=600", "fsync=on", "synchronous_commit=on", "full_page_writes=on"}
	if err := r.prepareEmpty("postgres"); err != nil {
		return err
	}
	if err := r.ingest(ctx, dataset.Size{Times: 1}.WriteSeed); err != nil {
		return err
	}
	if r.key, err = r.makeKey(ctx); err != nil {
		return err
	}
	if r.master, err = postmaster(ctx, r.postgres); err != nil {
		return err
	}
	for n := range dataset.Stocks {
		s.quotes = append(s.quotes, dataset.QuoteOf(n))
	}
	for _, step := range []struct {
		name string
		do   func(context.Context) error
	}{
		{"sinks", s.sinks}, {"storing", s.storing}, {"one gateway", s.one}, {"sockets", s.sockets}, {"quotes", s.streamQuotes},
		{"requests", s.requests}, {"fleets", s.fleet}, {"a day", s.day},
	} {
		began := time.Now()
		if err := s.undisturbed(func() error { return step.do(ctx) }); err != nil {
			return fmt.Errorf("%s: %w", step.name, err)
		}
		say("%s measured in %.0f s", step.name, time.Since(began).Seconds())
	}
	s.conclude()
	for _, id := range slices.Sorted(maps.Keys(s.costs)) {
		say("%-22s %12.3f", id, s.costs[id])
	}
	return nil
}

// clock is the environment of gateways and of input.
func (s *scale) clock() []string {
	return append(s.own.clock(s.own.own), "PIYASA_NOW="+exchangeOpen.Format(time.RFC3339))
}

// grow starts gateways until there are so many, and waits until they have computed what they
// keep ready.
func (s *scale) grow(ctx context.Context, gateways int) error {
	for len(s.gateways) < gateways {
		p, err := s.own.start(ctx, s.clock(), s.own.piyasa, "serve", "--listen=127.0.0.1:0")
		if err != nil {
			return err
		}
		s.own.later(p.stop)
		s.gateways = append(s.gateways, p)
	}
	for calm, try := 0, 0; try < 60; try++ {
		u, err := s.spend(ctx, nil, func() error { time.Sleep(s.settle); return ctx.Err() })
		if err != nil {
			return err
		}
		if calm++; u.gateways > quiet+0.01*float64(gateways) {
			calm = 0
		}
		if calm == 2 { // they begin to compute a little later
			return nil
		}
	}
	return errors.New("the gateways do not come to rest")
}

// stop stops the last gateways, until there are so many.
func (s *scale) stop(gateways int) {
	for _, g := range s.gateways[gateways:] {
		g.stop()
	}
	s.gateways = s.gateways[:gateways]
}

// spend measures what everybody takes while do runs.
func (s *scale) spend(ctx context.Context, in *input, do func() error) (spent, error) {
	ids := []int{s.own.master}
	if in != nil {
		ids = append(ids, in.command.Process.Pid)
	}
	for _, g := range s.gateways {
		ids = append(ids, g.id())
	}
	transactions, err := s.transactions(ctx)
	if err != nil {
		return spent{}, err
	}
	before, err := machine.Read(ids...)
	if err != nil {
		return spent{}, err
	}
	if err := do(); err != nil {
		return spent{}, err
	}
	after, err := machine.Read(ids...)
	if err != nil {
		return spent{}, err
	}
	u := spent{postgres: before.Took(after, s.own.master)}
	if in != nil {
		u.input = before.Took(after, in.command.Process.Pid)
	}
	for _, g := range s.gateways {
		u.gateways += before.Took(after, g.id())
	}
	later, err := s.transactions(ctx)
	u.transactions = float64(later-transactions) / after.At.Sub(before.At).Seconds()
	return u, err
}

func (s *scale) idle(ctx context.Context) (spent, error) {
	return s.spend(ctx, nil, func() error { time.Sleep(s.sizes.idle); return ctx.Err() })
}

// transactions returns how many there have been: each statement outside of one is its own.
func (s *scale) transactions(ctx context.Context) (n int64, err error) {
	return n, s.ask(ctx, "SELECT xact_commit + xact_rollback FROM pg_stat_database WHERE datname = current_database()", &n)
}

func (s *scale) ask(ctx context.Context, query string, into any) error {
	connection, err := pgx.Connect(ctx, s.own.own)
	if err != nil {
		return err
	}
	defer connection.Close(ctx)
	return connection.QueryRow(ctx, query).Scan(into)
}

func (s *scale) connections(ctx context.Context) (n int, err error) {
	return n, s.ask(ctx, "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()", &n)
}

// one measures a gateway that has nothing to do.
func (s *scale) one(ctx context.Context) error {
	if err := s.grow(ctx, 1); err != nil {
		return err
	}
	u, err := s.idle(ctx)
	if err != nil {
		return err
	}
	total, err := machine.Read(s.gateways[0].id())
	if err != nil {
		return err
	}
	s.costs["gateway_start"] = total.Of[s.gateways[0].id()].Seconds()
	resident, err := machine.Resident(s.gateways[0].id())
	s.costs["gateway_memory"], s.costs["gateway_cpu"] = float64(resident)/1e6, u.gateways*1e3
	return err
}

// requests measures what requests cost the gateway and Postgres.
func (s *scale) requests(ctx context.Context) error {
	server := piyasaOf(servers())
	server.header, server.process = http.Header{"X-Api-Key": {s.own.key}}, s.gateways[0]
	own := *s.bench
	own.rig, own.warm, own.seconds = s.own, s.sizes.run/8, s.sizes.run/2
	all := works()
	for name, cost := range map[string]string{"W1-rest": "quote_rest", "W3": "chart_graphql", "W3-rest-fresh": "chart_rest",
		"W4": "list_graphql"} {
		w := all[slices.IndexFunc(all, func(w work) bool { return w.name == name })]
		p, err := prepare(ctx, w, server, nil)
		if err != nil {
			return err
		}
		m, err := own.ask(w, server, p)
		if err != nil {
			return err
		}
		s.costs[cost] = 1e6 / m.perProcessor()
	}
	u, err := s.spend(ctx, nil, func() error { s.readers().open(ctx, s.sizes.run, 0); return ctx.Err() })
	s.costs["quote_document"] = 1e6 * (u.gateways - s.costs["gateway_cpu"]/1e3) / lightRate
	return err
}

// readers ask a gateway for quotes, each with a document of its own.
func (s *scale) readers() *asker {
	return &asker{server: &server{process: s.gateways[0], header: http.Header{"X-Api-Key": {s.own.key}}},
		client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: mostAtOnce}, Timeout: 30 * time.Second}}
}

// follow lets sockets follow the disclosures, by turns on all gateways.
func (s *scale) follow(sockets int) (*load.Sockets, error) {
	var to []netip.AddrPort
	for _, g := range s.gateways {
		to = append(to, g.address)
	}
	return load.Follow(to, s.own.disclosures("null", `"subscribed"`), sockets, dataset.FirstDisclosure+s.own.next)
}

func (s *scale) publisher(in *input) load.Publish {
	return func(int) error {
		d := dataset.DisclosureOf(s.own.next)
		s.own.next++
		return in.line(d.Line())
	}
}

// sockets measures those that follow disclosures on one gateway.
func (s *scale) sockets(ctx context.Context) error {
	gateway := s.gateways[0].id()
	in, err := s.own.openInput(s.clock())
	if err != nil {
		return err
	}
	defer in.close()
	empty, err := machine.Resident(gateway)
	if err != nil {
		return err
	}
	n := float64(s.sizes.sockets)
	var sockets *load.Sockets
	began := time.Now()
	opened, err := s.spend(ctx, in, func() (err error) { sockets, err = s.follow(s.sizes.sockets); return err })
	if err != nil {
		return err
	}
	defer sockets.Close()
	s.costs["socket_open"] = 1e6 * opened.gateways * time.Since(began).Seconds() / n
	time.Sleep(s.settle)
	full, err := machine.Resident(gateway)
	if err != nil {
		return err
	}
	idle, err := s.idle(ctx)
	if err != nil {
		return err
	}
	s.costs["socket_memory"] = float64(full-empty) / n / 1e3
	s.costs["socket_cpu"] = max(0, 1e6*(idle.gateways-s.costs["gateway_cpu"]/1e3)/n)
	rate := min(10, pacedRate/n)
	alone, one, err := s.paced(ctx, in, sockets, rate, s.sizes.run)
	if err != nil {
		return err
	}
	s.costs["frame_bytes"] = float64(one.Bytes) / float64(one.All)
	s.costs["frame_alone"] = 1e6 * (alone.gateways - s.costs["gateway_cpu"]/1e3) / rate / n
	var together load.Deliveries
	warm := s.sizes.run / 4
	saturated, err := s.spend(ctx, in, func() (err error) {
		together, err = sockets.Saturate(s.outstanding, warm, s.sizes.run, s.publisher(in), nil)
		return err
	})
	s.costs["frame_together"] = 1e6 * saturated.gateways * (s.sizes.run + warm).Seconds() / float64(together.All)
	return err
}

// paced publishes disclosures at a rate, and returns what everybody has taken meanwhile.
func (s *scale) paced(ctx context.Context, in *input, sockets *load.Sockets, rate float64, long time.Duration) (u spent,
	d load.Deliveries, err error) {
	u, err = s.spend(ctx, in, func() error {
		d, err = sockets.Pace(rate, 0, long, s.publisher(in), nil)
		return err
	})
	return u, d, err
}

// quotesFor writes a quote of each stock each second, and calls each after every round.
func (s *scale) quotesFor(ctx context.Context, in *input, long time.Duration, each func(second int) error) error {
	for began, i := time.Now(), 0; time.Since(began) < long; i++ {
		s.second++ // from before the clocks of the gateways, so that nothing is in the future
		text := exchangeOpen.Add(time.Duration(s.second)*time.Second - time.Hour).Format("2006-01-02T15:04:05Z")
		s.sent.Store(text, time.Now())
		for n, q := range s.quotes {
			q.AsOfText, q.Last = text, []string{q.Bid, q.Ask}[(n+i)%2]
			if err := in.line(q.Line()); err != nil {
				return err
			}
		}
		if err := each(i); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Until(began.Add(time.Duration(i+1) * time.Second))):
		}
	}
	return nil
}

// followQuotes opens sockets that follow some quotes each.
func (s *scale) followQuotes(sockets int, options string, compressed bool) (*load.Quotes, error) {
	var ids []string
	for n := range min(followedQuotes, len(s.quotes)) {
		ids = append(ids, `"`+s.quotes[n].Instrument.ID+`"`)
	}
	d := load.WebSocket("/v1/ws", s.own.auth(),
		[2]string{`{"action":"subscribe","ids":[` + strings.Join(ids, ",") + `]` + options + `}`, `"subscribed"`})
	if compressed {
		d = d.Compressed()
	}
	began := time.Now()
	return load.FollowQuotes(s.gateways[0].address, d, sockets, func(asOf string) (time.Time, bool) {
		at, _ := s.sent.Load(asOf)
		published, known := at.(time.Time)
		return published, known && published.After(began) // what was there before comes at once
	})
}

// streamQuotes measures quotes that are stored each second, without and with sockets that
// follow them.
func (s *scale) streamQuotes(ctx context.Context) error {
	in, err := s.own.openInput(s.clock())
	if err != nil {
		return err
	}
	defer in.close()
	rate := float64(len(s.quotes))
	quotes := func() error { return s.quotesFor(ctx, in, s.sizes.run, func(int) error { return nil }) }
	if err := quotes(); err != nil { // the first ones begin bars
		return err
	}
	alone, err := s.spend(ctx, in, quotes)
	if err != nil {
		return err
	}
	s.costs["quote_gateway"] = 1e6 * (alone.gateways - s.costs["gateway_cpu"]/1e3) / rate
	s.costs["quote_input"], s.costs["quote_postgres"] = 1e6*alone.input/rate, 1e6*alone.postgres/rate
	for _, way := range []struct {
		cost, options string
		compressed    bool
	}{{"quote_alone", "", false}, {"quote_batched", `,"batch":true`, false}, {"quote_compressed", `,"batch":true`, true}} {
		sockets, err := s.followQuotes(s.sizes.quoteSockets, way.options, way.compressed)
		if err != nil {
			return err
		}
		first := sockets.Bytes.Load()
		u, err := s.spend(ctx, in, quotes)
		if _, closing := sockets.Close(); err != nil || closing != nil {
			return errors.Join(err, closing)
		}
		perSecond := float64(s.sizes.quoteSockets * followedQuotes)
		if got := float64(sockets.Quotes.Load()); !way.compressed && got < perSecond*s.sizes.run.Seconds()*0.9 {
			return fmt.Errorf("%.0f quotes came instead of %.0f", got, perSecond*s.sizes.run.Seconds())
		}
		s.costs[way.cost] = 1e6 * (u.gateways - alone.gateways) / perSecond
		s.costs[way.cost+"_bytes"] = float64(sockets.Bytes.Load()-first) / perSecond / s.sizes.run.Seconds()
	}
	return nil
}

// fleet measures more and more gateways on one Postgres.
func (s *scale) fleet(ctx context.Context) error {
	in, err := s.own.openInput(s.clock())
	if err != nil {
		return err
	}
	defer in.close()
	for _, n := range s.sizes.fleets {
		if err := s.grow(ctx, n); err != nil {
			return err
		}
		f := fleetFigures{gateways: n}
		if f.connections, err = s.connections(ctx); err != nil {
			return err
		}
		if f.idle, err = s.idle(ctx); err != nil {
			return err
		}
		if n == s.sizes.fleets[1] {
			u, err := s.spend(ctx, in, func() error { return s.quotesFor(ctx, in, s.sizes.run, func(int) error { return nil }) })
			if err != nil {
				return err
			}
			s.costs["quote_follow"] = 1e6 * (u.postgres/float64(len(s.quotes)) - s.costs["quote_postgres"]/1e6) / float64(n-1)
		}
		sockets, err := s.follow(n * s.sizes.perGateway)
		if err != nil {
			return err
		}
		f.busy, f.busyLag, err = s.paced(ctx, in, sockets, s.sizes.pace, s.sizes.run)
		if err == nil {
			f.burst, f.burstLag, err = s.paced(ctx, in, sockets, s.sizes.burst, s.sizes.run/2)
		}
		sockets.Close()
		if err != nil {
			return err
		}
		say("%d gateways: %d connections; idle %+v; busy %+v; burst %+v", n, f.connections, f.idle, f.busy, f.burst)
		s.fleets = append(s.fleets, f)
	}
	return nil
}

// day simulates the busiest minute of a whole exchange on one gateway: quotes of every stock
// each second, bars of five minutes, disclosures, and followers and readers of all.
func (s *scale) day(ctx context.Context) error {
	s.stop(1)
	in, err := s.own.openInput(s.clock())
	if err != nil {
		return err
	}
	defer in.close()
	sockets, err := s.follow(daySockets)
	if err != nil {
		return err
	}
	defer sockets.Close()
	quotes, err := s.followQuotes(dayQuotes, `,"batch":true`, false)
	if err != nil {
		return err
	}
	var all sync.WaitGroup
	var read offered
	var feeding error
	var lag load.Deliveries
	u, err := s.spend(ctx, in, func() error {
		all.Go(func() { read = s.readers().open(ctx, s.sizes.day, 0) })
		all.Go(func() {
			feeding = s.quotesFor(ctx, in, s.sizes.day, func(second int) error {
				for n := second; n < len(s.quotes) && second < 60; n += 60 { // a minute's share of each second
					if err := in.line(dataset.BarLine(n, exchangeOpen.Add(-time.Duration(2+s.second/60)*5*time.Minute))); err != nil {
						return err
					}
				}
				return nil
			})
		})
		lag, err = sockets.Pace(dayDisclosures, 0, s.sizes.day, s.publisher(in), nil)
		all.Wait()
		return errors.Join(err, feeding)
	})
	quoteLags, closing := quotes.Close()
	if err = errors.Join(err, closing); err != nil {
		return err
	}
	if read.lightFailed > 0 {
		return fmt.Errorf("%d requests of readers failed", read.lightFailed)
	}
	s.peak = peak{spent: u, disclosures: lag, quotes: load.Deliveries{Latencies: quoteLags}, reads: read}
	return ctx.Err()
}

// peak is what the peak of a day took.
type peak struct {
	spent
	disclosures, quotes load.Deliveries
	reads               offered
}
