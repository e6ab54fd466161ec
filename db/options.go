package db

import "time"

// Option changes how a database is used, as an argument of Open.
type Option func(*settings)

type settings struct {
	timeout      time.Duration
	connections  int
	pooling      Pooling
	write        string // address; empty: the one for reading
	writePooling Pooling
}

// The defaults of Timeout and Connections.
const (
	DefaultTimeout     = 5 * time.Second
	DefaultConnections = 16
)

// Timeout sets how long a read may take, with the wait for a connection. Reads of followers may
// take slowFactor times as long, and writing transactions writeFactor times.
func Timeout(d time.Duration) Option { return func(s *settings) { s.timeout = d } }

// Connections sets the number of connections to Postgres that answer requests. Followers and
// writers have a few of their own.
func Connections(n int) Option { return func(s *settings) { s.connections = n } }

// Pooling states how long one client of a pooler keeps a connection to Postgres.
type Pooling string

// The modes of poolers.
const (
	PoolSessions     Pooling = "session"     // also without a pooler
	PoolTransactions Pooling = "transaction" // settings of a session do not last
)

// PooledBy states how the address is pooled. The default is PoolSessions.
func PooledBy(p Pooling) Option { return func(s *settings) { s.pooling = p } }

// WriteTo sets another Postgres address for writing, migrating and listening, and how it
// is pooled.
func WriteTo(url string, p Pooling) Option {
	return func(s *settings) { s.write, s.writePooling = url, p }
}
