package jsonhttp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"runtime/metrics"
	"strings"
	"time"

	"github.com/itchyny/gojq"
)

// Programs run in a process of this same program, which is given an errand, since nothing
// else ends a call of gojq that takes all memory or time.

// Bounds of an errand.
const (
	mostMemory = 512 << 20 // bytes
	mostResult = 64 << 20  // bytes of JSON
	lastResort = 5 * time.Second
)

// runTime is how long an errand may take.
var runTime = 10 * time.Second

// onErrand is the variable of the environment by which a process knows that it is on one.
const onErrand = "PIYASA_JSON_ERRAND"

// errand is to run programs on an answer.
type errand struct {
	Body     []byte
	Programs []task
	Within   time.Duration
}

// task is a program, of a member of the settings.
type task struct {
	Member, Text string
	Kept         map[string]string
}

// outputs are the values of programs by their member.
type outputs map[string][]any

// run has programs run on an answer, one after the other, in a process of its own.
func run(body []byte, programs ...task) (outputs, error) {
	asked, err := json.Marshal(errand{body, programs, runTime})
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), runTime+lastResort)
	defer cancel()
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	if runtime.GOOS == "linux" {
		self = "/proc/self/exe" // also after an upgrade has replaced the file
	}
	var out, said bytes.Buffer
	process := exec.CommandContext(ctx, self)
	process.Env = []string{onErrand + "=1", "GOMAXPROCS=2", fmt.Sprintf("GOMEMLIMIT=%d", mostMemory*3/4), "GOTRACEBACK=none"}
	process.Stdin, process.Stdout, process.Stderr = bytes.NewReader(asked), &out, &said
	if err := process.Run(); err != nil {
		why, _, _ := strings.Cut(said.String(), "\n")
		return nil, fmt.Errorf("the programs may take %d MiB of memory and %s, and were ended: %.200s (%w)",
			mostMemory>>20, runTime, why, err)
	}
	var got struct {
		Values outputs
		Wrong  string
	}
	d := json.NewDecoder(&out)
	d.UseNumber()
	if err := d.Decode(&got); err != nil {
		return nil, err
	}
	if got.Wrong != "" {
		return nil, errors.New(got.Wrong)
	}
	return got.Values, nil
}

func init() {
	if os.Getenv(onErrand) == "" {
		return
	}
	signal.Ignore(os.Interrupt) // of a terminal, which the process that waits heeds
	if err := serve(os.Stdin, os.Stdout); err != nil {
		end(err.Error())
	}
	os.Exit(0)
}

// end ends the process, saying why.
func end(why string) {
	fmt.Fprintln(os.Stderr, why)
	os.Exit(1)
}

// watch ends the process when it takes too much.
func watch(within time.Duration) {
	memory := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	for begun := time.Now(); time.Since(begun) < within; time.Sleep(2 * time.Millisecond) {
		if metrics.Read(memory); memory[0].Value.Uint64()-memory[1].Value.Uint64() > mostMemory {
			end(fmt.Sprintf("they take more than %d MiB of memory", mostMemory>>20))
		}
	}
	end(fmt.Sprintf("they take longer than %s", within))
}

// serve does an errand.
func serve(in io.Reader, out io.Writer) error {
	var e errand
	if err := json.NewDecoder(in).Decode(&e); err != nil {
		return err
	}
	refuseMemory(mostMemory * 3 / 2) // more is mapped than used
	go watch(e.Within)
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

// run runs the programs. None runs after "fails" has said that the answer is an error.
func (e errand) run() (map[string]any, error) {
	answer, err := decode(e.Body)
	if err != nil {
		return nil, err
	}
	values := map[string]any{}
	for _, t := range e.Programs {
		found, err := t.run(answer)
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

// run returns what a program makes of an answer.
func (t task) run(answer any) (all []any, err error) {
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
	for out := code.Run(answer, variables); ; {
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
