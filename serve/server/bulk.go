package server

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/klauspost/compress/gzhttp"

	"piyasa/account/access"
	"piyasa/domain/market"
	"piyasa/internal/problem"
	"piyasa/internal/value"
	"piyasa/serve/admission"
	"piyasa/serve/answer"
	"piyasa/serve/bulk"
)

// bulkPattern is the route of files with all records of a kind.
const bulkPattern = bulk.Path + "{kind}"

// How long a client may take to receive a file.
const (
	leastSending = time.Minute
	slowestBytes = 64 << 10 // per second
	bulkMaking   = 6 * time.Minute
)

var bulkParameters = []string{"market", "resolution", "year", "month", "day", "from", "to", "format"}

// bulk sends a file of all records of a kind, and makes it first if there is no current one.
func (s *Server) bulk(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("X-Usage-Units", "0")
	answer.WarnOfUnknown(w.Header(), r.URL.RawQuery, bulkParameters)
	control := http.NewResponseController(w)
	_ = control.SetWriteDeadline(time.Now().Add(bulkMaking))
	file, reading, err := s.bulkFile(w, r)
	if err != nil {
		s.problems.Write(w, r, err)
		return
	}
	if file == nil { // only the cost was asked for
		return
	}
	content, err := s.files.Open(file)
	if err != nil {
		s.door.GiveBack(r.Context())
		s.problems.Write(w, r, err)
		return
	}
	defer content.Close()
	access.Charge(r.Context(), access.Unit)
	h := w.Header()
	h.Set("X-Usage-Units", strconv.Itoa(access.Unit))
	h.Set("ETag", file.ETag)
	h.Set("X-Position", file.Position())
	h.Set("Content-Type", reading.Format.Type())
	h.Set("Content-Disposition", `attachment; filename="`+reading.Name()+`"`)
	h.Set("Cache-Control", "private, no-cache")
	h.Add("Vary", "X-API-Key")
	h.Set(gzhttp.HeaderNoCompression, "1") // a strong ETag covers exactly these bytes
	_ = control.SetWriteDeadline(time.Now().Add(leastSending + time.Duration(file.Size/slowestBytes)*time.Second))
	http.ServeContent(w, r, "", time.Time{}, content)
}

// bulkFile returns the file that a request asks for and has paid; nil: the request has been
// answered. The request that begins to make a file pays for that, even if it gets none.
func (s *Server) bulkFile(w http.ResponseWriter, r *http.Request) (*bulk.File, *bulk.Reading, error) {
	ctx := r.Context()
	asked, err := readBulk(r.PathValue("kind"), r.URL.Query())
	if err != nil {
		access.CallOf(ctx).SetParameterError(err)
	}
	reading, err := s.services.Bulk.Read(ctx, asked)
	if err != nil {
		return nil, nil, err
	}
	state, position, err := reading.Present(ctx)
	if err != nil {
		return nil, nil, err
	}
	kept := s.files.Kept(reading, state, position, cmp.Or(r.Header.Get("If-Range"), r.Header.Get("If-Match")))
	price := reading.Cost(kept)
	if admission.CostOnly(r) {
		answer.JSON(w, http.StatusOK, map[string]any{"cost": s.door.Cost(ctx, price)})
		return nil, nil, nil
	}
	if err := s.door.Pay(ctx, price, access.Unit); err != nil || kept != nil {
		return kept, reading, err
	}
	file, ours, err := s.files.Make(ctx, reading, state, position)
	if !ours {
		s.door.GiveBack(ctx)
		if file != nil {
			s.door.PayAgain(ctx, reading.Cost(file)-access.BaseCost)
		}
	}
	return file, reading, err
}

// readBulk reads the parameters of a request.
func readBulk(kind string, query url.Values) (a bulk.Args, err error) {
	a = bulk.Args{Kind: kind, Market: wordOf[market.Market](query, "market"), Format: wordOf[bulk.Format](query, "format"),
		Resolution: wordOf[market.Resolution](query, "resolution")}
	for _, name := range bulkParameters {
		if len(query[name]) > 1 {
			e := problem.New(problem.RepeatedParameter, "%s may be given only once.", name)
			e.Members.Parameter = name
			return a, e
		}
	}
	a.From, a.To, err = bulkDays(kind, query)
	return a, err
}

func wordOf[T ~string](query url.Values, name string) *T {
	if !query.Has(name) {
		return nil
	}
	return new(T(query.Get(name)))
}

// bulkDays reads the range: a year, a month, a day, or from and to.
func bulkDays(kind string, query url.Values) (from, to *value.Date, err error) {
	var given []string
	for _, name := range []string{"year", "month", "day", "from", "to"} {
		if query.Has(name) {
			given = append(given, name)
		}
	}
	switch {
	case len(given) == 0:
		return nil, nil, nil
	case len(given) > 1 && !slices.Equal(given, []string{"from", "to"}):
		return nil, nil, problem.New(problem.ConflictingParameters, "Send year, month, day, or from and to; got %s.",
			strings.Join(given, " and "))
	}
	for _, name := range given {
		text := query.Get(name)
		if err := bulk.CheckDated(kind, name, text); err != nil {
			return nil, nil, err
		}
		switch name {
		case "year":
			year, err := value.ParseDate(text + "-01-01")
			if err != nil {
				return nil, nil, problem.Parameter(name, text, "a year such as 2026 (YYYY)")
			}
			from, to = &year, new(year.AddMonths(12).AddDays(-1))
		case "month":
			month, err := value.ParseMonth(text)
			if err != nil {
				return nil, nil, problem.Parameter(name, text, "a month such as 2026-03 (YYYY-MM)")
			}
			from, to = new(month.First()), new(month.First().AddMonths(1).AddDays(-1)) // no month follows 9999-12
		default:
			day, err := value.ParseDate(text)
			if err != nil {
				return nil, nil, problem.Parameter(name, text, "a day such as 2026-03-18 (YYYY-MM-DD)")
			}
			if name != "to" {
				from = &day
			}
			if name != "from" {
				to = &day
			}
		}
	}
	return from, to, nil
}

// Close abandons the files in the making, and removes the kept ones.
func (s *Server) Close() error { return s.files.Close() }
