package graphqlhttp

import (
	"maps"
	"net/http"
	"slices"

	"github.com/vektah/gqlparser/v2/ast"

	"piyasa/internal/problem"
	"piyasa/serve/answer"
)

// warning is about a part of a request that nothing reads.
type warning struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// maxWarnings is the most unknown variables that an answer names.
const maxWarnings = 5

// unknownVariables returns a warning for each variable that an operation does not declare.
func unknownVariables(given map[string]any, o *ast.OperationDefinition) (all []warning) {
	var known []string
	for _, def := range o.VariableDefinitions {
		known = append(known, def.Variable)
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if len(all) == maxWarnings || slices.Contains(known, name) {
			continue
		}
		text := "The operation declares no variable " + problem.Shown(problem.Masked(name)) + ", which was ignored"
		meant := problem.DidYouMean(name, known)
		if meant == "" {
			meant = "."
		}
		all = append(all, warning{"UNKNOWN_VARIABLE", text + meant})
	}
	return all
}

// parameters lists the parameters of a GET.
var parameters = []string{"query", "documentId", "operationName", "variables", "extensions"}

// warnOfParameters sets headers that name the ignored parameters of a request. A POST has no
// parameters.
func warnOfParameters(w http.ResponseWriter, r *http.Request) {
	known := parameters
	if r.Method == http.MethodPost {
		known = nil
	}
	answer.WarnOfUnknown(w.Header(), r.URL.RawQuery, known)
}
