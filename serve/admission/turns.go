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

// Turns bound the work that runs at once, in two lanes: light requests go on while heavy
// ones queue. What memory answers at little cost needs no turn, so that it goes on while a
// database hangs. Each lane lets the key go next that has asked for least. What cannot run
// soon is refused at once.
type Turns struct {
	light, heavy lane
	limit        func() float64 // how full the memory is, of what it may be; may be nil
}

// Bounds of the lanes.
const (
	heavyCost = 10_000 // from here a request is heavy

	lightPerCore = 64 // requests that run at once
	heavyPerCore = 1
	lightWaiting = 1_024 // requests in a queue
	heavyWaiting = 64
	lightWait    = time.Second // the longest in a queue
	heavyWait    = 2 * time.Second

	heavyTime  = 20 * time.Second       // the longest that a heavy request runs
	heavyStay  = 250 * time.Millisecond // after which a request is thought to wait for the store
	mostStayed = 4                      // times as many as run at once: what their answers may hold in memory

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

// Enter waits for the turn of a request of the key of ctx; done ends it and must be called.
// Problem: overloaded. The error is that of ctx if that ends before.
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

// Load counts the work that runs and waits at a moment, and the refusals so far.
type Load struct{ Running, Waiting, Refused int }

// Load returns the load of the light and of the heavy lane.
func (t *Turns) Load() (light, heavy Load) { return t.light.load(), t.heavy.load() }

// overloaded returns the problem of a request that cannot run soon.
func overloaded() error {
	e := problem.New(problem.Overloaded, "The server has more work than it can do; try again in %d s.", overloadedRetry)
	e.RetryAfter = overloadedRetry
	return e
}

// lane is a queue for turns. Each request gets a mark: where its key's last one ended, in
// cost, or where the lane is now; and the lowest mark goes next. So a key that asks for
// much queues behind itself, and others pass. A turn that stays for long gives its place to
// the next one, up to a bound, since it probably waits for the store: what memory can answer
// goes on.
type lane struct {
	most, waiting int
	patience      time.Duration
	stay          time.Duration // 0: every turn keeps its place

	mu      sync.Mutex
	running int // that have a place
	stayed  int // that gave it away
	refused int
	came    int // how many have waited, so that those of one mark go in their order
	queue   queue
	now     float64            // the mark of the last one that went in
	ends    map[string]float64 // where the last of each key ends, if that is beyond now
}

// turn is a request that waits.
type turn struct {
	key   string
	cost  float64
	mark  float64
	came  int
	place int           // in the queue; -1: it has left
	goes  chan struct{} // closed when it may run, or must give way
	done  func()        // ends it, if it runs
	out   bool          // it must give way
}

// stay is a turn that runs.
type stay struct{ long, ended bool }

// errLate is the cause of a context that ends with a lane's patience.
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
	case own.place < 0: // it was let in
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

// mark returns the place of a request of a key, and notes where it ends; l.mu is locked.
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

// takeBack lets the key of a turn that did not run, and has left the queue, stand where it
// would without it: a refusal costs no place. l.mu is locked.
func (l *lane) takeBack(gone *turn) {
	l.ends[gone.key] -= gone.cost
	for _, other := range l.queue {
		if other.key == gone.key && other.mark > gone.mark {
			other.mark -= gone.cost
		}
	}
	heap.Init(&l.queue)
}

// giveWay takes the last of a full queue out of it, if own goes before it; l.mu is locked.
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

// outstay takes the place of a turn that stays for long.
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

// next lets those in who may run now; l.mu is locked.
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

// queue is a heap of those that wait.
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

// memoryUsed returns how full the memory is that GOMEMLIMIT allows, by what the last
// collection left alive; 0 without a limit.
func memoryUsed() float64 {
	limit := debug.SetMemoryLimit(-1)
	if limit == math.MaxInt64 {
		return 0
	}
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	return float64(sample[0].Value.Uint64()) / float64(limit)
}

// Turn waits for the turn of what the call of ctx has paid for, and returns the context in
// which it runs; done ends it and must be called. Problem: overloaded, and what was paid is
// given back; it is also the cause of the context when something heavy takes too long. The
// error is that of ctx if that ends before.
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

// tooLong returns the problem of a request that takes longer than any should.
func tooLong() error {
	e := problem.New(problem.Overloaded, "The answer takes longer than %s, so it was given up.", heavyTime)
	e.RetryAfter = overloadedRetry
	return e
}
