package graphqlhttp

import (
	"context"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/handler/extension"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"piyasa/account/access"
	"piyasa/account/cost"
	"piyasa/serve/document"
)

// documents reads the documents of requests, or finds them by their hashes and ids.
type documents struct {
	reader    *document.Reader
	persisted extension.AutomaticPersistedQuery
	costs     *cost.Table
	gate      *access.Gate
	check     func(*graphql.OperationContext) error // why an operation cannot be run
	list      func() *document.List                 // nil: there is none, and everything runs
}

// asked is what a request asks to run.
type asked struct {
	*graphql.RawParams
	documentID *string
}

// read returns the document of a request, whose text it completes.
func (d *documents) read(ctx context.Context, in asked) (*ast.QueryDocument, gqlerror.List) {
	if err := d.find(ctx, in); err != nil {
		return nil, gqlerror.List{err}
	}
	return d.reader.Read(in.Query)
}

type documentKey struct{}

// alreadyRead is the cache in which gqlgen finds the document of a request: it
// was read before gqlgen, which would take more than linear time, is asked.
type alreadyRead struct{}

// Get implements graphql.Cache.
func (alreadyRead) Get(ctx context.Context, _ string) (*ast.QueryDocument, bool) {
	doc, ok := ctx.Value(documentKey{}).(*ast.QueryDocument)
	return doc, ok
}

// Add implements graphql.Cache.
func (alreadyRead) Add(context.Context, string, *ast.QueryDocument) {}
