package kap

import (
	"fmt"
	"slices"
	"strings"
)

// Companies says who files under which code, now and formerly.
type Companies struct {
	byID    map[string]*CompanyRecord
	byCode  map[string]*CompanyRecord // who has the code, or else who had it last
	codes   map[string][]string       // the codes of each id in byCode, sorted
	holders map[string][]string       // ids of all that have or had a code, sorted
}

// CodeHeld is a code that a company has or had.
type CodeHeld struct{ CompanyID, Code string }

// newCompanies arranges companies, and the codes that they have had, the last
// one latest. A code that passed from one company to another is the later one's;
// whoever has it now has it before whoever had it.
func newCompanies(all []*CompanyRecord, held []CodeHeld) *Companies {
	c := &Companies{map[string]*CompanyRecord{}, map[string]*CompanyRecord{}, map[string][]string{}, map[string][]string{}}
	for _, company := range all {
		c.byID[company.CompanyID] = company
	}
	hold := func(company *CompanyRecord, code string) {
		c.byCode[code] = company
		if ids := c.holders[code]; !slices.Contains(ids, company.CompanyID) {
			c.holders[code] = append(ids, company.CompanyID)
		}
	}
	for _, h := range held {
		if company := c.byID[h.CompanyID]; company != nil {
			hold(company, h.Code)
		}
	}
	for _, company := range all {
		for _, code := range company.Codes {
			hold(company, code)
		}
	}
	for code, company := range c.byCode {
		c.codes[company.CompanyID] = append(c.codes[company.CompanyID], code)
		slices.Sort(c.holders[code])
	}
	for _, codes := range c.codes {
		slices.Sort(codes)
	}
	return c
}

// Origin is what a disclosure is found by: a code that it names, or the company
// that filed it.
type Origin struct {
	Code      string
	Not       []string // of the code: ids of others who have had it, and whose own disclosures mean them by it
	CompanyID string   // without a code: who filed it
}

// Reach is whose disclosures are asked for.
type Reach struct {
	Whose   string   // the same for the same companies and codes, however they were written
	Origins []Origin // any of them; of equal ones one
}

// Codes are the codes among the origins, sorted.
func (r *Reach) Codes() []string {
	var codes []string
	for _, o := range r.Origins {
		if o.Code != "" {
			codes = append(codes, o.Code)
		}
	}
	return codes
}

// reach is the reach of codes: of the company of each, or of a code that nobody
// is known to have, the code itself.
func (c *Companies) reach(codes ...string) *Reach {
	byName := map[string][]Origin{}
	for _, code := range codes {
		if company := c.byCode[code]; company != nil {
			byName[fmt.Sprintf("%q", company.CompanyID)] = c.originsOf(company.CompanyID)
		} else {
			byName[code] = []Origin{{Code: code}}
		}
	}
	r, names := new(Reach), make([]string, 0, len(byName))
	for name, origins := range byName {
		names = append(names, name)
		r.Origins = append(r.Origins, origins...)
	}
	slices.Sort(names)
	r.Whose = strings.Join(names, ",")
	slices.SortFunc(r.Origins, func(a, b Origin) int { return strings.Compare(a.Code+" "+a.CompanyID, b.Code+" "+b.CompanyID) })
	return r
}

// originsOf finds the disclosures of a company: those that name one of its codes
// and those that it filed.
func (c *Companies) originsOf(id string) []Origin {
	origins := make([]Origin, 0, len(c.codes[id])+1)
	for _, code := range c.codes[id] {
		o := Origin{Code: code}
		for _, holder := range c.holders[code] {
			if holder != id {
				o.Not = append(o.Not, holder)
			}
		}
		origins = append(origins, o)
	}
	return append(origins, Origin{CompanyID: id})
}

// Resolve is the reach of codes as written, bare or behind bist: or fund:.
// Problems: malformed-code.
func (c *Companies) Resolve(texts ...string) (*Reach, error) {
	codes := make([]string, len(texts))
	for i, text := range texts {
		var err error
		if codes[i], err = parseFilterCode(text); err != nil {
			return nil, err
		}
	}
	return c.reach(codes...), nil
}
