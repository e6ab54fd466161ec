package access

import (
	"cmp"
	"context"
	"time"
)

// Sort is the purpose of a bucket's tokens.
type Sort string

// Sorts of buckets.
const (
	ofRequests Sort = "requests"
	ofWork     Sort = "work"
)

// Bucket names a bucket.
type Bucket struct {
	KeyID string
	Sort  Sort
}

// compare orders buckets.
func (b Bucket) compare(c Bucket) int {
	return cmp.Or(cmp.Compare(b.KeyID, c.KeyID), cmp.Compare(b.Sort, c.Sort))
}

// Ask asks for tokens of a bucket that servers share.
type Ask struct {
	Bucket
	Size, PerSec float64 // of the bucket, by its plan
	Owed         float64 // tokens already taken; below 0: tokens given back
	Need         float64 // the fewest useful tokens
	Want         float64 // the most tokens
}

// Grant answers an Ask.
type Grant struct {
	Tokens float64 // 0, or from Need to Want
	Left   float64 // in the bucket; below 0: a debt
}

// Server is a server that takes tokens from the buckets of a store.
type Server struct {
	ID      string
	Machine string // the machine on which PID is valid
	PID     int
	Shares  bool // whether it takes tokens through the store; otherwise it believes to be alone
}

// SharedStore keeps what the servers on one store share. It goes by its own clock.
type SharedStore interface {
	// JoinServers enters a server, which shares if there are others, and returns those. If
	// there are none, all buckets are full for the next server.
	JoinServers(ctx context.Context, self Server) (others []Server, err error)
	// OtherServers returns the other servers seen within ServerGone.
	OtherServers(ctx context.Context, id string) ([]Server, error)
	// SeeServer records that a server is running.
	SeeServer(ctx context.Context, self Server) error
	// ShareBuckets records that a server shares, and applies its asks.
	ShareBuckets(ctx context.Context, id string, asks []Ask) error
	// PartFromBuckets does what LeaseTokens does. If there are no other servers, this one
	// stops sharing, and the store drops all buckets.
	PartFromBuckets(ctx context.Context, id string, asks []Ask) (grants []Grant, alone bool, err error)
	// LeaseTokens takes tokens, if there are enough. The grants are in the order of asks.
	LeaseTokens(ctx context.Context, asks []Ask) ([]Grant, error)
	// LeaveServers removes a server.
	LeaveServers(ctx context.Context, id string) error
}

// Intervals and timeouts of servers that share.
const (
	ServerGone   = 15 * time.Second // after which an unseen server counts as gone
	seeEvery     = ServerGone / 3
	lookEvery    = 500 * time.Millisecond // between looks for others, and as long again for each crowd of them
	crowd        = 8
	joinPatience = 5 * lookEvery   // for others to notice a new server
	storeTimeout = 2 * time.Second // for the requests of Sharing
)
