package server

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"piyasa/account/access"
	"piyasa/internal/problem"
	"piyasa/serve/answer"
)

// Where the home page of a first run makes a key and stores a file.
const (
	firstKeyPath  = "/first-key"
	firstFilePath = "/first-file"
)

// Bounds of a first run.
const (
	maxWrongCodes = 5
	maxCodeBody   = 1 << 10
	maxFirstFile  = 64 << 20        // bytes; first-steps.tsx has the same number
	firstFileTime = 5 * time.Minute // to read and to store a file
	writeAfter    = time.Minute     // to send the result
	followTime    = 5 * time.Second // for this server to apply what was stored
)

// FirstRun lets the person at the server's terminal make its first key in a browser on the
// same machine, and store a first file with it. Only this machine may reach the listener.
type FirstRun struct {
	Code   string    // that the terminal shows
	Until  time.Time // when the code expires
	Create func(context.Context, *access.Key) (made bool, err error)
	Ingest func(ctx context.Context, file io.Reader) (summary any, err error)
}

// firstRun is the state of a FirstRun.
type firstRun struct {
	FirstRun
	storing atomic.Bool // whether a file is being stored

	mu    sync.Mutex
	wrong int    // wrong codes so far
	taken bool   // whether the code was used
	key   string // id of the key that was made; empty: none

	// The key of the one caller whose code was taken. It stays the same after a failure, since the
	// store may have kept it all the same.
	draft  *access.Key
	secret access.Secret
}

// offers returns what pages offer: "key", or, on a store without records, "file"; or "".
func (f *firstRun) offers(r *http.Request, empty bool) string {
	if f == nil || !atHome(r) {
		return ""
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case f.open():
		return "key"
	case f.key != "" && empty:
		return "file"
	}
	return ""
}

func (f *firstRun) open() bool {
	return !f.taken && f.wrong < maxWrongCodes && time.Now().Before(f.Until)
}

var errCodeVoid = problem.New(problem.NotFound, "The code was used, is older than 15 minutes, or was entered wrongly too often. "+
	"Start the server again for another one, or run `piyasa keys create`.")

// take uses up the code, or returns why it cannot.
func (f *firstRun) take(code string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.open() {
		return errCodeVoid
	}
	if subtle.ConstantTimeCompare([]byte(plainCode(code)), []byte(plainCode(f.Code))) == 1 {
		f.taken = true
		return nil
	}
	if f.wrong++; f.wrong == maxWrongCodes {
		return errCodeVoid
	}
	return problem.New(problem.InvalidParameter,
		"code must be the one that the server's terminal shows; %d more attempts are left.", maxWrongCodes-f.wrong)
}

// plainCode returns a code in capitals, without hyphens and spaces.
func plainCode(code string) string {
	return strings.ToUpper(strings.NewReplacer("-", "", " ", "").Replace(code))
}

// made records the key that was made, or, if that failed, that the code is still unused.
func (f *firstRun) made(key string, failed bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.key, f.taken = key, !failed
}

// madeKey reports whether a key is the one made with the code.
func (f *firstRun) madeKey(id string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.key != "" && f.key == id
}

// atHome reports whether a browser on this machine sends r from a page of this server, or only
// reads: not through a proxy, nor under a name that a third party gave this address. A request
// that changes something must state its origin; without one it may come from anywhere.
func atHome(r *http.Request) bool {
	local, _ := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	if local == nil || !local.IP.IsLoopback() || !addressIn(r.RemoteAddr).IsLoopback() {
		return false
	}
	for name := range r.Header {
		if name == "Forwarded" || name == "Via" || name == "X-Real-Ip" || strings.HasPrefix(name, "X-Forwarded-") {
			return false
		}
	}
	own := "http://" + r.Host
	if r.TLS != nil {
		own = "https://" + r.Host
	}
	origin := r.Header.Get("Origin")
	return isLocal(own) && !isForeign(r) && (origin == own || origin == "" && r.Method == http.MethodGet)
}

// atHomeOnly rejects requests that are not atHome.
func (s *Server) atHomeOnly(do func(http.ResponseWriter, *http.Request) (any, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var done any
		err := error(problem.New(problem.OriginNotAllowed, "Only the home page of this server does this, in a browser on the "+
			"server's machine and through no proxy: open it at a loopback address such as http://127.0.0.1, or as localhost."))
		if atHome(r) {
			done, err = do(w, r)
		}
		if err != nil {
			s.problems.Write(w, r, err)
			return
		}
		answer.JSON(w, http.StatusOK, done)
	})
}

// firstKey makes the first key for a client with the code.
func (s *Server) firstKey(w http.ResponseWriter, r *http.Request) (any, error) {
	var in struct {
		Code string `json:"code"`
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxCodeBody))
	if err == nil {
		err = json.Unmarshal(body, &in)
	}
	if err != nil || r.Header.Get("Content-Type") != "application/json" {
		return nil, problem.New(problem.MalformedRequest, `The body must be a JSON object such as {"code": "ABCD-EFGH"}, `+
			`of at most %d bytes, and of the media type application/json.`, maxCodeBody)
	}
	if err := s.first.take(in.Code); err != nil {
		return nil, err
	}
	made := false
	if s.first.draft == nil {
		draft := access.Draft{Name: "first", Plan: "pro", Scopes: access.ParseScopes("all")}
		s.first.draft, s.first.secret, err = draft.Key(s.services.Gate.Plans(), time.Now())
	}
	key, secret := s.first.draft, s.first.secret
	if err == nil {
		made, err = s.first.Create(context.WithoutCancel(r.Context()), key)
	}
	switch {
	case err != nil:
		s.first.made("", true)
		return nil, problem.StoreFailed(err)
	case !made:
		return nil, problem.New(problem.NotFound,
			"There is a key already, so this is not the first: enter that one, or run `piyasa keys create`.")
	}
	s.first.made(key.ID, false)
	slog.InfoContext(r.Context(), "created the first key", "key", key.ID, "plan", key.Plan)
	follows(r.Context(), func() bool {
		_, err := s.services.Gate.Authenticate(string(secret))
		return err == nil
	})
	return struct {
		ID  string        `json:"id"`
		Key access.Secret `json:"key"`
	}{key.ID, secret}, nil
}

// follows waits, for at most followTime, until this server has applied what was stored, so that
// the page finds it at once.
func follows(ctx context.Context, known func() bool) {
	ctx, cancel := context.WithTimeout(ctx, followTime)
	defer cancel()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for !known() && ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case <-tick.C:
		}
	}
}

// firstFile stores the records of a file while nothing is stored. It needs the key that was
// made with the code: holders of other keys were not at the terminal.
func (s *Server) firstFile(w http.ResponseWriter, r *http.Request) (any, error) {
	if key := access.CallOf(r.Context()).Key; !s.first.madeKey(key.ID) {
		return nil, problem.New(problem.OriginNotAllowed, "Only the key that was made with the code since this server started may "+
			"store a file; `piyasa ingest FILE` needs none.")
	}
	if !s.first.storing.CompareAndSwap(false, true) {
		return nil, problem.New(problem.Overloaded, "Another file is being stored; try again when it is.")
	}
	defer s.first.storing.Store(false)
	is, err := s.config.Ready()
	switch {
	case err != nil:
		return nil, problem.StoreFailed(err)
	case !is.Empty:
		return nil, problem.New(problem.NotFound,
			"Something is stored already, and pages store the first file only; `piyasa ingest FILE` stores others.")
	case r.ContentLength > maxFirstFile:
		return nil, problem.New(problem.MalformedRequest,
			"The file must have at most %d MiB; `piyasa ingest FILE` takes any.", maxFirstFile>>20)
	}
	control, until := http.NewResponseController(w), time.Now().Add(firstFileTime)
	_, _ = control.SetReadDeadline(until), control.SetWriteDeadline(until.Add(writeAfter))
	ctx, cancel := context.WithDeadline(r.Context(), until)
	defer cancel()
	done, err := s.first.Ingest(ctx, http.MaxBytesReader(w, r.Body, maxFirstFile))
	stored := time.Now()
	follows(r.Context(), func() bool { return s.config.Behind() <= time.Since(stored) })
	return done, err
}
