// Package queryplan runs operations breadth first, from tables that serve/queryplan/generate writes
// beside gqlgen's code, and answers with the bytes and the errors that gqlgen's own
// executor would give.
//
// An operation is compiled once into a plan: what is selected at each place,
// fragments and conditions settled. To run it, each relation is asked once at
// each place, for all parents there; then the answer is written in one pass,
// in the order in which the parents were gathered, so that the answers of a
// relation are simply taken one after the other. Errors are reported as the
// pass meets them: their order is that of the answer.
//
// A subscription begins with its only field, and each event is written like the
// answer to a query that has been asked for that field already.
//
// Selections of more than 10,000 fields or 1,000 places with all fragments expanded,
// and conditions that are null, are refused.
package queryplan
