package graphqlhttp

import (
	"context"
	"fmt"
	"net/http"
	"strconv"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/errcode"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"piyasa/account/access"
	"piyasa/internal/problem"
	"piyasa/serve/answer"
	"piyasa/serve/document"
)

// costOf returns the cost of an operation, and, if there is a quota, the most units that it will
// be charged. The errors reject an operation that the plan of the call's key does not allow.
func (d *documents) costOf(ctx context.Context, oc *graphql.OperationContext) (cost int, units int64, errs gqlerror.List) {
	plan := d.gate.Plan(access.CallOf(ctx).Key)
	refuse := func(code, format string, args ...any) (int, int64, gqlerror.List) {
		e := gqlerror.Errorf(format, args...)
		errcode.Set(e, code)
		return 0, 0, gqlerror.List{e}
	}
	if plan.NoIntrospection && d.costs.Introspection(oc.Operation) > 0 {
		return refuse(problem.MissingScope.Code(),
			"the plan of this key does not allow introspection; the schema is part of the documentation")
	}
	if plan.Depth > 0 {
		if depth := document.Depth(oc.Operation); depth > plan.Depth {
			return refuse(errcode.ValidationFailed, "the document has %d nested fields (its depth); the plan of this key allows %d",
				depth, plan.Depth)
		}
	}
	cost = d.costs.Operation(ctx, oc.Operation, oc.Variables)
	if plan.CostPerDocument > 0 && cost > plan.CostPerDocument {
		return refuse("COMPLEXITY_LIMIT_EXCEEDED", "operation has complexity %d, which exceeds the limit of %d; %s", cost,
			plan.CostPerDocument, fitting(d.costs.Rows(ctx, oc.Operation, oc.Variables, plan.CostPerDocument)))
	}
	if plan.UnitsPerMonth > 0 {
		units = d.costs.Units(ctx, oc.Operation, oc.Variables)
	}
	return cost, units, nil
}

// fitting returns advice on how an operation could cost less.
func fitting(rows int) string {
	if rows == 0 {
		return "ask for fewer fields or days"
	}
	return fmt.Sprintf("it fits with at most %d ids or rows in each of its lists", rows)
}

// showCost answers a request that only asks for its cost.
func showCost(w http.ResponseWriter, media string, cost access.Cost) {
	w.Header().Add("Vary", "Accept")
	answer.Write(w, http.StatusOK, media+"; charset=utf-8",
		map[string]any{"data": nil, "extensions": map[string]any{"cost": cost, "usage_units": 0}})
}

// appendEnd appends the end of an answer, after its data, with its cost.
func appendEnd(b []byte, call *access.Call) []byte {
	return append(appendCost(b, call), "}}\n"...)
}

// endWith returns an appendEnd that also appends the warnings of a request.
func endWith(warnings []warning) func([]byte, *access.Call) []byte {
	if len(warnings) == 0 {
		return appendEnd
	}
	text := line(warnings)
	return func(b []byte, call *access.Call) []byte {
		return append(append(append(appendCost(b, call), `,"warnings":`...), text...), "}}\n"...)
	}
}

func appendCost(b []byte, call *access.Call) []byte {
	b = append(b, `,"extensions":{"cost":{"asked":`...)
	b = strconv.AppendInt(b, int64(call.Cost.Asked), 10)
	b = append(b, `,"granted":`...)
	b = strconv.AppendInt(b, int64(call.Cost.Granted), 10)
	b = append(b, `,"left":`...)
	b = append(call.Cost.Left.AppendJSON(b), `},"usage_units":`...)
	return strconv.AppendInt(b, call.Units(), 10)
}

// withExtensions adds its cost and the warnings of its request to a response.
func withExtensions(ctx context.Context, response *graphql.Response, warnings []warning) {
	if response.Extensions == nil {
		response.Extensions = map[string]any{}
	}
	call := access.CallOf(ctx)
	response.Extensions["usage_units"] = call.Units()
	response.Extensions["cost"] = call.Cost
	if len(warnings) > 0 {
		response.Extensions["warnings"] = warnings
	}
}
