package command_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"piyasa/test/fixture/need"
)

// certify writes a certificate that signs itself, with its key, and adds it to trusted.
func certify(t *testing.T, folder, name string, serial int64, until time.Time, trusted *x509.CertPool) (cert, key string) {
	t.Helper()
	return certifyFrom(t, folder, name, serial, time.Now().Add(-time.Hour), until, trusted)
}

// certifyFrom makes one that is valid from a moment on.
func certifyFrom(t *testing.T, folder, name string, serial int64, from, until time.Time, trusted *x509.CertPool) (cert, key string) {
	t.Helper()
	secret, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	need.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(serial), Subject: pkix.Name{CommonName: name}, DNSNames: []string{name},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore:   from, NotAfter: until, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &secret.PublicKey, secret)
	need.NoError(t, err)
	encoded, err := x509.MarshalPKCS8PrivateKey(secret)
	need.NoError(t, err)
	made, _ := x509.ParseCertificate(der)
	trusted.AddCert(made)
	cert, key = filepath.Join(folder, name+".pem"), filepath.Join(folder, name+".key")
	for path, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: der}, key: {Type: "PRIVATE KEY", Bytes: encoded}} {
		replace(t, path, pem.EncodeToMemory(block))
	}
	return cert, key
}

// replace writes a file so that nobody reads half of it.
func replace(t *testing.T, path string, text []byte) {
	t.Helper()
	need.NoError(t, os.WriteFile(path+".new", text, 0o600))
	need.NoError(t, os.Rename(path+".new", path))
}

// A server speaks TLS with the certificate for the name that a client asks for, HTTP/2 as
// well, and WebSockets; it takes new files while it runs, and keeps what it has when they
// are broken.
func TestTLS(t *testing.T) {
	t.Parallel()
	folder, trusted := t.TempDir(), x509.NewCertPool()
	year := time.Now().AddDate(1, 0, 0)
	cert1, key1 := certify(t, folder, "one.example", 1, year, trusted)
	cert2, key2 := certify(t, folder, "two.example", 2, year, trusted)
	database := "sqlite:" + folder + "/piyasa.db"
	key, _ := newKey(t, database, "--scopes", "kap,quotes:bist")
	s := start(t, database, "PIYASA_TLS_CERT="+cert1+","+cert2, "PIYASA_TLS_KEY="+key1+","+key2, "PIYASA_LAME_DUCK=1s")
	address, secure := strings.CutPrefix(s.base, "https://")
	if !secure {
		t.Fatalf("listens on %s", s.base)
	}
	shown := func(name string) *x509.Certificate {
		t.Helper()
		conn, err := tls.Dial("tcp", address, &tls.Config{ServerName: name, RootCAs: trusted, InsecureSkipVerify: name == ""})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		defer conn.Close()
		return conn.ConnectionState().PeerCertificates[0]
	}
	for name, serial := range map[string]int64{"one.example": 1, "two.example": 2, "": 1} {
		if got := shown(name).SerialNumber.Int64(); got != serial {
			t.Errorf("%q is shown certificate %d, want %d", name, got, serial)
		}
	}

	transport := &http.Transport{ForceAttemptHTTP2: true, TLSClientConfig: &tls.Config{RootCAs: trusted}}
	defer transport.CloseIdleConnections()
	get := func(transport *http.Transport, path string) (int, string, string) {
		t.Helper()
		res, err := (&http.Client{Transport: transport, Timeout: deadline}).Get(s.base + path)
		if err != nil {
			t.Fatalf("%v\n%s", err, s.stderr)
		}
		defer res.Body.Close()
		text, _ := io.ReadAll(res.Body)
		return res.StatusCode, res.Proto, string(text)
	}
	if status, protocol, text := get(transport, "/readyz"); status != 200 || protocol != "HTTP/2.0" {
		t.Errorf("%d %s %s", status, protocol, text)
	}
	if status, protocol, text := get(&http.Transport{TLSClientConfig: &tls.Config{RootCAs: trusted},
		TLSNextProto: map[string]func(string, *tls.Conn) http.RoundTripper{}}, "/v1/ws"); status != 426 || protocol != "HTTP/1.1" {
		t.Errorf("%d %s %s", status, protocol, text)
	}

	// What is no HTTP, within TLS and without, is answered with a problem.
	for name, open := range map[string]func() (net.Conn, error){
		"TLS":   func() (net.Conn, error) { return tls.Dial("tcp", address, &tls.Config{RootCAs: trusted}) },
		"plain": func() (net.Conn, error) { return net.Dial("tcp", address) },
	} {
		conn, err := open()
		need.NoError(t, err)
		_ = conn.SetDeadline(time.Now().Add(deadline))
		fmt.Fprint(conn, "GET /%zz HTTP/1.1\r\nHost: x\r\n\r\n")
		if text, _ := io.ReadAll(conn); !strings.Contains(string(text), "application/problem+json") ||
			!strings.Contains(string(text), "malformed-request") {
			t.Errorf("%s: %s", name, text)
		}
		_ = conn.Close()
	}

	// A socket stays through a change of certificates and the end of the server.
	dialer := websocket.Dialer{TLSClientConfig: &tls.Config{RootCAs: trusted}}
	ws, _, err := dialer.DialContext(t.Context(), "wss://"+address+"/v1/kap-feed/stream", nil)
	need.NoError(t, err)
	defer ws.Close()
	_ = ws.SetReadDeadline(time.Now().Add(2 * deadline))
	say := func(text, want string) {
		t.Helper()
		need.NoError(t, ws.WriteMessage(websocket.TextMessage, []byte(text)))
		if _, got, err := ws.ReadMessage(); err != nil || !strings.Contains(string(got), want) {
			t.Fatalf("%s, %v", got, err)
		}
	}
	say(fmt.Sprintf(`{"action":"auth","api_key":%q}`, key), "auth_ok")

	replace(t, cert1, []byte("broken"))
	s.eventually(deadline, "the server says that the files are broken", func() bool {
		return strings.Contains(s.stderr.String(), "what they said before stays")
	})
	if got := shown("one.example").SerialNumber.Int64(); got != 1 {
		t.Errorf("certificate %d", got)
	}
	certify(t, folder, "one.example", 3, year, trusted)
	s.eventually(deadline, "the new certificate is shown", func() bool { return shown("one.example").SerialNumber.Int64() == 3 })
	say(`{"action":"ping"}`, "pong")
	if status := s.stop(syscall.SIGTERM); status != 0 {
		t.Errorf("status %d", status)
	}
	if _, frame, err := ws.ReadMessage(); !websocket.IsCloseError(err, websocket.CloseGoingAway) {
		t.Errorf("%s, %v", frame, err)
	}
}

// What is wrong with certificates is said before the server starts.
func TestTLSMistakes(t *testing.T) {
	folder, trusted := t.TempDir(), x509.NewCertPool()
	cert, key := certify(t, folder, "one.example", 1, time.Now().AddDate(1, 0, 0), trusted)
	_, other := certify(t, folder, "two.example", 2, time.Now().AddDate(1, 0, 0), trusted)
	old, oldKey := certify(t, folder, "old.example", 3, time.Now().Add(-time.Minute), trusted)
	for name, c := range map[string]struct{ env, want string }{
		"a key of another":     {"PIYASA_TLS_CERT=" + cert + "\nPIYASA_TLS_KEY=" + other, "private key does not match"},
		"no such file":         {"PIYASA_TLS_CERT=" + folder + "/none.pem", "no such file"},
		"expired":              {"PIYASA_TLS_CERT=" + old + "\nPIYASA_TLS_KEY=" + oldKey, "expired"},
		"one key for two":      {"PIYASA_TLS_CERT=" + cert + "," + old + "\nPIYASA_TLS_KEY=" + key, "as many files"},
		"a name without a dot": {"PIYASA_ACME_DOMAINS=localhost", "api.example.com"},
		"no directory":         {"PIYASA_ACME_DOMAINS=api.example.com\nPIYASA_ACME_DIRECTORY=x", "PIYASA_ACME_DIRECTORY"},
	} {
		if res := run(t, "sqlite:"+folder+"/piyasa.db", "", strings.Split(c.env, "\n"), "serve"); res.status != 2 ||
			!strings.Contains(res.err, c.want) {
			t.Errorf("%s: %+v", name, res)
		}
	}
}

// A proxy may speak HTTP/2 in cleartext.
func TestHTTP2InCleartext(t *testing.T) {
	s := start(t, "sqlite:"+t.TempDir()+"/piyasa.db")
	var only http.Protocols
	only.SetUnencryptedHTTP2(true)
	transport := &http.Transport{Protocols: &only}
	defer transport.CloseIdleConnections()
	res, err := (&http.Client{Transport: transport, Timeout: deadline}).Get(s.base + "/readyz")
	need.NoError(t, err)
	defer res.Body.Close()
	if res.StatusCode != 200 || res.Proto != "HTTP/2.0" {
		t.Errorf("%d %s", res.StatusCode, res.Proto)
	}
}

// A Unix socket is for one server at a time. One that a dead server left is replaced; a
// proxy that connects to it may say whose requests it passes on.
func TestUnixSocket(t *testing.T) {
	folder := t.TempDir()
	path, database := folder+"/s", "sqlite:"+folder+"/piyasa.db"
	listen := []string{"PIYASA_LISTEN=unix:" + path, "PIYASA_TRUSTED_PROXIES=unix", "PIYASA_ACCESS_LOG=true", "PIYASA_LISTEN_MODE=0600"}
	first := start(t, database, listen...)
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if res := run(t, database, "", listen, "serve"); res.status != 1 || !strings.Contains(res.err, "another piyasa listens") {
		t.Errorf("%+v", res)
	}
	_ = first.cmd.Process.Kill()
	_ = first.cmd.Wait()
	second := start(t, database, listen...)
	client := &http.Client{Timeout: deadline,
		Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", path)
		}}}
	defer client.CloseIdleConnections()
	request, _ := http.NewRequestWithContext(t.Context(), "GET", "http://localhost/healthz", nil)
	request.Header.Set("X-Forwarded-For", "198.51.100.7")
	res, err := client.Do(request)
	if err != nil || res.StatusCode != 200 {
		t.Fatalf("%v, %v", res, err)
	}
	_ = res.Body.Close()
	second.eventually(deadline, "the client's address is logged", func() bool {
		return strings.Contains(second.stderr.String(), "client=198.51.100.7")
	})
	if status := second.stop(os.Interrupt); status != 0 {
		t.Errorf("status %d\n%s", status, second.stderr)
	}
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("the socket is still there: %v", err)
	}

	// What is somebody else's stays.
	other, err := net.Listen("unix", path)
	need.NoError(t, err)
	defer other.Close()
	if res := run(t, database, "", listen, "serve"); res.status != 1 || !strings.Contains(res.err, "another program listens") {
		t.Errorf("%+v", res)
	}
	need.NoError(t, os.WriteFile(folder+"/file", []byte("mine"), 0o600))
	if res := run(t, database, "", []string{"PIYASA_LISTEN=unix:" + folder + "/file"}, "serve"); res.status != 1 ||
		!strings.Contains(res.err, "no socket") {
		t.Errorf("%+v", res)
	}
}
