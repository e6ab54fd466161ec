package vyk

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"piyasa/collect"
)

const (
	askCatalog = 24 * time.Hour
	mostTries  = 3               // for the details of a company
	restTime   = 5 * time.Minute // after an error
	mostRest   = 2 * time.Hour   // a longer rest comes from a clock that has since been corrected
)

// catalog is how far companies and funds have been read.
type catalog struct {
	Members time.Time `json:"members,omitzero"`  // when they were listed
	Funds   time.Time `json:"funds,omitzero"`    // the same
	Rest    time.Time `json:"rest,omitzero"`     // no request before
	Firms   []firm    `json:"firms,omitempty"`   // companies whose details are still to be read
	Secured bool      `json:"secured,omitempty"` // the list of securities has been read since Members
}

// firm is a company as listed among the members and their securities.
type firm struct {
	ID      scalar          `json:"id"`
	Title   scalar          `json:"title"`
	Codes   []string        `json:"codes"`
	Ceiling string          `json:"ceiling,omitempty"` // of its capital
	Traded  map[string]bool `json:"traded,omitempty"`  // by group of shares
	Tries   int             `json:"tries,omitempty"`
}

// isCatalog reports whether a service has companies or funds.
func isCatalog(service string) bool {
	return slices.Contains([]string{memberList, securityList, companyDetail, fundList}, service)
}

// next returns the next path for companies and funds, if wanted, below that of the services;
// empty: none for now.
func (c *catalog) next(companies, funds bool, now time.Time) (path string) {
	due := func(at time.Time) bool { return now.Sub(at) >= askCatalog || at.After(now.Add(time.Hour)) }
	switch {
	case c.Rest.After(now) && c.Rest.Sub(now) <= mostRest:
		return ""
	case companies && due(c.Members):
		return memberList
	case companies && len(c.Firms) > 0 && !c.Secured:
		return securityList
	case companies && len(c.Firms) > 0:
		return companyDetail + "/" + string(c.Firms[0].ID)
	case funds && due(c.Funds):
		return fundList
	}
	return ""
}

// read reads an answer, or continues without one (Answer.Trouble). missing says that the
// service has nothing. It sets the records and the warning of the result.
func (c *catalog) read(r *collect.Result, request *collect.Request, got *collect.Answer, missing bool) (err error) {
	service, id := serviceOf(request)
	if got.Trouble != nil {
		c.without(r, service, got)
		return nil
	}
	if missing && service != companyDetail {
		return errors.New("there is none")
	}
	switch service {
	case memberList:
		c.Firms, err = readMembers(got.Body)
		c.Members, c.Secured = got.At, false
	case securityList:
		err = c.readSecurities(got.Body)
		c.Secured = true
	case fundList:
		r.Records, err = readFunds(got.Body)
		c.Funds = got.At
	case companyDetail:
		err = c.readDetail(r, id, got, missing)
	}
	return err
}

// readDetail reads the details of the first waiting company.
func (c *catalog) readDetail(r *collect.Result, id string, got *collect.Answer, missing bool) error {
	if len(c.Firms) == 0 || string(c.Firms[0].ID) != id {
		return errUnasked
	}
	f := c.Firms[0]
	c.Firms = c.Firms[1:]
	record := map[string]any{"company_id": f.ID, "codes": f.Codes}
	if f.Title != "" {
		record["identity"] = map[string]any{"title": f.Title}
	}
	if f.Ceiling != "" {
		record["capital"] = map[string]any{"registered_ceiling": f.Ceiling, "currency": lira}
	}
	if !missing {
		odd, err := readCompany(record, got.Body, f.Traded)
		if err != nil {
			return err
		}
		if len(odd) > 0 {
			r.Warning = fmt.Sprintf("company %s (%s) has what cannot be read, and is stored without it: %s",
				f.ID, f.Title, strings.Join(odd, "; "))
		}
	}
	r.Records = []collect.Record{{Kind: "company", Fields: record}}
	return nil
}

// without continues without an answer. Companies whose details do not arrive are asked for
// again after all others.
func (c *catalog) without(r *collect.Result, service string, got *collect.Answer) {
	t := got.Trouble
	r.Warning = fmt.Sprintf("%s: %s", service, t.What)
	if c.Rest = got.At.Add(max(restTime, t.Wait)); got.Status == http.StatusOK {
		c.Rest = time.Time{} // the service works
	}
	switch {
	case service == companyDetail && len(c.Firms) > 0:
		f := c.Firms[0]
		c.Firms = c.Firms[1:]
		r.Warning = fmt.Sprintf("the details of company %s (%s): %s", f.ID, f.Title, t.What)
		if f.Tries++; f.Tries < mostTries && !t.Final {
			c.Firms = append(slices.Clone(c.Firms), f)
		}
	case service == securityList && t.Final:
		c.Secured = true // companies are then stored without securities
	case service == memberList && t.Final:
		c.Members = got.At
	case service == fundList && t.Final:
		c.Funds = got.At
	}
}
