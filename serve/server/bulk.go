package server

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/klauspost/compress/gzhttp"

	"piyasa/account/access"
	"piyasa/account/cost"
	"piyasa/db"
	"piyasa/domain/market"
	"piyasa/internal/problem"
	"piyasa/internal/value"
	"piyasa/serve/admission"
	"piyasa/serve/answer"
	"piyasa/serve/bulk"
)

// bulkPattern is where all records of a kind come as a file.
const bulkPattern = "/v1/bulk/{kind}"

// What files cost beside a field for each record, which takes longer than that: as Parquet about
// as long as four bars of candles. What protects the server is that few are made at once.
const (
	bytesPerField = 4096    // of a file that is there
	dearestFile   = 250_000 // so that every plan can have each
)

// How long a client may take to receive a file.
const (
	leastSending = time.Minute
	slowestBytes = 64 << 10 // per second
	bulkMaking   = 6 * time.Minute
)

var bulkParameters = []string{"market", "resolution", "year", "month", "day", "from", "to", "format"}

// bulk hands out a file of all records of a kind, which it makes if there is none as of now.
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
	h.Set(gzhttp.HeaderNoCompression, "1") // a strong ETag is of these very bytes
	_ = control.SetWriteDeadline(time.Now().Add(leastSending + time.Duration(file.Size/slowestBytes)*time.Second))
	http.ServeContent(w, r, "", time.Time{}, content)
}

// bulkFile returns the file that a request wants and has paid for; nil: it has been answered.
func (s *Server) bulkFile(w http.ResponseWriter, r *http.Request) (*bulk.File, *bulk.Reading, error) {
	ctx := r.Context()
	wanted, err := bulkWanted(r)
	if err != nil {
		return nil, nil, err
	}
	if s.services.Gate.Plan(access.CallOf(ctx).Key).NoBulk {
		return nil, nil, problem.New(problem.NotInPlan, "The plan of this key has no files of %s; ask for single series and lists.",
			bulkPattern[:len("/v1/bulk")])
	}
	reading, err := bulk.Read(wanted, s.config.Records, s.services.Market)
	if err != nil {
		return nil, nil, err
	}
	now, err := s.config.Records.Look(ctx)
	if err != nil {
		return nil, nil, err
	}
	position := now.Epochs.Position(reading.Feed(), now.Heads[reading.Feed()]).String()
	state := fmt.Sprint(now.Epochs.Current(), " ", position, " ", s.services.Applied(db.FeedCatalog), " ",
		value.TurkeyDay(s.services.Clock()))
	kept := s.files.Kept(reading, state, cmp.Or(r.Header.Get("If-Range"), r.Header.Get("If-Match")))
	price := cost.Request + s.bulkCost(r, reading, kept)
	if admission.CostOnly(r) {
		answer.JSON(w, http.StatusOK, map[string]any{"cost": s.door.Cost(ctx, price)})
		return nil, nil, nil
	}
	if err := s.door.Pay(ctx, price, access.Unit); err != nil || kept != nil {
		return kept, reading, err
	}
	file, err := s.files.Make(ctx, reading, state, position)
	if err != nil {
		s.door.GiveBack(ctx)
	}
	return file, reading, err
}

// bulkCost returns what it costs to make a file, or to send one that is kept.
func (s *Server) bulkCost(r *http.Request, reading *bulk.Reading, kept *bulk.File) int {
	most := dearestFile
	if plan := s.services.Gate.Plan(access.CallOf(r.Context()).Key); plan.CostPerDocument > 0 {
		most = min(most, plan.CostPerDocument)
	}
	if kept != nil {
		return min(most-cost.Request, int(kept.Size/bytesPerField))
	}
	return min(most-cost.Request, access.AskingCost+reading.Rows)
}

// bulkWanted reads the parameters of a request, after the scope of its kind is checked.
func bulkWanted(r *http.Request) (bulk.Wanted, error) {
	offer, err := bulk.OfferOf(r.PathValue("kind"))
	if err != nil {
		return bulk.Wanted{}, err
	}
	wanted, err := readBulk(offer, r.URL.Query())
	if err != nil {
		access.CallOf(r.Context()).SetParameterError(err)
	}
	return wanted, offer.Enter(r.Context())
}

func readBulk(o bulk.Offer, query url.Values) (w bulk.Wanted, err error) {
	w = bulk.Wanted{Offer: o, Format: bulk.Parquet}
	for _, name := range bulkParameters {
		if len(query[name]) > 1 {
			e := problem.New(problem.RepeatedParameter, "%s may be given only once.", name)
			e.Members.Parameter = name
			return w, e
		}
	}
	if query.Has("format") {
		if w.Format, err = bulkWord(query, "format", bulk.Parquet, bulk.CSV, bulk.NDJSON); err != nil {
			return w, err
		}
	}
	switch {
	case o.Market:
		if w.Market, err = bulkWord(query, "market", market.Markets()...); err != nil {
			return w, err
		}
	case query.Has("market"):
		return w, needless(query, "market", o.Kind+" has records of one market only")
	}
	switch {
	case o.Kind != "bar" && query.Has("resolution"):
		return w, needless(query, "resolution", "only bars have one")
	case o.Kind == "bar":
		if w.Resolution = market.Day; query.Has("resolution") {
			w.Resolution, err = bulkWord(query, "resolution", market.FiveMinutes, market.TwoHours, market.Day)
		}
	}
	if err == nil {
		w.From, w.To, err = bulkDays(o, query)
	}
	return w, err
}

// bulkWord reads a parameter that must be one of some words.
func bulkWord[T ~string](query url.Values, name string, words ...T) (T, error) {
	word := T(query.Get(name))
	if slices.Contains(words, word) {
		return word, nil
	}
	all := make([]string, len(words))
	for i, w := range words {
		all[i] = string(w)
	}
	e := problem.Parameter(name, string(word), "one of "+strings.Join(all, ", "))
	e.Members.Available = all
	return word, e
}

func needless(query url.Values, name, why string) error {
	return problem.Parameter(name, query.Get(name), "left out: "+why)
}

// bulkDays reads the range: a year, a month, a day, or from and to.
func bulkDays(o bulk.Offer, query url.Values) (from, to *value.Date, err error) {
	var given []string
	for _, name := range []string{"year", "month", "day", "from", "to"} {
		if query.Has(name) {
			given = append(given, name)
		}
	}
	switch {
	case len(given) == 0:
		return nil, nil, nil
	case !bulk.Dated(o.Kind):
		return nil, nil, needless(query, given[0], "a record of "+o.Kind+" is of no day")
	case len(given) > 1 && !slices.Equal(given, []string{"from", "to"}):
		return nil, nil, problem.New(problem.ConflictingParameters, "Send year, month, day, or from and to; got %s.",
			strings.Join(given, " and "))
	}
	for _, name := range given {
		text := query.Get(name)
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
			from, to = new(month.First()), new(month.Next().First().AddDays(-1))
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

// Close gives up the files that are being made, and removes those that are kept.
func (s *Server) Close() error { return s.files.Close() }
