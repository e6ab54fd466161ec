package command

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"piyasa/account/access"
	"piyasa/domain/fundamentals"
	"piyasa/domain/market"
	"piyasa/internal/content"
	"piyasa/internal/spans"
	"piyasa/internal/value"
	"piyasa/serve/document"
)

// serving is the configuration of a server, as text from flags and environment.
type serving struct {
	KeysPage       bool   `help:"Serve the page /keys on the private listener, which must listen on this machine only; who has its password can create and revoke keys." env:"PIYASA_KEYS_PAGE"`
	BaseURL        string `help:"Start of absolute addresses in answers; default: the listening address." env:"PIYASA_BASE_URL" placeholder:"URL"`
	Now            string `help:"Instant at which the service's clock starts, for replays and tests." env:"PIYASA_NOW" placeholder:"INSTANT"`
	Plans          string `help:"JSON file of plans that override the built-in ones; it is read again when it changes." env:"PIYASA_PLANS" placeholder:"FILE"`
	Documents      string `help:"Folder of the GraphQL documents that may run, and no others; it is read again when it changes. Default: any may." env:"PIYASA_DOCUMENTS" placeholder:"FOLDER"`
	Batch          string `name:"graphql-batch" help:"How many GraphQL operations one request may have, as an array; 0: arrays are refused." env:"PIYASA_GRAPHQL_BATCH" default:"0" placeholder:"N"`
	Sunset         string `help:"Day on which the older paths of REST may stop working, told to who uses them; default: none." env:"PIYASA_SUNSET" placeholder:"DATE"`
	Origins        string `help:"Other origins whose web pages may read answers of requests (CORS) and open streams (WebSocket, events), separated by commas; local for any on this machine, * for any at all. Default: none but the server's own, in the demonstration local." env:"PIYASA_ORIGINS" placeholder:"ORIGIN,…"`
	Files          string `name:"attachments" help:"Folder or address of the documents of disclosures and IPOs; default: none." env:"PIYASA_ATTACHMENTS" placeholder:"PLACE"`
	TestStocks     string `help:"Ids of the stocks whose dividends a test key sees, separated by commas; default: none." env:"PIYASA_TEST_STOCKS" placeholder:"ID,…"`
	Lines          string `name:"statement-lines" help:"JSON file that maps statement lines to roles; overrides the built-in one." env:"PIYASA_STATEMENT_LINES" placeholder:"FILE"`
	StatementCache string `help:"How much memory is used for statements, in MiB; 0 disables the cache." env:"PIYASA_STATEMENT_CACHE" default:"96" placeholder:"MIB"`
	HistoryCache   string `help:"How much memory is used for bars, in MiB; 0 disables the cache." env:"PIYASA_HISTORY_CACHE" default:"128" placeholder:"MIB"`
	MaxLag         string `help:"How far the server may be behind the database's primary before it is not ready and opens no streams." env:"PIYASA_MAX_LAG" default:"5s" placeholder:"DURATION"`
	FXMaxAge       string `help:"Maximum age of an FX rate; older rates count as missing." env:"PIYASA_FX_MAX_AGE" default:"60m" placeholder:"DURATION"`

	AccessLog bool `help:"Log every answer." env:"PIYASA_ACCESS_LOG"`

	listening
	securing
	connecting
}

// settings are the checked values of serving.
type settings struct {
	public   place
	private  place         // without a name: none
	tls      *certificates // nil: no TLS
	baseURL  string        // without a slash at its end; empty: the listening address
	names    []string      // of the private listener
	keysPage bool          // whether the private listener serves the page of keys
	clock    value.Clock
	plans    access.Plans
	planFile string         // empty: none
	sunset   time.Time      // zero: none
	batch    int            // GraphQL operations in an array; 0: none
	list     *document.List // nil: any document may run
	folder   string         // of the list
	maxLag   time.Duration
	fxMaxAge time.Duration
	origins  origins
	files    *content.Store

	testStocks     []market.ID
	lines          *fundamentals.Lines
	statementCache int // in bytes
	historyCache   int // in bytes

	connections connections
	accessLog   bool
	traces      spans.Settings
}

// maxBatch is the most operations that one request can be configured to have.
const maxBatch = 100

// maxCache is the largest cache of bars or statements that can be configured, in MiB.
const maxCache = 1 << 20

// Bounds of the configured lag: a server measures its lag once a second.
const minLag, maxLag = 2 * time.Second, time.Hour

// check checks every value and reports all mistakes at once.
func (s serving) check() (settings, error) {
	out := settings{accessLog: s.AccessLog, baseURL: strings.TrimRight(s.BaseURL, "/")}
	var wrong []error
	mistake := func(name string, err error) {
		if err != nil {
			wrong = append(wrong, fmt.Errorf("%s: %w", name, err))
		}
	}
	clock, err := clockFrom(s.Now)
	mistake("PIYASA_NOW", err)
	out.clock = clock
	out.keysPage = s.KeysPage
	if s.BaseURL != "" {
		u, err := url.Parse(s.BaseURL)
		if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || u.RawQuery != "" {
			mistake("PIYASA_BASE_URL", fmt.Errorf("must be an address such as https://api.example.com; got %q", s.BaseURL))
		}
	}
	lag, err := time.ParseDuration(s.MaxLag)
	if err != nil || lag < minLag || lag > maxLag {
		mistake("PIYASA_MAX_LAG", fmt.Errorf("must be a duration from %s to %s such as 5s; got %q", minLag, maxLag, s.MaxLag))
	}
	out.maxLag = lag
	age, err := time.ParseDuration(s.FXMaxAge)
	if err != nil || age <= 0 {
		mistake("PIYASA_FX_MAX_AGE", fmt.Errorf("must be a positive duration such as 60m; got %q", s.FXMaxAge))
	}
	out.fxMaxAge = age
	out.statementCache, err = cacheSize(s.StatementCache)
	mistake("PIYASA_STATEMENT_CACHE", err)
	out.historyCache, err = cacheSize(s.HistoryCache)
	mistake("PIYASA_HISTORY_CACHE", err)
	out.testStocks, err = parseStocks(s.TestStocks)
	mistake("PIYASA_TEST_STOCKS", err)
	out.lines, err = readLines(s.Lines)
	mistake("PIYASA_STATEMENT_LINES", err)
	out.origins, err = parseOrigins(s.Origins)
	mistake("PIYASA_ORIGINS", err)
	out.files, err = content.Open(s.Files)
	mistake("PIYASA_ATTACHMENTS", err)
	out.public, out.private = s.listening.check(mistake)
	out.names, err = s.privateNames.check(s.Metrics)
	mistake("PIYASA_METRICS_HOSTS", err)
	out.tls = s.securing.check(mistake)
	out.connections = s.connecting.check(openFiles(), mistake)
	if s.Sunset != "" {
		if out.sunset, err = time.Parse(time.DateOnly, s.Sunset); err != nil {
			mistake("PIYASA_SUNSET", fmt.Errorf("must be a day such as 2027-03-01; got %q", s.Sunset))
		}
	}
	if out.batch, err = strconv.Atoi(s.Batch); err != nil || out.batch < 0 || out.batch > maxBatch {
		mistake("PIYASA_GRAPHQL_BATCH", fmt.Errorf("must be a whole number from 0 to %d; got %q", maxBatch, s.Batch))
	}
	out.planFile = s.Plans
	out.plans, err = readPlans(s.Plans)
	mistake("PIYASA_PLANS", err)
	out.folder = s.Documents
	out.list, err = readDocuments(s.Documents)
	mistake("PIYASA_DOCUMENTS", err)
	if out.traces, err = spans.FromEnvironment(); err != nil {
		wrong = append(wrong, err)
	}
	if len(wrong) > 0 {
		return out, usageError{errors.Join(wrong...)}
	}
	return out, nil
}

// cacheSize converts a number of MiB to bytes.
func cacheSize(mib string) (int, error) {
	n, err := strconv.Atoi(mib)
	if err != nil || n < 0 || n > maxCache {
		return 0, fmt.Errorf("must be a number of MiB from 0 to %d; got %q", maxCache, mib)
	}
	return n << 20, nil
}

// clockFrom returns a clock that starts at an instant, or the machine's clock for empty text.
func clockFrom(text string) (value.Clock, error) {
	if text == "" {
		return value.SystemClock, nil
	}
	start, err := value.ParseInstant(text)
	return value.ClockFrom(start), err
}

// parseStocks reads canonical ids of bist, separated by commas.
func parseStocks(text string) ([]market.ID, error) {
	var ids []market.ID
	for word := range strings.SplitSeq(text, ",") {
		if word = strings.TrimSpace(word); word == "" {
			continue
		}
		id, err := market.ParseID(word)
		if err != nil || id.Market() != market.BIST {
			return nil, fmt.Errorf("must be ids such as bist:THYAO, separated by commas; got %q", word)
		}
		ids = append(ids, id)
	}
	return ids, nil
}

func readLines(path string) (*fundamentals.Lines, error) {
	if path == "" {
		return fundamentals.ShippedLines(), nil
	}
	file, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return fundamentals.ShippedLines().With(file)
}
