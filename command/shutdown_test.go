package command_test

import (
	"fmt"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"piyasa/test/fixture/need"
)

// A server that stops tells each of a thousand streams, and is gone soon.
func TestStoppingWithManyStreams(t *testing.T) {
	const streams = 1000
	database := "sqlite:" + t.TempDir() + "/piyasa.db"
	key, _ := newKey(t, database, "--scopes", "kap")
	server := start(t, database)
	sockets := make([]*websocket.Conn, streams)
	for i := range sockets {
		ws, err := dial(t.Context(), server.base, "/v1/kap-feed/stream")
		need.NoError(t, err)
		sockets[i] = ws
		if i%10 == 0 {
			continue // has not said who it is
		}
		for _, say := range []string{fmt.Sprintf(`{"action":"auth","api_key":%q}`, key), `{"action":"subscribe","ids":["all"]}`} {
			need.NoError(t, ws.WriteMessage(websocket.TextMessage, []byte(say)))
			if _, _, err := ws.ReadMessage(); err != nil {
				t.Fatal(err)
			}
		}
	}
	var told sync.WaitGroup
	for _, ws := range sockets {
		told.Go(func() {
			if _, frame, err := ws.ReadMessage(); !websocket.IsCloseError(err, websocket.CloseGoingAway) {
				t.Errorf("%s, %v", frame, err)
			}
		})
	}
	began := time.Now()
	if status := server.stop(syscall.SIGTERM); status != 0 {
		t.Errorf("status %d", status)
	}
	told.Wait()
	if took := time.Since(began); took > 30*time.Second {
		t.Errorf("it took %s", took)
	}
}
