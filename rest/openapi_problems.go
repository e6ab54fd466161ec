package rest

import (
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/swaggest/openapi-go"

	"piyasa/internal/problem"
)

// Problems returns the kinds of problem that a route can answer with: its own, and those that
// follow from its scope and parameters.
func (r Route) Problems() []problem.Kind {
	kinds := append([]problem.Kind{problem.Unauthenticated, problem.ConflictingParameters, problem.RateLimited, problem.QuotaExceeded,
		problem.Overloaded, problem.Internal, problem.StoreUnavailable}, r.problems...)
	if r.Scope != anyKey {
		kinds = append(kinds, problem.MissingScope)
	}
	for _, f := range reflect.VisibleFields(r.params) {
		if f.Anonymous {
			continue
		}
		if _, inPath := f.Tag.Lookup("path"); inPath {
			kinds = append(kinds, problem.NotFound)
			if f.Type.Kind() == reflect.Int {
				kinds = append(kinds, problem.InvalidParameter)
			}
			continue
		}
		kinds = append(kinds, problem.RepeatedParameter, problem.InvalidParameter)
		kinds = append(kinds, ofParameter[f.Tag.Get("query")]...)
	}
	if r.KeyInQuery {
		kinds = append(kinds, problem.RepeatedParameter)
	}
	if _, alone := reflect.Zero(r.params).Interface().(strict); alone {
		kinds = append(kinds, problem.UnknownParameter)
	}
	if !slices.Contains(r.Media, CSV) {
		if !r.Strict && !slices.ContainsFunc(paramsOf(r.params), func(p param) bool { return p.name == "format" }) {
			kinds = append(kinds, problem.FormatNotAvailable)
		}
		if r.Body != nil {
			kinds = append(kinds, problem.NotAcceptable)
		}
	}
	slices.Sort(kinds)
	return slices.Compact(kinds)
}

// ofParameter lists the problems that a parameter, by name, adds to those of every parameter.
var ofParameter = map[string][]problem.Kind{
	"ids":        {problem.TooManyValues},
	"symbols":    {problem.TooManyValues},
	"indicators": {problem.TooManyValues},
	"periods":    {problem.TooManyValues},
	"currency":   {problem.UnsupportedCurrency, problem.FXRateUnavailable},
	"resolution": {problem.UnsupportedResolution},
	"cursor":     {problem.InvalidCursor, problem.PositionGone},
	"to":         {problem.InvertedWindow},
}

// ofConnection lists the problems of a connection, which any request may get.
var ofConnection = []problem.Kind{problem.TooManyConnections, problem.ServerFull}

// describeProblems adds an answer for each status of kinds and of ofConnection.
func describeProblems(op openapi.OperationContext, kinds []problem.Kind) {
	of := map[int][]string{}
	for _, k := range slices.Concat(kinds, ofConnection) {
		of[k.Status()] = append(of[k.Status()], string(k))
	}
	for _, status := range slices.Sorted(maps.Keys(of)) {
		op.AddRespStructure(new(problem.Document), func(u *openapi.ContentUnit) {
			u.HTTPStatus = status
			u.ContentType = problem.MediaType
			u.Description = "A problem: " + strings.Join(of[status], ", ") + "."
		})
	}
}
