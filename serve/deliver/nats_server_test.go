package deliver_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"piyasa/test/fixture"
	"piyasa/test/fixture/need"
)

// natsServer is a server of NATS in this process.
type natsServer struct {
	*server.Server
	options server.Options
}

// startNATS starts a server with JetStream until the test ends.
func startNATS(t testing.TB, change func(*server.Options)) *natsServer {
	t.Helper()
	n := &natsServer{options: server.Options{ServerName: "one", Host: "127.0.0.1", Port: portOf(t, need.Address(t)), JetStream: true,
		StoreDir: t.TempDir(), NoLog: true, NoSigs: true}}
	if change != nil {
		change(&n.options)
	}
	n.start(t)
	t.Cleanup(n.stop)
	return n
}

func portOf(t testing.TB, address string) (port int) {
	t.Helper()
	if _, err := fmt.Sscan(address[strings.LastIndex(address, ":")+1:], &port); err != nil {
		t.Fatal(err)
	}
	return port
}

func (n *natsServer) start(t testing.TB) {
	t.Helper()
	own := n.options
	s, err := server.NewServer(&own)
	need.NoError(t, err)
	n.Server = s
	s.Start()
	if !s.ReadyForConnections(fixture.Patience) {
		t.Fatal("the server of NATS does not start")
	}
}

func (n *natsServer) stop() {
	n.Shutdown()
	n.WaitForShutdown()
}

// cluster starts three servers that know each other.
func cluster(t testing.TB) []*natsServer {
	t.Helper()
	var routes []string
	for range 3 {
		routes = append(routes, "nats://"+need.Address(t))
	}
	all := make([]*natsServer, 3)
	for i := range all {
		all[i] = startNATS(t, func(o *server.Options) {
			o.ServerName, o.Routes = fmt.Sprint("node", i), server.RoutesFromStr(strings.Join(routes, ","))
			o.Cluster = server.ClusterOpts{Name: "three", Host: "127.0.0.1", Port: portOf(t, routes[i])}
		})
	}
	fixture.Eventually(t, "a cluster of JetStream", func() bool {
		for _, n := range all {
			if n.JetStreamIsLeader() && len(n.JetStreamClusterPeers()) == len(all) {
				return true
			}
		}
		return false
	})
	return all
}

// message is a message that a consumer got.
type message struct {
	subject, line string
	header        nats.Header
}

// consume reads a stream from its start to its end.
func consume(t testing.TB, address, stream string) []message {
	t.Helper()
	conn, err := nats.Connect(address)
	need.NoError(t, err)
	defer conn.Close()
	js, err := jetstream.New(conn)
	need.NoError(t, err)
	var of jetstream.Stream
	var consumer jetstream.Consumer
	fixture.Eventually(t, "a consumer", func() bool { // without a leader nobody answers
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		if of, err = js.Stream(ctx, stream); err == nil {
			consumer, err = of.OrderedConsumer(ctx, jetstream.OrderedConsumerConfig{})
		}
		return err == nil
	})
	last := of.CachedInfo().State.LastSeq
	messages, err := consumer.Messages()
	need.NoError(t, err)
	defer messages.Stop()
	var got []message
	for len(got) < int(last) {
		m, err := messages.Next(jetstream.NextMaxWait(fixture.Patience))
		if err != nil {
			t.Fatalf("after %d of %d messages: %v", len(got), last, err)
		}
		got = append(got, message{m.Subject(), string(m.Data()), m.Headers()})
	}
	return got
}

// swallower is a server between a client and one of NATS that swallows a message when told to.
type swallower struct {
	address string
	swallow atomic.Int64 // the message that is swallowed, counted from now on; 0: none
}

func swallow(t testing.TB, to string) *swallower {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	need.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	s := &swallower{address: "nats://" + listener.Addr().String()}
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			server, err := net.DialTimeout("tcp", strings.TrimPrefix(to, "nats://"), time.Second)
			if err != nil {
				_ = client.Close()
				continue
			}
			go func() {
				_, _ = io.Copy(client, server)
				_ = client.Close()
			}()
			go func() {
				s.pass(server, bufio.NewReader(client))
				_ = server.Close()
			}()
		}
	}()
	return s
}

// pass hands on what a client sends.
func (s *swallower) pass(to io.Writer, from *bufio.Reader) {
	for {
		line, err := from.ReadBytes('\n')
		if err != nil {
			return
		}
		words, size := bytes.Fields(line), 0
		if bytes.HasSuffix(words[0], []byte("PUB")) {
			if _, err := fmt.Sscan(string(words[len(words)-1]), &size); err != nil {
				return
			}
			rest := make([]byte, size+len("\r\n"))
			if _, err := io.ReadFull(from, rest); err != nil {
				return
			}
			line = append(line, rest...)
		}
		if string(words[0]) == "HPUB" && s.swallow.Add(-1) == 0 {
			continue
		}
		if _, err := to.Write(line); err != nil {
			return
		}
	}
}

// members returns the members of a line.
func members(t testing.TB, line string) (m map[string]any) {
	t.Helper()
	need.NoError(t, json.Unmarshal([]byte(line), &m))
	return m
}

func writeFile(t testing.TB, file, text string) {
	t.Helper()
	need.NoError(t, os.WriteFile(file, []byte(text), 0o600))
}
