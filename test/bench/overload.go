package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"piyasa/test/bench/dataset"
	"piyasa/test/bench/machine"
)

// overload offers piyasa more heavy work than it can do, beside light requests. The load is
// open: requests come at their times, whether the server keeps up or not.
type overload struct {
	*bench
	bests  []float64 // heavy answers a second beside light ones, a few asked at once: before and after each row
	normal offered   // the light requests beside the first of them
	alone  offered   // light requests alone
	rows   []offered
}

// offered is what became of the requests of one rate.
type offered struct {
	times               float64 // of the best before, that heavy ones were offered at
	best                float64 // the mean of the best before and after
	heavy, shed         float64 // a second: answered, and refused with 503
	light               []time.Duration
	lightFailed, others int // light ones without an answer; heavy ones answered otherwise
	resident            int64
}

const (
	lightRate   = 200.0 // a second
	mostAtOnce  = 5_000 // requests under way; beyond it one counts as failed
	heavySeries = 6
	heavyAtOnce = 4
)

// offeredTimes are the rates of heavy requests, in times of the best.
var offeredTimes = []float64{1, 2, 5}

func (o *overload) run(ctx context.Context) error {
	if err := machine.StayOn(o.rig.loadCore); err != nil {
		return err
	}
	r := *o.rig
	defer r.close()
	if err := r.prepareEmpty("sqlite"); err != nil {
		return err
	}
	if err := r.ingest(ctx, dataset.Size{Times: 1}.WriteSeed); err != nil {
		return err
	}
	var err error
	if r.key, err = r.makeKey(ctx); err != nil {
		return err
	}
	own := *o.bench
	own.rig = &r
	s := piyasaOf(servers())
	if _, err := own.firstAnswer(ctx, s, growthWorks(dataset.Size{Times: 1})[0]); err != nil {
		return err
	}
	defer s.process.stop()
	c := &asker{server: s, client: &http.Client{Transport: &http.Transport{MaxIdleConns: mostAtOnce, MaxIdleConnsPerHost: mostAtOnce},
		Timeout: 30 * time.Second}}
	c.closed(ctx, o.warm, heavyAtOnce)
	best, normal := c.best(ctx, o.seconds)
	if best == 0 {
		return errors.New("no heavy request was answered")
	}
	o.bests, o.normal, o.alone = []float64{best}, normal, c.open(ctx, o.seconds, 0)
	say("%.0f heavy answers a second at best; light beside them: %s; alone: %s", best, o.normal, o.alone)
	for _, times := range offeredTimes {
		row := c.open(ctx, o.seconds, times*best)
		if row.resident, err = machine.Resident(s.process.id()); err != nil {
			return err
		}
		before := best
		best, _ = c.best(ctx, o.seconds)
		row.times, row.best = times, (before+best)/2
		say("%.0f ×: %.0f heavy answers a second (%.0f %%), %.0f refused; light: %s",
			times, row.heavy, 100*row.heavy/row.best, row.shed, row)
		o.bests, o.rows = append(o.bests, best), append(o.rows, row)
	}
	return ctx.Err()
}

// best returns how many heavy requests a second are answered at best, a few asked at once,
// and the light ones beside them.
func (c *asker) best(ctx context.Context, long time.Duration) (best float64, beside offered) {
	var both sync.WaitGroup
	both.Go(func() { beside = c.open(ctx, long, 0) })
	best = float64(c.closed(ctx, long, heavyAtOnce)) / long.Seconds()
	both.Wait()
	return best, beside
}

// String tells of the light requests.
func (w offered) String() string {
	return fmt.Sprintf("median %.1f ms, p99 %.1f ms, %d failed", milliseconds(w.at(50)), milliseconds(w.at(99)), w.lightFailed)
}

// at returns the latency that so many of a hundred light requests have at most.
func (w offered) at(percent int) time.Duration {
	if len(w.light) == 0 {
		return 0
	}
	return w.light[min(len(w.light)-1, len(w.light)*percent/100)]
}

// asker is the side that asks.
type asker struct {
	server *server
	client *http.Client
	n      atomic.Int64 // so that no answer is given again
}

// heavy and light ask once and return the status; 0: there was no answer.
func (c *asker) heavy(ctx context.Context) int {
	n := int(c.n.Add(1))
	ids := make([]string, heavySeries)
	for i := range ids {
		ids[i] = dataset.Chart((n + i) % dataset.Charted).ID
	}
	from, _ := time.Parse(time.DateOnly, dataset.FirstDay())
	return c.ask(ctx, `query($ids: [ID!]!, $from: Date) { candlesBatch(ids: $ids, from: $from) { series { bars { t open high low close volume } } } }`,
		vars{"ids": ids, "from": from.AddDate(0, 0, n/dataset.Charted%100).Format(time.DateOnly)})
}

func (c *asker) light(ctx context.Context) int {
	n := int(c.n.Add(1))
	return c.ask(ctx, fmt.Sprintf(`query($id: ID!) { quote(id: $id) { last change asOf } } #%d`, n),
		vars{"id": dataset.Stock(n % dataset.Stocks).ID})
}

func (c *asker) ask(ctx context.Context, query string, variables vars) int {
	a := graphQL(query, variables)
	r, err := http.NewRequestWithContext(ctx, a.method, "http://"+c.server.process.address.String()+a.path, bytes.NewReader(a.body))
	if err != nil {
		return 0
	}
	r.Header = c.server.header.Clone()
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept-Encoding", "gzip") // said here, the answer is not unpacked: this side has one core, too
	res, err := c.client.Do(r)
	if err != nil {
		return 0
	}
	defer res.Body.Close()
	if _, err := io.Copy(io.Discard, res.Body); err != nil {
		return 0
	}
	return res.StatusCode
}

// closed has some clients ask one heavy request after the other, and returns how many were
// answered.
func (c *asker) closed(ctx context.Context, long time.Duration, clients int) (answered int64) {
	ctx, cancel := context.WithTimeout(ctx, long)
	defer cancel()
	var n atomic.Int64
	var all sync.WaitGroup
	for range clients {
		all.Go(func() {
			for ctx.Err() == nil {
				if c.heavy(ctx) == http.StatusOK {
					n.Add(1)
				}
			}
		})
	}
	all.Wait()
	return n.Load()
}

// open offers light requests at their rate, and heavy ones at another.
func (c *asker) open(ctx context.Context, long time.Duration, heavyRate float64) (w offered) {
	var mu sync.Mutex
	var heavy, shed int
	atOnce := make(chan struct{}, mostAtOnce)
	var all sync.WaitGroup
	all.Go(func() {
		offer(ctx, lightRate, long, func(due time.Time) {
			c.within(ctx, atOnce, &all, c.light, func(status int) {
				mu.Lock()
				defer mu.Unlock()
				if status != http.StatusOK {
					w.lightFailed++
					return
				}
				w.light = append(w.light, time.Since(due))
			})
		})
	})
	if heavyRate > 0 {
		all.Go(func() {
			offer(ctx, heavyRate, long, func(time.Time) {
				c.within(ctx, atOnce, &all, c.heavy, func(status int) {
					mu.Lock()
					defer mu.Unlock()
					switch status {
					case http.StatusOK:
						heavy++
					case http.StatusServiceUnavailable:
						shed++
					default:
						w.others++
					}
				})
			})
		})
	}
	all.Wait()
	slices.Sort(w.light)
	w.heavy, w.shed = float64(heavy)/long.Seconds(), float64(shed)/long.Seconds()
	return w
}

// within asks in the background, unless too many requests are under way.
func (c *asker) within(ctx context.Context, atOnce chan struct{}, all *sync.WaitGroup, ask func(context.Context) int,
	tell func(status int)) {
	select {
	case atOnce <- struct{}{}:
	default:
		tell(0)
		return
	}
	all.Go(func() {
		defer func() { <-atOnce }()
		tell(ask(ctx))
	})
}

// offer calls do at each moment of a rate.
func offer(ctx context.Context, rate float64, long time.Duration, do func(due time.Time)) {
	began := time.Now()
	for i := 0; ; i++ {
		due := began.Add(time.Duration(float64(i) / rate * float64(time.Second)))
		if due.Sub(began) >= long || ctx.Err() != nil {
			return
		}
		time.Sleep(time.Until(due))
		do(due)
	}
}

// report returns the figures in Markdown.
func (o *overload) report() string {
	var t strings.Builder
	fmt.Fprintf(&t, "# Overload\n\n%s\n\nAt best %.0f to %.0f heavy answers a second (years of %d charts, with other "+
		"days and stocks each), "+
		"%d asked at once, beside %.0f light requests (quotes, "+
		"each a document of its own) a second. Those took %s beside them, and %s alone. The best is measured before and after each row, "+
		"which is compared with their mean.\n\n",
		commandLine(), slices.Min(o.bests), slices.Max(o.bests), heavySeries, heavyAtOnce, lightRate, o.normal, o.alone)
	t.WriteString("| heavy offered | answered, of the best | refused a second | otherwise | light: median | p99 | failed " +
		"| memory |\n| ---: " +
		"| ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n")
	for _, w := range o.rows {
		fmt.Fprintf(&t, "| %.0f × | %.0f %% | %.0f | %d | %.1f ms | %.1f ms | %d | %d MiB |\n",
			w.times, 100*w.heavy/w.best, w.shed, w.others, milliseconds(w.at(50)), milliseconds(w.at(99)), w.lightFailed, w.resident>>20)
	}
	return t.String()
}
