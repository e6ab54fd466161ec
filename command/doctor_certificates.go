package command

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net/url"
	"os"
	"strings"
	"time"
)

// soon is how long before its expiry a certificate is reported; alerts begin then, too.
const soon = 14 * 24 * time.Hour

// certificates checks the certificates in files.
func (d *doctor) certificates() {
	d.securing.check(func(name string, err error) {
		if err != nil {
			d.trouble(levelError, "certificates", name+": "+err.Error(), "the server does not start, or goes on with what it read before",
				"renew the certificate: PIYASA_TLS_CERT and PIYASA_TLS_KEY name the files")
		}
	})
	certs, keys := words(d.Cert), words(d.Key)
	if len(keys) == 0 {
		keys = certs
	}
	var leaves []*x509.Certificate
	for i, file := range certs {
		if i >= len(keys) {
			break
		}
		pair, err := tls.LoadX509KeyPair(file, keys[i])
		if err != nil || time.Now().After(pair.Leaf.NotAfter) {
			continue // check has reported it
		}
		leaves = append(leaves, pair.Leaf)
		until := pair.Leaf.NotAfter.UTC().Format(time.DateOnly)
		if left := time.Until(pair.Leaf.NotAfter); left < soon {
			d.trouble(levelWarning, "certificates", fmt.Sprintf("%s ends on %s", file, until), "clients refuse the server then",
				"renew it; the server reads the files again by itself")
		}
		if time.Now().Before(pair.Leaf.NotBefore) {
			d.trouble(levelError, "certificates", fmt.Sprintf("%s begins on %s", file, pair.Leaf.NotBefore.UTC().Format(time.DateOnly)),
				"clients refuse the server until then, or the clock of this machine is behind", "timedatectl set-ntp true")
		}
	}
	if u, err := url.Parse(d.BaseURL); err == nil && u.Scheme == "https" && len(leaves) > 0 && d.ACMEDomains == "" {
		named := false
		for _, leaf := range leaves {
			named = named || leaf.VerifyHostname(u.Hostname()) == nil
		}
		if !named {
			d.trouble(levelError, "certificates", fmt.Sprintf("no certificate is for %s, the name of PIYASA_BASE_URL", u.Hostname()),
				"clients that ask for this name refuse the server", "a certificate for it, or another PIYASA_BASE_URL")
		}
	}
	if len(certs) > 0 {
		d.fine("certificates", strings.Join(certs, ", "))
	}
	if folder, err := d.acmeFolder(); err == nil && d.ACMEDomains != "" {
		if info, err := os.Stat(folder); err == nil && info.Mode().Perm()&0o004 != 0 {
			d.trouble(levelWarning, "files", "every user of this machine can read "+folder, "it has the keys of certificates",
				"chmod 700 "+folder)
		}
	}
}
