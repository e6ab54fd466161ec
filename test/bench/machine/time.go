package machine

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// tick is the unit in which Linux states processor time to programs.
const tick = 10 * time.Millisecond

// process is one row of /proc.
type process struct {
	id, parent int
	own        time.Duration // of its threads
	ended      time.Duration // of the children that it has waited for
}

// readProcess reads /proc/ID/stat; the name in parentheses may contain anything.
func readProcess(stat []byte) (p process, err error) {
	before, after, found := bytes.Cut(stat, []byte(" ("))
	end := bytes.LastIndexByte(after, ')')
	if !found || end < 0 {
		return p, fmt.Errorf("not a line of /proc/ID/stat: %q", stat)
	}
	fields := strings.Fields(string(after[end+1:])) // from the third of proc(5): the state
	if len(fields) < 15 {
		return p, fmt.Errorf("a short line of /proc/ID/stat: %q", stat)
	}
	number := func(text string) int {
		n, failed := strconv.Atoi(text)
		if failed != nil {
			err = failed
		}
		return n
	}
	p.id, p.parent = number(string(before)), number(fields[1])
	p.own = time.Duration(number(fields[11])+number(fields[12])) * tick
	p.ended = time.Duration(number(fields[13])+number(fields[14])) * tick
	return p, err
}

func processes() (map[int]process, error) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil, err
	}
	all := map[int]process{}
	for _, e := range entries {
		if _, err := strconv.Atoi(e.Name()); err != nil {
			continue
		}
		stat, err := os.ReadFile("/proc/" + e.Name() + "/stat")
		if err != nil {
			continue // it has ended
		}
		p, err := readProcess(stat)
		if err != nil {
			return nil, err
		}
		all[p.id] = p
	}
	return all, nil
}

// Usage is the processor time that has been taken up to a moment.
type Usage struct {
	At       time.Time
	Everyone time.Duration // all programs of all processors, and what a hypervisor gave to other machines
	Ours     time.Duration // this process and everything that it started
	Of       map[int]time.Duration
}

// Read states the processor time up to now, of the whole machine and of the
// trees of processes that are given.
func Read(roots ...int) (u Usage, err error) {
	u.At, u.Of = time.Now(), map[int]time.Duration{}
	stat, err := os.ReadFile("/proc/stat")
	if err != nil {
		return u, err
	}
	if u.Everyone, err = busy(stat); err != nil {
		return u, err
	}
	all, err := processes()
	if err != nil {
		return u, err
	}
	children := map[int][]process{}
	for _, p := range all {
		children[p.parent] = append(children[p.parent], p)
	}
	for _, root := range roots {
		u.Of[root] = tree(all[root], children)
	}
	u.Ours = tree(all[os.Getpid()], children)
	return u, nil
}

func tree(p process, children map[int][]process) time.Duration {
	sum := p.own + p.ended
	for _, c := range children[p.id] {
		sum += tree(c, children)
	}
	return sum
}

// busy adds up the first line of /proc/stat but for what was idle, and for interrupts:
// they are those of the connections that are measured, and no program's.
func busy(stat []byte) (time.Duration, error) {
	line, _, _ := strings.Cut(string(stat), "\n")
	fields := strings.Fields(line)
	if len(fields) < 9 || fields[0] != "cpu" {
		return 0, fmt.Errorf("not the first line of /proc/stat: %q", line)
	}
	var sum int
	for i, f := range fields[1:9] { // user nice system idle iowait irq softirq steal
		if i >= 3 && i <= 6 {
			continue
		}
		n, err := strconv.Atoi(f)
		if err != nil {
			return 0, err
		}
		sum += n
	}
	return time.Duration(sum) * tick, nil
}

// Others states how much of one core others used between two moments.
func (u Usage) Others(later Usage) float64 {
	others := (later.Everyone - u.Everyone) - (later.Ours - u.Ours)
	return max(0, others.Seconds()) / later.At.Sub(u.At).Seconds()
}

// Took states how much of one core a tree of processes used between two moments.
func (u Usage) Took(later Usage, root int) float64 {
	return (later.Of[root] - u.Of[root]).Seconds() / later.At.Sub(u.At).Seconds()
}

// Resident states how many bytes of memory a process has.
func Resident(id int) (int64, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", id))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(status)) {
		if rest, found := strings.CutPrefix(line, "VmRSS:"); found {
			kilobytes, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64)
			return kilobytes << 10, err
		}
	}
	return 0, fmt.Errorf("process %d states no VmRSS", id)
}

// Parent returns the process that started another.
func Parent(id int) (int, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", id))
	if err != nil {
		return 0, err
	}
	p, err := readProcess(stat)
	return p.parent, err
}
