package dbtest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
)

// keep runs a server until the pipe at file 3 closes, which also happens when the process at
// its other end dies in whatever way: then it sends the server a signal. At the end it removes
// a folder, unless that is empty. Pdeathsig would end the server with the thread that started
// it and leave the folder behind.
const keep = `
folder=$1
end=$2
shift 2
"$@" 3<&- &
server=$!
{ read -r line <&3; kill -$end $server; } &
watcher=$!
exec 3<&-
trap 'kill -INT $server' INT
while kill -0 $server 2>/dev/null; do wait $server; done
kill $watcher 2>/dev/null
[ -z "$folder" ] || rm -rf "$folder"
`

// child is a server that ends with this process at the latest.
type child struct {
	*exec.Cmd
	ended chan struct{}
	alive *os.File // closed, also by the end of this process, it ends the server
	log   string
}

// launch starts a server in a folder, where its log is. What removes names goes when the server ends.
func launch(folder string, account *syscall.Credential, removes, end, program string, args ...string) (*child, error) {
	c := &child{Cmd: exec.Command("sh", append([]string{"-c", keep, "sh", removes, end, program}, args...)...),
		ended: make(chan struct{}), log: filepath.Join(folder, "log")}
	log, err := os.OpenFile(c.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	watched, alive, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer watched.Close()
	c.alive, c.Dir, c.Stdout, c.Stderr, c.ExtraFiles = alive, folder, log, log, []*os.File{watched}
	// A group of its own: Ctrl-C is for the tests, which end the server when done.
	c.SysProcAttr = &syscall.SysProcAttr{Credential: account, Setpgid: true}
	if err := c.Start(); err != nil {
		alive.Close()
		return nil, fmt.Errorf("starting %s: %w", program, err)
	}
	go func() {
		_ = c.Wait() // its status says nothing that the log does not
		close(c.ended)
	}()
	return c, nil
}

// kill ends the server at once.
func (c *child) kill() {
	_ = c.alive.Close()
	<-c.ended
}

// said returns the log.
func (c *child) said() string {
	text, _ := os.ReadFile(c.log) // empty while there is none
	return string(text)
}
