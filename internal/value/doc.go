// Package value holds the values that every domain is made of: decimals, dates,
// months and instants, each with one text that is the same in JSON, GraphQL,
// SQL and ingested records; and what parameters share: ranges of days, limits,
// counts of ids, sort orders, enumerations. An instrument's id is in package market,
// because what an id means depends on the market that it names.
package value
