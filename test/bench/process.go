package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"piyasa/test/bench/machine"
	"piyasa/test/fixture/need"
)

// startTime is how long a server may take until it listens.
const startTime = time.Minute

// process is a server that runs.
type process struct {
	command *exec.Cmd
	address netip.AddrPort
	input   io.WriteCloser
	said    *need.Said
	ended   chan struct{}
}

// start runs a server on its core until stop, and waits for the line with its address.
func (r *rig) start(ctx context.Context, environment []string, name string, words ...string) (*process, error) {
	p := &process{command: exec.Command(name, words...), said: &need.Said{}, ended: make(chan struct{})}
	p.command.Env = append(os.Environ(), environment...)
	p.command.Stderr = p.said
	p.command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // Ctrl-C is for this program, which then stops them
	out, err := p.command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if p.input, err = p.command.StdinPipe(); err != nil {
		return nil, err
	}
	if err := machine.On(r.serverCore, r.loadCore, p.command.Start); err != nil {
		return nil, err
	}
	address := make(chan string, 1)
	go func() {
		lines := bufio.NewScanner(io.TeeReader(out, p.said))
		for lines.Scan() {
			if at, found := strings.CutPrefix(lines.Text(), "listening on "); found {
				address <- at
				break
			}
		}
		io.Copy(p.said, out)
		p.command.Wait()
		close(p.ended)
	}()
	select {
	case at := <-address:
		if p.address, err = addressOf(at); err == nil {
			return p, nil
		}
	case <-p.ended:
		err = errors.New("it ended")
	case <-time.After(startTime):
		err = fmt.Errorf("it does not listen after %s", startTime)
	case <-ctx.Done():
		err = ctx.Err()
	}
	p.stop()
	return nil, fmt.Errorf("starting %s: %w\n%s", name, err, p.said)
}

func addressOf(text string) (netip.AddrPort, error) {
	at, err := url.Parse(text)
	if err != nil {
		return netip.AddrPort{}, err
	}
	return netip.ParseAddrPort(at.Host)
}

func (p *process) id() int { return p.command.Process.Pid }

// stop ends the server and everything that it started.
func (p *process) stop() {
	group := -p.id()
	syscall.Kill(group, syscall.SIGTERM)
	select {
	case <-p.ended:
	case <-time.After(10 * time.Second):
		syscall.Kill(group, syscall.SIGKILL)
		<-p.ended
	}
}
