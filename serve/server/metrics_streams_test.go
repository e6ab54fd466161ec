package server_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/gorilla/websocket"

	"piyasa/account/access"
	"piyasa/test/fixture"
	"piyasa/test/fixture/need"
)

// Streams that end are counted by their transport and by why, in words that no client chooses.
func TestMetricsOfClosedStreams(t *testing.T) {
	b := fixture.NewBroadcast(t)
	b.Services.Gate.Replace([]*access.Key{secretKey()})
	counted := func(transport, why string) {
		t.Helper()
		series := fmt.Sprintf("\npiyasa_streams_closed_total{transport=%q,why=%q} 1\n", transport, why)
		fixture.Eventually(t, series, func() bool { return strings.Contains(b.Metrics(), series) })
	}
	dial := func(first string) *websocket.Conn {
		t.Helper()
		ws, res, err := websocket.DefaultDialer.Dial("ws"+strings.TrimPrefix(b.URL, "http")+"/v1/ws", nil)
		need.NoError(t, err)
		_ = res.Body.Close()
		need.NoError(t, ws.WriteMessage(websocket.TextMessage, []byte(first)))
		_, _, _ = ws.ReadMessage()
		return ws
	}
	auth := `{"action":"auth","api_key":"` + fixture.All + `"}`
	_ = dial(`{"action":"auth","api_key":"x"}`).Close()
	counted("websocket", "invalid_key")
	bye := dial(auth)
	_ = bye.WriteMessage(websocket.CloseMessage, websocket.FormatCloseMessage(websocket.CloseNormalClosure, "slow_consumer"))
	_, _, _ = bye.ReadMessage()
	counted("websocket", "client")
	_ = bye.Close()
	_ = dial(auth).NetConn().Close()
	counted("websocket", "cut")
	talker := b.Join(fixture.All)
	talker.Say(`{"type":"odd"}`)
	talker.Hear()
	counted("graphql_websocket", "bad_message")
	events := b.Listen(`{__typename}`)
	_ = events.Text()
	counted("sse", "completed")
	gone := b.Listen(fixture.Follow(""))
	gone.Hears("retry 2000", "Subscribed")
	_ = gone.Body.Close()
	counted("sse", "client")
	left := b.Join(fixture.All)
	go b.Drain(fixture.Patience)
	_ = left.Hear()
	counted("graphql_websocket", "going_away")
}

// Streams that may be compressed are counted while they are open.
func TestMetricsOfCompressedStreams(t *testing.T) {
	b := fixture.NewBroadcast(t)
	offering := http.Header{"Sec-WebSocket-Extensions": {"permessage-deflate"}}
	packed, res, err := websocket.DefaultDialer.Dial("ws"+strings.TrimPrefix(b.URL, "http")+"/v1/ws", offering)
	need.NoError(t, err)
	_ = res.Body.Close()
	if !strings.Contains(b.Metrics(), "\npiyasa_streams_compressed 1\n") {
		t.Error("the stream that may be compressed is not counted")
	}
	_ = packed.Close()
	fixture.Eventually(t, "it not to be counted", func() bool { return strings.Contains(b.Metrics(), "\npiyasa_streams_compressed 0\n") })
}
