package rest

import (
	"bytes"
	"context"
	"encoding/csv"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"piyasa/internal/problem"
	"piyasa/internal/value"
)

// dialect is the form of CSV for a program that opens it as a table.
type dialect string

// excelTR is the form that a Turkish Excel opens: a byte order mark, semicolons, decimal commas
// and Windows line ends.
const excelTR dialect = "excel-tr"

var _ = value.Enum(excelTR)

// check returns the problem of a dialect of another format than CSV.
func (p tableParams) check() error {
	if p.Dialect == nil || p.Format == nil || *p.Format == "csv" {
		return nil
	}
	return problem.New(problem.InvalidParameter, "dialect is of CSV; got the format %s.", problem.Shown(string(*p.Format))).
		About("dialect", string(*p.Dialect))
}

func (p tableParams) dialect() *dialect { return p.Dialect }

// inDialects makes routes also offer their tables in a dialect, as named files.
func inDialects(routes []Route) []Route {
	for i, r := range routes {
		if r.Columns == nil {
			continue
		}
		prepare := r.Prepare
		routes[i].Prepare = func(req *http.Request, accepted string) Prepared {
			p := prepare(req, accepted)
			if p.params.(formatted).dialect() == nil {
				return p
			}
			answer := p.Answer
			p.Answer = func(ctx context.Context) (*Answer, error) {
				a, err := answer(ctx)
				if err != nil {
					return nil, err
				}
				lines, err := turkish(bytes.Join(a.Body.([][]byte), nil), r.figures)
				a.Body, a.File = [][]byte{lines}, fileName(req.URL.Path)
				return a, err
			}
			return p
		}
	}
	return routes
}

// turkish writes lines of CSV in the dialect excelTR; figures are the columns that hold decimals.
func turkish(lines []byte, figures []string) ([]byte, error) {
	to := bytes.NewBuffer(make([]byte, 0, len(lines)+len(lines)/8))
	to.WriteString("\ufeff")
	from, w := csv.NewReader(bytes.NewReader(lines)), csv.NewWriter(to)
	from.ReuseRecord, w.Comma, w.UseCRLF = true, ';', true
	var isFigure []bool // by column
	for {
		cells, err := from.Read()
		if err == io.EOF {
			w.Flush()
			return to.Bytes(), w.Error()
		}
		if err != nil {
			return nil, err
		}
		for i, cell := range cells {
			switch {
			case len(isFigure) < len(cells): // the header line
				isFigure = append(isFigure, slices.Contains(figures, cell))
			case isFigure[i]:
				cells[i] = strings.Replace(cell, ".", ",", 1)
			}
		}
		if err := w.Write(cells); err != nil {
			return nil, err
		}
	}
}

// notOfNames matches what file names must not contain.
var notOfNames = regexp.MustCompile(`[^A-Za-z0-9.]+`)

// fileName returns the name under which a browser saves the answer of a path.
func fileName(path string) string {
	return strings.Trim(notOfNames.ReplaceAllString(strings.TrimPrefix(path, "/v1/"), "-"), "-.") + ".csv"
}
