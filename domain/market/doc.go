// Package market holds the rules of prices: instrument ids and the catalog,
// observations and quotes, bars and how they are recorded, conversion between
// currencies, trading sessions, movers, indices, sectors and logos. One struct
// serves an ingested record, a row, a REST body and a GraphQL type. Service
// answers questions about them from a Live snapshot and a History.
package market
