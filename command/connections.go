package command

import (
	"fmt"
	"strconv"
	"time"

	"piyasa/serve/server"
)

// connecting is the limits of client connections, as text from flags and environment.
type connecting struct {
	MaxConnections           string `help:"Connections of the public listener at once; default: what the limit of open files allows." env:"PIYASA_MAX_CONNECTIONS" placeholder:"NUMBER"`
	MaxConnectionsPerAddress string `help:"Connections of one client address at once, proxies aside; 0 is no limit." env:"PIYASA_MAX_CONNECTIONS_PER_ADDRESS" default:"0" placeholder:"NUMBER"`
	MaxStreams               string `help:"Streams at once: WebSockets and server-sent events." env:"PIYASA_MAX_STREAMS" default:"20000" placeholder:"NUMBER"`
	MaxStreamsPerAddress     string `help:"Streams of one client address at once; 0 is no limit." env:"PIYASA_MAX_STREAMS_PER_ADDRESS" default:"0" placeholder:"NUMBER"`
	MaxCompressedStreams     string `help:"WebSockets at once whose messages may be compressed; 0 compresses none." env:"PIYASA_MAX_COMPRESSED_STREAMS" default:"2000" placeholder:"NUMBER"`
	TrustedProxies           string `help:"Networks of the proxies in front of the server, whose X-Forwarded-For counts, separated by commas; default: none." env:"PIYASA_TRUSTED_PROXIES" placeholder:"CIDR,…"`
	LameDuck                 string `help:"How long a server that SIGTERM stops goes on serving after /readyz has said so, if anybody asks /readyz." env:"PIYASA_LAME_DUCK" default:"2s" placeholder:"DURATION"`
}

// connections are the checked values of connecting.
type connections struct {
	bounds                          server.Connections
	maxStreams, maxStreamsOfAddress int // 0 of an address: any number
	maxDeflating                    int // WebSockets
	proxies                         server.Proxies
	lameDuck                        time.Duration
}

const (
	// keptFiles are the open files reserved for the database, the private listener, and clients
	// that are rejected because the server is full.
	keptFiles    = 256
	anyNumber    = 1 << 30
	longLameDuck = 10 * time.Minute
)

// maxConnectionsOf returns the number of connections for a limit of open files; 0: not known.
func maxConnectionsOf(files int) int { return max(files-keptFiles, files/2) }

// check checks every value and reports each mistake with its name.
func (c connecting) check(openFiles int, mistake func(name string, err error)) connections {
	var out connections
	allowed := maxConnectionsOf(openFiles)
	out.bounds.Max = allowed
	if c.MaxConnections != "" {
		n, err := number(c.MaxConnections, 1, anyNumber)
		if err == nil && allowed > 0 && n > allowed {
			err = fmt.Errorf("must be at most %d here, because this process may have %d open files and keeps %d for the "+
				"database and others "+
				"(see ulimit -n); got %d", allowed, openFiles, openFiles-allowed, n)
		}
		mistake("PIYASA_MAX_CONNECTIONS", err)
		out.bounds.Max = n
	}
	var err error
	out.bounds.PerAddress, err = number(c.MaxConnectionsPerAddress, 0, anyNumber)
	mistake("PIYASA_MAX_CONNECTIONS_PER_ADDRESS", err)
	out.maxStreams, err = number(c.MaxStreams, 1, anyNumber)
	mistake("PIYASA_MAX_STREAMS", err)
	out.maxStreamsOfAddress, err = number(c.MaxStreamsPerAddress, 0, anyNumber)
	mistake("PIYASA_MAX_STREAMS_PER_ADDRESS", err)
	out.maxDeflating, err = number(c.MaxCompressedStreams, 0, anyNumber)
	mistake("PIYASA_MAX_COMPRESSED_STREAMS", err)
	out.proxies, err = server.ParseProxies(c.TrustedProxies)
	mistake("PIYASA_TRUSTED_PROXIES", err)
	out.lameDuck, err = time.ParseDuration(c.LameDuck)
	if err != nil || out.lameDuck < 0 || out.lameDuck > longLameDuck {
		mistake("PIYASA_LAME_DUCK", fmt.Errorf("must be a duration from 0s to %s such as 2s; got %q", longLameDuck, c.LameDuck))
	}
	return out
}

// number reads an integer within bounds.
func number(text string, least, most int) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < least || n > most {
		return 0, fmt.Errorf("must be a whole number from %d to %d; got %q", least, most, text)
	}
	return n, nil
}
