package spans

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Settings state whether spans are recorded, and where they are sent. FromEnvironment reads them.
type Settings struct {
	on       bool
	incoming bool // whether to continue the trace of a request
	endpoint string
	header   http.Header
	timeout  time.Duration // for sending one batch, including retries
	gzip     bool
	tls      *tls.Config // nil: the default
}

// On reports whether spans are recorded.
func (s Settings) On() bool { return s.on }

// Defaults of the environment.
const (
	defaultEndpoint = "http://localhost:4318"
	tracesPath      = "/v1/traces"
	defaultTimeout  = 10 * time.Second
	protocol        = "http/protobuf" // the only supported one
)

var samplers = []string{"always_on", "always_off", "traceidratio", "parentbased_always_on", "parentbased_always_off",
	"parentbased_traceidratio"}

// FromEnvironment reads the standard variables of OpenTelemetry. Spans are recorded if an endpoint
// is set or OTEL_TRACES_EXPORTER is otlp. The error names all mistakes; it is nil if nothing is
// recorded.
func FromEnvironment() (Settings, error) {
	exporter := get("OTEL_TRACES_EXPORTER")
	endpoint, isOfTraces := get("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"), true
	if endpoint == "" {
		endpoint, isOfTraces = get("OTEL_EXPORTER_OTLP_ENDPOINT"), false
	}
	if strings.EqualFold(get("OTEL_SDK_DISABLED"), "true") || exporter == "none" || exporter == "" && endpoint == "" {
		return Settings{}, nil
	}
	s := Settings{on: true, incoming: true, timeout: defaultTimeout}
	var wrong []error
	mistake := func(name, format string, args ...any) {
		wrong = append(wrong, fmt.Errorf("%s: "+format, append([]any{name}, args...)...))
	}
	if exporter != "" && exporter != "otlp" {
		mistake("OTEL_TRACES_EXPORTER", "must be otlp or none; got %q", exporter)
	}
	if name, text := ofOTLP("PROTOCOL"); text != "" && text != protocol {
		mistake(name, "must be %s, the only protocol that piyasa speaks; got %q", protocol, text)
	}
	var err error
	if s.endpoint, err = address(endpoint, isOfTraces); err != nil {
		name := "OTEL_EXPORTER_OTLP_ENDPOINT"
		if isOfTraces {
			name = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"
		}
		mistake(name, "%w", err)
	}
	name, text := ofOTLP("HEADERS")
	if s.header, err = headers(text); err != nil {
		mistake(name, "%w", err)
	}
	if name, text := ofOTLP("TIMEOUT"); text != "" {
		ms, err := strconv.Atoi(text)
		if s.timeout = time.Duration(ms) * time.Millisecond; err != nil || ms < 1 {
			mistake(name, "must be a number of milliseconds such as 10000; got %q", text)
		}
	}
	if name, text := ofOTLP("COMPRESSION"); text != "" && text != "none" {
		if s.gzip = text == "gzip"; !s.gzip {
			mistake(name, "must be gzip or none; got %q", text)
		}
	}
	if s.tls, err = certificates(); err != nil {
		wrong = append(wrong, err)
	}
	if name := strings.ToLower(get("OTEL_TRACES_SAMPLER")); name != "" && !slices.Contains(samplers, name) {
		mistake("OTEL_TRACES_SAMPLER", "must be one of %s; got %q", strings.Join(samplers, ", "), name)
	} else if text := get("OTEL_TRACES_SAMPLER_ARG"); text != "" && strings.HasSuffix(name, "traceidratio") {
		if ratio, err := strconv.ParseFloat(text, 64); err != nil || !(ratio >= 0 && ratio <= 1) {
			mistake("OTEL_TRACES_SAMPLER_ARG", "must be a number from 0 to 1; got %q", text)
		}
	}
	if text := get("OTEL_PROPAGATORS"); text != "" {
		s.incoming = false
		for name := range strings.SplitSeq(text, ",") {
			switch strings.TrimSpace(name) {
			case "tracecontext":
				s.incoming = true
			case "baggage", "none":
			default:
				mistake("OTEL_PROPAGATORS", "must be tracecontext, baggage or none; got %q", text)
			}
		}
	}
	return s, errors.Join(wrong...)
}

// get returns a variable without surrounding white space.
func get(name string) string { return strings.TrimSpace(os.Getenv(name)) }

// ofOTLP returns a variable of the exporter: the one for traces, or else the one for all signals.
func ofOTLP(what string) (name, text string) {
	name = "OTEL_EXPORTER_OTLP_TRACES_" + what
	if text = get(name); text != "" {
		return name, text
	}
	name = "OTEL_EXPORTER_OTLP_" + what
	return name, get(name)
}

// address returns the address to send traces to: the one for traces unchanged, or the one for all
// signals with the path of traces.
func address(text string, isOfTraces bool) (string, error) {
	if text == "" {
		text = defaultEndpoint
	}
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return "", errors.New("must be an address such as http://localhost:4318") // text is not shown, since it may contain a password
	}
	if !isOfTraces {
		u = u.JoinPath(tracesPath)
	}
	return u.String(), nil
}

// The allowed names and values of headers.
var (
	headerName  = regexp.MustCompile("^[!#$%&'*+.^_`|~0-9A-Za-z-]+$")
	headerValue = regexp.MustCompile(`^[^\x00-\x08\x0a-\x1f\x7f]*$`)
)

// headers reads name=value pairs, separated by commas, with values in percent-encoding.
func headers(text string) (http.Header, error) {
	all := http.Header{}
	for pair := range strings.SplitSeq(text, ",") {
		if strings.TrimSpace(pair) == "" {
			continue
		}
		name, value, ok := strings.Cut(pair, "=")
		name = strings.TrimSpace(name)
		value, err := url.PathUnescape(strings.TrimSpace(value))
		if !ok || err != nil || !headerName.MatchString(name) || !headerValue.MatchString(value) {
			// values are secrets
			return nil, errors.New("must be pairs such as name=value, separated by commas, with values in percent-encoding")
		}
		all.Set(name, value)
	}
	return all, nil
}

// certificates returns the TLS configuration: the trusted certificates, and the client certificate;
// nil: the default.
func certificates() (*tls.Config, error) {
	name, file := ofOTLP("CERTIFICATE")
	certName, cert := ofOTLP("CLIENT_CERTIFICATE")
	keyName, key := ofOTLP("CLIENT_KEY")
	if file == "" && cert == "" && key == "" {
		return nil, nil
	}
	var wrong []error
	config := new(tls.Config)
	if file != "" {
		pem, err := os.ReadFile(file)
		config.RootCAs = x509.NewCertPool()
		switch {
		case err != nil:
			wrong = append(wrong, fmt.Errorf("%s: %w", name, err))
		case !config.RootCAs.AppendCertsFromPEM(pem):
			wrong = append(wrong, fmt.Errorf("%s: %s has no certificate in PEM", name, file))
		}
	}
	if cert != "" || key != "" {
		pair, err := tls.LoadX509KeyPair(cert, key)
		if err != nil {
			wrong = append(wrong, fmt.Errorf("%s, %s: %w", certName, keyName, err))
		}
		config.Certificates = []tls.Certificate{pair}
	}
	return config, errors.Join(wrong...)
}
