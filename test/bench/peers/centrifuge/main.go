// Command centrifuge serves one channel over WebSockets with the centrifuge
// library, and publishes every line of its input there. Nothing is stored but,
// in memory, the newest lines for clients that recover.
package main

import (
	"bufio"
	"context"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/centrifugal/centrifuge"
)

const (
	channel = "disclosures"
	history = 1_500 // lines kept for clients that recover
)

func main() {
	node, err := centrifuge.New(centrifuge.Config{})
	if err != nil {
		log.Fatal(err)
	}
	node.OnConnecting(func(context.Context, centrifuge.ConnectEvent) (centrifuge.ConnectReply, error) {
		return centrifuge.ConnectReply{
			Credentials:    &centrifuge.Credentials{UserID: "bench"},
			PingPongConfig: &centrifuge.PingPongConfig{PingInterval: -1, PongTimeout: -1},
		}, nil
	})
	node.OnConnect(func(client *centrifuge.Client) {
		client.OnSubscribe(func(e centrifuge.SubscribeEvent, reply centrifuge.SubscribeCallback) {
			reply(centrifuge.SubscribeReply{Options: centrifuge.SubscribeOptions{EnableRecovery: e.Recoverable}}, nil)
		})
	})
	if err := node.Run(); err != nil {
		log.Fatal(err)
	}
	go publish(node)
	mux := http.NewServeMux()
	mux.Handle("/", centrifuge.NewWebsocketHandler(node, centrifuge.WebsocketConfig{
		UseWriteBufferPool: true, WriteTimeout: 30 * time.Second, ReadBufferSize: 512,
	}))
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("listening on http://%s\n", listener.Addr())
	log.Fatal(http.Serve(listener, mux))
}

func publish(node *centrifuge.Node) {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		line := append([]byte(nil), lines.Bytes()...)
		if _, err := node.Publish(channel, line, centrifuge.WithHistory(history, time.Hour)); err != nil {
			log.Fatal(err)
		}
	}
}
