package stream

import "time"

// Limits of one connection. The close code states which limit a client has crossed.
const (
	maxTopicsPerMessage = 100
	maxTopics           = 200
	maxBadMessages      = 3        // bad messages until the connection is closed
	maxMessage          = 64 << 10 // bytes in a client's message
	maxBatch            = 16_000   // bytes in a batch of quotes: it fits into a piece
)

// Timeouts of a connection. A connection with a revoked key ends within KeyRecheck + CloseWait.
const (
	AuthWait       = 10 * time.Second // until the first frame
	KeyRecheck     = 10 * time.Second // between two checks of the key
	CloseWait      = 45 * time.Second // for a client that has stopped reading to receive a close frame
	shortCloseWait = 3 * time.Second  // the same during shutdown; also for the client's own close frame
	maxPending     = 64               // commands that wait while a replay runs
)
