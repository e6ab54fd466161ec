package server

import (
	"net/http"
	"time"
)

// How long a client may take, and how much it may send, before its connection is closed. Where
// net/http has no limit for HTTP/2, frames enforces these.
const (
	headerTimeout  = 10 * time.Second // for the headers of a request
	readTimeout    = 30 * time.Second // for a whole request
	writeTimeout   = time.Minute      // to receive an answer
	idleTimeout    = 2 * time.Minute  // between two requests
	maxHeaderBytes = 64 << 10
	maxConcurrent  = 100 // most requests at once on a connection of HTTP/2
)

// NewHTTP returns the server of the public listener, which closes slow and idle connections.
func NewHTTP(h http.Handler) *http.Server {
	return &http.Server{
		Handler: h, ReadHeaderTimeout: headerTimeout, ReadTimeout: readTimeout, WriteTimeout: writeTimeout,
		IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeaderBytes, DisableGeneralOptionsHandler: true,
		Protocols: protocols(), HTTP2: &http.HTTP2Config{MaxConcurrentStreams: maxConcurrent, SendPingTimeout: idleTimeout / 2,
			WriteByteTimeout: writeTimeout},
	}
}

// NewPrivateHTTP is NewHTTP for profiles, which run for as long as the request asks: its read
// timeout is longer, since that ends a request even after it has been read.
func NewPrivateHTTP(h http.Handler) *http.Server {
	s := NewHTTP(h)
	s.ReadTimeout = writeTimeout
	return s
}

// protocols returns the protocols of a listener: HTTP/1, HTTP/2 over TLS, and HTTP/2 in
// cleartext for clients that expect it, such as a proxy.
func protocols() *http.Protocols {
	var all http.Protocols
	all.SetHTTP1(true)
	all.SetHTTP2(true)
	all.SetUnencryptedHTTP2(true)
	return &all
}
