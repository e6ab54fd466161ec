// Command client follows disclosures without loss: client [TOPIC…]. Outside this
// repository, first run: go mod init client && go mod tidy.
package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log"
	"math/rand/v2"
	"os"
	"strconv"
	"time"

	"github.com/gorilla/websocket"
)

const (
	minPause = 250 * time.Millisecond // until the next attempt
	maxPause = 10 * time.Second
	silence  = 75 * time.Second // after which the connection counts as dead
)

// client keeps its state across connections.
type client struct {
	topics []string
	last   int64          // the highest number processed
	seen   map[int64]bool // a disclosure may come twice, and a late one has a lower number
	pause  time.Duration
}

func main() {
	c := &client{topics: os.Args[1:], seen: map[int64]bool{}, pause: minPause}
	if len(c.topics) == 0 {
		c.topics = []string{"all"}
	}
	text, err := os.ReadFile("last_index")
	if err == nil {
		c.last, err = strconv.ParseInt(string(text), 10, 64)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		log.Fatal(err)
	}
	for {
		err := c.follow()
		log.Print("disconnected: ", err)
		if websocket.IsCloseError(err, 4400, 4401, 4403) {
			os.Exit(1) // retrying does not help
		}
		time.Sleep(c.pause/2 + rand.N(c.pause))
		c.pause = min(2*c.pause, maxPause)
	}
}

// handle does your work; a disclosure is done when it returns nil.
func handle(disclosure json.RawMessage) error {
	_, err := fmt.Printf("%s\n", disclosure)
	return err
}

func (c *client) take(disclosure json.RawMessage, number int64) error {
	if c.seen[number] {
		return nil
	}
	if err := handle(disclosure); err != nil {
		return err
	}
	c.seen[number] = true
	c.last, c.pause = max(c.last, number), minPause // progress
	if err := os.WriteFile("last_index.new", strconv.AppendInt(nil, c.last, 10), 0o600); err != nil {
		return err
	}
	return os.Rename("last_index.new", "last_index") // a crash leaves the old number or the new one
}

// follow receives disclosures on one connection until it ends.
func (c *client) follow() error {
	ws, _, err := websocket.DefaultDialer.Dial(cmp.Or(os.Getenv("PIYASA_URL"), "ws://127.0.0.1:8080")+"/v1/kap-feed/stream", nil)
	if err != nil {
		return err
	}
	defer ws.Close()
	alive := func(string) error { return ws.SetReadDeadline(time.Now().Add(silence)) }
	ws.SetPongHandler(alive)
	defer ping(ws)()
	if err := ws.WriteJSON(map[string]string{"action": "auth", "api_key": os.Getenv("PIYASA_KEY")}); err != nil {
		return err
	}
	resume := func(from int64) error {
		return ws.WriteJSON(map[string]any{"action": "subscribe", "ids": c.topics, "last_seen_index": from})
	}
	complete := false // whether all replays are complete
	for {
		var frame struct {
			Type      string          `json:"type"`
			Invalid   []string        `json:"invalid"`
			Replay    bool            `json:"replay"`
			Data      json.RawMessage `json:"data"`
			LastIndex int64           `json:"last_index"`
			Truncated bool            `json:"truncated"`
			Code      string          `json:"code"`
			Message   string          `json:"message"`
			Lost      []int           `json:"lost"`
		}
		if err = alive(""); err == nil {
			err = ws.ReadJSON(&frame)
		}
		switch {
		case err != nil:
		case frame.Type == "auth_ok":
			err = resume(c.last)
		case frame.Type == "subscribed" && len(frame.Invalid) > 0:
			log.Print("no topics: ", frame.Invalid)
		case frame.Type == "disclosure":
			var d struct {
				Number int64 `json:"disclosure_index"`
			}
			err = json.Unmarshal(frame.Data, &d)
			// While a replay has a hole, skip live disclosures: the next replay repeats them in order.
			if err == nil && (complete || frame.Replay || d.Number < c.last) {
				err = c.take(frame.Data, d.Number)
			}
		case frame.Type == "replay_done" && frame.Truncated:
			err = resume(frame.LastIndex)
		case frame.Type == "replay_done":
			complete, c.pause = true, minPause
		case frame.Code == "store_went_back":
			log.Print("the store lost: ", frame.Lost)
		case frame.Type == "error":
			err = errors.New(frame.Message)
		}
		if err != nil {
			return err
		}
	}
}

// ping sends pings until stop is called.
func ping(ws *websocket.Conn) (stop func()) {
	tick, done := time.NewTicker(30*time.Second), make(chan struct{})
	go func() {
		for {
			select {
			case <-tick.C:
				_ = ws.WriteControl(websocket.PingMessage, nil, time.Now().Add(silence))
			case <-done:
				return
			}
		}
	}()
	return func() {
		tick.Stop()
		close(done)
	}
}
