// Command nats serves the protocol of NATS with its server as a library.
package main

import (
	"fmt"
	"log"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

func main() {
	s, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT, NoSigs: true, NoLog: true,
		PingInterval: time.Hour})
	if err != nil {
		log.Fatal(err)
	}
	s.Start()
	if !s.ReadyForConnections(10 * time.Second) {
		log.Fatal("not ready")
	}
	fmt.Printf("listening on http://%s\n", s.Addr())
	s.WaitForShutdown()
}
