package vyk

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"piyasa/collect"
)

// Bounds of companies and funds.
const (
	askCatalog = 24 * time.Hour
	mostFirms  = 20_000
	mostTries  = 3               // for the details of a company
	restTime   = 5 * time.Minute // after something went wrong
	mostRest   = 2 * time.Hour   // what is longer is of a clock that has been put right
)

// catalog is how far companies and funds have been read.
type catalog struct {
	Members time.Time `json:"members,omitzero"` // when they were listed
	Funds   time.Time `json:"funds,omitzero"`   // the same
	Rest    time.Time `json:"rest,omitzero"`    // nothing is asked for before
	Firms   []firm    `json:"firms,omitempty"`  // whose details are to be read
	Secured bool      `json:"secured,omitempty"`
}

// firm is a company as the lists of members and of their securities have it.
type firm struct {
	ID      scalar          `json:"id"`
	Title   scalar          `json:"title"`
	Codes   []string        `json:"codes"`
	Ceiling string          `json:"ceiling,omitempty"` // of its capital
	Traded  map[string]bool `json:"traded,omitempty"`  // whether shares of a group are
	Tries   int             `json:"tries,omitempty"`
}

// due reports whether what was read at a moment is to be read again.
func due(at, now time.Time) bool { return now.Sub(at) >= askCatalog || at.After(now.Add(time.Hour)) }

// Extra implements collect.Extras: companies and funds, once a day.
func (s *source) Extra(text json.RawMessage, now time.Time) (*collect.Request, error) {
	k, err := readKept(text)
	c := k.Catalog
	if err != nil || c.Rest.After(now) && c.Rest.Sub(now) <= mostRest {
		return nil, err
	}
	path := ""
	switch {
	case s.companies && due(c.Members, now):
		path = "members"
	case s.companies && len(c.Firms) > 0 && !c.Secured:
		path = "memberSecurities"
	case s.companies && len(c.Firms) > 0:
		path = "memberDetail/" + string(c.Firms[0].ID)
	case s.funds && due(c.Funds, now):
		path = "funds"
	default:
		return nil, nil
	}
	r := s.request(path, nil, collect.JSON)
	r.Spare = true
	return r, nil
}

// read reads an answer of the catalog.
func (c *catalog) read(r *collect.Result, service string, asked *collect.Request, got *collect.Answer, missing bool) (err error) {
	if got.Trouble != nil {
		c.without(r, service, got)
		return nil
	}
	if missing && service != "memberDetail" {
		return errors.New("there is none")
	}
	switch service {
	case "members":
		c.Firms, err = members(got.Body)
		c.Members, c.Secured = got.At, false
	case "memberSecurities":
		err = c.secure(got.Body)
		c.Secured = true
	case "funds":
		r.Records, err = funds(got.Body)
		c.Funds = got.At
	case "memberDetail":
		return c.detail(r, asked, got, missing)
	}
	return err
}

// detail reads the details of the first company that waits for them.
func (c *catalog) detail(r *collect.Result, asked *collect.Request, got *collect.Answer, missing bool) error {
	id := scalar(asked.Path[strings.LastIndex(asked.Path, "/")+1:])
	if len(c.Firms) == 0 || c.Firms[0].ID != id {
		return errors.New("nothing waits for it")
	}
	f := c.Firms[0]
	c.Firms = c.Firms[1:]
	record := f.record()
	if !missing {
		odd, err := f.profile(record, got.Body)
		if err != nil {
			return err
		}
		if len(odd) > 0 {
			r.Warning = fmt.Sprintf("company %s (%s) has what cannot be read, and is stored without it: %s", f.ID, f.Title, strings.Join(odd, "; "))
		}
	}
	r.Records = []collect.Record{{Kind: "company", Fields: record}}
	return nil
}

// without goes on without an answer. Companies whose details do not come are the last ones to be
// asked for again.
func (c *catalog) without(r *collect.Result, service string, got *collect.Answer) {
	t := got.Trouble
	r.Warning = fmt.Sprintf("%s: %s", service, t.What)
	if c.Rest = got.At.Add(max(restTime, t.Wait)); got.Status == http.StatusOK {
		c.Rest = time.Time{} // the service is well
	}
	switch {
	case service == "memberDetail" && len(c.Firms) > 0:
		f := c.Firms[0]
		c.Firms = c.Firms[1:]
		r.Warning = fmt.Sprintf("the details of company %s (%s): %s", f.ID, f.Title, t.What)
		if f.Tries++; f.Tries < mostTries && !t.Final {
			c.Firms = append(slices.Clone(c.Firms), f)
		}
	case service == "memberSecurities" && t.Final:
		c.Secured = true // companies are stored without them
	case service == "members" && t.Final:
		c.Members = got.At
	case service == "funds" && t.Final:
		c.Funds = got.At
	}
}

// members returns the companies that have codes. One may be there twice.
func members(body []byte) (all []firm, err error) {
	var rows *[]struct {
		ID    scalar `json:"id"`
		Title scalar `json:"title"`
		Codes scalar `json:"stockCode"`
	}
	if err := json.Unmarshal(body, &rows); err != nil {
		return nil, err
	}
	if rows == nil || len(*rows) == 0 || len(*rows) > mostFirms {
		return nil, fmt.Errorf("it must have from 1 to %d members", mostFirms)
	}
	at := map[scalar]int{}
	for i, row := range *rows {
		if !memberID.MatchString(string(row.ID)) {
			return nil, fmt.Errorf("row %d: id must be a number of at most 5 digits; got %.20q", i+1, string(row.ID))
		}
		own := codes([]scalar{row.Codes})
		if len(own) == 0 {
			continue
		}
		if j, twice := at[row.ID]; twice {
			texts := []scalar{scalar(strings.Join(append(all[j].Codes, own...), ","))}
			all[j].Codes = codes(texts)
			continue
		}
		at[row.ID] = len(all)
		all = append(all, firm{ID: row.ID, Title: row.Title, Codes: own})
	}
	return all, nil
}

// record returns the members of a company's record that the lists state.
func (f firm) record() map[string]any {
	fields := map[string]any{"company_id": f.ID, "codes": f.Codes}
	if f.Title != "" {
		fields["identity"] = map[string]any{"title": f.Title}
	}
	if f.Ceiling != "" {
		fields["capital"] = map[string]any{"registered_ceiling": f.Ceiling, "currency": lira}
	}
	return fields
}
