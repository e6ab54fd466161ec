package dbtest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
)

// keep runs a server until the pipe at file descriptor 3 closes, as it does even if the process at
// its other end is killed, and then sends the server a signal. At the end it removes a folder,
// unless its name is empty. Pdeathsig would end the server with the thread that started it and
// leave the folder behind.
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

// child is a server process that ends at the latest with this process.
type child struct {
	*exec.Cmd
	ended chan struct{}
	alive *os.File // closing it, also by the end of this process, ends the server
	log   string
}

// launch starts a server in a folder, which gets its log. The folder removes is deleted when the
// server ends.
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
	// In a process group of its own: Ctrl-C is for the tests, which end the server when done.
	c.SysProcAttr = &syscall.SysProcAttr{Credential: account, Setpgid: true}
	if err := c.Start(); err != nil {
		alive.Close()
		return nil, fmt.Errorf("starting %s: %w", program, err)
	}
	go func() {
		_ = c.Wait() // the log says what its status would
		close(c.ended)
	}()
	return c, nil
}

// kill ends the server at once.
func (c *child) kill() {
	_ = c.alive.Close()
	<-c.ended
}

// said returns the text of the log.
func (c *child) said() string {
	text, _ := os.ReadFile(c.log) // empty while there is none
	return string(text)
}
