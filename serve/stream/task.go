package stream

import "sync"

// task does work in a goroutine that exists only while there is some.
type task struct {
	work func() // does all there is to do
	loop func() // run, made once

	mu      sync.Mutex
	running bool
	again   bool          // there may be new work
	over    bool          // none begins
	ended   chan struct{} // closed when the last has ended; nil: nobody waits
}

// prepare sets what the task does.
func (t *task) prepare(work func()) { t.work, t.loop = work, t.run }

// wake makes the task work, again if it does so already. It waits for nothing.
func (t *task) wake() {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.over:
	case t.running:
		t.again = true
	default:
		t.running = true
		go t.loop()
	}
}

func (t *task) run() {
	for {
		t.work()
		if t.rest() {
			return
		}
	}
}

// rest reports whether there is nothing more to do.
func (t *task) rest() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.again && !t.over {
		t.again = false
		return false
	}
	t.running = false
	if t.ended != nil {
		close(t.ended)
	}
	return true
}

// stop keeps work from beginning again and waits for the end of what has begun. It is
// called once.
func (t *task) stop() {
	t.mu.Lock()
	t.over = true
	if !t.running {
		t.mu.Unlock()
		return
	}
	t.ended = make(chan struct{})
	t.mu.Unlock()
	<-t.ended
}
