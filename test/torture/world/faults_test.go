package world

import (
	"context"
	"testing"
)

// Processes die without a word, one after the other and together: ingest, the
// gateway, Postgres.
func TestKills(t *testing.T) {
	t.Parallel()
	w := New(t)
	primary := w.NewPostgres("primary")
	key := w.NewKey(primary.URL())
	writer := w.NewWriter(primary.URL())
	g := w.NewGateway("gateway", primary.URL())
	w.NewClients(key, g)
	writer.Write(30)
	for _, way := range []way{graphQLSocket, graphQLPosition, serverSent} { // their position is none that the store ever had
		c := w.NewClient(key, []*Gateway{g}, way, "1099511627776", "all")
		w.Wait(c.Name+" is told that nobody knows its position", func(context.Context) bool { return c.Gaps() > 0 })
	}

	w.Fault("ingest is killed")
	writer.Send(40)
	writer.Kill()
	writer.Settle()

	w.Fault("the gateway is killed")
	writer.Send(40)
	g.Kill()
	writer.Settle()
	g.Start()

	w.Fault("Postgres is killed")
	writer.Send(40)
	primary.Kill()
	primary.Start()
	writer.Settle()

	w.Fault("everything is killed")
	writer.Send(40)
	primary.Kill()
	g.Kill()
	writer.Kill()
	primary.Start()
	g.Start()

	w.Fault("Postgres stops in order and starts")
	writer.Send(40)
	primary.Stop()
	primary.Start()
	w.Finish(primary.URL())
}
