// Package value has the values that all domains use: decimals, dates, months and instants, each
// with the same text in JSON, GraphQL, SQL and ingested records; and the common parts of
// parameters: ranges of days, limits, counts of ids, sort orders, enumerations. Instrument ids are
// in package market, because the meaning of an id depends on the market that it names.
package value
