//go:build linux

package command_test

import (
	"bufio"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"piyasa/test/fixture/need"
)

// manager does for a server what systemd does.
type manager struct {
	*service
	notes *net.UnixConn
}

// startManaged starts a server with sockets and their names, and a watchdog.
func startManaged(t *testing.T, names string, listeners []net.Listener, env ...string) (*manager, string) {
	t.Helper()
	folder := t.TempDir()
	notes, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: folder + "/notify", Net: "unixgram"})
	need.NoError(t, err)
	t.Cleanup(func() { _ = notes.Close() })
	s := &service{t: t, cmd: exec.Command("sh", "-c", `LISTEN_PID=$$ WATCHDOG_PID=$$ exec "$0" serve`, serving), stderr: new(need.Said)}
	s.cmd.Env = append(environment(t, "sqlite:"+folder+"/piyasa.db", env), "LISTEN_FDS="+string('0'+rune(len(listeners))),
		"LISTEN_FDNAMES="+names,
		"NOTIFY_SOCKET="+folder+"/notify", "WATCHDOG_USEC=300000")
	for _, l := range listeners {
		file, err := l.(interface{ File() (*os.File, error) }).File()
		need.NoError(t, err)
		defer file.Close()
		s.cmd.ExtraFiles = append(s.cmd.ExtraFiles, file)
	}
	s.cmd.Stderr = s.stderr
	out, err := s.cmd.StdoutPipe()
	need.NoError(t, err)
	need.NoError(t, s.cmd.Start())
	t.Cleanup(func() { _ = s.cmd.Process.Kill() })
	line, _ := bufio.NewReader(out).ReadString('\n')
	return &manager{s, notes}, strings.TrimSpace(line)
}

// hears waits until the server says something to systemd.
func (m *manager) hears(what string) {
	m.t.Helper()
	_ = m.notes.SetReadDeadline(time.Now().Add(deadline))
	for text := make([]byte, 4096); ; {
		n, err := m.notes.Read(text)
		if err != nil {
			m.t.Fatalf("%s: %v\n%s", what, err, m.stderr)
		}
		if strings.Contains(string(text[:n]), what) {
			return
		}
	}
}

// Systemd passes sockets by name and hears how the server is: the public and the private
// listener never share one, and a socket that nobody serves is refused.
func TestSystemd(t *testing.T) {
	t.Parallel()
	var sockets []net.Listener
	for range 2 {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		need.NoError(t, err)
		defer l.Close()
		sockets = append(sockets, l)
	}
	public, private := "http://"+sockets[1].Addr().String(), "http://"+sockets[0].Addr().String()
	m, line := startManaged(t, "private:public", sockets, "PIYASA_LISTEN=systemd", "PIYASA_METRICS_LISTEN=systemd")
	if line != "listening on "+public {
		t.Fatalf("%q\n%s", line, m.stderr)
	}
	m.hears("READY=1")
	m.hears("WATCHDOG=1")
	m.hears("WATCHDOG=1")
	for address, want := range map[string]int{public: 404, private: 200} {
		res, err := http.Get(address + "/metrics")
		need.NoError(t, err)
		_ = res.Body.Close()
		if res.StatusCode != want {
			t.Errorf("%s/metrics is answered with %d", address, res.StatusCode)
		}
	}
	need.NoError(t, m.cmd.Process.Signal(syscall.SIGHUP))
	m.hears("RELOADING=1\nMONOTONIC_USEC=")
	m.hears("READY=1")
	need.NoError(t, m.cmd.Process.Signal(syscall.SIGTERM))
	m.hears("STOPPING=1")
	if err := m.cmd.Wait(); err != nil {
		t.Errorf("%v\n%s", err, m.stderr)
	}

	for name, c := range map[string]struct {
		names, env, want string
	}{
		"one for both":       {"public", "PIYASA_LISTEN=systemd:public\nPIYASA_METRICS_LISTEN=systemd:public", "must be another place"},
		"one that is unused": {"public:other", "PIYASA_LISTEN=systemd", `"other"`},
		"none of this name":  {"other", "PIYASA_LISTEN=systemd", `no socket named "public"`},
		"no use at all":      {"public", "PIYASA_LISTEN=127.0.0.1:0", `"public"`},
	} {
		m, _ := startManaged(t, c.names, sockets[:1+strings.Count(c.names, ":")], strings.Split(c.env, "\n")...)
		if err := m.cmd.Wait(); err == nil || !strings.Contains(m.stderr.String(), c.want) {
			t.Errorf("%s: %v\n%s", name, err, m.stderr)
		}
	}
}
