package bulk

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"piyasa/account/access"
	"piyasa/db"
	"piyasa/domain/market"
	"piyasa/internal/epoch"
	"piyasa/internal/problem"
	"piyasa/internal/value"
)

// Source reads records from the database; *db.Store implements it.
type Source interface {
	// Look returns the last number of every feed.
	Look(ctx context.Context) (epoch.Moment, error)
	// Newest returns the last number of a kind (for bars: of a market at a resolution) and that of
	// its feed.
	Newest(ctx context.Context, kind string, m market.Market, r market.Resolution) (newest, head int64, err error)
	// Changes returns changes of a feed after a cursor, and the cursor after them.
	Changes(ctx context.Context, feed string, from db.Cursor, head int64, limit int) ([]db.Change, db.Cursor, error)
	// EachBar calls each with the bars of a market from first to last, ordered by id and time.
	EachBar(ctx context.Context, m market.Market, r market.Resolution, first, last value.Instant, each func(*db.Change) error) error
	// EachIndexBar calls each with the daily bars of all indices.
	EachIndexBar(ctx context.Context, each func(*db.Change) error) error
}

// Offer is a kind of record that can be downloaded as a file.
type Offer struct {
	Kind   string
	Scopes []access.Scope // that the REST route requires; none: any key
	Market bool           // whether a file has one market only

	shares bool // not for test keys
	usual  int  // records of an instrument, estimated
}

// Offers lists all kinds, bars first.
var Offers = []Offer{
	{Kind: "bar", Scopes: []access.Scope{access.History}, Market: true},
	{Kind: "index_bar", Scopes: []access.Scope{access.History}, usual: 100},
	{Kind: "dividend", Scopes: []access.Scope{access.History}, Market: true, shares: true, usual: 10},
	{Kind: "corporate_action", Scopes: []access.Scope{access.History}, Market: true, shares: true, usual: 5},
	{Kind: "trading_day", Market: true, usual: 1},
	{Kind: "instrument", Market: true, usual: 1},
	{Kind: "statement", Scopes: []access.Scope{access.History}, Market: true, usual: 40},
	{Kind: "market_metrics", Scopes: []access.Scope{access.History}, Market: true, usual: 250},
	{Kind: "fund", Scopes: []access.Scope{access.QuotesFund}, usual: 1},
	{Kind: "fund_flow", Scopes: []access.Scope{access.History}, usual: 250},
}

// OfferOf returns the offer of a kind. Problem: not-found, which lists the kinds.
func OfferOf(kind string) (Offer, error) {
	at := slices.IndexFunc(Offers, func(o Offer) bool { return o.Kind == kind })
	if at >= 0 {
		return Offers[at], nil
	}
	e := problem.New(problem.NotFound, "There are no files of %s; there are of ", problem.Shown(kind))
	for _, o := range Offers {
		e.Members.Available = append(e.Members.Available, o.Kind)
	}
	e.Detail += strings.Join(e.Members.Available, ", ") + "."
	return Offer{}, e
}

// Wanted says which records a file has, and in which format.
type Wanted struct {
	Offer      Offer
	Market     market.Market // empty: the kind has one file for all markets
	Resolution market.Resolution
	From, To   *value.Date // nil: no bound
	Format     Format
}

// Name returns the name under which a file is saved.
func (w Wanted) Name() string {
	words := []string{w.Offer.Kind}
	if w.Market != "" {
		words = append(words, string(w.Market))
	}
	if w.Resolution != "" {
		words = append(words, string(w.Resolution))
	}
	for _, day := range []*value.Date{w.From, w.To} {
		if day != nil {
			words = append(words, day.String())
		} else if w.From != nil || w.To != nil {
			words = append(words, "")
		}
	}
	return strings.Join(words, "_") + "." + string(w.Format)
}

// Reading is an accepted request for a file: what Files needs to make it, and its cost.
// Service.Read returns it.
type Reading struct {
	Wanted
	Rows int // estimated number of records to read

	source Source
	prices *market.Service
	bars   *market.BarsShown
	most   int    // the most that it may cost
	shown  string // state of what decides which bars are shown
}

// Present returns the current state, which differs from that of older versions of the file, and the
// position up to which the file has all changes.
func (r *Reading) Present(ctx context.Context) (state, position string, err error) {
	now, err := r.source.Look(ctx)
	if err != nil {
		return "", "", err
	}
	newest, head, err := r.source.Newest(ctx, r.Offer.Kind, r.Market, r.Resolution)
	return fmt.Sprint(now.Epochs.Current(), " ", newest, " ", r.shown), now.Epochs.Position(db.FeedOf(r.Offer.Kind), head).String(), err
}

// readTries is how often records are read if they change meanwhile.
const readTries = 3

// errMoved reports that records have changed while they were read.
var errMoved = errors.New("the records have changed")

// write writes the file.
func (r *Reading) write(ctx context.Context, to io.Writer) error {
	w, err := NewWriter(to, r.Offer.Kind, r.Format)
	if err != nil {
		return err
	}
	switch r.Offer.Kind {
	case "bar":
		err = r.source.EachBar(ctx, r.Market, r.Resolution, r.bars.First, r.bars.Last, func(c *db.Change) error {
			if !r.bars.Take(c.Record.(*market.Bar)) {
				return nil
			}
			return w.Write(c)
		})
	case "index_bar":
		calendar := r.prices.Live.Snapshot().TradingCalendar(market.BIST, nil)
		err = r.source.EachIndexBar(ctx, func(c *db.Change) error {
			if !r.has(c) || !calendar.CanHave(c.Record.(*market.IndexBar).Date) {
				return nil
			}
			return w.Write(c)
		})
	default:
		err = r.writeNewest(ctx, w)
	}
	return cmp.Or(err, w.Close())
}

// writeNewest writes the newest version of each record, ordered by number.
func (r *Reading) writeNewest(ctx context.Context, w Writer) error {
	before, head, err := r.source.Newest(ctx, r.Offer.Kind, "", "")
	if err != nil {
		return err
	}
	newest, moved := map[[16]byte]int64{}, map[db.Member]int64{} // numbers of the last changes
	if err := r.each(ctx, head, func(c *db.Change) error {
		if c.Moved {
			moved[c.Key[0]] = c.Number
		} else {
			newest[digestOf(c)] = c.Number
		}
		return nil
	}); err != nil {
		return err
	}
	if err := r.each(ctx, head, func(c *db.Change) error {
		if c.Record == nil || newest[digestOf(c)] != c.Number || !r.has(c) ||
			slices.ContainsFunc(c.Key, func(m db.Member) bool { return moved[m] > c.Number }) {
			return nil
		}
		return w.Write(c)
	}); err != nil {
		return err
	}
	after, _, err := r.source.Newest(ctx, r.Offer.Kind, "", "")
	if err == nil && after != before {
		return errMoved
	}
	return err
}

// digestOf returns a digest of a record's key.
func digestOf(c *db.Change) [16]byte {
	sum := sha256.Sum256(fmt.Append(nil, c.Key))
	return [16]byte(sum[:])
}

// changesAtOnce is how many changes are read at once.
const changesAtOnce = 500

// each calls do with the changes of the kind up to the number head.
func (r *Reading) each(ctx context.Context, head int64, do func(*db.Change) error) error {
	for at := (db.Cursor{}); at.Number < head; {
		changes, next, err := r.source.Changes(ctx, db.FeedOf(r.Offer.Kind), at, head, changesAtOnce)
		if err != nil {
			return err
		}
		for i := range changes {
			if changes[i].Kind != r.Offer.Kind {
				continue
			}
			if err := do(&changes[i]); err != nil {
				return err
			}
		}
		at = next
	}
	return nil
}

// has reports whether a record belongs to the market and the range of the file.
func (r *Reading) has(c *db.Change) bool {
	if r.Market != "" && MarketOf(c) != string(r.Market) {
		return false
	}
	if r.From == nil && r.To == nil {
		return true
	}
	day := DayOf(c)
	return day != "" && (r.From == nil || day >= r.From.String()) && (r.To == nil || day <= r.To.String())
}
