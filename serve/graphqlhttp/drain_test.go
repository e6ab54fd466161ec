package graphqlhttp_test

import (
	"net/url"
	"testing"
	"testing/synctest"
	"time"

	"piyasa/test/fixture"
)

// What runs for a stream may read the store until it has ended: nobody closes
// the store before that, however the stream ends.
func TestDrainWaitsForOperations(t *testing.T) {
	const query, replay = `{ eod(id: "bist:DMOST") { count } }`,
		`subscription { disclosureStream(topics: ["all"], afterSeq: 0) { __typename } }`
	for name, begin := range map[string]func(b *fixture.Bubble, document string) (hangUp func()){
		"socket": func(b *fixture.Bubble, document string) func() {
			c := b.Dial()
			c.Say(initAll)
			c.Hears("connection_ack")
			c.Ask("1", document)
			return func() { _ = c.Close() }
		},
		"stream": func(b *fixture.Bubble, document string) func() {
			l := b.Get("/graphql?query="+url.QueryEscape(document), "X-API-Key", fixture.All, "Accept", fixture.EventStream)
			return func() { _ = l.Body.Close() }
		},
		"reserved stream": func(b *fixture.Bubble, document string) func() {
			_, token := b.Send("PUT", "/graphql/stream", "")
			b.Send("POST", "/graphql/stream?token="+token, fixture.Body(document, "a"))
			l := b.Get("/graphql/stream?token="+token, "Accept", fixture.EventStream)
			return func() { _ = l.Body.Close() }
		},
		"reserved stream that is not open": func(b *fixture.Bubble, document string) func() {
			_, token := b.Send("PUT", "/graphql/stream", "")
			b.Send("POST", "/graphql/stream?token="+token, fixture.Body(document, "a"))
			return func() {}
		},
	} {
		for kind, document := range map[string]string{"query": query, "replay": replay} {
			t.Run(name+"/"+kind, func(t *testing.T) {
				fixture.InBubble(t, func(t *testing.T, b *fixture.Bubble) {
					b.Publish(1)
					reading, end := make(chan struct{}, 1), make(chan struct{})
					b.OnRead(func() {
						reading <- struct{}{}
						<-end
					})
					hangUp := begin(b, document)
					<-reading
					hangUp()
					synctest.Wait()
					drained := make(chan struct{})
					go func() {
						defer close(drained)
						b.Drain()
					}()
					time.Sleep(2 * fixture.Patience)
					select {
					case <-drained:
						t.Error("drained while the store is being read")
					default:
					}
					close(end)
					<-drained
				})
			})
		}
	}
}
