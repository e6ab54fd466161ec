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
	check     func(*graphql.OperationContext) error // returns why an operation cannot be run
	list      func() *document.List                 // nil: there is no list, and every document may run
}

// asked states the operation that a request asks for.
type asked struct {
	*graphql.RawParams
	documentID *string
}

// read returns the document of a request, and fills in its text.
func (d *documents) read(ctx context.Context, in asked) (*ast.QueryDocument, gqlerror.List) {
	if err := d.find(ctx, in); err != nil {
		return nil, gqlerror.List{err}
	}
	return d.reader.Read(in.Query)
}

type documentKey struct{}

// alreadyRead is the cache in which gqlgen finds the document of a request. It has already been
// read, since gqlgen would take more than linear time to do so.
type alreadyRead struct{}

// Get implements graphql.Cache.
func (alreadyRead) Get(ctx context.Context, _ string) (*ast.QueryDocument, bool) {
	doc, ok := ctx.Value(documentKey{}).(*ast.QueryDocument)
	return doc, ok
}

// Add implements graphql.Cache.
func (alreadyRead) Add(context.Context, string, *ast.QueryDocument) {}
