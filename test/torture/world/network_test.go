package world

import (
	"context"
	"net/http"
	"testing"
	"time"
)

// The network between clients and the gateway fails in every way.
func TestClientNetwork(t *testing.T) {
	t.Parallel()
	w := New(t)
	url, _ := w.SQLite()
	key := w.NewKey(url)
	writer := w.NewWriter(url)
	g := w.NewGateway("gateway", url)
	w.NewClients(key, g)
	writer.Write(30)
	w.AwaitAll(30)

	w.Fault("the network is slow and cuts messages into pieces")
	g.Network.Slow()
	writer.Write(40)
	w.AwaitAll(70)
	g.Network.Heal()

	w.Fault("connections end in the middle of a message")
	g.Network.CutAfter(3000 + w.Random.IntN(3000))
	writer.Write(60)
	w.AwaitAll(130)
	g.Network.Heal()

	for _, fault := range []struct {
		what string
		does func()
	}{
		{"connections are reset", g.Network.Reset},
		{"the network swallows everything", g.Network.BlackHole},
		{"the network swallows what the gateway says", g.Network.Deafen},
		{"the gateway is gone and connections look open", func() {
			g.Network.HideClose()
			g.Kill()
		}},
	} {
		g.Network.Heal()
		writer.Write(10)
		w.AwaitAll(writer.Acknowledged()) // so everybody is connected
		w.Fault(fault.what)
		w.AwaitCuts(func() {
			fault.does()
			writer.Write(20)
		})
	}
	g.Network.Heal()
	g.Start()
	w.Finish(url)
}

// The network between piyasa and its database fails in every way, for the gateway and
// for ingest.
func TestDatabaseNetwork(t *testing.T) {
	t.Parallel()
	w := New(t)
	primary := w.NewPostgres("primary")
	network := NewProxy(t, primary.Address)
	url := databaseURL(network.Address)
	key := w.NewKey(url)
	writer := w.NewWriter(url, "PIYASA_DATABASE_TIMEOUT=1s")
	g := w.NewGateway("gateway", url, "PIYASA_DATABASE_TIMEOUT=1s", "PIYASA_MAX_LAG=2s")
	w.NewClients(key, g)
	writer.Write(30)

	w.Fault("the database is slow")
	network.Slow()
	writer.Send(30)
	writer.Settle()
	network.Heal()

	w.Fault("connections to the database end in the middle of an answer")
	network.CutAfter(20_000 + w.Random.IntN(20_000))
	writer.Send(60)
	w.awaitAcknowledged(writer, 100)
	network.Heal()
	writer.Settle()

	w.Fault("connections to the database are reset")
	network.Reset()
	writer.Send(20)
	w.awaitReadiness(g, http.StatusServiceUnavailable)
	network.Heal()
	writer.Settle()

	w.Fault("the database is out of reach")
	network.Down()
	writer.Send(20)
	w.awaitReadiness(g, http.StatusServiceUnavailable)
	network.Up()
	writer.Settle()

	w.Fault("the network to the database swallows everything")
	network.BlackHole()
	writer.Send(20)
	w.awaitReadiness(g, http.StatusServiceUnavailable)
	network.Heal()
	writer.Settle()
	w.awaitReadiness(g, http.StatusOK)

	w.Fault("the database was killed and connections look open")
	network.HideClose()
	primary.Kill()
	primary.Start()
	writer.Write(20)
	w.AwaitAll(writer.Acknowledged())
	w.Finish(primary.URL())
}

// awaitAcknowledged waits until n rows were acknowledged.
func (w *World) awaitAcknowledged(writer *Writer, n int) {
	w.T.Helper()
	w.Wait("rows are acknowledged", func(context.Context) bool { return writer.Acknowledged() >= n })
}

// awaitReadiness waits until the gateway answers /readyz with a status.
func (w *World) awaitReadiness(g *Gateway, status int) {
	w.T.Helper()
	client := &http.Client{Timeout: time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	w.Wait("the gateway's readiness is "+http.StatusText(status), func(context.Context) bool {
		answer, err := client.Get("http://" + g.Network.Address + "/readyz")
		if err != nil {
			return false
		}
		_ = answer.Body.Close()
		return answer.StatusCode == status
	})
}

// Clocks of the gateway and of ingest step, back and far ahead. The log does not care.
func TestClock(t *testing.T) {
	t.Parallel()
	w := New(t)
	url, _ := w.SQLite()
	key := w.NewKey(url)
	writer := w.NewWriter(url)
	g := w.NewGateway("gateway", url)
	w.NewClients(key, g)
	writer.Write(20)
	for _, now := range []string{"2026-03-18T12:00:00Z", "2031-01-01T00:00:00Z", "2026-06-30T23:59:59Z"} {
		w.Fault("clocks step to " + now)
		g.Stop()
		writer.Restart("PIYASA_NOW=" + now)
		writer.Write(20)
		g.Start("PIYASA_NOW=" + now)
		writer.Write(20)
	}
	w.Finish(url)
}
