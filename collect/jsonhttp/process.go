package jsonhttp

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"sync"
	"time"

	"github.com/itchyny/gojq"

	"piyasa/collect"
)

// Programs run in a separate process of this same binary that does errands, because nothing
// else ends a call of gojq that takes all memory or time. It lives until an errand takes too
// much, or until this process ends.

// Bounds of an errand.
const (
	mostMemory = 512 << 20 // bytes
	mostResult = 64 << 20  // bytes of JSON
	lastResort = 5 * time.Second
)

// runTime is the time limit of an errand.
var runTime = 10 * time.Second

// onErrand is the environment variable that marks such a process.
const onErrand = "PIYASA_JSON_ERRAND"

// errand is a request to run programs on an answer.
type errand struct {
	Body     []byte
	Headers  map[string]string
	Programs []task
	Within   time.Duration
}

// task is a program of a member of the settings.
type task struct {
	Member, Text string
	Kept         map[string]string
	Item         string // that the answer is about; empty: none
}

// outputs are the values of programs, by member.
type outputs map[string][]any

// worker is a process that does errands, one at a time.
type worker struct {
	process *exec.Cmd
	in      *os.File // errands
	out     *os.File // answers
	stderr  *os.File // why it ended
	answers *json.Decoder
}

// idle are workers that wait for an errand, at most mostIdle.
var idle struct {
	sync.Mutex
	workers []*worker
}

const mostIdle = 2

// run lets a worker run programs on an answer, one after the other.
func run(got *collect.Answer, programs ...task) (outputs, error) {
	message, err := json.Marshal(errand{got.Body, got.Header, programs, runTime})
	if err != nil {
		return nil, err
	}
	idle.Lock()
	var w *worker
	if last := len(idle.workers) - 1; last >= 0 {
		w, idle.workers = idle.workers[last], idle.workers[:last]
	}
	idle.Unlock()
	if w != nil {
		values, err := w.do(message)
		if ended := (*endedError)(nil); !errors.As(err, &ended) || ended.why != "" {
			return values, err
		} // otherwise it ended by itself, perhaps while it waited
	}
	if w, err = newWorker(); err != nil {
		return nil, err
	}
	return w.do(message)
}

func newWorker() (*worker, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	if runtime.GOOS == "linux" {
		self = "/proc/self/exe" // valid even after an upgrade has replaced the file
	}
	w := &worker{process: exec.Command(self)}
	w.process.Env = []string{onErrand + "=1", "GOMAXPROCS=2", fmt.Sprintf("GOMEMLIMIT=%d", mostMemory*3/4), "GOTRACEBACK=none"}
	var theirs [3]*os.File
	defer func() {
		for _, f := range theirs {
			_ = f.Close()
		}
	}()
	var wrong [3]error
	theirs[0], w.in, wrong[0] = os.Pipe()
	w.out, theirs[1], wrong[1] = os.Pipe()
	w.stderr, theirs[2], wrong[2] = os.Pipe()
	w.process.Stdin, w.process.Stdout, w.process.Stderr = theirs[0], theirs[1], theirs[2]
	if err = errors.Join(wrong[:]...); err == nil {
		err = w.process.Start()
	}
	if err != nil {
		w.close()
		return nil, err
	}
	w.answers = json.NewDecoder(w.out)
	w.answers.UseNumber()
	return w, nil
}

func (w *worker) close() {
	for _, f := range []*os.File{w.in, w.out, w.stderr} {
		_ = f.Close()
	}
}

// endedError says that a worker ended during an errand.
type endedError struct {
	why    string // empty: not stated
	status error
}

func (e *endedError) Error() string {
	return fmt.Sprintf("the programs may take %d MiB of memory and %s, and were ended: %.200s (%v)",
		mostMemory>>20, runTime, e.why, e.status)
}

// do sends the worker an errand. Afterwards the worker is idle, or it has ended.
func (w *worker) do(message []byte) (outputs, error) {
	hangs := time.AfterFunc(runTime+lastResort, func() { _ = w.process.Process.Kill() })
	defer hangs.Stop()
	var got struct {
		Values outputs
		Wrong  string
	}
	_, err := w.in.Write(message)
	if err == nil {
		err = w.answers.Decode(&got)
	}
	if err != nil {
		return nil, w.ended(err)
	}
	w.rest()
	if got.Wrong != "" {
		return nil, errors.New(got.Wrong)
	}
	return got.Values, nil
}

// rest makes the worker idle, or ends it if enough are idle.
func (w *worker) rest() {
	idle.Lock()
	more := len(idle.workers) < mostIdle
	if more {
		idle.workers = append(idle.workers, w)
	}
	idle.Unlock()
	if !more {
		w.close()
		_ = w.process.Wait()
	}
}

// ended returns why the worker has ended.
func (w *worker) ended(err error) error {
	_ = w.process.Process.Kill() // unless it has already ended
	status := w.process.Wait()
	reason, _ := io.ReadAll(io.LimitReader(w.stderr, 1<<10))
	w.close()
	why, _, _ := strings.Cut(string(reason), "\n")
	if status == nil {
		status = err
	}
	return &endedError{why, status}
}

func init() {
	if os.Getenv(onErrand) == "" {
		return
	}
	signal.Ignore(os.Interrupt) // of a terminal; the parent process handles it
	if err := serve(os.Stdin, os.Stdout); err != io.EOF {
		end(err.Error())
	}
	os.Exit(0)
}

// end ends the process with a reason.
func end(why string) {
	fmt.Fprintln(os.Stderr, why)
	os.Exit(1)
}

// memory returns the memory use of this process in bytes.
func memory() uint64 {
	taken := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(taken)
	return taken[0].Value.Uint64() - taken[1].Value.Uint64()
}

// watch ends the process if an errand takes too much.
func watch(done <-chan struct{}, within time.Duration) {
	look, late := time.NewTicker(2*time.Millisecond), time.After(within)
	defer look.Stop()
	for {
		select {
		case <-done:
			return
		case <-late:
			end(fmt.Sprintf("they take longer than %s", within))
		case <-look.C:
			if memory() > mostMemory {
				end(fmt.Sprintf("they take more than %d MiB of memory", mostMemory>>20))
			}
		}
	}
}

// serve does errands until the input ends.
func serve(in io.Reader, out io.Writer) error {
	refuseMemory(mostMemory * 5 / 4) // more is mapped than used
	for errands := json.NewDecoder(in); ; {
		var e errand
		if err := errands.Decode(&e); err != nil {
			return err
		}
		if err := e.answer(out); err != nil {
			return err
		}
		if memory() > mostMemory/8 {
			debug.FreeOSMemory() // so that the next errand also starts with little
		}
	}
}

// answer does an errand.
func (e errand) answer(out io.Writer) error {
	done := make(chan struct{})
	defer close(done)
	go watch(done, e.Within)
	values, err := e.run()
	answer := map[string]any{"Values": values, "Wrong": ""}
	if err != nil {
		answer = map[string]any{"Wrong": err.Error()}
	}
	text, err := gojq.Marshal(answer)
	if err != nil {
		return err
	}
	if len(text) > mostResult {
		return fmt.Errorf("they give more than %d MiB", mostResult>>20)
	}
	_, err = out.Write(text)
	return err
}

// run runs the programs. None runs after "fails" has called the answer an error.
func (e errand) run() (map[string]any, error) {
	answer, types, err := decode(e.Body)
	if err != nil {
		return nil, err
	}
	headers := map[string]any{}
	for name, v := range e.Headers {
		headers[name] = v
	}
	values := map[string]any{"shape": []any{types}}
	for _, t := range e.Programs {
		found, err := t.run(answer, headers)
		if err != nil {
			return nil, fmt.Errorf("%q: %w", t.Member, err)
		}
		values[t.Member] = found
		if t.Member == "fails" && complaint(found) != nil {
			break
		}
	}
	return values, nil
}

// run returns the values that a program makes from an answer.
func (t task) run(answer any, headers map[string]any) (all []any, err error) {
	defer func() {
		if wrong := recover(); wrong != nil {
			all, err = nil, fmt.Errorf("the program failed: %v", wrong)
		}
	}()
	all = []any{}
	if t.Text == "" {
		return all, nil
	}
	code, err := program(t.Text)
	if err != nil {
		return nil, err
	}
	variables := map[string]any{}
	for name, v := range t.Kept {
		variables[name] = v
	}
	for out := code.Run(answer, variables, headers, t.Item); ; {
		v, ok := out.Next()
		if !ok {
			break
		}
		if err, wrong := v.(error); wrong {
			return nil, err
		}
		if all = append(all, v); len(all) > mostOutputs {
			return nil, fmt.Errorf("the program gives more than %d values", mostOutputs)
		}
	}
	for i := range all {
		if err := record(all[i]); t.Member == "records" && err != nil {
			return nil, fmt.Errorf("value %d %w", i+1, err)
		}
	}
	return all, nil
}
