package server

import (
	"net/http"
	"time"
)

// How long a client may take, and how much it may send, before its connection is closed. Where
// HTTP/2 has no limit of its own, frames keeps these.
const (
	headerTimeout  = 10 * time.Second // for the headers of a request
	readTimeout    = 30 * time.Second // for all of a request
	writeTimeout   = time.Minute      // to take an answer
	idleTimeout    = 2 * time.Minute  // between two requests
	maxHeaderBytes = 64 << 10
	maxConcurrent  = 100 // requests of a connection of HTTP/2 at once
)

// NewHTTP returns the server of the public listener, which lets slow and idle clients go.
func NewHTTP(h http.Handler) *http.Server {
	return &http.Server{
		Handler: h, ReadHeaderTimeout: headerTimeout, ReadTimeout: readTimeout, WriteTimeout: writeTimeout,
		IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeaderBytes, DisableGeneralOptionsHandler: true,
		Protocols: protocols(), HTTP2: &http.HTTP2Config{MaxConcurrentStreams: maxConcurrent, SendPingTimeout: idleTimeout / 2,
			WriteByteTimeout: writeTimeout},
	}
}

// NewPrivateHTTP is NewHTTP for profiles, which are taken for as long as they are asked
// for: a request ends when its time to be read is over, even if it has been.
func NewPrivateHTTP(h http.Handler) *http.Server {
	s := NewHTTP(h)
	s.ReadTimeout = writeTimeout
	return s
}

// protocols returns those of a listener: HTTP/2 over TLS, or in cleartext for clients that know
// that it is spoken, such as a proxy.
func protocols() *http.Protocols {
	var all http.Protocols
	all.SetHTTP1(true)
	all.SetHTTP2(true)
	all.SetUnencryptedHTTP2(true)
	return &all
}
