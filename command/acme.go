package command

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/crypto/acme"
	"golang.org/x/crypto/acme/autocert"
	"golang.org/x/net/idna"
)

// acmeProtocol is the protocol by which an authority validates a name over TLS.
const acmeProtocol = acme.ALPNProto

// Times between attempts to obtain a certificate. Authorities limit failed attempts to a few an
// hour.
const (
	acmeFirstRetry = 30 * time.Second
	acmeLastRetry  = 30 * time.Minute
	acmeLook       = time.Hour // between checks of existing certificates
)

// authority obtains certificates by ACME, and renews them 30 days before they expire. The
// validation uses TLS (tls-alpn-01), so that no other port is needed.
type authority struct {
	names   []string
	manager *autocert.Manager

	mu     sync.Mutex
	expiry map[string]time.Time
}

func (s securing) authority(names []string) (*authority, error) {
	for i, name := range names {
		ascii, err := idna.Lookup.ToASCII(name)
		if err != nil || !strings.Contains(ascii, ".") || net.ParseIP(name) != nil {
			return nil, fmt.Errorf("must be names such as api.example.com, separated by commas; got %q", name)
		}
		names[i] = ascii
	}
	if u, err := url.Parse(s.ACMEDirectory); err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" {
		return nil, fmt.Errorf("the authority's directory (PIYASA_ACME_DIRECTORY) must be an address such as %s; got %q",
			autocert.DefaultACMEDirectory, s.ACMEDirectory)
	}
	folder, err := s.acmeFolder()
	if err != nil {
		return nil, err
	}
	return &authority{names: names, expiry: map[string]time.Time{}, manager: &autocert.Manager{
		Prompt: autocert.AcceptTOS, Cache: autocert.DirCache(folder), HostPolicy: autocert.HostWhitelist(names...), Email: s.ACMEEmail,
		Client: &acme.Client{DirectoryURL: s.ACMEDirectory, UserAgent: "piyasa"},
	}}, nil
}

// acmeFolder returns the folder of the account and the certificates.
func (s securing) acmeFolder() (string, error) {
	if s.ACMEFolder != "" {
		return s.ACMEFolder, nil
	}
	data, err := dataFolder()
	if err != nil {
		return "", errors.New("there is no home folder to keep certificates in: set PIYASA_ACME_FOLDER")
	}
	return filepath.Join(data, "acme"), nil
}

// asks reports whether a client is an authority that is validating a name.
func (a *authority) asks(hello *tls.ClientHelloInfo) bool {
	return slices.Equal(hello.SupportedProtos, []string{acmeProtocol})
}

func (a *authority) has(name string) bool { return slices.Contains(a.names, strings.ToLower(name)) }

// certificate returns the certificate for a client, and waits if it must first be obtained. A
// client that names no host gets the certificate of the first name.
func (a *authority) certificate(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	if hello.ServerName == "" {
		named := *hello
		named.ServerName = a.names[0]
		hello = &named
	}
	c, err := a.manager.GetCertificate(hello)
	if err == nil && !a.asks(hello) && c.Leaf != nil {
		a.mu.Lock()
		a.expiry[hello.ServerName] = c.Leaf.NotAfter
		a.mu.Unlock()
	}
	return c, err
}

// run obtains the certificates before clients ask for them, and logs failures, until ctx ends.
func (a *authority) run(ctx context.Context) {
	var all sync.WaitGroup
	for _, name := range a.names {
		all.Go(func() { a.obtain(ctx, name) })
	}
	all.Wait()
}

func (a *authority) obtain(ctx context.Context, name string) {
	wait := acmeFirstRetry
	for announced := false; ; {
		got := make(chan error, 1)
		go func() { // may take minutes if the authority does not answer; it takes no context
			_, err := a.certificate(&tls.ClientHelloInfo{
				ServerName: name, SupportedProtos: []string{"h2"}, SupportedVersions: []uint16{tls.VersionTLS13},
				SignatureSchemes: []tls.SignatureScheme{tls.ECDSAWithP256AndSHA256}, SupportedCurves: []tls.CurveID{tls.CurveP256},
				CipherSuites: []uint16{tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256},
			})
			got <- err
		}()
		var err error
		select {
		case err = <-got:
		case <-ctx.Done():
			return
		}
		pause := acmeLook
		switch {
		case err != nil:
			slog.Error("no certificate could be obtained; trying again", "name", name, "in", wait.String(), "error", err)
			pause, wait, announced = wait, min(2*wait, acmeLastRetry), false
		case !announced:
			announced, wait = true, acmeFirstRetry
			slog.Info("there is a certificate", "name", name, "until", a.expiries()[name].UTC().Format(time.DateOnly))
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
	}
}

// expiries returns when the certificates expire, by name.
func (a *authority) expiries() map[string]time.Time {
	a.mu.Lock()
	defer a.mu.Unlock()
	out := make(map[string]time.Time, len(a.expiry))
	for name, at := range a.expiry {
		out[name] = at
	}
	return out
}
