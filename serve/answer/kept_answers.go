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
	Used    []access.Used // what it costs
	Missing []string      // ids without an answer that the body does not name
	Next    string        // cursor of the next page; empty: there is none
	Gaps    []string      // why it is empty or cut
	Stale   bool          // the source is down: this is the last good copy
	Tag     string        // its ETag; set by Memory
	Name    string        // of the operation that it answers, by the client; empty: it has none
	File    string        // the name under which a browser saves it; empty: none

	// End appends what ends the body, which each call has of its own; nil: nothing.
	End func(b []byte, call *access.Call) []byte
	Of  any // what it is made of, if that is not known before it is made

	packing sync.Once
	packed  *packed // by packing
}

// weight is how much memory it takes, in bytes, packed or not.
func (k *Kept) weight() int { return len(k.Body) + len(k.Body)/4 }

// Memory gives answers again as long as a stamp of S says that they would be the same,
// and has equal requests answered once. S tells states of what an answer is made of apart.
type Memory[S comparable] struct {
	secret []byte
	kept   *cache.Bounded[string, *stamped[S]]

	mu     sync.Mutex
	making map[string]*making[S]
}

// stamped is an answer and the state that it was made of.
type stamped[S comparable] struct {
	stamp S
	*Kept
}

// making is an answer that is being made.
type making[S comparable] struct {
	stamp  S
	answer *Kept // nil: it cannot be given to others
	left   bool  // its client went before there was an answer
	done   chan struct{}
}

// What is kept, in bytes.
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

// Counts returns how often answers were given again or had to be made, and what is kept.
func (m *Memory[S]) Counts() cache.Counts { return m.kept.Counts() }

// Again counts an answer of Peek that was given again.
func (m *Memory[S]) Again() { m.kept.Asked(1, 0) }

// Get returns the answer that is kept for a request, if it is of this state. The key
// tells apart everything that decides what is answered.
func (m *Memory[S]) Get(key string, stamp S) (*Kept, bool) {
	s, ok := m.kept.GetIfPresent(key)
	if !ok || s.stamp != stamp {
		return nil, false
	}
	return s.Kept, true
}

// Peek returns the answer that is kept for a request, and of which state it is.
func (m *Memory[S]) Peek(key string) (kept *Kept, stamp S, ok bool) {
	s, ok := m.kept.GetIfPresent(key)
	if !ok {
		return nil, stamp, false
	}
	return s.Kept, s.stamp, true
}

// Of returns the answer to a request: the kept one of this state, one that is being
// made, or the one that answer returns. nil: answer has written something else.
func (m *Memory[S]) Of(ctx context.Context, key string, stamp S, answer func() *Kept) (*Kept, error) {
	if kept, ok := m.Get(key, stamp); ok {
		m.Again()
		return kept, nil
	}
	if len(key) > maxKeptKey { // it would take more than most answers
		m.kept.Asked(0, 1)
		return answer(), nil
	}
	for {
		m.mu.Lock()
		other := m.making[key]
		if other == nil || other.stamp != stamp { // later requests wait for this one, not for an older one
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
		if !other.left { // the next one could not be given to others either
			m.kept.Asked(0, 1)
			return answer(), nil
		}
	}
}

// make has an answer made for which others may wait; m.mu is locked.
func (m *Memory[S]) make(ctx context.Context, key string, stamp S, answer func() *Kept) *Kept {
	own := &making[S]{stamp: stamp, done: make(chan struct{})}
	m.making[key] = own
	m.mu.Unlock()
	defer func() { // also after a panic
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
