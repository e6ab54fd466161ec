package stream

import "sync"

// task does work in a goroutine that exists only while there is some.
type task struct {
	work func() // does all pending work
	loop func() // the method run, bound once

	mu      sync.Mutex
	running bool
	again   bool          // whether there may be new work
	over    bool          // whether stop was called: no work begins
	ended   chan struct{} // closed when the last work has ended; nil: stop does not wait
}

// prepare sets what the task does.
func (t *task) prepare(work func()) { t.work, t.loop = work, t.run }

// wake starts the work, or makes a running task work once more. It does not block.
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

// rest reports whether there is no more work.
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

// stop prevents new work and waits for the end of running work. It is called once.
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
