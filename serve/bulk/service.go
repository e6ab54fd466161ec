package bulk

import (
	"context"
	"fmt"
	"net/url"
	"slices"

	"piyasa/account/access"
	"piyasa/domain/market"
	"piyasa/internal/problem"
	"piyasa/internal/value"
)

// Path begins the paths of files; the kind follows.
const Path = "/v1/bulk/"

// Service says which files a key may have, and what they cost.
type Service struct {
	Market  *market.Service
	Source  Source
	Plan    func(*access.Key) access.Plan
	BaseURL string
	Catalog func() int64 // the number up to which the catalog is applied
}

// Args are the parameters of a request for a file.
type Args struct {
	Kind       string
	Market     *market.Market
	Resolution *market.Resolution // of bars; default: 1d
	From, To   *value.Date        // nil: no bound
	Format     *Format            // default: parquet
}

// resolutions are those at which bars are stored.
var resolutions = []market.Resolution{market.FiveMinutes, market.TwoHours, market.Day}

// wanted checks the parameters and adds their defaults.
func (o Offer) wanted(a Args) (w Wanted, err error) {
	w = Wanted{Offer: o, From: a.From, To: a.To, Format: Parquet, Market: value.Or(a.Market, ""), Resolution: value.Or(a.Resolution, "")}
	if a.Format != nil {
		w.Format = *a.Format
		if err := oneOf("format", w.Format, []Format{Parquet, CSV, NDJSON}); err != nil {
			return w, err
		}
	}
	switch {
	case o.Market:
		if err := oneOf("market", w.Market, market.Markets()); err != nil {
			return w, err
		}
	case a.Market != nil:
		return w, needless("market", string(w.Market), o.Kind+" has records of one market only")
	}
	switch {
	case o.Kind != "bar" && a.Resolution != nil:
		return w, needless("resolution", string(w.Resolution), "only bars have one")
	case o.Kind == "bar" && a.Resolution == nil:
		w.Resolution = market.Day
	case o.Kind == "bar":
		if err := oneOf("resolution", w.Resolution, resolutions); err != nil {
			return w, err
		}
	}
	switch {
	case a.From != nil:
		err = CheckDated(o.Kind, "from", a.From.String())
	case a.To != nil:
		err = CheckDated(o.Kind, "to", a.To.String())
	}
	return w, err
}

func oneOf[T ~string](name string, word T, words []T) error {
	if slices.Contains(words, word) {
		return nil
	}
	e := problem.Parameter(name, string(word), "one of "+value.ListOf(words))
	for _, w := range words {
		e.Members.Available = append(e.Members.Available, string(w))
	}
	return e
}

func needless(name, text, why string) error { return problem.Parameter(name, text, "left out: "+why) }

// CheckDated returns an error if a parameter selects days of a kind whose records have no time.
func CheckDated(kind, name, text string) error {
	if Dated(kind) {
		return nil
	}
	return needless(name, text, "a record of "+kind+" is of no day")
}

// Read checks a request for a file, and returns its reading. Problems: not-found, missing-scope,
// invalid-parameter, test-plan, not-in-plan, unsupported-resolution, inverted-window.
func (s *Service) Read(ctx context.Context, a Args) (*Reading, error) {
	o, err := OfferOf(a.Kind)
	if err != nil {
		return nil, err
	}
	w, wrong := o.wanted(a)
	if err := access.Enter(ctx, o.Scopes...); err != nil {
		return nil, err
	}
	key := access.CallOf(ctx).Key
	plan := s.Plan(key)
	switch {
	case wrong != nil:
		return nil, wrong
	case o.shares && key.Test:
		return nil, problem.New(problem.TestPlan, "The test plan has no files of %s; use the lists.", o.Kind)
	case plan.NoBulk:
		return nil, problem.New(problem.NotInPlan, "The plan of this key has no files of /v1/bulk; ask for single series and lists.")
	}
	return s.read(w, plan)
}

func (s *Service) read(w Wanted, plan access.Plan) (r *Reading, err error) {
	r = &Reading{Wanted: w, source: s.Source, prices: s.Market, most: dearest}
	if plan.CostPerDocument > 0 {
		r.most = min(r.most, plan.CostPerDocument)
	}
	if w.Offer.Kind == "bar" || w.Offer.Kind == "index_bar" { // read before the catalog, which may be newer
		r.shown = fmt.Sprint(s.Catalog(), " ", value.TurkeyDay(s.Market.Now()))
	}
	if w.Offer.Kind != "bar" {
		r.Rows = w.Offer.usual * s.Market.Live.Snapshot().Catalog.Len()
		return r, value.CheckOrder(w.From, w.To)
	}
	if r.bars, err = s.Market.BarsShown(w.Market, market.SeriesArgs{Resolution: &w.Resolution, From: w.From, To: w.To}); err == nil {
		r.Rows = r.bars.Usual
	}
	return r, err
}

// Costs of files besides one field for each record. A record takes longer than a field, as Parquet
// about as long as four bars of candles; the server is protected by making few files at once.
const (
	bytesPerField = 4096    // of a file that is kept
	dearest       = 250_000 // at most, so that every plan can afford each file
)

// Cost returns the cost of making the file, or of sending kept if it is not nil.
func (r *Reading) Cost(kept *File) int {
	work := access.AskingCost + r.Rows
	if kept != nil {
		work = int(kept.Size / bytesPerField)
	}
	return min(r.most, access.RequestCost+work)
}

// aboutMost is about how many records a file of Service.Files has at most: a core writes them in
// half a minute.
const aboutMost = 2_000_000

// Files returns the files that together have all records of a request: for bars of many years, one
// file for each year or month. For other kinds it is one file, since making any file reads all
// records. The problems are those of Read.
func (s *Service) Files(ctx context.Context, a Args) ([]*market.BulkFile, error) {
	whole, err := s.Read(ctx, a)
	if err != nil {
		return nil, err
	}
	plan := s.Plan(access.CallOf(ctx).Key)
	var files []*market.BulkFile
	for _, w := range whole.parts() {
		r, err := s.read(w, plan)
		if err != nil {
			return nil, err
		}
		files = append(files, r.file(s.BaseURL))
	}
	access.Charge(ctx, access.Unit)
	return files, nil
}

// parts divides a file of many bars by years, or by months if the bars of a year are many. The
// first part begins and the last one ends where the whole does.
func (r *Reading) parts() (parts []Wanted) {
	if r.bars == nil || r.Rows <= aboutMost {
		return []Wanted{r.Wanted}
	}
	first, last := r.bars.UsualFrom, r.bars.UsualTo
	months := 12
	if r.Rows*365/(1+first.DaysUntil(last)) > aboutMost {
		months = 1
	}
	next := r.Wanted
	for begin := first.Month().First(); ; {
		if months == 12 {
			begin = value.NewDate(begin.Year(), 1, 1)
		}
		if begin = begin.AddMonths(months); last.Before(begin) {
			return append(parts, next)
		}
		part := next
		part.To, next.From = new(begin.AddDays(-1)), new(begin)
		parts = append(parts, part)
	}
}

// file describes the file before it is made.
func (r *Reading) file(baseURL string) *market.BulkFile {
	query := url.Values{"format": {string(r.Format)}}
	f := &market.BulkFile{Kind: r.Offer.Kind, From: r.From, To: r.To, Format: r.Format, ContentType: r.Format.Type(), Name: r.Name(),
		Records: r.Rows, Cost: r.Cost(nil)}
	if r.Market != "" {
		f.Market = &r.Market
		query.Set("market", string(r.Market))
	}
	if r.Resolution != "" {
		f.Resolution = &r.Resolution
		query.Set("resolution", string(r.Resolution))
	}
	if r.From != nil {
		query.Set("from", r.From.String())
	}
	if r.To != nil {
		query.Set("to", r.To.String())
	}
	f.URL = baseURL + Path + r.Offer.Kind + "?" + query.Encode()
	return f
}
