package access

import (
	"cmp"
	"context"
	"time"
)

// Sort is what a bucket holds tokens for.
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
	Size, PerSec float64 // of the bucket, as its plan has them
	Owed         float64 // tokens that were taken already; below 0: that are given back
	Need         float64 // the least that is of use
	Want         float64 // the most
}

// Grant answers an Ask.
type Grant struct {
	Tokens float64 // 0, or from Need to Want
	Left   float64 // in the bucket; below 0: a debt
}

// Server is a server that takes from the buckets of a store.
type Server struct {
	ID      string
	Machine string // on which PID means a process
	PID     int
	Shares  bool // whether it asks the store for what it takes; otherwise it believes to be alone
}

// SharedStore keeps what the servers on one store share. All moments are its own.
type SharedStore interface {
	// JoinServers enters a server, which shares if there are others, and returns those. If there
	// are none, all buckets are full for the next server.
	JoinServers(ctx context.Context, self Server) (others []Server, err error)
	// OtherServers returns the other servers that were seen a moment ago.
	OtherServers(ctx context.Context, id string) ([]Server, error)
	// SeeServer notes that a server was seen.
	SeeServer(ctx context.Context, self Server) error
	// ShareBuckets notes that a server shares, and what it asks.
	ShareBuckets(ctx context.Context, id string, asks []Ask) error
	// PartFromBuckets does what LeaseTokens does. If there are no other servers, this one shares
	// no more, and the store forgets all buckets.
	PartFromBuckets(ctx context.Context, id string, asks []Ask) (grants []Grant, alone bool, err error)
	// LeaseTokens takes tokens, if there are enough. The answers are in the order of asks.
	LeaseTokens(ctx context.Context, asks []Ask) ([]Grant, error)
	// LeaveServers removes a server.
	LeaveServers(ctx context.Context, id string) error
}

// Times of servers that share.
const (
	ServerGone   = 15 * time.Second // after which a server that was not seen is gone
	seeEvery     = ServerGone / 3
	lookEvery    = 500 * time.Millisecond // for others; beside each crowd of them once more
	crowd        = 8
	joinPatience = 5 * lookEvery   // for others to notice a new server
	storeTimeout = 2 * time.Second // of what Sharing asks
)
