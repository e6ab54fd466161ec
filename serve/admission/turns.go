package admission

import (
	"container/heap"
	"context"
	"errors"
	"math"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"time"

	"piyasa/account/access"
	"piyasa/internal/problem"
)

// Turns bound the work that runs at once, in two lanes, so that light requests run while heavy
// ones queue. Cheap answers from memory need no turn, so they continue while a database hangs.
// Each lane serves next the key that has asked for least. A request that cannot run soon is
// rejected at once.
type Turns struct {
	light, heavy lane
	limit        func() float64 // the part of the memory limit that is used, 0 to 1; may be nil
}

// Bounds of the lanes.
const (
	heavyCost = 10_000 // the cost from which a request is heavy

	lightPerCore = 64 // most requests that run at once
	heavyPerCore = 1
	lightWaiting = 1_024 // most requests in a queue
	heavyWaiting = 64
	lightWait    = time.Second // the longest wait in a queue
	heavyWait    = 2 * time.Second

	heavyTime  = 20 * time.Second       // the longest that a heavy request runs
	heavyStay  = 250 * time.Millisecond // after which a request is assumed to wait for the store
	mostStayed = 4                      // most turns not ended, as a multiple of those that run at once: bounds their memory

	overloadedRetry = 1 // seconds
	fullMemory      = 0.9
)

// NewTurns returns turns for the processors and the memory (GOMEMLIMIT) of this process.
func NewTurns() *Turns {
	cores := runtime.GOMAXPROCS(0)
	return &Turns{
		light: lane{most: lightPerCore * cores, waiting: lightWaiting, patience: lightWait},
		heavy: lane{most: heavyPerCore * cores, waiting: heavyWaiting, patience: heavyWait, stay: heavyStay},
		limit: memoryUsed,
	}
}

// Enter waits for the turn of a request of the key of ctx; the caller must call done to end
// the turn. Problem: overloaded. If ctx ends first, the error is that of ctx.
func (t *Turns) Enter(ctx context.Context, cost int) (done func(), err error) {
	if t == nil {
		return func() {}, nil
	}
	if cost < access.AskingCost {
		return func() {}, nil
	}
	l := &t.light
	if cost >= heavyCost {
		if l = &t.heavy; t.limit != nil && t.limit() > fullMemory {
			l.refuse()
			return nil, overloaded()
		}
	}
	key := ""
	if call := access.CallOf(ctx); call != nil {
		key = call.Key.ID
	}
	return l.enter(ctx, key, cost)
}

// Load counts the requests that run and wait now, and those refused so far.
type Load struct{ Running, Waiting, Refused int }

// Load returns the load of the light and of the heavy lane.
func (t *Turns) Load() (light, heavy Load) { return t.light.load(), t.heavy.load() }

// overloaded returns the problem of a request that cannot run soon.
func overloaded() error {
	e := problem.New(problem.Overloaded, "The server has more work than it can do; try again in %d s.", overloadedRetry)
	e.RetryAfter = overloadedRetry
	return e
}

// lane is a queue for turns. The mark of a request is where, in cost, its key's last request
// ended, or the lane's current mark; the lowest mark runs next. So a key that asks for much
// queues behind itself, and other keys pass. A turn that takes long gives its place to the
// next one, up to a bound: it probably waits for the store, and meanwhile memory can answer.
type lane struct {
	most, waiting int
	patience      time.Duration
	stay          time.Duration // 0: every turn keeps its place

	mu      sync.Mutex
	running int // turns that have a place
	stayed  int // turns that gave their place away
	refused int
	came    int // how many have waited, so that equal marks run in order of arrival
	queue   queue
	now     float64            // the mark of the last turn that began
	ends    map[string]float64 // where the last request of each key ends, if after now
}

// turn is a request that waits.
type turn struct {
	key   string
	cost  float64
	mark  float64
	came  int
	place int           // index in the queue; -1: it has left
	goes  chan struct{} // closed when it may run or is pushed out
	done  func()        // ends the turn, if it runs
	out   bool          // it was pushed out
}

// stay is a turn that runs.
type stay struct{ long, ended bool }

// errLate is the cause of a context that ends because a lane's patience is over.
var errLate = errors.New("the queue is too slow")

func (l *lane) enter(ctx context.Context, key string, cost int) (done func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	l.mu.Lock()
	own := &turn{key: key, cost: float64(cost), mark: l.mark(key, cost), goes: make(chan struct{})}
	if l.hasPlace() && len(l.queue) == 0 {
		done = l.begin()
		l.now = max(l.now, own.mark)
		l.mu.Unlock()
		return done, nil
	}
	l.came++
	own.came = l.came
	if len(l.queue) >= l.waiting && !l.giveWay(own) {
		l.refused++
		l.takeBack(own)
		l.mu.Unlock()
		return nil, overloaded()
	}
	heap.Push(&l.queue, own)
	l.mu.Unlock()
	waiting, cancel := context.WithTimeoutCause(ctx, l.patience, errLate)
	defer cancel()
	select {
	case <-own.goes:
	case <-waiting.Done():
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case own.out:
		return nil, overloaded()
	case own.place < 0: // it has begun
		return own.done, nil
	}
	heap.Remove(&l.queue, own.place)
	l.takeBack(own)
	if context.Cause(waiting) == errLate {
		l.refused++
		return nil, overloaded()
	}
	return nil, ctx.Err()
}

// mark returns the mark of a key's new request, and records where the request ends; l.mu is
// locked.
func (l *lane) mark(key string, cost int) float64 {
	if l.ends == nil {
		l.ends = map[string]float64{}
	}
	if len(l.ends) > 2*(l.waiting+l.most) {
		for k, end := range l.ends {
			if end <= l.now {
				delete(l.ends, k)
			}
		}
	}
	mark := max(l.now, l.ends[key])
	l.ends[key] = mark + float64(cost)
	return mark
}

// takeBack undoes the marks of a turn that left the queue without running: a refusal does not
// set its key back. l.mu is locked.
func (l *lane) takeBack(gone *turn) {
	l.ends[gone.key] -= gone.cost
	for _, other := range l.queue {
		if other.key == gone.key && other.mark > gone.mark {
			other.mark -= gone.cost
		}
	}
	heap.Init(&l.queue)
}

// giveWay removes the last turn of a full queue, if own comes before it; l.mu is locked.
func (l *lane) giveWay(own *turn) bool {
	last := -1
	for i, other := range l.queue {
		if last < 0 || l.queue[last].mark < other.mark || l.queue[last].mark == other.mark && l.queue[last].came < other.came {
			last = i
		}
	}
	if last < 0 || own.mark >= l.queue[last].mark {
		return false
	}
	other := l.queue[last]
	heap.Remove(&l.queue, last)
	l.takeBack(other)
	other.out = true
	close(other.goes)
	l.refused++
	return true
}

// hasPlace reports whether another turn may run; l.mu is locked.
func (l *lane) hasPlace() bool {
	return l.running < l.most && l.running+l.stayed < mostStayed*l.most
}

// begin begins a turn, which done ends; l.mu is locked.
func (l *lane) begin() (done func()) {
	l.running++
	if l.stay == 0 {
		return l.leave
	}
	s := new(stay)
	over := time.AfterFunc(l.stay, func() { l.outstay(s) })
	return func() {
		over.Stop()
		l.end(s)
	}
}

// leave ends a turn that kept its place.
func (l *lane) leave() { l.end(new(stay)) }

// outstay takes the place from a turn that has run for the lane's stay.
func (l *lane) outstay(s *stay) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if s.ended {
		return
	}
	s.long = true
	l.running--
	l.stayed++
	l.next()
}

// end ends a turn.
func (l *lane) end(s *stay) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if s.ended = true; s.long {
		l.stayed--
	} else {
		l.running--
	}
	l.next()
}

// next begins the queued turns that have a place now; l.mu is locked.
func (l *lane) next() {
	for l.hasPlace() && len(l.queue) > 0 {
		next := heap.Pop(&l.queue).(*turn)
		next.done = l.begin()
		l.now = max(l.now, next.mark)
		close(next.goes)
	}
	if l.running+l.stayed == 0 {
		l.now = 0
		clear(l.ends)
	}
}

func (l *lane) refuse() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.refused++
}

func (l *lane) load() Load {
	l.mu.Lock()
	defer l.mu.Unlock()
	return Load{l.running + l.stayed, len(l.queue), l.refused}
}

// queue is a heap of waiting turns.
type queue []*turn

// Len implements heap.Interface.
func (q queue) Len() int { return len(q) }

// Less implements heap.Interface.
func (q queue) Less(i, j int) bool {
	return q[i].mark < q[j].mark || q[i].mark == q[j].mark && q[i].came < q[j].came
}

// Swap implements heap.Interface.
func (q queue) Swap(i, j int) {
	q[i], q[j] = q[j], q[i]
	q[i].place, q[j].place = i, j
}

// Push implements heap.Interface.
func (q *queue) Push(x any) {
	t := x.(*turn)
	t.place = len(*q)
	*q = append(*q, t)
}

// Pop implements heap.Interface.
func (q *queue) Pop() any {
	old := *q
	t := old[len(old)-1]
	old[len(old)-1], *q = nil, old[:len(old)-1]
	t.place = -1
	return t
}

// memoryUsed returns which part of GOMEMLIMIT was live after the last garbage collection; 0
// without a limit.
func memoryUsed() float64 {
	limit := debug.SetMemoryLimit(-1)
	if limit == math.MaxInt64 {
		return 0
	}
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	return float64(sample[0].Value.Uint64()) / float64(limit)
}

// Turn waits for the turn of the call of ctx, which has paid, and returns the context to run
// in; the caller must call done to end the turn. Problem: overloaded, and what was paid is
// given back. The same problem is the cause of the context if a heavy request takes too long.
// If ctx ends first, the error is that of ctx.
func (d Door) Turn(ctx context.Context) (in context.Context, done func(), err error) {
	call := access.CallOf(ctx)
	leave, err := d.Turns.Enter(ctx, call.Cost.Asked)
	switch {
	case err == nil && call.Cost.Asked >= heavyCost:
		in, cancel := context.WithTimeoutCause(ctx, heavyTime, tooLong())
		return in, func() { cancel(); leave() }, nil
	case err != nil:
		d.GiveBack(ctx)
	}
	return ctx, leave, err
}

// tooLong returns the problem of a request that takes longer than heavyTime.
func tooLong() error {
	e := problem.New(problem.Overloaded, "The answer takes longer than %s, so it was given up.", heavyTime)
	e.RetryAfter = overloadedRetry
	return e
}
