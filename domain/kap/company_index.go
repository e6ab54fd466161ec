package kap

import (
	"slices"
	"strconv"
	"strings"
)

// Companies indexes the companies by the codes that they have or had.
type Companies struct {
	byID    map[string]*CompanyRecord
	byCode  map[string]*CompanyRecord // the company that has the code now, or else had it last
	holders map[string][]string       // ids of all companies that have or had a code, sorted
	origins map[string][]Origin       // of the disclosures of each id in byCode
}

// CodeHeld is a code that a company has or had.
type CodeHeld struct{ CompanyID, Code string }

// newCompanies indexes companies and the codes that they have had, the last one
// latest. A code that passed from one company to another belongs to the later
// one; the company that has it now comes before those that had it.
func newCompanies(all []*CompanyRecord, held []CodeHeld) *Companies {
	c := &Companies{map[string]*CompanyRecord{}, map[string]*CompanyRecord{}, map[string][]string{}, map[string][]Origin{}}
	codesOf := map[string][]string{}
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
		codesOf[company.CompanyID] = append(codesOf[company.CompanyID], code)
		slices.Sort(c.holders[code])
	}
	for id, codes := range codesOf {
		slices.Sort(codes)
		c.origins[id] = c.originsWith(id, codes)
	}
	return c
}

// originsWith returns the origins of the disclosures of a company with these codes.
func (c *Companies) originsWith(id string, codes []string) []Origin {
	origins := append(make([]Origin, 0, len(codes)+1), Origin{CompanyID: id})
	for _, code := range codes {
		o := Origin{Code: code}
		for _, holder := range c.holders[code] {
			if holder != id {
				o.Not = append(o.Not, holder)
			}
		}
		origins = append(origins, o)
	}
	return origins
}

// Origin selects disclosures: those that name a code, or those that a company
// filed.
type Origin struct {
	Code      string
	Not       []string // with a code: ids of other companies that have had it, whose own disclosures do not count
	CompanyID string   // without a code: the filer
}

// Reach selects the disclosures of companies and codes.
type Reach struct {
	Asked   string   // the requested codes, sorted, each once
	Origins []Origin // any one suffices; no two are equal
}

// Codes returns the codes among the origins, sorted.
func (r *Reach) Codes() []string {
	var codes []string
	for _, o := range r.Origins {
		if o.Code != "" {
			codes = append(codes, o.Code)
		}
	}
	return codes
}

// reach returns the reach of codes: that of the company of each, or of the code
// itself if it belongs to no known company.
func (c *Companies) reach(codes ...string) *Reach {
	byName := map[string][]Origin{}
	for _, code := range codes {
		name := code
		if company := c.byCode[code]; company != nil {
			name = strconv.Quote(company.CompanyID)
		}
		byName[name] = c.originsOfCode(code)
	}
	r := new(Reach)
	for _, origins := range byName {
		r.Origins = append(r.Origins, origins...)
	}
	slices.SortFunc(r.Origins, func(a, b Origin) int { return strings.Compare(a.Code+" "+a.CompanyID, b.Code+" "+b.CompanyID) })
	return r
}

// originsOf returns the origins of a company's disclosures: those that name one
// of its codes, and those that it filed. They are not to be changed.
func (c *Companies) originsOf(id string) []Origin {
	if known := c.origins[id]; known != nil {
		return known
	}
	return []Origin{{CompanyID: id}}
}

// originsOfCode returns the origins of the company of a code, or of the code itself
// if it belongs to no known company.
func (c *Companies) originsOfCode(code string) []Origin {
	if company := c.byCode[code]; company != nil {
		return c.originsOf(company.CompanyID)
	}
	return []Origin{{Code: code}}
}

// Resolve returns the reach of codes as a client writes them in a parameter: bare, or after
// bist: or fund:. Problems: malformed-code.
func (l *Live) Resolve(parameter string, texts ...string) (*Reach, error) {
	codes := make([]string, len(texts))
	for i, text := range texts {
		var err error
		if codes[i], err = parseFilterCode(parameter, text); err != nil {
			return nil, err
		}
	}
	slices.Sort(codes)
	codes = slices.Compact(codes)
	key := strings.Join(codes, ",")
	if l.OtherCodes != nil {
		for _, code := range codes[:len(codes):len(codes)] {
			codes = append(codes, l.OtherCodes(code)...)
		}
	}
	r := l.Companies().reach(codes...)
	r.Asked = key
	return r, nil
}
