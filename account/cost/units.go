package cost

import (
	"context"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"

	"piyasa/account/access"
	"piyasa/serve/document"
)

// Units returns the most request units that an operation will be charged, with its lists at
// their greatest length; for a subscription, the most for the relations of one event.
func (t *Table) Units(ctx context.Context, o *ast.OperationDefinition, variables map[string]any) int64 {
	return int64(document.Sum(t.Schema(), o, func(object string, f *ast.Field, below int) int {
		rows, arguments := 1, f.ArgumentMap(variables)
		if ids, ok := arguments["ids"].([]any); ok {
			rows = len(ids)
		} else if of := f.Definition.Type.Name(); !ofPoints[of] {
			with, has := t.schema.Complexity(ctx, object, f.Name, 1, arguments)
			if without, _ := t.schema.Complexity(ctx, object, f.Name, 0, arguments); has {
				rows = with - without
			}
		}
		return t.units(object, f.Name, rows) + rows*below
	}))
}

// ofPoints are the types that are counted by their points, below which nothing is charged;
// each leads to one instrument.
var ofPoints = map[string]bool{
	"CandleSeries": true, "CandlesBatch": true, "EodSeries": true, "ValuationHistory": true, "SectorReturns": true,
}

// units returns how many units a field with so many rows is charged for one parent.
func (t *Table) units(object, field string, rows int) int {
	switch name := object + "." + field; name {
	case "Query.valuations", "Query.candlesBatch", "Query.nodes":
		return rows * access.Unit
	case "Query.dividends", "Query.dividendsConnection", "Query.corporateActions":
		return access.RowUnits(rows)
	case "Query.usage", "Query.webhooks":
		return 0
	default:
		if t.charging[name] || object == t.Schema().Query.Name && !strings.HasPrefix(field, "__") {
			return access.Unit
		}
		return 0
	}
}
