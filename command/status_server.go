package command

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"piyasa/domain/coverage"
	"piyasa/domain/market"
	"piyasa/internal/problem"
	"piyasa/internal/value"
)

// mostAnswer is the largest answer of a server, in bytes.
const mostAnswer = 64 << 20

// askServer makes the status from a running server.
func (c *statusCommand) askServer(ctx context.Context, s streams, version string) (*status, error) {
	base, err := addressOf("--url", c.URL)
	if err != nil {
		return nil, err
	}
	key := cmp.Or(c.Key, os.Getenv("PIYASA_KEY"))
	if key == "" {
		return nil, usageError{errors.New("--key or PIYASA_KEY: a server is asked with a key; `piyasa keys create` makes one")}
	}
	// a redirect would take the key along
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	defer client.CloseIdleConnections()
	ask := func(path string, query url.Values, into any, also ...int) error {
		at := base.JoinPath(path)
		at.RawQuery = query.Encode()
		return askFor(ctx, at, version, func(request *http.Request) error {
			if strings.HasPrefix(path, "/v1/") {
				request.Header.Set("X-API-Key", key)
			}
			return answerOf(client, request, readJSON(into), also...)
		})
	}
	fmt.Fprintln(s.err, "server:", base.Redacted())
	var health struct{ Version string }
	var ready struct {
		Status string
		Reason string
		Lag    *float64 `json:"lag_seconds"`
	}
	if err := ask("/healthz", nil, &health); err != nil {
		return nil, err
	}
	if err := ask("/readyz", nil, &ready, http.StatusServiceUnavailable); err != nil {
		return nil, err
	}
	found := &status{Asked: base.Redacted(), Version: &health.Version, Ready: new(ready.Status == "ready"),
		Reason: value.NonEmpty(&ready.Reason), LagSeconds: ready.Lag, Unknown: map[string]string{
			"engine":           "only the database tells, with --database",
			"schema":           "only the database tells, with --database",
			"bytes":            "only the database tells, with --database",
			"servers":          "only the database tells, with --database",
			"plans":            "usage has that of the key; only the database has that of all, with --database",
			"streams":          "only the private listener tells, with --metrics-url",
			"webhooks_of_keys": "only the database tells, with --database",
			"backups":          "only the database tells, with --database",
			"sinks":            "only the database tells, with --database, and /sinks of the private listener",
		}}
	if found.LagSeconds == nil {
		found.Unknown["lag_seconds"] = "the server does not know how far it is behind its database"
	}
	if c.Metrics != "" {
		if found.Streams, err = c.openStreams(ctx, client, version); err != nil {
			return nil, err
		}
		delete(found.Unknown, "streams")
	}
	var sources market.SourceList
	if err := ask("/v1/sources", nil, &sources); err != nil {
		return nil, err
	}
	if found.Sources = sources.Sources; found.Sources == nil {
		found.Sources = []*market.Source{}
	}
	if err := ask("/v1/usage", nil, &found.Usage); err != nil {
		return nil, err
	}
	found.Coverage, err = c.pages(func(cursor *string) (*coverage.Report, error) {
		query := url.Values{"limit": {strconv.Itoa(coverage.Limit.Max)}}
		for name, text := range map[string]string{"market": c.Market, "instrument": c.Instrument} {
			if text != "" {
				query.Set(name, text)
			}
		}
		if cursor != nil {
			query.Set("cursor", *cursor)
		}
		var page *coverage.Report
		err := ask("/v1/coverage", query, &page)
		if err == nil && page == nil {
			err = errors.New("/v1/coverage is no answer of a piyasa: it is null")
		}
		return page, err
	})
	return found, err
}

// addressOf reads the address of a server.
func addressOf(flag, text string) (*url.URL, error) {
	at, err := url.Parse(strings.TrimSuffix(text, "/"))
	if err != nil || (at.Scheme != "http" && at.Scheme != "https") || at.Host == "" || at.RawQuery != "" {
		return nil, usageError{fmt.Errorf("%s: must be an address such as http://127.0.0.1:8080; got %q", flag, problem.Masked(text))}
	}
	return at, nil
}

// askFor builds and sends a request to an address.
func askFor(ctx context.Context, at *url.URL, version string, send func(*http.Request) error) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, at.String(), nil)
	if err != nil {
		return err
	}
	request.Header.Set("User-Agent", "piyasa/"+version)
	return send(request)
}

// openStreams asks the private listener how many streams are open, by transport.
func (c *statusCommand) openStreams(ctx context.Context, client *http.Client, version string) (map[string]int, error) {
	base, err := addressOf("--metrics-url", c.Metrics)
	if err != nil {
		return nil, err
	}
	open := map[string]int{}
	return open, askFor(ctx, base.JoinPath("/metrics"), version, func(request *http.Request) error {
		return answerOf(client, request, func(body []byte) error {
			parser := expfmt.NewTextParser(model.UTF8Validation)
			families, err := parser.TextToMetricFamilies(bytes.NewReader(body))
			if err != nil {
				return err
			}
			if families["piyasa_streams_open"] == nil {
				return errors.New("it has no piyasa_streams_open")
			}
			for _, m := range families["piyasa_streams_open"].GetMetric() {
				for _, label := range m.GetLabel() {
					if label.GetName() == "transport" {
						open[label.GetValue()] = int(m.GetGauge().GetValue())
					}
				}
			}
			return nil
		})
	})
}

// readJSON returns a function that decodes JSON into into.
func readJSON(into any) func([]byte) error {
	return func(body []byte) error { return json.Unmarshal(body, into) }
}

// answerOf sends a request and reads its answer. Besides success, it accepts the statuses also.
func answerOf(client *http.Client, request *http.Request, read func([]byte) error, also ...int) error {
	res, err := client.Do(request)
	if err != nil {
		return fmt.Errorf("ask the server: %w", err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, mostAnswer))
	if err != nil {
		return fmt.Errorf("ask the server: %w", err)
	}
	wanted := res.StatusCode == http.StatusOK
	for _, status := range also {
		wanted = wanted || res.StatusCode == status
	}
	if wanted {
		if err := read(body); err != nil {
			return fmt.Errorf("%s is no answer of a piyasa: %w", request.URL.Path, err)
		}
		return nil
	}
	var wrong struct{ Title, Detail string }
	if json.Unmarshal(body, &wrong) != nil || wrong.Title == "" {
		return fmt.Errorf("the server answers %s with %s", request.URL.Path, res.Status)
	}
	return fmt.Errorf("the server refuses %s: %s: %s", request.URL.Path, wrong.Title, wrong.Detail)
}
