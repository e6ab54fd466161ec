package stream

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"io"
	"math/big"
	"net"
	"testing"
	"time"

	"piyasa/test/fixture/need"
)

// A write over TLS that is nudged again and again arrives whole, as one over TCP does; a
// wire that is cut ends it.
func TestNudgesOverTLS(t *testing.T) {
	secret, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	need.NoError(t, err)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &secret.PublicKey, secret)
	need.NoError(t, err)
	near, far := net.Pipe()
	conn := tls.Server(&Steady{Conn: near}, &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: secret}}})
	client := tls.Client(far, &tls.Config{InsecureSkipVerify: true})
	_ = client.SetDeadline(time.Now().Add(time.Minute))
	go func() { _ = client.Handshake() }()
	need.NoError(t, conn.Handshake())
	w := &Wire{conn: conn, stalled: slowConsumer, writing: make(chan struct{}, 1)}
	w.steady()
	frames := make([]byte, 0, 1<<20)
	for len(frames) < 1<<20 {
		frames = append(frames, textFrame(make([]byte, 1000))...)
	}
	written := make(chan error, 1)
	go func() {
		_, err := w.write(frames)
		written <- err
	}()
	for got := 0; got < len(frames); {
		w.nudge()
		n, err := io.ReadAtLeast(client, make([]byte, 4096), 1)
		if err != nil {
			t.Fatalf("after %d of %d bytes: %v", got, len(frames), err)
		}
		got += n
	}
	need.NoError(t, <-written)
	go func() {
		_, err := w.write(frames)
		written <- err
	}()
	if _, err := io.ReadFull(client, make([]byte, 100)); err != nil {
		t.Fatal(err)
	}
	w.Cut()
	if err := <-written; err == nil {
		t.Error("a wire that is cut goes on")
	}
}
