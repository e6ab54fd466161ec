package world

import (
	"net/http"
	"testing"

	"piyasa/test/torture/history"
)

// pair is a primary with a standby, a gateway and a writer.
type pair struct {
	*World
	primary, standby *Postgres
	address          *Proxy // leads to the one that is primary now
	url              string // of the gateway and the writer
	gateway          *Gateway
	writer           *Writer
	key              string
}

// setup says how a pair is configured.
type setup struct {
	synchronous  bool // commits wait for the standby
	severalHosts bool // piyasa knows both servers, not an address that leads to the primary
}

// newPair starts a pair with a gateway, clients, and some rows.
func newPair(t *testing.T, s setup) *pair {
	t.Helper()
	return New(t).newPair(s)
}

func (w *World) newPair(s setup) *pair {
	w.T.Helper()
	p := &pair{World: w}
	p.primary = p.NewPostgres("red")
	p.standby = p.primary.NewStandby("blue")
	p.address = NewProxy(w.T, p.primary.Address)
	p.url = databaseURL(p.address.Address)
	if s.severalHosts {
		p.url = databaseURL(p.primary.Address + "," + p.standby.Address)
	}
	p.key = p.NewKey(p.url)
	if s.synchronous {
		p.primary.MakeSynchronous(p.standby)
		p.Recorder.Record(history.Entry{Kind: history.Promise, Text: history.Durable})
	}
	p.writer = p.NewWriter(p.url)
	p.gateway = p.NewGateway("one", p.url, "PIYASA_DATABASE_TIMEOUT=1s", "PIYASA_MAX_LAG=2s")
	p.NewClients(p.key, p.gateway)
	p.writer.Write(100)
	p.primary.WaitFor(p.standby)
	return p
}

// finish judges the history by what the primary holds.
func (p *pair) finish() {
	p.T.Helper()
	p.Finish(p.primary.URL())
}

// failOver kills the primary, promotes the standby and leads everybody to it.
func (p *pair) failOver() {
	p.T.Helper()
	p.Fault("the primary is killed")
	p.address.Down()
	p.primary.Kill()
	p.Fault("the standby is promoted")
	p.standby.Promote()
	p.address.Switch(p.standby.Address)
	p.primary, p.standby = p.standby, p.primary
}

// comeBack makes a standby of the former primary.
func (p *pair) comeBack() {
	p.T.Helper()
	p.Fault("the former primary comes back as a standby")
	p.standby.RewindTo(p.primary)
	p.primary.WaitFor(p.standby)
}

// loseRows stores rows that reach clients, and not the standby.
func (p *pair) loseRows(n int) {
	p.T.Helper()
	p.Fault("the standby is cut off from its primary")
	p.standby.Upstream.Down()
	p.writer.Write(n)
	p.AwaitAll(p.writer.Acknowledged())
}

// A standby that lacks the last commits takes over while clients are connected. What
// it has reaches everybody; what it lacks is announced. Then the old primary comes
// back as its standby and takes over again.
func TestLostCommits(t *testing.T) {
	for name, s := range map[string]setup{"an address that moves": {}, "several hosts": {severalHosts: true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPair(t, s)
			p.loseRows(20)
			p.failOver()
			p.writer.Write(30)
			p.comeBack()
			p.loseRows(20)
			p.failOver()
			p.writer.Write(30)
			p.finish()
		})
	}
}

// A gateway reads from the standby. Clients go back and forth between it and the other
// gateway. The standby falls behind, and takes over.
func TestGatewayOnStandby(t *testing.T) {
	t.Parallel()
	p := newPair(t, setup{})
	other := p.NewGateway("two", p.standby.URL(), "PIYASA_DATABASE_WRITE="+p.url, "PIYASA_DATABASE_TIMEOUT=1s", "PIYASA_MAX_LAG=2s")
	p.NewClients(p.key, p.gateway, other)
	p.NewClients(p.key, other)
	p.writer.Write(50)
	p.AwaitAll(150)

	p.Fault("the standby is cut off from its primary")
	p.standby.Upstream.Down()
	p.writer.Write(20)
	p.awaitReadiness(other, http.StatusServiceUnavailable)
	p.Fault("the standby reaches its primary again")
	p.standby.Upstream.Up()
	p.AwaitAll(170)
	p.awaitReadiness(other, http.StatusOK)

	p.Fault("the standby is cut off from its primary")
	p.standby.Upstream.Down()
	p.writer.Write(20)
	p.failOver()
	p.writer.Write(30)
	p.awaitReadiness(other, http.StatusOK)
	p.finish()
}

// A gateway that knows both servers has gone over to the standby while the primary was
// away. When the standby falls behind, the gateway does not stay.
func TestReadsLeaveStandby(t *testing.T) {
	t.Parallel()
	p := newPair(t, setup{severalHosts: true})
	p.Fault("the primary stops; the gateway reads from the standby")
	p.primary.Stop()
	p.awaitReadiness(p.gateway, http.StatusServiceUnavailable)
	p.primary.Start()
	p.awaitReadiness(p.gateway, http.StatusOK)
	p.primary.WaitFor(p.standby)

	p.Fault("the standby is cut off from its primary")
	p.standby.Upstream.Down()
	p.writer.Write(20)
	p.AwaitAll(120)
	p.finish()
}

// The same, and the gateway is started again before anybody can have told it.
func TestLostCommitsAndGateway(t *testing.T) {
	t.Parallel()
	p := newPair(t, setup{})
	p.loseRows(20)
	p.gateway.Kill()
	p.failOver()
	p.gateway.Start()
	p.writer.Write(30)
	p.finish()
}

// After a failover, everybody is led back to the former primary for a while, which was
// never told and still has what was lost. A running gateway does not serve it, even if
// an ingest that starts against it stores rows there; what that loses is announced.
func TestFormerPrimary(t *testing.T) {
	for name, writes := range map[string]bool{"nobody writes": false, "ingest starts against it": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPair(t, setup{})
			p.loseRows(20)
			p.failOver()
			p.writer.Write(30)
			p.AwaitAll(150)

			p.Fault("the former primary runs again, and everybody is led to it")
			p.writer.Pause()
			p.standby.Start()
			p.address.Switch(p.standby.Address)
			if writes {
				p.writer.Resume()
				p.writer.Write(20)
				p.writer.Pause()
			} else {
				p.awaitReadiness(p.gateway, http.StatusServiceUnavailable)
			}
			p.standby.Kill()

			p.Fault("everybody is led to the primary again")
			p.address.Switch(p.primary.Address)
			p.writer.Resume()
			p.awaitReadiness(p.gateway, http.StatusOK)
			p.writer.Write(30)
			p.finish()
		})
	}
}
