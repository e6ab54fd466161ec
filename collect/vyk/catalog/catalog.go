// Package catalog reads the companies and funds of the publication service of KAP, once a day: it
// says which path to ask for next, and keeps how far it has come.
package catalog

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"piyasa/collect"
	"piyasa/collect/vyk/answer"
	"piyasa/collect/vyk/profile"
)

// Bounds of companies and funds.
const (
	askCatalog = 24 * time.Hour
	mostFirms  = 20_000
	mostTries  = 3               // for the details of a company
	restTime   = 5 * time.Minute // after something went wrong
	mostRest   = 2 * time.Hour   // what is longer is of a clock that has been put right
)

// State is how far companies and funds have been read.
type State struct {
	Members time.Time `json:"members,omitzero"`  // when they were listed
	Funds   time.Time `json:"funds,omitzero"`    // the same
	Rest    time.Time `json:"rest,omitzero"`     // nothing is asked for before
	Firms   []Firm    `json:"firms,omitempty"`   // whose details are to be read
	Secured bool      `json:"secured,omitempty"` // the list of securities has been read since Members
}

// Firm is a company as the lists of members and of their securities have it.
type Firm struct {
	ID      answer.Scalar   `json:"id"`
	Title   answer.Scalar   `json:"title"`
	Codes   []string        `json:"codes"`
	Ceiling string          `json:"ceiling,omitempty"` // of its capital
	Traded  map[string]bool `json:"traded,omitempty"`  // whether shares of a group are
	Tries   int             `json:"tries,omitempty"`
}

// due reports whether what was read at a moment is to be read again.
func due(at, now time.Time) bool { return now.Sub(at) >= askCatalog || at.After(now.Add(time.Hour)) }

// The services that are asked.
const (
	listOfMembers    = "members"
	listOfSecurities = "memberSecurities"
	listOfFunds      = "funds"
	memberDetail     = "memberDetail"
)

// Has reports whether a service is one of those that are asked here.
func Has(service string) bool {
	return slices.Contains([]string{listOfMembers, listOfSecurities, listOfFunds, memberDetail}, service)
}

// Next returns the path to ask for, below that of the services, of companies and funds where they
// are wanted; empty: none for now.
func (c *State) Next(companies, funds bool, now time.Time) (path string) {
	switch {
	case c.Rest.After(now) && c.Rest.Sub(now) <= mostRest:
		return ""
	case companies && due(c.Members, now):
		return listOfMembers
	case companies && len(c.Firms) > 0 && !c.Secured:
		return listOfSecurities
	case companies && len(c.Firms) > 0:
		return memberDetail + "/" + string(c.Firms[0].ID)
	case funds && due(c.Funds, now):
		return listOfFunds
	}
	return ""
}

// Read reads an answer, or goes on without one (Answer.Trouble); missing: the service says that
// there is nothing. It sets the records and the warning of the result.
func (c *State) Read(r *collect.Result, asked *collect.Request, got *collect.Answer, missing bool) (err error) {
	service, _ := answer.Service(asked)
	if got.Trouble != nil {
		c.without(r, service, got)
		return nil
	}
	if missing && service != memberDetail {
		return errors.New("there is none")
	}
	switch service {
	case listOfMembers:
		c.Firms, err = members(got.Body)
		c.Members, c.Secured = got.At, false
	case listOfSecurities:
		err = c.secure(got.Body)
		c.Secured = true
	case listOfFunds:
		r.Records, err = funds(got.Body)
		c.Funds = got.At
	case memberDetail:
		return c.detail(r, asked, got, missing)
	}
	return err
}

// Redact returns what may be kept of an answer, from which Read makes the same records; nil: nothing.
func Redact(asked *collect.Request, got *collect.Answer) []byte {
	if service, _ := answer.Service(asked); service != memberDetail || got.Status != http.StatusOK {
		return got.Body
	}
	return profile.Redact(got.Body)
}

// detail reads the details of the first company that waits for them.
func (c *State) detail(r *collect.Result, asked *collect.Request, got *collect.Answer, missing bool) error {
	_, id := answer.Service(asked)
	if len(c.Firms) == 0 || string(c.Firms[0].ID) != id {
		return errors.New("nothing waits for it")
	}
	f := c.Firms[0]
	c.Firms = c.Firms[1:]
	record := f.record()
	if !missing {
		odd, err := profile.Read(record, got.Body, f.Traded)
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
func (c *State) without(r *collect.Result, service string, got *collect.Answer) {
	t := got.Trouble
	r.Warning = fmt.Sprintf("%s: %s", service, t.What)
	if c.Rest = got.At.Add(max(restTime, t.Wait)); got.Status == http.StatusOK {
		c.Rest = time.Time{} // the service is well
	}
	switch {
	case service == memberDetail && len(c.Firms) > 0:
		f := c.Firms[0]
		c.Firms = c.Firms[1:]
		r.Warning = fmt.Sprintf("the details of company %s (%s): %s", f.ID, f.Title, t.What)
		if f.Tries++; f.Tries < mostTries && !t.Final {
			c.Firms = append(slices.Clone(c.Firms), f)
		}
	case service == listOfSecurities && t.Final:
		c.Secured = true // companies are stored without them
	case service == listOfMembers && t.Final:
		c.Members = got.At
	case service == listOfFunds && t.Final:
		c.Funds = got.At
	}
}

// members returns the companies that have codes. One may be there twice.
func members(body []byte) (all []Firm, err error) {
	var rows *[]struct {
		ID    answer.Scalar `json:"id"`
		Title answer.Scalar `json:"title"`
		Codes answer.Scalar `json:"stockCode"`
	}
	if err := collect.ReadJSON(body, &rows); err != nil {
		return nil, err
	}
	if rows == nil || len(*rows) == 0 || len(*rows) > mostFirms {
		return nil, fmt.Errorf("it must have from 1 to %d members", mostFirms)
	}
	at := map[answer.Scalar]int{}
	for i, row := range *rows {
		if !answer.IsMember(string(row.ID)) {
			return nil, fmt.Errorf("row %d: id must be a number of at most 5 digits; got %.20q", i+1, string(row.ID))
		}
		own := answer.Codes([]answer.Scalar{row.Codes})
		if len(own) == 0 {
			continue
		}
		if j, twice := at[row.ID]; twice {
			texts := []answer.Scalar{answer.Scalar(strings.Join(append(all[j].Codes, own...), ","))}
			all[j].Codes = answer.Codes(texts)
			continue
		}
		at[row.ID] = len(all)
		all = append(all, Firm{ID: row.ID, Title: row.Title, Codes: own})
	}
	return all, nil
}

// record returns the members of a company's record that the lists state.
func (f Firm) record() map[string]any {
	fields := map[string]any{"company_id": f.ID, "codes": f.Codes}
	if f.Title != "" {
		fields["identity"] = map[string]any{"title": f.Title}
	}
	if f.Ceiling != "" {
		fields["capital"] = map[string]any{"registered_ceiling": f.Ceiling, "currency": answer.Lira}
	}
	return fields
}
