package command

import (
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"maps"
	"os"
	"strings"
	"sync/atomic"
	"time"
)

// securing is the TLS settings of a server, as text from flags and environment.
type securing struct {
	Cert          string `name:"tls-cert" help:"PEM files of certificates with their chains, separated by commas; a client gets the one for the name that it asks for, else the first. They are read again when they change. Default: no TLS." env:"PIYASA_TLS_CERT" placeholder:"FILE,…"`
	Key           string `name:"tls-key" help:"PEM files of their keys, in the same order; default: the keys are in the files of the certificates." env:"PIYASA_TLS_KEY" placeholder:"FILE,…"`
	ACMEDomains   string `name:"acme-domains" help:"Names for which the server obtains certificates by ACME, separated by commas. This agrees to the authority's terms. Default: none." env:"PIYASA_ACME_DOMAINS" placeholder:"NAME,…"`
	ACMEEmail     string `name:"acme-email" help:"Where the authority writes to about certificates; default: nowhere." env:"PIYASA_ACME_EMAIL" placeholder:"ADDRESS"`
	ACMEDirectory string `name:"acme-directory" help:"Address of the authority's directory." env:"PIYASA_ACME_DIRECTORY" default:"${acme_directory}" placeholder:"URL"`
	ACMEFolder    string `name:"acme-folder" help:"Where the account and certificates are kept; default: acme in your data folder." env:"PIYASA_ACME_FOLDER" placeholder:"FOLDER"`
}

// certificates are the certificates that a server presents to its clients.
type certificates struct {
	pairs []pairOfFiles
	read  atomic.Pointer[[]tls.Certificate] // from the files, in order
	acme  *authority                        // nil: none
}

// pairOfFiles are the files of one certificate.
type pairOfFiles struct{ cert, key string }

// check checks every value, and the files. It returns nil without TLS.
func (s securing) check(mistake func(name string, err error)) *certificates {
	certs, keys, names := words(s.Cert), words(s.Key), words(s.ACMEDomains)
	if len(keys) == 0 {
		keys = certs
	}
	if len(keys) != len(certs) {
		mistake("PIYASA_TLS_KEY", fmt.Errorf("must name as many files as PIYASA_TLS_CERT, which names %d; got %d", len(certs), len(keys)))
		return nil
	}
	out := &certificates{}
	for i := range certs {
		out.pairs = append(out.pairs, pairOfFiles{certs[i], keys[i]})
	}
	if len(names) > 0 {
		var err error
		out.acme, err = s.authority(names)
		mistake("PIYASA_ACME_DOMAINS", err)
	}
	files, err := out.files()
	if err == nil {
		var read []tls.Certificate
		if read, err = files.parse(); err == nil {
			out.read.Store(&read)
		}
	}
	mistake("PIYASA_TLS_CERT", err)
	if err != nil || len(certs)+len(names) == 0 {
		return nil
	}
	return out
}

// words splits a list at its commas.
func words(list string) (out []string) {
	for word := range strings.SplitSeq(list, ",") {
		if word = strings.TrimSpace(word); word != "" {
			out = append(out, word)
		}
	}
	return out
}

// pairsRead are the contents of the files, with their names for errors.
type pairsRead []struct {
	pairOfFiles
	certPEM, keyPEM []byte
}

func (c *certificates) files() (out pairsRead, err error) {
	out = make(pairsRead, len(c.pairs))
	for i, pair := range c.pairs {
		out[i].pairOfFiles = pair
		if out[i].certPEM, err = os.ReadFile(pair.cert); err != nil {
			return nil, err
		}
		if out[i].keyPEM, err = os.ReadFile(pair.key); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// version returns a digest of the contents.
func (p pairsRead) version() string {
	sum := sha256.New()
	for _, pair := range p {
		for _, part := range [][]byte{pair.certPEM, pair.keyPEM} {
			fmt.Fprintf(sum, "%d\n", len(part))
			sum.Write(part)
		}
	}
	return string(sum.Sum(nil))
}

// parse returns the certificates, or an error that names the file and its fault.
func (p pairsRead) parse() ([]tls.Certificate, error) {
	var out []tls.Certificate
	for _, pair := range p {
		c, err := tls.X509KeyPair(pair.certPEM, pair.keyPEM)
		if err != nil {
			return nil, fmt.Errorf("%s with the key in %s: %w", pair.cert, pair.key, err)
		}
		if now := time.Now(); now.After(c.Leaf.NotAfter) {
			return nil, fmt.Errorf("%s: the certificate has expired on %s", pair.cert, c.Leaf.NotAfter.UTC().Format(time.DateOnly))
		}
		out = append(out, c)
	}
	return out, nil
}

// followed returns the files as followed ones.
func (c *certificates) followed() followed[[]tls.Certificate] {
	files, _ := c.files()
	return followed[[]tls.Certificate]{
		what: "certificates", place: strings.Join(c.names(), ", "), version: files.version(),
		set: func(read []tls.Certificate) { c.read.Store(&read) },
		read: func() (string, func() ([]tls.Certificate, error), error) {
			files, err := c.files()
			return files.version(), files.parse, err
		},
	}
}

// names returns the names of the certificate files.
func (c *certificates) names() (out []string) {
	for _, pair := range c.pairs {
		out = append(out, pair.cert)
	}
	return out
}

// config returns the TLS configuration of a listener.
func (c *certificates) config() *tls.Config {
	config := &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: c.choose}
	if c.acme != nil {
		config.NextProtos = []string{acmeProtocol}
	}
	return config
}

// choose returns the certificate for a client: for the name that it asks for, that of a file,
// or an obtained one; else that of the first file.
func (c *certificates) choose(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	if c.acme != nil && c.acme.asks(hello) {
		return c.acme.certificate(hello)
	}
	read := *c.read.Load()
	for i := range read {
		if hello.SupportsCertificate(&read[i]) == nil {
			return &read[i], nil
		}
	}
	switch {
	case c.acme != nil && (c.acme.has(hello.ServerName) || len(read) == 0):
		return c.acme.certificate(hello)
	case len(read) == 0:
		return nil, errors.New("there is no certificate")
	}
	return &read[0], nil
}

// expiries returns when the certificates expire, by name.
func (c *certificates) expiries() map[string]time.Time {
	out := map[string]time.Time{}
	for _, one := range *c.read.Load() {
		out[nameOf(one.Leaf)] = one.Leaf.NotAfter
	}
	if c.acme != nil {
		maps.Copy(out, c.acme.expiries())
	}
	return out
}

// nameOf returns a name for a certificate.
func nameOf(c *x509.Certificate) string {
	switch {
	case len(c.DNSNames) > 0:
		return c.DNSNames[0]
	case len(c.IPAddresses) > 0:
		return c.IPAddresses[0].String()
	}
	return c.Subject.CommonName
}
