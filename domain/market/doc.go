// Package market holds the rules of prices: exact decimals, instants and
// dates, instrument ids and the catalog, quotes and bars and their conversion,
// the trading session, movers. The types are plain and know nothing of
// transports or SQL; one struct serves a record of input, a row, a REST body
// and a GraphQL type. Service answers questions about them from a Live snapshot
// and a History.
package market
