package graphqlhttp

import (
	"context"
	"errors"
	"fmt"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"piyasa/internal/problem"
	"piyasa/serve/answer"
	"piyasa/serve/queryplan"
)

// errorPresenter returns a function that shows the error of a field with the same problem
// document as REST, in extensions.problem. Errors that already have a code reject the
// document.
func errorPresenter(problems answer.Problems) graphql.ErrorPresenterFunc {
	return func(ctx context.Context, err error) *gqlerror.Error { return presented(ctx, problems, err) }
}

func presented(ctx context.Context, problems answer.Problems, err error) *gqlerror.Error {
	shown := graphql.DefaultErrorPresenter(ctx, err)
	if _, coded := shown.Extensions["code"]; coded {
		shown.Message = problem.Masked(shown.Message)
		return shown
	}
	if inner := errors.Unwrap(err); inner != nil {
		err = inner // without the path, which the answer states
	}
	e := problem.From(err)
	if null, ok := errors.AsType[*queryplan.NullError](err); ok {
		e = problem.New(problem.InvalidParameter, "%s", null).About(null.Argument, "null")
	}
	if refused := refusedArgument(ctx, shown); refused != nil {
		e = refused
	}
	answer.LogCause(ctx, Path+" "+shown.Path.String(), e)
	problems.Note(ctx, e)
	document := e.Document(problems.BaseURL, Path, answer.RequestID(ctx))
	shown.Message, shown.Path = document.Detail, fromRoot(ctx, shown.Path)
	shown.Extensions = map[string]any{"code": e.Kind.Code(), "problem": document}
	return shown
}

// refusedArgument returns the problem of an argument whose scalar cannot be read, or nil. In
// gqlgen's error the path leads to the argument; it must end at the field.
func refusedArgument(ctx context.Context, shown *gqlerror.Error) *problem.Error {
	field := graphql.GetFieldContext(ctx)
	if field == nil || field.Field.Field == nil {
		return nil
	}
	at := len(field.Path())
	if len(shown.Path) <= at {
		return nil
	}
	name, ok := shown.Path[at].(ast.PathName)
	argument := field.Field.Arguments.ForName(string(name))
	if !ok || argument == nil {
		return nil
	}
	shown.Path = shown.Path[:at]
	value, _ := argument.Value.Value(graphql.GetOperationContext(ctx).Variables)
	text := fmt.Sprint(value)
	return problem.New(problem.InvalidParameter, "%s %s; got %s.", name, shown.Message, problem.Shown(text)).About(string(name), text)
}

// fromRoot returns a path from the root of the answer. gqlgen's paths within the events of a
// subscription lack the subscribed field.
func fromRoot(ctx context.Context, path ast.Path) ast.Path {
	if len(path) == 0 || !graphql.HasOperationContext(ctx) {
		return path
	}
	oc := graphql.GetOperationContext(ctx)
	if oc.Operation == nil || oc.Operation.Operation != ast.Subscription {
		return path
	}
	for _, root := range graphql.CollectFields(oc, oc.Operation.SelectionSet, []string{"Subscription"}) {
		if name, ok := path[0].(ast.PathName); !ok || string(name) != root.Alias {
			return append(ast.Path{ast.PathName(root.Alias)}, path...)
		}
	}
	return path
}
