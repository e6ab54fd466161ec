// Command loop writes every line of its input to every WebSocket in turn, one write a
// line and socket, and does nothing else: what the kernel and the clients need when
// one line at a time comes.
package main

import (
	"bufio"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"sync"

	"github.com/gorilla/websocket"
)

// followers are the sockets that have asked.
type followers struct {
	mu  sync.Mutex
	all []*websocket.Conn
}

func main() {
	var f followers
	go f.publish()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("listening on http://%s\n", listener.Addr())
	log.Fatal(http.Serve(listener, &f))
}

func (f *followers) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	upgrader := websocket.Upgrader{ReadBufferSize: 512, WriteBufferSize: 512}
	conn, err := upgrader.Upgrade(w, r, nil)
	if err != nil {
		return
	}
	if _, _, err := conn.ReadMessage(); err != nil {
		conn.Close()
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := conn.WriteMessage(websocket.TextMessage, []byte(`"subscribed"`)); err != nil {
		conn.Close()
		return
	}
	f.all = append(f.all, conn)
}

func (f *followers) publish() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		message, err := websocket.NewPreparedMessage(websocket.TextMessage, append([]byte(nil), lines.Bytes()...))
		if err != nil {
			log.Fatal(err)
		}
		f.send(message)
	}
}

// send forgets the sockets that have gone.
func (f *followers) send(message *websocket.PreparedMessage) {
	f.mu.Lock()
	defer f.mu.Unlock()
	open := f.all[:0]
	for _, conn := range f.all {
		if conn.WritePreparedMessage(message) == nil {
			open = append(open, conn)
		}
	}
	f.all = open
}
