package answer

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"sync"

	"piyasa/account/access"
	"piyasa/internal/cache"
)

// Kept is a whole answer that can be given again.
type Kept struct {
	Media   string
	Body    []byte
	Used    []access.Used // what the answer costs
	Missing []string      // ids without an answer that the body does not name
	Next    string        // cursor of the next page; empty: there is none
	Gaps    []string      // missing reasons: why it is empty or cut
	Stale   bool          // the source is down, and this is the last good copy
	Tag     string        // its ETag; set by Memory
	Name    string        // the client's name of the operation; may be empty
	File    string        // the name under which a browser saves it; empty: none

	// End appends the end of the body, which differs between calls; nil: there is none.
	End func(b []byte, call *access.Call) []byte
	Of  any // what it is made of (its reads), if known only once it is made

	packing sync.Once
	packed  *packed // made by packing
}

// weight returns the bytes of memory that the answer takes, allowing for its packed form.
func (k *Kept) weight() int { return len(k.Body) + len(k.Body)/4 }

// Memory keeps answers and gives them again for as long as their stamp, a value of S, stays the
// same; a stamp stands for a state of the data that an answer is made of. Equal requests at the
// same time are answered once. Use Serve for a request, or Of for its answer.
type Memory[S comparable] struct {
	secret []byte
	kept   *cache.Bounded[string, *stamped[S]]

	mu     sync.Mutex
	making map[string]*making[S]
}

// stamped is an answer and the stamp of the state that it was made of.
type stamped[S comparable] struct {
	stamp S
	*Kept
}

// making is an answer that is being made.
type making[S comparable] struct {
	stamp  S
	answer *Kept // nil: it cannot be given to other requests
	left   bool  // its client left before there was an answer
	done   chan struct{}
}

// Bounds of the kept answers, in bytes.
const (
	maxKept     = 64 << 20
	maxKeptBody = 1 << 20
	maxKeptKey  = 16 << 10
	keptExtra   = 256
)

// NewMemory returns an empty Memory whose tags cannot be made without the secret.
func NewMemory[S comparable](secret []byte) *Memory[S] {
	bytes := func(key string, s *stamped[S]) int { return keptExtra + len(key) + s.weight() }
	return &Memory[S]{secret: secret, kept: cache.NewBounded(maxKept, bytes), making: map[string]*making[S]{}}
}

// Counts returns how often kept answers were given or new ones made, and what is kept.
func (m *Memory[S]) Counts() cache.Counts { return m.kept.Counts() }

// Again counts an answer from Peek that was given again.
func (m *Memory[S]) Again() { m.kept.Asked(1, 0) }

// Get returns the kept answer to a request, if it has this stamp. The key must differ for
// requests whose answers may differ.
func (m *Memory[S]) Get(key string, stamp S) (*Kept, bool) {
	s, ok := m.kept.GetIfPresent(key)
	if !ok || s.stamp != stamp {
		return nil, false
	}
	return s.Kept, true
}

// Peek returns the kept answer to a request, and its stamp.
func (m *Memory[S]) Peek(key string) (kept *Kept, stamp S, ok bool) {
	s, ok := m.kept.GetIfPresent(key)
	if !ok {
		return nil, stamp, false
	}
	return s.Kept, s.stamp, true
}

// Of returns the answer to a request: the kept one with this stamp, one that another request is
// making, or the one that answer returns. It is nil if answer has written something else. The
// error is that of ctx.
func (m *Memory[S]) Of(ctx context.Context, key string, stamp S, answer func() *Kept) (*Kept, error) {
	if kept, ok := m.Get(key, stamp); ok {
		m.Again()
		return kept, nil
	}
	if len(key) > maxKeptKey { // the key would take more memory than most answers
		m.kept.Asked(0, 1)
		return answer(), nil
	}
	for {
		m.mu.Lock()
		other := m.making[key]
		if other == nil || other.stamp != stamp { // later requests wait for the newer one
			m.kept.Asked(0, 1)
			return m.make(ctx, key, stamp, answer), nil
		}
		m.mu.Unlock()
		select {
		case <-other.done:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		if other.answer != nil {
			m.Again()
			return other.answer, nil
		}
		if !other.left { // another answer could not be shared either
			m.kept.Asked(0, 1)
			return answer(), nil
		}
	}
}

// make calls answer, for which other requests may wait; m.mu is locked.
func (m *Memory[S]) make(ctx context.Context, key string, stamp S, answer func() *Kept) *Kept {
	own := &making[S]{stamp: stamp, done: make(chan struct{})}
	m.making[key] = own
	m.mu.Unlock()
	defer func() { // even after a panic
		m.mu.Lock()
		defer m.mu.Unlock()
		if m.making[key] == own {
			delete(m.making, key)
			if own.answer != nil && len(own.answer.Body) <= maxKeptBody {
				m.kept.Set(key, &stamped[S]{stamp, own.answer})
			}
		}
		own.left = own.answer == nil && ctx.Err() != nil
		close(own.done)
	}()
	if kept := answer(); kept != nil {
		kept.Tag = m.Tag(key, stamp)
		own.answer = kept
	}
	return own.answer
}

// Tag returns the weak ETag of the answer to a request in a state.
func (m *Memory[S]) Tag(key string, stamp S) string {
	h := sha256.New()
	fmt.Fprintf(h, "%d %s %d %s %v", len(m.secret), m.secret, len(key), key, stamp)
	return `W/"` + base64.RawURLEncoding.EncodeToString(h.Sum(nil)[:18]) + `"`
}
