package command_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"piyasa/test/fixture/need"
)

// acmeAuthority stands in for one that issues certificates (RFC 8555) to who proves over TLS
// that a name is his (RFC 8737). It does not check who signs its requests.
type acmeAuthority struct {
	*httptest.Server
	t       *testing.T
	key     *ecdsa.PrivateKey
	root    *x509.Certificate
	asks    string // the address at which it validates names
	mu      sync.Mutex
	name    string
	valid   bool
	issued  []byte // PEM; nil: nothing
	serial  int64
	refused bool // it validates nothing
}

// startAuthority starts one that validates names at the address asks.
func startAuthority(t *testing.T, asks string) *acmeAuthority {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	need.NoError(t, err)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "authority"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().AddDate(1, 0, 0), IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageCertSign}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	need.NoError(t, err)
	root, _ := x509.ParseCertificate(der)
	a := &acmeAuthority{t: t, key: key, root: root, asks: asks, serial: 1}
	a.Server = httptest.NewUnstartedServer(http.HandlerFunc(a.serve)) // what serves knows its address
	a.Start()
	t.Cleanup(a.Close)
	return a
}

func (a *acmeAuthority) serve(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	defer a.mu.Unlock()
	w.Header().Set("Replay-Nonce", rand.Text())
	w.Header().Set("Content-Type", "application/json")
	var envelope struct{ Payload string }
	_ = json.NewDecoder(r.Body).Decode(&envelope)
	payload, _ := base64.RawURLEncoding.DecodeString(envelope.Payload)
	say := func(status int, format string, args ...any) {
		w.WriteHeader(status)
		fmt.Fprintf(w, format, args...)
	}
	order := func(status int) {
		state, certificate := "pending", ""
		if a.valid {
			state = "ready"
		}
		if a.issued != nil {
			state, certificate = "valid", fmt.Sprintf(`,"certificate":%q`, a.URL+"/certificate")
		}
		w.Header().Set("Location", a.URL+"/order")
		say(status, `{"status":%q,"identifiers":[{"type":"dns","value":%q}],"authorizations":[%q],"finalize":%q%s}`, state, a.name, a.URL+
			"/authorization", a.URL+"/finalize", certificate)
	}
	challenge := func() string {
		state := "pending"
		if a.valid {
			state = "valid"
		}
		return fmt.Sprintf(`{"type":"tls-alpn-01","url":%q,"token":"token","status":%q}`, a.URL+"/challenge", state)
	}
	switch r.URL.Path {
	case "/":
		say(200, `{"newNonce":%q,"newAccount":%q,"newOrder":%q,"revokeCert":%q,"keyChange":%q}`, a.URL+"/nonce", a.URL+"/account", a.URL+
			"/orders", a.URL+"/revoke", a.URL+"/key")
	case "/nonce":
	case "/account":
		w.Header().Set("Location", a.URL+"/account/1")
		say(201, `{"status":"valid"}`)
	case "/orders":
		var asked struct{ Identifiers []struct{ Value string } }
		_ = json.Unmarshal(payload, &asked)
		a.name, a.valid, a.issued = asked.Identifiers[0].Value, false, nil
		order(201)
	case "/order":
		order(200)
	case "/authorization":
		state := "pending"
		if a.valid {
			state = "valid"
		}
		say(200, `{"status":%q,"identifier":{"type":"dns","value":%q},"challenges":[%s]}`, state, a.name, challenge())
	case "/challenge":
		if err := a.validate(); err != nil {
			say(403, `{"type":"urn:ietf:params:acme:error:unauthorized","detail":%q}`, err.Error())
			return
		}
		a.valid = true
		say(200, "%s", challenge())
	case "/finalize":
		var asked struct{ CSR string }
		_ = json.Unmarshal(payload, &asked)
		der, _ := base64.RawURLEncoding.DecodeString(asked.CSR)
		request, err := x509.ParseCertificateRequest(der)
		if err != nil || !a.valid {
			say(403, `{"type":"urn:ietf:params:acme:error:orderNotReady"}`)
			return
		}
		a.serial++
		template := &x509.Certificate{SerialNumber: big.NewInt(a.serial), DNSNames: request.DNSNames, NotBefore: time.Now().Add(-time.Hour),
			NotAfter: time.Now().AddDate(0, 3, 0), KeyUsage: x509.KeyUsageDigitalSignature,
			ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}}
		made, err := x509.CreateCertificate(rand.Reader, template, a.root, request.PublicKey, a.key)
		if err != nil {
			say(500, `{"detail":%q}`, err.Error())
			return
		}
		a.issued = append(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: made}),
			pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: a.root.Raw})...)
		order(200)
	case "/certificate":
		w.Header().Set("Content-Type", "application/pem-certificate-chain")
		_, _ = w.Write(a.issued)
	default:
		say(404, `{}`)
	}
}

// validate asks the server itself whether it has the name, as RFC 8737 says.
func (a *acmeAuthority) validate() error {
	if a.refused {
		return fmt.Errorf("%s does not lead here", a.name)
	}
	conn, err := tls.Dial("tcp", a.asks, &tls.Config{ServerName: a.name, NextProtos: []string{"acme-tls/1"}, InsecureSkipVerify: true})
	if err != nil {
		return err
	}
	defer conn.Close()
	state := conn.ConnectionState()
	if state.NegotiatedProtocol != "acme-tls/1" {
		return fmt.Errorf("the server speaks %q", state.NegotiatedProtocol)
	}
	for _, extension := range state.PeerCertificates[0].Extensions {
		if extension.Id.Equal(asn1.ObjectIdentifier{1, 3, 6, 1, 5, 5, 7, 1, 31}) {
			return nil
		}
	}
	return fmt.Errorf("the certificate proves nothing")
}

// A server obtains a certificate for its name by itself, and has it after a restart without
// asking again. An authority that refuses is named in the log, and the server serves on.
func TestACME(t *testing.T) {
	t.Parallel()
	a := startAuthority(t, need.Address(t))
	folder := t.TempDir()
	env := []string{"PIYASA_LISTEN=" + a.asks, "PIYASA_ACME_DOMAINS=api.example.test", "PIYASA_ACME_DIRECTORY=" + a.URL + "/",
		"PIYASA_ACME_FOLDER=" + folder + "/acme"}
	trusted := x509.NewCertPool()
	trusted.AddCert(a.root)
	serial := func() int64 {
		conn, err := tls.Dial("tcp", a.asks, &tls.Config{ServerName: "api.example.test", RootCAs: trusted})
		if err != nil {
			return 0
		}
		defer conn.Close()
		return conn.ConnectionState().PeerCertificates[0].SerialNumber.Int64()
	}
	for range 2 {
		s := start(t, "sqlite:"+folder+"/piyasa.db", env...)
		s.eventually(deadline, "there is a certificate", func() bool { return serial() == 2 })
		if conn, err := tls.Dial("tcp", a.asks, &tls.Config{ServerName: "other.example.test", InsecureSkipVerify: true}); err == nil {
			_ = conn.Close()
			t.Error("a name that is not the server's got a certificate")
		}
		if status := s.stop(os.Interrupt); status != 0 {
			t.Errorf("status %d\n%s", status, s.stderr)
		}
	}
	a.mu.Lock()
	a.refused = true
	a.mu.Unlock()
	env[3] = "PIYASA_ACME_FOLDER=" + folder + "/empty"
	s := start(t, "sqlite:"+folder+"/piyasa.db", env...)
	s.eventually(deadline, "the log says why there is none", func() bool {
		return strings.Contains(s.stderr.String(), "no certificate could be obtained")
	})
}
